package media

import (
	"path"

	"imprimatur/core"
)

// FileType is a type of file that a library takes.
type FileType struct {
	MIME      string
	Extension string // with its dot
	Kind      core.MediaKind
	Inline    bool // browsers may show it by itself; all else is saved to disk
}

// TypeOf returns the type of the bytes of that name in the blob store.
func TypeOf(blob string) (FileType, bool) {
	t, ok := byExtension[path.Ext(blob)]
	return t, ok
}

// fileTypes are all the types that are taken. Nothing in it may run as a program or
// a page where it is served from, so what browsers would run is not inline.
var fileTypes = []FileType{
	{"image/jpeg", ".jpg", core.MediaImage, true},
	{"image/png", ".png", core.MediaImage, true},
	{"image/gif", ".gif", core.MediaImage, true},
	{"image/webp", ".webp", core.MediaImage, true},
	{"image/bmp", ".bmp", core.MediaImage, true},
	{"image/tiff", ".tiff", core.MediaImage, true},
	{"image/avif", ".avif", core.MediaImage, true},
	{"image/heic", ".heic", core.MediaImage, true},
	{"image/svg+xml", ".svg", core.MediaImage, false},

	{"video/mp4", ".mp4", core.MediaVideo, true},
	{"video/webm", ".webm", core.MediaVideo, true},
	{"video/quicktime", ".mov", core.MediaVideo, true},
	{"video/ogg", ".ogv", core.MediaVideo, true},
	{"video/x-matroska", ".mkv", core.MediaVideo, true},

	{"audio/mpeg", ".mp3", core.MediaAudio, true},
	{"audio/ogg", ".ogg", core.MediaAudio, true},
	{"audio/wav", ".wav", core.MediaAudio, true},
	{"audio/flac", ".flac", core.MediaAudio, true},
	{"audio/mp4", ".m4a", core.MediaAudio, true},
	{"audio/aac", ".aac", core.MediaAudio, true},

	{"application/pdf", ".pdf", core.MediaDocument, true},
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx", core.MediaDocument, false},
	{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx", core.MediaDocument, false},
	{"application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx", core.MediaDocument, false},
	{"application/vnd.oasis.opendocument.text", ".odt", core.MediaDocument, false},
	{"application/vnd.oasis.opendocument.spreadsheet", ".ods", core.MediaDocument, false},
	{"application/vnd.oasis.opendocument.presentation", ".odp", core.MediaDocument, false},
	{"application/msword", ".doc", core.MediaDocument, false},
	{"application/vnd.ms-excel", ".xls", core.MediaDocument, false},
	{"application/vnd.ms-powerpoint", ".ppt", core.MediaDocument, false},
	{"text/rtf", ".rtf", core.MediaDocument, false},
	{"application/epub+zip", ".epub", core.MediaDocument, false},
	{"text/plain", ".txt", core.MediaDocument, false},
	{"text/csv", ".csv", core.MediaDocument, false},
	{"application/json", ".json", core.MediaDocument, false},
	{"application/zip", ".zip", core.MediaDocument, false},
}

var byExtension = func() map[string]FileType {
	types := make(map[string]FileType, len(fileTypes))
	for _, t := range fileTypes {
		types[t.Extension] = t
	}
	return types
}()
