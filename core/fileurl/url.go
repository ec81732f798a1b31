package fileurl

import (
	"net/url"
	"path"
	"strings"
)

// Base is the base URL of /files, without a slash at the end.
type Base string

// Serves reports whether address is the URL of a file of b, or such a path without a host.
func (b Base) Serves(address string) bool {
	at, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(at.Path, Prefix) {
		return false
	}
	if at.Host == "" {
		return at.Scheme == ""
	}
	base, err := url.Parse(string(b))
	return err == nil && strings.EqualFold(at.Host, base.Host) && (at.Scheme == "" || at.Scheme == "http" || at.Scheme == "https")
}

// Hosts reports whether address has the host of b.
func (b Base) Hosts(address string) bool {
	host, named := Host(address)
	own, ours := Host(string(b))
	return named && ours && host == own
}

// HasHost reports whether address names a host, unlike the path of a site.
func HasHost(address string) bool {
	_, named := Host(address)
	return named
}

// SameFile reports whether the URLs a and b name the same file under the same name, whatever their
// hosts, queries and fragments.
func SameFile(a, b string) bool {
	pathOf := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			return ""
		}
		return u.Path[max(strings.Index(u.Path, Prefix), 0):]
	}
	return pathOf(a) == pathOf(b)
}

// URL returns the public URL of a blob. The name of the blob has the form
// <project uuid>/<hash>.<extension>. Browsers save the file under the last segment of the URL, which
// is fileurl.Name of fileName.
func URL(base Base, blob, fileName string) string {
	if blob == "" {
		return ""
	}
	extension := path.Ext(blob)
	return string(base) + Prefix + strings.TrimSuffix(blob, extension) + "/" + url.PathEscape(Name(fileName, extension))
}
