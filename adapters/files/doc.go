// Package files serves the bytes of media files at their public URLs. A URL needs no
// credential: it contains the hash of the file. handler.go finds the file and writes the
// headers; rendition.go reads the query of a picture of another size or format; content.go adapts
// http.ServeContent.
package files
