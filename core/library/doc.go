// Package library has the reads of a media library: which items a query selects, the folders, and where an item is
// used.
//
// The item itself is core.MediaItem. Package core/media has the use cases.
package library
