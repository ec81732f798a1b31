package ports

import (
	"context"
	"io"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/rendition"
)

// MediaReader reads media items.
type MediaReader interface {
	// MediaByIDs returns the existing items among ids, in unspecified order.
	MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error)
}

// Seal returns the sealed media of a version of an entry of c, with the words that the library
// has now. It makes no call when the version shows no media.
func Seal(ctx context.Context, media ShownMedia, projectID int64, c *core.Collection, doc core.Document) (core.Document, error) {
	items, err := MediaShown(ctx, media, projectID, c.References(doc))
	return core.Seal(items), err
}

// MediaShown returns the existing items that r names by their ids or files, each once, in
// unspecified order. It makes at most one call for the ids and one for the files.
func MediaShown(ctx context.Context, media ShownMedia, projectID int64, r core.References) ([]core.MediaItem, error) {
	items, err := MediaOf(ctx, media, projectID, r.Media)
	if err != nil || len(r.Files) == 0 {
		return items, err
	}
	more, err := media.MediaByFiles(ctx, projectID, r.Files)
	for _, item := range more {
		if _, named := slices.BinarySearch(r.Media, item.ID); !named {
			items = append(items, item)
		}
	}
	return items, err
}

// MediaOf returns the existing items among ids. It makes no call for an empty list.
func MediaOf(ctx context.Context, media MediaReader, projectID int64, ids []int64) ([]core.MediaItem, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return media.MediaByIDs(ctx, projectID, ids)
}

// MediaStore stores the items of media libraries.
type MediaStore interface {
	ShownMedia
	MediaLibrary
	MediaWalker
	MediaFolders
	KeptMedia
	MediaUses
	PictureLister
}

// ShownMedia finds the items that content shows.
type ShownMedia interface {
	MediaReader
	// MediaByFiles returns the items of which one of the Files has one of the names, ordered by id.
	MediaByFiles(ctx context.Context, projectID int64, names []string) ([]core.MediaItem, error)
	// PastMedia returns the existing items among ids, kept ones included, in unspecified order.
	PastMedia(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error)
}

// MediaLibrary has the items of the library of a Project.
type MediaLibrary interface {
	// Media returns one item. Inside a transaction, no other transaction changes the item
	// until the transaction ends.
	Media(ctx context.Context, projectID, id int64) (core.MediaItem, error)
	// MediaByHash returns the items whose bytes, as stored or as uploaded, have one of the hashes,
	// ordered by id.
	MediaByHash(ctx context.Context, projectID int64, hashes []string) ([]core.MediaItem, error)
	// List returns the window of q, the highest id first.
	List(ctx context.Context, q library.Query) ([]core.MediaItem, error)
	// Count returns how many items match q, without Offset and Limit.
	Count(ctx context.Context, q library.Query) (int64, error)
	// Insert adds item and sets its ID. It returns core.ErrNotFound when the Project does not
	// exist.
	Insert(ctx context.Context, item *core.MediaItem) error
	// Update replaces the stored item.
	Update(ctx context.Context, item *core.MediaItem) error
	// Delete removes only the item. References to it in entries stay but resolve to nothing.
	Delete(ctx context.Context, projectID, id int64) error
}

// MediaWalker reads whole libraries.
type MediaWalker interface {
	// Following returns up to limit items of the library with an id greater than after, ordered by id.
	Following(ctx context.Context, projectID, after int64, limit int) ([]core.MediaItem, error)
}

// MediaFolders has the folders of the library of a Project.
type MediaFolders interface {
	// Folders returns the folders that have items, ordered by path in byte order, up to limit of
	// them. The empty path has the items in no folder.
	Folders(ctx context.Context, projectID int64, limit int) ([]library.Folder, error)
	// Move sets the folder and UpdatedAt of the items among ids that are in another folder, and
	// returns their ids in ascending order. It ignores unknown ids.
	Move(ctx context.Context, projectID int64, ids []int64, folder string, at time.Time) ([]int64, error)
}

