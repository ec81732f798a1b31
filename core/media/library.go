package media

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/semaphore"
	"golang.org/x/text/unicode/norm"

	"imprimatur/core"
	"imprimatur/core/library"
	"imprimatur/core/query"
	"imprimatur/ports"
)

// Library manages the files of Projects. The caller has authorized the actor. It is safe for
// concurrent use.
type Library struct {
	storage

	imager  ports.Imager
	clock   ports.Clock
	fetcher ports.Fetcher
	memory  *semaphore.Weighted // bytes of uploads; see Received
}

// NewLibrary returns a Library.
func NewLibrary(stores ports.Stores, tx ports.Tx, blobs ports.BlobStore, imager ports.Imager, clock ports.Clock, options ...LibraryOption) *Library {
	l := &Library{storage: storage{stores, tx, blobs}, imager: imager, clock: clock, memory: semaphore.NewWeighted(uploadMemory)}
	for _, option := range options {
		option(l)
	}
	return l
}

// Query selects items of a library. The zero value is the first page of all items.
type Query struct {
	query.Window

	Search string // contained in caption, file name or a tag, case-insensitively; empty: all
	Kind   core.MediaKind
	Folder *string // as in library.Query
}

// DefaultPerPage is the number of items on a page unless the client requests another number.
const DefaultPerPage = 24

// maxSearch is the maximum length of a search in bytes.
const maxSearch = 4 << 10

// List returns the page that q selects, newest first. An invalid q is core.KindBadRequest and
// names the parameter: page, perPage, search, type or folder.
func (l *Library) List(ctx context.Context, project *core.Project, q Query) (page query.Page[core.MediaItem], err error) {
	if err := q.Check(DefaultPerPage); err != nil {
		return page, err
	}
	if err := q.check(); err != nil {
		return page, err
	}
	asked := library.Query{
		ProjectID: project.ID, Search: norm.NFC.String(q.Search), Kind: q.Kind, Offset: q.Offset(), Limit: q.PerPage,
	}
	if q.Folder != nil {
		asked.Folder = new(norm.NFC.String(*q.Folder))
	}
	page.Window = q.Window
	if page.Items, err = l.stores.Media.List(ctx, asked); err != nil {
		return page, err
	}
	page.Total, err = l.stores.Media.Count(ctx, asked)
	page.HasMore = asked.Offset+int64(len(page.Items)) < page.Total
	return page, err
}

// Find returns up to limit items whose caption, file name or tags contain text, case-insensitively, newest first.
func (l *Library) Find(ctx context.Context, project *core.Project, text string, limit int) ([]core.MediaItem, error) {
	return l.stores.Media.List(ctx, library.Query{ProjectID: project.ID, Search: norm.NFC.String(text), Limit: int64(limit)})
}

func (q Query) check() error {
	switch {
	case len(q.Search) > maxSearch:
		return core.BadParameter("search", nil, fmt.Sprintf("must have at most %d bytes", maxSearch))
	case !utf8.ValidString(q.Search) || strings.ContainsFunc(q.Search, unplain):
		return core.BadParameter("search", nil, "must be text without control characters")
	}
	if q.Folder != nil {
		if fault := folderFault(norm.NFC.String(*q.Folder)); fault != "" {
			return core.BadParameter("folder", core.Clip(*q.Folder), fault)
		}
	}
	switch q.Kind {
	case "", core.MediaImage, core.MediaVideo, core.MediaAudio, core.MediaDocument:
		return nil
	default:
		return core.BadParameter("type", string(q.Kind), "must be image, video, audio or document")
	}
}

// Item returns one item, or core.ErrNotFound.
func (l *Library) Item(ctx context.Context, project *core.Project, id int64) (core.MediaItem, error) {
	return l.stores.Media.Media(ctx, project.ID, id)
}

// Moved returns the item whose file had that hash before its location was removed, or
// core.ErrNotFound. project is the Project's UUID.
func (l *Library) Moved(ctx context.Context, project, hash string) (core.MediaItem, error) {
	p, err := l.stores.Projects.ProjectByUUID(ctx, project)
	if err != nil {
		return core.MediaItem{}, err
	}
	items, err := l.stores.Media.MediaByHash(ctx, p.ID, []string{hash})
	if err != nil {
		return core.MediaItem{}, err
	}
	if i := slices.IndexFunc(items, func(m core.MediaItem) bool { return m.Uploaded == hash }); i >= 0 {
		return items[i], nil
	}
	return core.MediaItem{}, core.NotFound("file")
}

// Uses returns the first library.MaxUses entries, ordered by id, that show an item in a version that
// readers see or may see later: in their draft or published version, also in the trash, or in the
// snapshot of an open approval request.
func (l *Library) Uses(ctx context.Context, project *core.Project, id int64) ([]library.Use, error) {
	if _, err := l.Item(ctx, project, id); err != nil {
		return nil, err
	}
	uses, err := l.stores.Media.Uses(ctx, project.ID, id, library.MaxUses)
	if err != nil {
		return nil, err
	}
	sealed, err := l.stores.Media.SealedUses(ctx, project.ID, id, library.MaxUses)
	if err != nil {
		return nil, err
	}
	for i := range uses {
		uses[i].Sealed = slices.ContainsFunc(sealed, func(s library.Use) bool { return s.EntryID == uses[i].EntryID })
	}
	return uses, ports.TitleUses(ctx, l.stores, project.ID, uses)
}

