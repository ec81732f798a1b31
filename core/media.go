package core

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"imprimatur/core/canonical"
	"imprimatur/core/fileurl"
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
	// Names in the blob store. Full is the uploaded file. The others are variants; a name is
	// empty if the item does not have the variant.
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

// MediaQuery selects items of one Project's library, newest first.
type MediaQuery struct {
	ProjectID int64
	Search    string    // contained in the caption, the file name or a tag, case-insensitively; empty: all
	Kind      MediaKind // empty: all
	Folder    *string   // exactly this one, without the folders in it; "": in no folder; nil: all
	Offset    int64
	Limit     int64
}

// MediaFolder is a folder of a library. Folders exist as long as items are in them. They restrict
// nothing, and readers do not see them.
type MediaFolder struct {
	Path  string // as in MediaItem.Folder
	Items int64  // number of the items in it, without those of the folders in it
}

// MaxMediaFolders is the maximum number of folders that are listed.
const MaxMediaFolders = 2000

// Use is an entry that refers to something in a version that readers see or may see later: to a
// media item, or to the entries of a translation group.
type Use struct {
	EntryID      int64
	CollectionID int64
	Locale       string
	Draft        bool // whether its draft refers to it
	Published    bool // whether its published version refers to it
	Requested    bool // whether the snapshot of its open approval request refers to it
	Trashed      bool // whether the entry is in the trash, from which it can be restored
	// Required means that its published version, or else its draft, lacks a required value without the
	// target. Stores leave it false.
	Required bool
	// Sealed means that a media item cannot be deleted because of this use: the published version is
	// sealed with it, or the request shows it. Stores leave it false.
	Sealed bool
	// Title is the title of the draft, as Collection.Title returns it. Stores leave it empty.
	Title string
}

// MaxUses is the maximum number of uses that are listed.
const MaxUses = 1000

// FileBase is the base URL of /files, without a slash at the end.
type FileBase string

// Serves reports whether address is the URL of a file of b, or such a path without a host.
func (b FileBase) Serves(address string) bool {
	at, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(at.Path, fileurl.Prefix) {
		return false
	}
	if at.Host == "" {
		return at.Scheme == ""
	}
	base, err := url.Parse(string(b))
	return err == nil && strings.EqualFold(at.Host, base.Host) && (at.Scheme == "" || at.Scheme == "http" || at.Scheme == "https")
}

// Hosts reports whether address has the host of b.
func (b FileBase) Hosts(address string) bool {
	host, named := fileurl.Host(address)
	own, ours := fileurl.Host(string(b))
	return named && ours && host == own
}

// HasHost reports whether address names a host, unlike the path of a site.
func HasHost(address string) bool {
	_, named := fileurl.Host(address)
	return named
}

// SameFile reports whether the URLs a and b name the same file under the same name, whatever their
// hosts, queries and fragments.
func SameFile(a, b string) bool {
	pathOf := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			return ""
		}
		return u.Path[max(strings.Index(u.Path, fileurl.Prefix), 0):]
	}
	return pathOf(a) == pathOf(b)
}

// FileURL returns the public URL of a blob. The name of the blob has the form
// <project uuid>/<hash>.<extension>. Browsers save the file under the last segment of the URL, which
// is fileurl.Name of fileName.
func FileURL(base FileBase, blob, fileName string) string {
	if blob == "" {
		return ""
	}
	extension := path.Ext(blob)
	return string(base) + fileurl.Prefix + strings.TrimSuffix(blob, extension) + "/" + url.PathEscape(fileurl.Name(fileName, extension))
}
