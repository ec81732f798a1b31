package model

// MediaView is one file of the media library.
type MediaView struct {
	ID       ID
	FileName string
	FullURL  string
	// A small JPEG or PNG; null if the file is not a picture.
	ThumbURL *string
	// The small picture as WebP.
	ThumbWebpURL *string
	// The full picture as WebP.
	FullWebpURL *string
	Caption     *string
	Tags        []string
	// In bytes.
	Size *int32
	// In pixels; null if the file is not a picture.
	Width *int32
	// In pixels; null if the file is not a picture.
	Height *int32
}