// Change changes the members of an item that are not nil, and FocalPoint if it is given.
type Change struct {
	Caption, Alt *string
	Folder       *string // see core.MediaItem; "": in no folder
	Tags         *[]string
	FocalPoint   core.Optional[Point] // null: the centre
	Imported     bool                 // the import that gives these words keeps them as core.MediaItem.Imported
}

// Described returns the item with the members of change, or core.ErrInvalid with all faults of change.
func Described(item core.MediaItem, change Change) (core.MediaItem, error) {
	err := describe(&item, change)
	return item, err
}

// Change changes an item and returns the changed one. It returns core.ErrInvalid with all faults
// of change.
func (l *Library) Change(ctx context.Context, actor core.Actor, project *core.Project, id int64, change Change) (item core.MediaItem, err error) {
	err = l.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if item, err = stores.Media.Media(ctx, project.ID, id); err != nil {
			return err
		}
		before := item
		if err := describe(&item, change); err != nil {
			return err
		}
		if item.SameWords(&before) && item.Folder == before.Folder {
			return nil
		}
		item.UpdatedAt = l.clock.Now()
		return stores.Media.Update(ctx, &item)
	})
	if err != nil {
		return core.MediaItem{}, err
	}
	return item, nil
}

// Delete removes an item, and deletes its bytes when no other item needs them. In two cases it
// keeps the item and returns core.ErrConflict with the code in_use:
//
//   - ifUnused is true and the item has Uses. Fields has the first library.MaxUses of them, with the
//     ids of the entries as values.
//   - A published version is sealed with the item, or an open request shows it, whatever governs
//     the Project. Fields has the first library.MaxUses entries at "collections/<slug>/entries/<id>".
//
// The bytes of an item that an earlier publication is sealed with stay until Sweeper.Sweep deletes
// the item.
func (l *Library) Delete(ctx context.Context, actor core.Actor, project *core.Project, id int64, ifUnused bool) error {
	var names []string
	err := l.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		// Until this transaction ends, no other one submits, publishes or seals the item.
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		item, err := stores.Media.Media(ctx, project.ID, id)
		if err != nil {
			return err
		}
		if err := checkSealedUses(ctx, stores.Media, stores.Collections, project.ID, id); err != nil {
			return err
		}
		if ifUnused {
			uses, err := stores.Media.Uses(ctx, project.ID, id, library.MaxUses)
			if err != nil {
				return err
			}
			if len(uses) > 0 {
				return inUse(uses)
			}
		}
		named, err := stores.Publications.NamesMedia(ctx, project.ID, id)
		if err != nil {
			return err
		}
		if named {
			return stores.Media.Keep(ctx, project.ID, id)
		}
		if err := stores.Media.Delete(ctx, project.ID, id); err != nil {
			return err
		}
		names = item.Blobs()
		return stores.Blobs.Release(ctx, project.ID, names)
	})
	if err != nil {
		return err
	}
	// An error is ignored, because the item is deleted: a sweep deletes the bytes later.
	_, _ = l.free(context.WithoutCancel(ctx), project.ID, names)
	return nil
}

// checkSealedUses returns core.ErrConflict "in_use" if a published version is sealed with the item
// or an open request shows it.
func checkSealedUses(ctx context.Context, media ports.MediaUses, collectionsOf ports.Definitions, projectID, id int64) error {
	uses, err := media.SealedUses(ctx, projectID, id, library.MaxUses)
	if err != nil || len(uses) == 0 {
		return err
	}
	collections, err := collectionsOf.Collections(ctx, projectID)
	if err != nil {
		return err
	}
	slugs := make(map[int64]string, len(collections))
	for _, c := range collections {
		slugs[c.ID] = c.Slug
	}
	conflict := core.Conflict("in_use", "published versions that were reviewed, or open approval requests, show the media item")
	for _, use := range uses {
		conflict.Fields = append(conflict.Fields, core.FieldError{
			Location: fmt.Sprintf("collections/%s/entries/%d", slugs[use.CollectionID], use.EntryID), Message: whereUsed(use),
		})
	}
	return conflict
}

func inUse(uses []library.Use) error {
	err := core.Conflict("in_use", "entries show the media item")
	for i, use := range uses {
		err.Fields = append(err.Fields, core.FieldError{Location: fmt.Sprintf("entries[%d]", i), Message: whereUsed(use), Value: use.EntryID})
	}
	return err
}

// whereUsed describes the versions of an entry that show an item.
func whereUsed(use library.Use) string {
	var versions []string
	for _, version := range []struct {
		shows bool
		name  string
	}{{use.Draft, "its draft"}, {use.Published, "its published version"}, {use.Requested, "its open approval request"}} {
		if version.shows {
			versions = append(versions, version.name)
		}
	}
	text := strings.Join(versions, " and ") + " show it"
	if len(versions) == 1 {
		text = versions[0] + " shows it"
	}
	if use.Trashed {
		return "in the trash, " + text
	}
	return text
}
