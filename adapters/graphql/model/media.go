package model

// MediaView is one file of the media library.
type MediaView struct {
	ID       ID
	FileName string
	FullURL  string
	// A small picture, JPEG or PNG; null for what is no picture.
	ThumbURL *string
	// The small picture as WebP.
	ThumbWebpURL *string
	// The picture in full as WebP.
	FullWebpURL *string
	Caption     *string
	Tags        []string
	// Bytes.
	Size *int32
	// Pixels; null for what is no picture.
	Width *int32
	// Pixels; null for what is no picture.
	Height *int32
}
