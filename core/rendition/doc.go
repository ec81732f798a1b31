// Package rendition describes the images that are made of pictures: their formats, sizes and keys.
//
// adapters/imaging makes them, and adapters/files serves them.
package rendition
