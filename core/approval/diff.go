package approval

import (
	"context"
	"encoding/json"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// Diff has the differences between the versions of an entry as JSON Patches (RFC 6902) of
// their field objects, without secret fields. The object of a version that shows media also
// has MediaMember, which is the sealed media. The published version of an unpublished entry and
// the draft of a deleted entry are {}.
type Diff struct {
	PublishedToSnapshot json.RawMessage
	SnapshotToDraft     json.RawMessage
}

// Diff compares the snapshot of the entry's open or latest request with what is
// published and with the draft.
func (rs *Reviews) Diff(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64) (*Diff, error) {
	r, err := find(ctx, rs.stores.Requests, actor, project, collectionID, entryID)
	if err != nil {
		return nil, err
	}
	collection, err := collectionOf(ctx, rs.stores.Collections, &r)
	if err != nil {
		return nil, err
	}
	e, err := rs.stores.Entries.Entry(ctx, project.ID, entryID)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return nil, err
	}
	var library []core.MediaItem
	if collection != nil {
		if library, err = ports.MediaOf(ctx, rs.stores.Media, project.ID, collection.MediaIDs(e.Draft, e.Published)); err != nil {
			return nil, err
		}
	}
	seen := e.PublishedMedia
	if seen == nil {
		seen = sealed(collection, e.Published, library)
	}
	snapshot := withMedia(r.Fields(), r.Media(), collection)
	toSnapshot, err := core.Patch(withMedia(e.Published, seen, collection), snapshot)
	if err != nil {
		return nil, err
	}
	toDraft, err := core.Patch(snapshot, withMedia(e.Draft, sealed(collection, e.Draft, library), collection))
	return &Diff{PublishedToSnapshot: toSnapshot, SnapshotToDraft: toDraft}, err
}

// sealed returns what doc shows of the library; nothing when the collection was deleted.
func sealed(collection *core.Collection, doc core.Document, library []core.MediaItem) core.Document {
	if collection == nil {
		return nil
	}
	return collection.Seal(doc, library)
}

// withMedia returns the public fields of doc with those of the sealed media that they name.
func withMedia(doc, media core.Document, collection *core.Collection) core.Document {
	fields := public(doc, collection)
	if collection != nil {
		media = core.OnlyMedia(media, collection.MediaIDs(fields))
	}
	return core.WithMedia(fields, media)
}

// public returns the fields of doc that collection has and that are not secret, as a
// snapshot keeps them. It returns all fields when collection is nil.
func public(doc core.Document, collection *core.Collection) core.Document {
	values := doc.Values()
	for name := range values {
		if collection == nil {
			break
		}
		if f := collection.Field(name); f == nil || f.Secret() {
			delete(values, name)
		}
	}
	return core.NewDocument(values)
}
