// Package previewurl checks the templates of the addresses at which a website shows entries: those of a Project
// and of its collections, and the origins that the dashboard may frame. A template is a URL with placeholders,
// such as "https://www.example.com/{locale}/{slug}", which the dashboard replaces by values of an entry.
package previewurl

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/address"
)

// MaxLength is the maximum length of a template in code points.
const MaxLength = 2000

// placeholder matches a placeholder. The group is its name.
var placeholder = regexp.MustCompile(`\{([^{}]*)\}`)

// OfCollection are the placeholders that have a value for every entry of a collection.
var OfCollection = []string{"id", "group", "locale"}

// Fault returns what is wrong with the form of a template, or "". It refuses placeholders in the host, because a
// value of an entry would then select the server that a browser opens.
func Fault(template string) string {
	origin, path := split(template)
	scheme, _, _ := strings.Cut(origin, "://")
	filled := placeholder.ReplaceAllString(path, "x") // x is no hexadecimal digit, so an incomplete escape stays invalid
	_, err := url.Parse(origin + filled)
	switch {
	case utf8.RuneCountInString(template) > MaxLength:
		return "must have at most " + strconv.Itoa(MaxLength) + " characters"
	case scheme != "https" && scheme != "http" || !IsOrigin(origin):
		return "must begin with an http or https origin as browsers write it, like https://www.example.com/, with placeholders only after it"
	case strings.ContainsAny(filled, "{}"):
		return "braces must enclose the name of a placeholder, like {id}"
	case err != nil || !utf8.ValidString(path) || strings.ContainsFunc(path, func(r rune) bool { return r == ' ' || r == '\\' || !unicode.IsPrint(r) }):
		return "must be a URL, without spaces, backslashes and control characters"
	}
	return ""
}

// split returns the origin of a template and what follows it.
func split(template string) (origin, path string) {
	scheme, rest, _ := strings.Cut(template, "://")
	end := strings.IndexAny(rest+"/", "/?#")
	return scheme + "://" + rest[:end], rest[end:]
}

// Origin returns the origin of a template whose Fault is "".
func Origin(template string) string {
	origin, _ := split(template)
	return origin
}

// Placeholders returns the names of the placeholders of a template in their order.
func Placeholders(template string) (names []string) {
	for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, match[1])
	}
	return names
}

// types are the types whose values fit into a URL.
var types = []core.FieldType{core.TypeText, core.TypeSlug, core.TypeEnumeration, core.TypeNumber, core.TypeDate}

// Fills reports whether the collection has a field of that name whose values fit into a URL of its own.
func Fills(c *core.Collection, name string) bool {
	f := c.Field(name)
	return f != nil && slices.Contains(types, f.Type) && !f.Multiple && !f.Hidden
}

// Names reports whether a template of a collection needs the field of that name.
func Names(template, field string) bool {
	return !slices.Contains(OfCollection, field) && slices.Contains(Placeholders(template), field)
}

// maxOrigin is the maximum length of an origin in bytes: a host name has at most 253.
const maxOrigin = 300

// defaultPorts are the ports that browsers leave out of an origin.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// IsOrigin reports whether text has the form that browsers send in the header Origin (RFC 6454,
// section 6.2). Only one form of an origin is valid, because origins are compared byte by byte.
func IsOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || len(text) > maxOrigin || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") {
		return false
	}
	for _, r := range text {
		if r <= ' ' || r > '~' || r == '*' {
			return false
		}
	}
	if (u.Scheme == "http" || u.Scheme == "https") && !address.WebOrigin(text) {
		return false
	}
	return text == strings.ToLower(u.Scheme+"://"+u.Host) && (u.Port() == "" || isPort(u.Port()) && u.Port() != defaultPorts[u.Scheme])
}

// isPort reports whether text is a port without leading zeros.
func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && text == strconv.FormatUint(n, 10)
}

// IsFramed reports whether the dashboard may frame pages of an origin: with https, or with http on the machine of
// the browser, where no network can change them.
func IsFramed(origin string) bool {
	if !IsOrigin(origin) || strings.ContainsAny(origin, ";,'") { // which would end a source of a content security policy
		return false
	}
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}
