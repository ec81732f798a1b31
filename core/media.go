package core

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"time"

	"imprimatur/core/canonical"
)

// MediaItem is one file of a Project's media library.
type MediaItem struct {
	ID        int64
	ProjectID int64
	FileName  string // base name without control characters
	Caption   string
	Alt       string // describes the picture to readers who do not see it; empty: none
	Tags      []string
	// FocalPoint is nil if the centre of the picture is its most important point. Do not change
	// the value that it points to.
	FocalPoint *FocalPoint
	Folder     string    // names joined by slashes, like Press/2026; empty: in no folder
	MimeType   string    // detected from the content
	Kind       MediaKind // follows from MimeType
	Hash       string    // SHA-256 of the stored bytes, hex
	Uploaded   string    // SHA-256 of the bytes as they were uploaded, hex; empty if they are stored unchanged
	Size       int64     // bytes, as stored
	Width      int       // in pixels, after its orientation is applied; 0 if it is not a picture
	Height     int
	Color      string // average colour, like "#5a7d9b"; empty: has none, or not a picture that is decoded
	// Names in the blob store. Full is the uploaded file. The others are the fixed renditions, which
	// are made at upload; a name is empty if the item does not have the rendition.
	Full      string
	Thumb     string // at most 320 px, JPEG or PNG
	ThumbWebP string // at most 320 px
	FullWebP  string // at most 2560 px; an animation has none
	CreatedAt time.Time
	UpdatedAt time.Time
	// Imported is the Words that the last import gave the item: others are those of a person. Empty: no import did.
	Imported string
}

// Words returns a hash of what an import says about a file: its caption, alt text, tags and folder.
func (m *MediaItem) Words() string {
	hash := sha256.Sum256(canonical.Of([]any{m.Caption, m.Alt, slices.Concat([]string{}, m.Tags), m.Folder}))
	return hex.EncodeToString(hash[:16])
}

// FocalPoint is the point of a picture that stays visible when the picture is cropped. X and Y are
// fractions of its width and height, from 0 to 1, from the top left.
type FocalPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// JSON returns p as a canonical JSON object, or nil for a nil p.
func (p *FocalPoint) JSON() []byte {
	if p == nil {
		return nil
	}
	return canonical.Of(p)
}

// Equal reports whether p and other are the same point, or both nil.
func (p *FocalPoint) Equal(other *FocalPoint) bool {
	if p == nil || other == nil {
		return p == other
	}
	return *p == *other
}

// SameWords reports whether m and other have the same caption, alt text, tags and focal point.
func (m *MediaItem) SameWords(other *MediaItem) bool {
	return m.Caption == other.Caption && m.Alt == other.Alt && slices.Equal(m.Tags, other.Tags) && m.FocalPoint.Equal(other.FocalPoint)
}

// Hashes returns the hashes that identify the file: of its stored and of its uploaded bytes.
func (m *MediaItem) Hashes() []string {
	if m.Uploaded == "" {
		return []string{m.Hash}
	}
	return []string{m.Hash, m.Uploaded}
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

// Files returns the names of all files whose addresses lead to the item, each once: its blobs, and
// Full as it was named before the location was removed.
func (m *MediaItem) Files() []string {
	names := m.Blobs()
	if m.Uploaded != "" {
		names = append(names, path.Join(path.Dir(m.Full), m.Uploaded+path.Ext(m.Full)))
	}
	return names
}

// MediaKind is a group of file types.
type MediaKind string

// The kinds of media. A file that is not an image, video or audio is a document.
const (
	MediaImage    MediaKind = "image"
	MediaVideo    MediaKind = "video"
	MediaAudio    MediaKind = "audio"
	MediaDocument MediaKind = "document"
)
