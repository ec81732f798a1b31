package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"imprimatur/core"
	"imprimatur/core/fileurl"
)

// FileType is a type of file that a library accepts.
type FileType struct {
	MIME      string
	Extension string // with its dot
	Kind      core.MediaKind
	Inline    bool // browsers may display it; other files are downloaded
}

// TypeOf returns the type of a blob by the extension of its name, or false if it is unknown.
func TypeOf(blob string) (FileType, bool) {
	t, ok := byExtension[path.Ext(blob)]
	return t, ok
}

// fileTypes has all accepted types. Of raster images the Imager reads at least the structure: other
// files that begin like a picture can have any content. Browsers do not show HEIC. No file may run as a program or a page
// on the origin that serves it, so types that browsers would run are not inline.
var fileTypes = []FileType{
	{"image/jpeg", ".jpg", core.MediaImage, true},
	{"image/png", ".png", core.MediaImage, true},
	{"image/gif", ".gif", core.MediaImage, true},
	{"image/webp", ".webp", core.MediaImage, true},
	{"image/avif", ".avif", core.MediaImage, true},
	{"image/heic", ".heic", core.MediaImage, false},
	{"image/svg+xml", ".svg", core.MediaImage, false},

	{"video/mp4", ".mp4", core.MediaVideo, true},
	{"video/webm", ".webm", core.MediaVideo, true},
	{"video/quicktime", ".mov", core.MediaVideo, true},
	{"video/ogg", ".ogv", core.MediaVideo, true},
	{"video/x-matroska", ".mkv", core.MediaVideo, true},
	{"video/3gpp", ".3gp", core.MediaVideo, true},
	{"video/3gpp2", ".3g2", core.MediaVideo, true},
	{"video/x-msvideo", ".avi", core.MediaVideo, true},

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
	{"text/tab-separated-values", ".tsv", core.MediaDocument, false},
	{"text/markdown", ".md", core.MediaDocument, false},
	{"application/json", ".json", core.MediaDocument, false},
	{"application/x-ndjson", ".jsonl", core.MediaDocument, false},
	{"application/geo+json", ".geojson", core.MediaDocument, false},
	{"model/gltf+json", ".gltf", core.MediaDocument, false},
	{"application/yaml", ".yaml", core.MediaDocument, false},
	{"text/calendar", ".ics", core.MediaDocument, false},
	{"text/vcard", ".vcf", core.MediaDocument, false},
	{"text/vtt", ".vtt", core.MediaDocument, false},
	{"application/x-subrip", ".srt", core.MediaDocument, false},
	{"message/rfc822", ".eml", core.MediaDocument, false},
	{"application/zip", ".zip", core.MediaDocument, false},
}

var byExtension = func() map[string]FileType {
	types := make(map[string]FileType, len(fileTypes))
	for _, t := range fileTypes {
		types[t.Extension] = t
	}
	return types
}()

var byMIME = func() map[string]FileType {
	types := make(map[string]FileType, len(fileTypes)+len(takenAs))
	for _, t := range fileTypes {
		types[t.MIME] = t
	}
	for detected, mime := range takenAs {
		types[detected] = types[mime]
	}
	return types
}()

// takenAs maps other detected types to types of the table: aliases and subtypes.
var takenAs = map[string]string{
	"image/apng":     "image/png",
	"video/x-m4v":    "video/mp4",
	"video/matroska": "video/x-matroska",
	"audio/x-m4a":    "audio/mp4",
}

// Sniffed is the number of bytes at the start of a file that the type detection reads.
const Sniffed = 64 << 10

func init() { mimetype.SetLimit(Sniffed) } // global; no other package uses it

// typeOf returns the type of a file by its first bytes, or core.KindUnsupportedMedia. The name
// decides only between types of text that these bytes can be: also if a text begins like another type.
func typeOf(fileName string, head []byte) (FileType, error) {
	mime, _, _ := strings.Cut(mimetype.Detect(head).String(), ";") // without charset
	if root, whole := xmlRoot(head); mime == svgType && whole && root.Name != svgRoot {
		mime = "text/xml" // with an SVG inside, or in a comment
	}
	switch heif := heifType(head); {
	case heif != "":
		mime = heif
	case bytes.HasPrefix(head[min(4, len(head)):], []byte("ftypMSNV")):
		mime = "video/mp4" // from Sony cameras; mimetype reports audio
	case strings.HasPrefix(mime, "text/") && isSVG(head):
		mime = svgType
	case isText[mime], isNamedText(fileName, head):
		return textType(fileurl.Extension(fileName), mime, head), nil
	}
	if t, ok := byMIME[mime]; ok {
		return t, nil
	}
	return FileType{}, &core.Error{
		Kind: core.KindUnsupportedMedia, Code: "unsupported_media_type",
		Message: fmt.Sprintf("files of this type (%s) are not accepted; accepted are %s", mime, acceptedExtensions),
	}
}

// heifType returns the type of an AVIF or HEIC by the brands of its first box, or "". The first brand can
// be that of the container alone.
func heifType(head []byte) string {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return ""
	}
	length := min(int(min(binary.BigEndian.Uint32(head), Sniffed)), len(head))
	var isHEIC bool
	for at := 8; at+4 <= length; at += 4 {
		switch string(head[at : at+4]) {
		case "avif", "avis":
			return "image/avif"
		case "heic", "heix", "heim", "heis", "hevc", "hevx":
			isHEIC = true
		}
	}
	if isHEIC {
		return "image/heic"
	}
	return ""
}

// acceptedExtensions lists the accepted extensions for an error message.
var acceptedExtensions = func() string {
	var names []string
	for _, t := range fileTypes {
		names = append(names, strings.TrimPrefix(t.Extension, "."))
	}
	return strings.Join(names, ", ")
}()