// KeptMedia has the items that left the library and that publications still name.
type KeptMedia interface {
	// Keep removes the item from the library, and keeps it for publications: after that only
	// PastMedia, Unnamed and DeleteKept find it. References to it in entries stay but resolve to
	// nothing.
	Keep(ctx context.Context, projectID, id int64) error
	// Unnamed returns up to limit kept items, of any Project, that no publication names.
	Unnamed(ctx context.Context, limit int) ([]core.MediaItem, error)
	// DeleteKept deletes a kept item. It returns core.ErrNotFound when the item is not kept.
	DeleteKept(ctx context.Context, projectID, id int64) error
}

// MediaUses finds the entries that show an item.
type MediaUses interface {
	// Uses returns up to limit entries that show the item in a version that readers see or
	// may see later, ordered by entry id: in a media field or, by its id or the address of one
	// of its files, in rich text. These versions are the draft, the published version
	// and the snapshot of an open request; entries in the trash are included. The result is
	// consistent: it describes one moment.
	Uses(ctx context.Context, projectID, id int64, limit int) ([]library.Use, error)
	// SealedUses returns the elements of Uses for entries outside the trash whose published
	// version is sealed and shows the item, or whose open request shows it, in a field that is not
	// secret. Draft is false.
	SealedUses(ctx context.Context, projectID, id int64, limit int) ([]library.Use, error)
}

// PictureLister lists the images of libraries, for changes of all of them.
type PictureLister interface {
	// Pictures returns up to limit images with an id greater than after, ordered by id. With
	// projectID 0 it covers all Projects. With missing true it returns only images that lack a
	// thumbnail: animations have no other fixed rendition.
	Pictures(ctx context.Context, projectID, after int64, limit int, missing bool) ([]core.MediaItem, error)
	// CountPictures returns how many images Pictures returns without a limit.
	CountPictures(ctx context.Context, projectID, after int64, missing bool) (int64, error)
}

// BlobLedger counts the references to each blob, so that equal bytes are stored once and are
// deleted with their last reference. Its methods run inside a transaction: a name that was
// held, released or forgotten stays locked until the transaction ends. When a Project is
// deleted, its names stay known without references.
type BlobLedger interface {
	// Reserve adds the unknown names without references, with the mark. It returns the marks of all
	// names. A name that is forgotten and added again has another mark: while the mark stays the same,
	// the bytes were not deleted. names contains no duplicates.
	Reserve(ctx context.Context, projectID int64, names []string, mark int64) (map[string]int64, error)
	// Marks returns the marks of the known elements of names.
	Marks(ctx context.Context, projectID int64, names []string) (map[string]int64, error)
	// Hold adds one reference to each name. An unknown name gets a new mark. names contains no
	// duplicates.
	Hold(ctx context.Context, projectID int64, names []string) error
	// Release removes one reference from each name. names contains no duplicates. A name
	// without references stays known, as unheld.
	Release(ctx context.Context, projectID int64, names []string) error
	// Unheld returns up to limit names without references, of any Project, in unspecified
	// order.
	Unheld(ctx context.Context, limit int) ([]HeldBlob, error)
	// Forget removes the name if it has no references, and reports whether it did. If so, the
	// caller deletes the blob before the transaction ends.
	Forget(ctx context.Context, projectID int64, name string) (bool, error)
	// Lock locks the name, and reports whether it has references. It changes nothing.
	Lock(ctx context.Context, projectID int64, name string) (held bool, err error)
}

