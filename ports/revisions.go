package ports

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
)

// PastRevisions returns the revisions of e with the given numbers, in their order. The caller
// ensures that no other write changes e meanwhile.
func PastRevisions(
	ctx context.Context, store RevisionStore, c *core.Collection, e *core.Entry, numbers ...int64,
) ([]core.PastRevision, error) {
	found := make([]core.PastRevision, len(numbers))
	err := EachRevision(ctx, store, c, e, slices.Min(numbers), func(r core.PastRevision) {
		for n := range numbers {
			if numbers[n] == r.Number {
				found[n] = r
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found, func(r core.PastRevision) bool { return r.Number == 0 }) {
		return nil, core.NotFound("revision")
	}
	return found, nil
}

// AssistantFields returns core.Collection.AssistantFields of an entry of c; none if the entry does not exist any more.
func AssistantFields(ctx context.Context, stores Stores, c *core.Collection, projectID, entryID int64, base, submitted string) ([]core.FieldBy, error) {
	e, err := stores.Entries.Entry(ctx, projectID, entryID)
	if errors.Is(err, core.ErrNotFound) || err == nil && e.Revision == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	newest, err := core.DecodeRevision(e.Revision)
	if err != nil {
		return nil, err
	}
	past, err := stores.Revisions.Revisions(ctx, core.RevisionQuery{ProjectID: projectID, EntryID: entryID})
	if err != nil {
		return nil, err
	}
	all := []core.RevisionRecord{newest}
	for i := range past {
		all = append(all, past[i].RevisionRecord)
	}
	return c.AssistantFields(all, base, submitted), nil
}

// EachRevision calls visit with the revisions of e whose number is at least least, newest first. The caller
// ensures that no other write changes e meanwhile.
func EachRevision(
	ctx context.Context, store RevisionStore, c *core.Collection, e *core.Entry, least int64, visit func(core.PastRevision),
) error {
	newest, err := core.DecodeRevision(e.Revision)
	if err != nil {
		return err
	}
	chain := []core.RevisionRecord{newest}
	if least < newest.Number {
		past, err := store.Revisions(ctx, core.RevisionQuery{ProjectID: e.ProjectID, EntryID: e.ID, From: least})
		if err != nil {
			return err
		}
		for _, r := range past {
			chain = append(chain, r.RevisionRecord)
		}
	}
	content := c.RevisionContent(e.Draft, core.Document(newest.Media))
	for i, r := range chain {
		if i > 0 {
			if content, err = chain[i-1].Undo.Apply(content); err != nil {
				return err
			}
		}
		visit(core.PastRevision{RevisionRecord: r, Fields: content.Value("fields"), Media: content.Value("media")})
	}
	return nil
}
