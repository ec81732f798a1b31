package approval

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/wI2L/jsondiff"

	"imprimatur/core"
)

// Diff has the differences between the versions of an entry as JSON Patches (RFC 6902) of
// their field objects, without secret fields. The published version of an unpublished entry
// and the draft of a deleted entry are {}.
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
	snapshot := public(r.Fields(), collection)
	toSnapshot, err := patch(public(e.Published, collection), snapshot)
	if err != nil {
		return nil, err
	}
	toDraft, err := patch(snapshot, public(e.Draft, collection))
	return &Diff{PublishedToSnapshot: toSnapshot, SnapshotToDraft: toDraft}, err
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

// patch returns the JSON Patch from one document to another; [] when they are equal.
func patch(from, to core.Document) (json.RawMessage, error) {
	operations, err := jsondiff.CompareJSON(from, to)
	if err != nil || len(operations) == 0 {
		return json.RawMessage("[]"), err
	}
	return json.Marshal(operations)
}
