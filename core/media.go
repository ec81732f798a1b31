package core

import (
	"net/url"
	"path"
	"strings"
	"time"

	"imprimatur/core/canonical"
)

// MediaItem is one file of a Project's media library.
type MediaItem struct {
	ID        int64
	ProjectID int64
	FileName  string // as shown: a base name without control characters
	Caption   string
	Tags      []string
	MimeType  string    // detected from the bytes
	Kind      MediaKind // follows from MimeType
	Hash      string    // SHA-256 of the bytes, hex
	Size      int64     // bytes
	Width     int       // pixels, upright; 0 for what is not a picture
	Height    int
	// The names of the bytes in the blob store. Full is the file as it was sent; the
	// others are empty where there is no such variant.
	Full      string
	Thumb     string // at most 320 px, JPEG or PNG
	ThumbWebP string // at most 320 px
	FullWebP  string // at most 2560 px
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Blobs returns the names of all blobs that the item needs, each once.
func (m *MediaItem) Blobs() []string {
	var names []string
	seen := map[string]bool{"": true}
	for _, name := range []string{m.Full, m.Thumb, m.ThumbWebP, m.FullWebP} {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// MediaKind groups the types of files.
type MediaKind string

// The kinds of media; everything that is not seen or heard is a document.
const (
	MediaImage    MediaKind = "image"
	MediaVideo    MediaKind = "video"
	MediaAudio    MediaKind = "audio"
	MediaDocument MediaKind = "document"
)

// MediaQuery selects items of one Project's library, newest first.
type MediaQuery struct {
	ProjectID int64
	Search    string    // contained in caption, file name or a tag, case aside; empty: all
	Kind      MediaKind // empty: all
	Offset    int64
	Limit     int64
}

// MediaUse is an entry that shows a media item in a version that readers see or may see
// later.
type MediaUse struct {
	EntryID      int64
	CollectionID int64
	Locale       string
	Draft        bool // its draft does
	Published    bool // its published version does
	Requested    bool // the snapshot of its open approval request does
	Trashed      bool // the entry is in the trash, from which it can be restored
}

// ShowsMedia reports whether a media field of the collection names the item in a document.
func (c *Collection) ShowsMedia(doc Document, id int64) (found bool) {
	doc.Each(func(name, raw []byte) {
		if f := c.Field(string(name)); f == nil || f.Type != TypeMedia {
			return
		}
		canonical.Elements(raw, func(element []byte) {
			value, ok := DecodeValue(TypeMedia, element)
			found = found || ok && int64(value.Num) == id
		})
	})
	return found
}

// ShowsMedia reports whether the version that the request would publish shows the item. c is
// the collection of its entry.
func (r *Request) ShowsMedia(c *Collection, id int64) bool {
	return c.ShowsMedia(Document(r.Snapshot).Value("fields"), id) || c.ShowsMedia(r.Withheld, id)
}

// FileBase is the address that serves /files, without a slash at its end.
type FileBase string

// FileURL returns the public URL of a blob. blob is a name of the
// form <project uuid>/<hash>.<extension>. The last segment of the URL carries
// fileName, the name under which browsers save the file.
func FileURL(base FileBase, blob, fileName string) string {
	if blob == "" {
		return ""
	}
	extension := path.Ext(blob)
	stem := strings.TrimSuffix(fileName, path.Ext(fileName))
	if stem == "" {
		stem = "file"
	}
	return string(base) + "/files/" + strings.TrimSuffix(blob, extension) + "/" + url.PathEscape(stem+extension)
}
