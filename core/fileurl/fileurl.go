// Package fileurl has the form of the paths of public files:
//
//	/files/<project uuid>/<hash>/<file name>.<extension>
//
// fileurl.URL builds them, and adapters/files serves them.
package fileurl

import (
	"bytes"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// Prefix is the beginning of every path.
const Prefix = "/files/"

// File is what a path names.
type File struct {
	Project string // its UUID
	Blob    string // name in the blob store: <project uuid>/<hash>.<extension>
	Hash    string // hex SHA-256 of the bytes
	Name    string // suggested name for saving the file
}

var form = regexp.MustCompile(`^/files/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/([0-9a-f]{64})/([^/\\]+)$`)

// Parse parses the unescaped path of a URL. ok is false when it does not have the form of a file.
func Parse(urlPath string) (f File, ok bool) {
	match := form.FindStringSubmatch(urlPath)
	if match == nil || strings.ContainsFunc(match[3], unicode.IsControl) {
		return File{}, false
	}
	return File{Project: match[1], Blob: match[1] + "/" + match[2] + Extension(match[3]), Hash: match[2], Name: match[3]}, true
}

// Find returns the file that a browser can get from an absolute or relative address, on whichever
// host. Like browsers, it reads a backslash as a slash and removes dot segments.
func Find(address string) (f File, ok bool) {
	parsed, err := url.Parse(strings.ReplaceAll(address, `\`, "/"))
	if err != nil {
		return File{}, false
	}
	opaque, err := url.PathUnescape(parsed.Opaque) // of an address like https:files/…
	if err != nil {
		return File{}, false
	}
	whole := path.Clean("/" + parsed.Path + opaque)
	return Parse(whole[max(0, strings.LastIndex(whole, Prefix)):])
}

// Mentions reports whether text, which may be JSON, can have an address of a file. It only scans
// the bytes.
func Mentions(text []byte) bool {
	return bytes.Contains(text, []byte("files/")) || bytes.Contains(text, []byte(`files\`))
}
