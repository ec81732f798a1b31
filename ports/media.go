package ports

import (
	"context"
	"io"
	"time"

	"imprimatur/core"
)

// MediaReader reads media items.
type MediaReader interface {
	// MediaByIDs returns those of the items that exist, in no promised order.
	MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error)
}

// MediaStore keeps the rows of media libraries.
type MediaStore interface {
	MediaReader
	// Media returns one item, which within a transaction stays as it is until the
	// transaction ends; core.ErrNotFound.
	Media(ctx context.Context, projectID, id int64) (core.MediaItem, error)
	// MediaByHash returns the items whose bytes have one of those hashes, by id.
	MediaByHash(ctx context.Context, projectID int64, hashes []string) ([]core.MediaItem, error)
	// List returns the window of q, newest first (by id), at most q.Limit items.
	List(ctx context.Context, q core.MediaQuery) ([]core.MediaItem, error)
	// Count returns how many items q has, whatever its window.
	Count(ctx context.Context, q core.MediaQuery) (int64, error)
	// Insert adds item and sets its ID; core.ErrNotFound when there is no such Project.
	Insert(ctx context.Context, item *core.MediaItem) error
	// Update replaces the stored item; core.ErrNotFound when there is none.
	Update(ctx context.Context, item *core.MediaItem) error
	// Delete removes the row alone; core.ErrNotFound when there is none. References
	// in entries stay and lead nowhere.
	Delete(ctx context.Context, projectID, id int64) error
	// Uses returns up to limit entries that show the item in a version that readers see
	// or can come to see, by entry id: the draft and the published version, in the trash
	// too, and the snapshot of an open request. What it returns was so at one moment.
	Uses(ctx context.Context, projectID, id int64, limit int) ([]core.MediaUse, error)
	// Pictures returns up to limit images with an id over after, by id; of all
	// Projects when projectID is 0. missing leaves out those that have every variant.
	Pictures(ctx context.Context, projectID, after int64, limit int, missing bool) ([]core.MediaItem, error)
	// CountPictures returns how many Pictures there are, whatever the limit.
	CountPictures(ctx context.Context, projectID, after int64, missing bool) (int64, error)
}

// BlobLedger counts the references to each blob, so that equal bytes are stored once and are
// deleted with their last reference. Its methods run inside a transaction: a name that was
// held, released or forgotten stays locked until the transaction ends. When a Project is
// deleted, its names stay known without references.
type BlobLedger interface {
	// Hold counts one more for each name; each is given once.
	Hold(ctx context.Context, projectID int64, names []string) error
	// Release counts one less for each name; each is given once. What comes to zero
	// stays known, as unheld.
	Release(ctx context.Context, projectID int64, names []string) error
	// Unheld returns up to limit names without references, of any Project, in unspecified
	// order.
	Unheld(ctx context.Context, limit int) ([]HeldBlob, error)
	// Forget removes the name if nothing holds it, and reports whether it did: then
	// the caller removes the bytes before the transaction ends.
	Forget(ctx context.Context, projectID int64, name string) (bool, error)
	// Known returns those of the names that the ledger has of the Project, held or
	// not, in no promised order.
	Known(ctx context.Context, projectID int64, names []string) ([]string, error)
}

// HeldBlob is a name in the ledger.
type HeldBlob struct {
	ProjectID int64
	Name      string
}

// UploadPrefix is the name prefix of uploads in progress. Blobs under it need not survive a
// crash of the machine.
const UploadPrefix = "tmp/"

// BlobStore stores bytes by name: segments of [A-Za-z0-9._-] joined by slashes. An
// unreachable store is core.ErrUnavailable; a full disk is core.KindStorageFull.
type BlobStore interface {
	// Create stores the bytes of source under name and replaces an earlier blob. The blob
	// becomes visible only when Create returns nil; it then survives a crash of the machine.
	// Memory use does not grow with the source.
	Create(ctx context.Context, name string, source io.Reader) error
	// Copy stores the bytes of one name under another one as well; core.ErrNotFound.
	Copy(ctx context.Context, from, to string) error
	// Open opens the bytes for reading from any place; core.ErrNotFound.
	Open(ctx context.Context, name string) (Blob, error)
	Exists(ctx context.Context, name string) (bool, error)
	// Delete removes the bytes; a name that is not there is no error.
	Delete(ctx context.Context, name string) error
	// Walk calls each with every name under prefix, in no promised order, until each
	// returns an error, which it returns.
	Walk(ctx context.Context, prefix string, each func(BlobInfo) error) error
}

// Blob is opened bytes.
type Blob interface {
	io.ReadSeekCloser
	Size() int64
	ModTime() time.Time
}

// BlobInfo describes a stored blob.
type BlobInfo struct {
	Name    string
	Size    int64
	ModTime time.Time
}

// Imager makes the variants of pictures. It works on a bounded number of pictures at once. A
// call that waits too long returns core.ErrUnavailable with RetryAfter.
type Imager interface {
	// Variants reads a picture of a type that Decodes reports true for. It returns
	// core.ErrInvalid for one that is broken, over 100 megapixels or over 10,000
	// frames, and says so before it decodes.
	Variants(ctx context.Context, source io.ReadSeeker, mimeType string) (Picture, error)
	// Decodes reports whether it makes variants of the type.
	Decodes(mimeType string) bool
}

// Picture is what an Imager made of a picture.
type Picture struct {
	Width, Height int // of the original, upright, pixels
	Thumb         Variant
	ThumbWebP     Variant
	FullWebP      Variant
}

// Variant is a picture made from another one, without metadata.
type Variant struct {
	Extension string // ".jpg", ".png" or ".webp"
	Bytes     []byte
}