// RenditionStore records which renditions on demand are stored, and when they were used. An original and
// its fixed renditions are in the ledger; a rendition on demand is not.
type RenditionStore interface {
	// Put adds the record of a rendition. The caller has locked the original in the ledger.
	Put(ctx context.Context, r StoredRendition) error
	// Touch sets Used of a rendition to at if it is before the time before. It returns core.ErrNotFound
	// if there is no record of the rendition.
	Touch(ctx context.Context, projectID int64, name string, before, at time.Time) error
	// CountUsed returns how many renditions of an original have Used after the time since.
	CountUsed(ctx context.Context, projectID int64, original string, since time.Time) (int64, error)
	// Unused returns up to limit renditions, of any Project, with Used before the time, in unspecified
	// order.
	Unused(ctx context.Context, before time.Time, limit int) ([]StoredRendition, error)
	// RemoveUnused removes the record of a rendition if its Used is before the time, and reports whether
	// it did. If so, the caller deletes the blob before the transaction ends.
	RemoveUnused(ctx context.Context, projectID int64, name string, before time.Time) (bool, error)
	// RemoveOf removes the records of all renditions of an original and returns their names, in
	// unspecified order.
	RemoveOf(ctx context.Context, projectID int64, original string) ([]string, error)
	// Recorded returns, in unspecified order, the elements of names that have a record.
	Recorded(ctx context.Context, projectID int64, names []string) ([]string, error)
}

// StoredRendition is the record of a rendition.
type StoredRendition struct {
	ProjectID int64
	Name      string    // in the blob store
	Original  string    // name of the blob of which it was made
	Used      time.Time // when its use was recorded last
}

// HeldBlob identifies a blob in the ledger.
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
	// Copy stores a copy of the blob from under the name to and replaces an earlier blob. It
	// survives a crash of the machine, as after Create.
	Copy(ctx context.Context, from, to string) error
	// Open opens the blob for reading.
	Open(ctx context.Context, name string) (Blob, error)
	Exists(ctx context.Context, name string) (bool, error)
	// Delete removes the blob. It returns no error when the blob does not exist.
	Delete(ctx context.Context, name string) error
	// Walk calls each with every blob whose name starts with prefix, in unspecified order. It
	// stops at the first error of each and returns it.
	Walk(ctx context.Context, prefix string, each func(BlobInfo) error) error
}

// Blob is an open blob.
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

// Imager makes the renditions of pictures and cleans originals. It processes a bounded number of
// pictures at the same time. A call that waits too long returns core.ErrUnavailable with RetryAfter.
type Imager interface {
	// Renditions returns the size and the fixed renditions of a picture of a type that Measures accepts.
	// A picture of a type that Decodes does not accept has no renditions, and neither has one that is
	// damaged: Warning says why. It returns core.ErrInvalid for a file that does not even have the size
	// of a picture. It rejects a picture with more than 100 megapixels or 10,000 frames in the same way,
	// before it decodes the picture.
	Renditions(ctx context.Context, source io.ReadSeeker, mimeType string) (Renditions, error)
	// Render returns the rendition r of a picture of a type that Decodes accepts, as a file: upright and
	// without metadata, in the colours of the original. Its errors are those of Renditions, and
	// core.ErrInvalid for a rendition that needs more memory than pictures may have. Calls of Render do
	// not delay Renditions: at most as many as pictures are made at once wait for memory before it.
	Render(ctx context.Context, source io.ReadSeeker, mimeType string, r rendition.Rendition) ([]byte, error)
	// Measures reports whether Renditions and Clean accept pictures of the MIME type.
	Measures(mimeType string) bool
	// Decodes reports whether renditions are made of pictures of the MIME type.
	Decodes(mimeType string) bool
	// Clean returns the bytes of source, a picture of a type that Measures accepts, without metadata
	// that says where it was taken. The picture stays the same: its pixels, orientation and colours.
	// The result of a clean picture has the same bytes. Reading ends with core.ErrInvalid when the
	// file does not have the structure of its type up to the beginning of the picture, or has metadata
	// that cannot be removed; an error of source is returned unchanged.
	// Memory use does not grow with source.
	Clean(source io.Reader, mimeType string) io.Reader
}

// Renditions has the size and the fixed renditions of a picture: those that are made at upload.
type Renditions struct {
	Width, Height int    // of the original in pixels, after its orientation is applied
	Color         string // average colour, like "#5a7d9b"; empty: every pixel is transparent
	Thumb         rendition.File
	ThumbWebP     rendition.File
	FullWebP      rendition.File // empty for an animation, of which it would be a still
	Warning       string         // why the picture has no renditions; empty: it has some
}
