package core

import "time"

// MediaItem is one file of a Project's media library.
type MediaItem struct {
	ID           int64
	ProjectID    int64
	FileName     string
	Caption      string
	Tags         []string
	MimeType     string
	Hash         string // SHA-256 of the bytes, hex
	Size         int64  // bytes
	Width        int    // pixels; 0 for what is not a picture
	Height       int
	FullURL      string
	ThumbURL     string // empty: no such variant
	ThumbWebPURL string
	FullWebPURL  string
	CreatedAt    time.Time
}
