package approval

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Diff has the differences between the versions of an entry as JSON Patches (RFC 6902) of their
// field objects, without secret fields. The object of a version that shows media also has
// MediaMember with the sealed media. The published version of an unpublished entry and the draft
// of a deleted entry are {}.
type Diff struct {
	PublishedToSnapshot json.RawMessage
	SnapshotToDraft     json.RawMessage // nil: the actor may not read the draft
	Published           *Compared       // nil: unpublished
	Draft               *Compared       // nil: the entry was deleted, or the actor may not read the draft
	// FromToSnapshot and From, the snapshot of an earlier request, are nil unless the caller named one.
	FromToSnapshot json.RawMessage
	From           *Compared
	// Fields are the definitions of the fields, without secret ones; none if the collection was
	// deleted. A reviewer may be unable to read the collection itself.
	Fields []*core.Field
	// Library has the media items of the versions that still exist, with their current words. An
	// actor that may not read the draft gets the words of the snapshot or of the published version.
	Library []core.MediaItem
}

// Compared is a version of an entry that a Diff compares with the snapshot: its fields without
// secret ones, and the sealed media that these name, as in a snapshot.
type Compared struct {
	Fields core.Document
	Media  core.Document // nil: none
}

// Diff compares the snapshot of the entry's open or latest request with the published version and
// with the draft. An actor without a role in the Project, who sees the request through a custom role,
// gets nothing of the draft. If from is not 0, it also compares the snapshot with that of the request
// from. It returns core.ErrNotFound unless that is a request of the entry that the actor may see.
func (rs *Reviews) Diff(ctx context.Context, actor core.Actor, ref core.EntryRef, from int64) (*Diff, error) {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return nil, err
	}
	earlier, err := rs.earlier(ctx, actor, ref, from)
	if err != nil {
		return nil, err
	}
	collection, err := collectionOf(ctx, rs.stores.Collections, &r)
	if err != nil {
		return nil, err
	}
	e, err := rs.stores.Entries.Entry(ctx, ref.Project.ID, ref.ID)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return nil, err
	}
	if actor.RoleInProject(ref.Project) == "" {
		e.Draft = nil
	}
	var library []core.MediaItem
	if collection != nil {
		if library, err = ports.MediaShown(ctx, rs.stores.Media, ref.Project.ID, collection.References(e.Draft, e.Published, r.Fields(), earlier.Fields())); err != nil {
			return nil, err
		}
	}
	seen := e.PublishedMedia
	if seen == nil {
		seen = sealed(collection, e.Published, library)
	}
	snapshot := compared(r.Fields(), r.Media(), collection)
	published := compared(e.Published, seen, collection)
	d := &Diff{Library: library}
	if d.PublishedToSnapshot, err = core.Patch(published.document(), snapshot.document()); err != nil {
		return nil, err
	}
	if collection != nil {
		d.Fields = slices.DeleteFunc(slices.Clone(collection.Fields), (*core.Field).Secret)
	}
	if e.Published != nil {
		d.Published = &published
	}
	before := compared(earlier.Fields(), earlier.Media(), collection)
	if from != 0 {
		d.From = &before
		if d.FromToSnapshot, err = core.Patch(before.document(), snapshot.document()); err != nil {
			return nil, err
		}
	}
	if actor.RoleInProject(ref.Project) == "" {
		d.Library = withWords(library, snapshot.Media, published.Media, before.Media)
		return d, nil
	}
	draft := compared(e.Draft, sealed(collection, e.Draft, library), collection)
	if e.ID != 0 {
		d.Draft = &draft
	}
	d.SnapshotToDraft, err = core.Patch(snapshot.document(), draft.document())
	return d, err
}

// earlier returns the request with the id from, or the zero Request for 0. It returns core.ErrNotFound
// unless it is a request of the entry that the actor may see.
func (rs *Reviews) earlier(ctx context.Context, actor core.Actor, ref core.EntryRef, from int64) (r core.Request, err error) {
	if from == 0 {
		return r, nil
	}
	r, err = rs.stores.Requests.Request(ctx, ref.Project.ID, from)
	if errors.Is(err, core.ErrNotFound) || err == nil && (r.EntryID != ref.ID || r.CollectionID != ref.CollectionID || !r.VisibleTo(actor, ref.Project)) {
		return core.Request{}, errNoRequest
	}
	return r, err
}

// withWords returns items with the words of the first version that has them, in place of those of
// the library. It leaves out items without such words.
func withWords(items []core.MediaItem, versions ...core.Document) []core.MediaItem {
	var shown []core.MediaItem
	for _, item := range items {
		for _, version := range versions {
			if words, ok := core.Unseal(version)[item.ID]; ok {
				shown = append(shown, words.WithWords(item))
				break
			}
		}
	}
	return shown
}

// sealed returns the sealed media of doc, or nil when the collection was deleted.
func sealed(collection *core.Collection, doc core.Document, library []core.MediaItem) core.Document {
	if collection == nil {
		return nil
	}
	return collection.Seal(doc, library)
}

// compared returns the fields of doc that a snapshot contains, and the sealed media that they
// name. When collection is nil it returns all fields and media.
func compared(doc, media core.Document, collection *core.Collection) Compared {
	if collection == nil {
		return Compared{Fields: core.NewDocument(doc.Values()), Media: media}
	}
	fields, _ := collection.Shown(doc)
	return Compared{Fields: fields, Media: collection.OnlyShown(media, fields)}
}

// document returns the fields with the sealed media as their MediaMember.
func (c *Compared) document() core.Document { return core.WithMedia(c.Fields, c.Media) }
