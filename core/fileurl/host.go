package fileurl

import "strings"

// Host returns the host:port of an absolute address, in lower case, as browsers read it. named is
// false for a relative address, which has no host.
func Host(address string) (host string, named bool) {
	rest := strings.ReplaceAll(address, `\`, "/")
	if scheme, after, found := strings.Cut(rest, ":"); found && !strings.ContainsAny(scheme, "/?#") {
		rest, named = after, true
	}
	if !named && !strings.HasPrefix(rest, "//") {
		return "", false
	}
	rest = strings.TrimLeft(rest, "/")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.ToLower(rest[strings.LastIndexByte(rest, '@')+1:]), true
}
