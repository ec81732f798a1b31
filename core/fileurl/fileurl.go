// Package fileurl has the form of the paths of public files:
//
//	/files/<project uuid>/<hash>/<file name>.<extension>
//
// core.FileURL builds them, and adapters/files serves them.
package fileurl

import (
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
