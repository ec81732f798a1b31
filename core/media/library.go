// Package media is the use cases about files: a Project's library of them, the
// bytes that its items need, and nothing kept that no item needs.
package media

import (
	"context"
	"errors"
	"io"

	"imprimatur/core"
	"imprimatur/ports"
)

// Deps are what the use cases of media work with.
type Deps struct {
	Stores  ports.Stores
	Tx      ports.Tx
	Blobs   ports.BlobStore
	Imager  ports.Imager
	Clock   ports.Clock
	Changes ports.Changes
}

// Library keeps the files of Projects. Whoever calls it has been authorized.
type Library struct{ Deps }

// NewLibrary returns a Library.
func NewLibrary(deps Deps) *Library { return &Library{deps} }

// Query selects items of a library. The zero value is the first page of all.
type Query struct {
	Page    int64  // from 1; 0 is 1
	PerPage int64  // at most MaxPerPage; 0 is DefaultPerPage
	Search  string // contained in caption, file name or a tag, case aside; empty: all
	Kind    core.MediaKind
}

// Limits of Query.
const (
	DefaultPerPage = 24
	MaxPerPage     = 100
)

// Page is one page of a library, newest first.
type Page struct {
	Items                []core.MediaItem
	Page, PerPage, Total int64
	HasMore              bool
}

var errUnderWay = errors.New("media: not there yet")

// List returns the page that q names. What q cannot say is core.KindBadRequest and
// names the parameter.
func (l *Library) List(ctx context.Context, project *core.Project, q Query) (*Page, error) {
	return nil, errUnderWay
}

// Item returns one item; core.ErrNotFound.
func (l *Library) Item(ctx context.Context, project *core.Project, id int64) (core.MediaItem, error) {
	return core.MediaItem{}, errUnderWay
}

// Received is a file that was taken in but is no item yet. Keep makes it one;
// whatever happens, Discard it in the end.
type Received struct{}

// Receive takes in a file: it streams source to the blob store, sniffs the type and
// makes the variants. It returns core.KindTooLarge as soon as source is over the
// Project's limit, core.KindUnsupportedMedia for a type that is not allowed and
// core.ErrInvalid for a picture that is broken or too large to decode; then nothing
// is kept.
func (l *Library) Receive(ctx context.Context, project *core.Project, fileName string, source io.Reader) (*Received, error) {
	return nil, errUnderWay
}

// Keep adds what was received to the Project's library. core.ErrInvalid names every
// fault of caption and tags.
func (l *Library) Keep(ctx context.Context, project *core.Project, r *Received, caption string, tags []string) (core.MediaItem, error) {
	return core.MediaItem{}, errUnderWay
}

// Discard drops what was received and is not needed (any more). It is safe to call
// more than once, on nil, and after Keep, and works when ctx has ended.
func (r *Received) Discard(ctx context.Context) {}

// Change is what to change of an item; nil leaves a part as it is.
type Change struct {
	Caption *string
	Tags    *[]string
}

// Change changes an item and returns it as it now is.
func (l *Library) Change(ctx context.Context, project *core.Project, id int64, change Change) (core.MediaItem, error) {
	return core.MediaItem{}, errUnderWay
}

// Delete removes an item, and its bytes when nothing else needs them. With ifUnused
// an item that entries show stays: core.ErrConflict "in_use", whose Fields list them.
func (l *Library) Delete(ctx context.Context, project *core.Project, id int64, ifUnused bool) error {
	return errUnderWay
}

// MaxUses is how many uses of an item are listed at most.
const MaxUses = 1000

// Uses returns the entries, trash aside, that show an item in either version, by
// entry id, the first MaxUses of them.
func (l *Library) Uses(ctx context.Context, project *core.Project, id int64) ([]core.MediaUse, error) {
	return nil, errUnderWay
}
