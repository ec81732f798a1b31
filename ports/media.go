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
	// Insert adds item and sets its ID.
	Insert(ctx context.Context, item *core.MediaItem) error
}

// BlobLedger counts what needs the bytes of each name, so that bytes are kept once
// and go when nothing needs them any more. All of it is for transactions: a name
// that was held, released or forgotten stays locked until the transaction ends.
type BlobLedger interface {
	// Hold counts one more for each name.
	Hold(ctx context.Context, projectID int64, names []string) error
	// Release counts one less for each name. What comes to zero stays known, as
	// unheld.
	Release(ctx context.Context, projectID int64, names []string) error
	// Unheld returns up to limit names that nothing needs, of any Project, in no
	// promised order.
	Unheld(ctx context.Context, limit int) ([]HeldBlob, error)
	// Forget removes the name if nothing holds it, and reports whether it did: then
	// the caller removes the bytes before the transaction ends.
	Forget(ctx context.Context, projectID int64, name string) (bool, error)
	// Known returns those of the names that the ledger has, held or not.
	Known(ctx context.Context, names []string) ([]string, error)
}

// HeldBlob is a name in the ledger.
type HeldBlob struct {
	ProjectID int64
	Name      string
}

// BlobStore keeps bytes by name: segments of [A-Za-z0-9._-] joined by slashes. What
// it cannot reach is core.ErrUnavailable; a full disk is core.KindStorageFull.
type BlobStore interface {
	// Create writes what it reads from source under name, in place of what was there.
	// Until it returns nil, nothing is to be seen under the name. Memory does not
	// grow with the source.
	Create(ctx context.Context, name string, source io.Reader) error
	// Copy puts the bytes of one name under another, too; core.ErrNotFound.
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

// BlobInfo is what a blob store tells of a name.
type BlobInfo struct {
	Name    string
	Size    int64
	ModTime time.Time
}

// Imager makes the variants of pictures. It bounds how many it has in work; who
// waits too long for a place gets core.ErrUnavailable with RetryAfter.
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
