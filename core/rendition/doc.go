// Package rendition has the derived pictures of media items: their formats, sizes and keys.
//
// adapters/imaging makes them, and adapters/files serves them.
package rendition
