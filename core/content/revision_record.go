package content

import (
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/ports"
)

// noteOf returns the note of wr, "" for none.
func noteOf(wr Write, found *core.Faults) string {
	if wr.Note == nil {
		return ""
	}
	if utf8.RuneCountInString(*wr.Note) > core.MaxNote {
		found.Addf("note", nil, "must have at most %d characters", core.MaxNote)
	}
	return *wr.Note
}

// latest returns the newest revision of e. That of an entry that was last written before
// revisions were stored is derived from it.
func latest(ctx context.Context, media ports.MediaReader, c *core.Collection, e *core.Entry) (core.RevisionRecord, error) {
	if e.Revision != nil {
		return core.DecodeRevision(e.Revision)
	}
	sealed, err := ports.Seal(ctx, media, e.ProjectID, c, e.Draft)
	_, hash, _ := c.Snapshot(e.Locale, e.Draft, sealed)
	return core.RevisionRecord{
		Number: 1, ContentHash: hash, Changed: c.ChangedFields(nil, e.Draft), Media: json.RawMessage(sealed),
		CreatedAt: core.InstantOf(e.CreatedAt), UpdatedAt: core.InstantOf(e.UpdatedAt), By: core.SystemActor.Ref(),
		Closed: true, Kept: true, // a request or a publication may refer to it
	}, err
}

// record makes the write that changes before to e part of a revision: it sets e.Revision, and
// saves the last revision when a new one starts. Every write calls it before it stores e. before
// is the zero Entry for a new entry.
func (k *work) record(ctx context.Context, before, e *core.Entry) error {
	changed := string(before.Draft) != string(e.Draft)
	public := e.Published != nil && !e.ReleasedAt.Equal(before.ReleasedAt)
	if !changed && !public && !k.submitted && !k.restoring && k.note == "" {
		return nil
	}
	r, err := k.revision(ctx, before, e, changed)
	if err != nil {
		return err
	}
	submitted, err := k.opensRequest(ctx, e, r)
	if err != nil {
		return err
	}
	r.Kept = r.Kept || submitted || public && !e.HasTwoDocuments()
	r.Closed = r.Closed || submitted || public || k.restoring || k.note != ""
	if k.note != "" {
		r.Note = k.note
	}
	if err := k.prune(ctx, e, r); err != nil {
		return err
	}
	e.Revision = r.Encode()
	return nil
}

// revision returns the revision that the write belongs to: the last one, which it extends or only
// closes, or a new one.
func (k *work) revision(ctx context.Context, before, e *core.Entry, changed bool) (*core.RevisionRecord, error) {
	c, by, now := k.schema.Collection, k.actor.Ref(), core.InstantOf(k.now)
	fresh := &core.RevisionRecord{Number: 1, CreatedAt: now, By: by}
	if before.Draft == nil {
		return fresh, k.describe(ctx, before, e, fresh)
	}
	last, err := latest(ctx, k.stores.Media, c, before)
	if err != nil {
		return nil, err
	}
	extends := last.Extends(by, k.now) && !k.restoring
	if !changed && (extends || k.note == "") {
		return &last, nil
	}
	content := c.RevisionContent(before.Draft, core.Document(last.Media))
	if !extends {
		past := core.Revision{ProjectID: e.ProjectID, CollectionID: e.CollectionID, EntryID: e.ID, RevisionRecord: last}
		if err := k.stores.Revisions.Save(ctx, past); err != nil {
			return nil, err
		}
		fresh.Number = last.Number + 1
		if err := k.describe(ctx, before, e, fresh); err != nil {
			return nil, err
		}
		fresh.Undo = core.NewDelta(c.RevisionContent(e.Draft, core.Document(fresh.Media)), content)
		return fresh, nil
	}
	previous, err := last.Undo.Apply(content)
	if err != nil {
		return nil, err
	}
	if err := k.describe(ctx, before, e, &last); err != nil {
		return nil, err
	}
	if last.Undo != nil {
		last.Undo = core.NewDelta(c.RevisionContent(e.Draft, core.Document(last.Media)), previous)
	}
	return &last, nil
}

// describe adds the write to what r says about its content.
func (k *work) describe(ctx context.Context, before, e *core.Entry, r *core.RevisionRecord) error {
	c := k.schema.Collection
	media, err := ports.Seal(ctx, k.stores.Media, e.ProjectID, c, e.Draft)
	if err != nil {
		return err
	}
	changed := c.ChangedFields(before.Draft, e.Draft)
	for _, name := range r.Changed {
		if !slices.Contains(changed, name) {
			changed = append(changed, name)
		}
	}
	_, r.ContentHash, _ = c.Snapshot(e.Locale, e.Draft, media)
	r.Changed, r.Media, r.UpdatedAt = changed, json.RawMessage(media), core.InstantOf(k.now)
	return nil
}

// opensRequest reports whether the write submits a request for r. It does not while another
// request is open.
func (k *work) opensRequest(ctx context.Context, e *core.Entry, r *core.RevisionRecord) (bool, error) {
	if !k.submitted || e.ID == 0 || r.Closed && r.Kept {
		return k.submitted, nil
	}
	approvals, err := k.gate.Approvals(ctx, k.stores, e.ProjectID, []int64{e.ID})
	return !core.RequestStatus(approvals[e.ID].Status).Open(), err
}

// prune removes the revisions of e that exceed the limit of the Project. r is the newest one.
func (k *work) prune(ctx context.Context, e *core.Entry, r *core.RevisionRecord) error {
	limit := k.schema.Project.RevisionLimit
	if limit == 0 || r.Number <= limit {
		return nil
	}
	all, err := k.stores.Revisions.Prunable(ctx, e.ProjectID, e.ID, r.Number-limit)
	if err != nil || len(all) == 0 {
		return err
	}
	all = append(all, core.Revision{RevisionRecord: *r}) // it is the next one if none follows
	changed, removed := core.PruneRevisions(all, r.Number-limit)
	for _, c := range changed {
		if c.Number == r.Number {
			r.Undo = c.Undo
		} else if err := k.stores.Revisions.Save(ctx, c); err != nil {
			return err
		}
	}
	return k.stores.Revisions.Delete(ctx, e.ProjectID, e.ID, removed)
}
