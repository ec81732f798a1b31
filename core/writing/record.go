package writing

import (
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/ports"
)

// noteOf returns the note of in, or "" if it has none. It adds a fault to found if it is too long.
func (in input) noteOf(found *core.Faults) string {
	if in.note == nil {
		return ""
	}
	if utf8.RuneCountInString(*in.note) > core.MaxNote {
		found.Addf("note", nil, "must have at most %d characters", core.MaxNote)
	}
	return *in.note
}

// record adds the write that changes before to e to a revision: it sets e.Revision, and saves the
// last revision when a new one starts. Every write calls it before it stores e. before is the zero
// Entry for a new entry. submitted reports that the write opens a request.
func (k *work) record(ctx context.Context, before, e *core.Entry, submitted bool) error {
	changed := string(before.Draft) != string(e.Draft)
	public := e.Publishing != nil
	if !changed && !public && !submitted && !k.restoring && k.note == "" {
		return nil
	}
	next := revisionWrite{changed: changed, submitted: submitted}
	if public {
		next.published = e.PublishedHash
	}
	r, err := k.revision(ctx, before, e, next)
	if err != nil {
		return err
	}
	k.settle(e, r, public, submitted)
	refers := submitted || public && (e.PublishedHash == r.ContentHash || e.PublishedMedia == nil && k.schema.Collection.SameContent(e.Published, e.Draft))
	r.Kept = r.Kept || refers
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

// settle updates the contributors of e in r, its newest revision, for a write that makes a version
// public or submits the draft. The snapshot of a request contains the writes up to its submission.
func (k *work) settle(e *core.Entry, r *core.RevisionRecord, public, submitted bool) {
	switch {
	case public && e.Publishing != nil && e.Publishing.RequestID != 0:
		r.Release(r.Submitted)
	case public && k.schema.Collection.SameContent(e.Draft, e.Published):
		r.Release(r.Number)
	}
	if submitted {
		r.Submitted = r.Number
		if k.opensVersion {
			r.Submitted = 0 // the snapshot is not the draft
		}
	}
}

// revisionWrite describes the effects of a write that its revision depends on.
type revisionWrite struct {
	changed   bool   // the draft was changed
	submitted bool   // a request was opened
	published string // the content hash of the version that became public; empty: none
}

// revision returns the revision that the write belongs to: the last one, if the write extends or
// only closes it, or a new one. A request or publication always has the content of a revision, even
// if a definition, or the words of a media item, changed after the draft was written.
func (k *work) revision(ctx context.Context, before, e *core.Entry, w revisionWrite) (*core.RevisionRecord, error) {
	c, by, now := k.schema.Collection, k.actor.Ref(), core.InstantOf(k.now)
	media, err := ports.Seal(ctx, k.stores.Media, e.ProjectID, c, e.Draft)
	if err != nil {
		return nil, err
	}
	_, hash := k.snapshot(e.Locale, e.Draft, media)
	next, content := &core.RevisionRecord{Number: 1, CreatedAt: now, By: by}, c.RevisionContent(e.Draft, media)
	if before.Draft != nil {
		last, err := core.DecodeRevision(before.Revision)
		if err != nil {
			return nil, err
		}
		// The content of the request or publication differs from that of the last revision.
		shown := hash != last.ContentHash && (w.submitted || w.published == hash)
		extends := last.Extends(by, k.now) && !k.restoring || shown && !w.changed && !last.Closed
		if !w.changed && !shown && (extends || k.note == "") {
			return &last, nil
		}
		previous := c.RevisionContent(before.Draft, core.Document(last.Media))
		if extends {
			next = &last
			if previous, err = last.Undo.Apply(previous); err != nil {
				return nil, err
			}
		} else if err := k.startAfter(ctx, e, &last, next); err != nil {
			return nil, err
		}
		if next.Number > 1 {
			next.Undo = core.NewDelta(content, previous)
		}
	}
	next.Changed = c.InOrder(slices.Concat(next.Changed, c.ChangedFields(before.Draft, e.Draft)))
	next.ContentHash, next.Media, next.UpdatedAt = hash, json.RawMessage(media), now
	if w.changed || k.note != "" { // other words of media make no contributor
		next.Contribute(by)
	}
	return next, nil
}

// startAfter saves the last revision of e, and gives the next one its number and what only the
// newest revision has.
func (k *work) startAfter(ctx context.Context, e *core.Entry, last, next *core.RevisionRecord) error {
	next.Number = last.Number + 1
	next.Contributors, next.Submitted = last.Contributors, last.Submitted
	last.Contributors, last.Submitted = nil, 0
	return k.stores.Revisions.Save(ctx, core.Revision{ProjectID: e.ProjectID, CollectionID: e.CollectionID, EntryID: e.ID, RevisionRecord: *last})
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
	all = append(all, core.Revision{RevisionRecord: *r}) // r is the successor if no past revision follows
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
