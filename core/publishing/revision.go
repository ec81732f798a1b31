package publishing

import (
	"context"
	"encoding/json"
	"slices"

	"imprimatur/core"
)

// RevisionWrite says what a write does besides changing an entry.
type RevisionWrite struct {
	Submitted bool   // opens a request
	Chosen    bool   // opens a request for another version than the draft
	Restoring bool   // restores a revision
	Note      string // the note of the revision that the write belongs to, which it closes
}

// Record adds the write that changes before to e to a revision: it sets e.Revision, and saves the
// last revision when a new one starts. Every write calls it before it stores e. before is the zero
// Entry for a new entry.
func (v *Versions) Record(ctx context.Context, before, e *core.Entry, w RevisionWrite) error {
	changed := string(before.Draft) != string(e.Draft)
	public := e.Publishing != nil
	if !changed && !public && !w.Submitted && !w.Restoring && w.Note == "" {
		return nil
	}
	r, err := v.revision(ctx, before, e, w)
	if err != nil {
		return err
	}
	v.settle(e, r, w)
	refers := w.Submitted || public && (e.PublishedHash == r.ContentHash || e.PublishedMedia == nil && v.schema.Collection.SameContent(e.Published, e.Draft))
	r.Kept = r.Kept || refers
	r.Closed = r.Closed || w.Submitted || public || w.Restoring || w.Note != ""
	if w.Note != "" {
		r.Note = w.Note
	}
	e.Revision = r.Encode()
	if v.pruning != nil {
		v.pruning.add(v.schema.Project, e, r)
		return nil
	}
	var p pruning
	p.add(v.schema.Project, e, r)
	return p.run(ctx, v.stores.Revisions)
}

// settle updates the contributors of e in r, its newest revision, for a write that makes a version
// public or submits the draft. The snapshot of a request contains the writes up to its submission.
func (v *Versions) settle(e *core.Entry, r *core.RevisionRecord, w RevisionWrite) {
	switch {
	case e.Publishing == nil:
	case e.Publishing.RequestID != 0:
		r.Release(r.Submitted)
	case v.schema.Collection.SameContent(e.Draft, e.Published):
		r.Release(r.Number)
	}
	if w.Submitted {
		r.Submitted = r.Number
		if w.Chosen {
			r.Submitted = 0 // the snapshot is not the draft
		}
	}
}

// revision returns the revision that the write belongs to: the last one, if the write extends or
// only closes it, or a new one. A request or publication always has the content of a revision, even
// if a definition, or the words of a media item, changed after the draft was written.
func (v *Versions) revision(ctx context.Context, before, e *core.Entry, w RevisionWrite) (*core.RevisionRecord, error) {
	c, now, changed := v.schema.Collection, core.InstantOf(v.Now), string(before.Draft) != string(e.Draft)
	media, err := v.seal(ctx, e)
	if err != nil {
		return nil, err
	}
	_, hash := v.snapshot(e.Locale, e.Draft, media)
	next, content := &core.RevisionRecord{Number: 1, CreatedAt: now, By: v.by}, c.RevisionContent(e.Draft, media)
	if before.Draft != nil {
		last, err := core.DecodeRevision(before.Revision)
		if err != nil {
			return nil, err
		}
		// The content of the request or publication differs from that of the last revision.
		shown := hash != last.ContentHash && (w.Submitted || e.Publishing != nil && e.PublishedHash == hash)
		extends := last.Extends(v.by, v.Now) && !w.Restoring || shown && !changed && !last.Closed
		if !changed && !shown && (extends || w.Note == "") {
			return &last, nil
		}
		previous := c.RevisionContent(before.Draft, core.Document(last.Media))
		if extends {
			next = &last
			if previous, err = last.Undo.Apply(previous); err != nil {
				return nil, err
			}
		} else if err := v.startAfter(ctx, e, &last, next); err != nil {
			return nil, err
		}
		if next.Number > 1 {
			next.Undo = core.NewDelta(content, previous)
		}
	}
	next.Changed = c.InOrder(slices.Concat(next.Changed, c.ChangedFields(before.Draft, e.Draft)))
	next.ContentHash, next.Media, next.UpdatedAt = hash, json.RawMessage(media), now
	if changed || w.Note != "" { // other words of media make no contributor
		next.Contribute(v.by)
	}
	return next, nil
}

// startAfter saves the last revision of e, and gives the next one its number and what only the
// newest revision has.
func (v *Versions) startAfter(ctx context.Context, e *core.Entry, last, next *core.RevisionRecord) error {
	next.Number = last.Number + 1
	next.Contributors, next.Submitted = last.Contributors, last.Submitted
	last.Contributors, last.Submitted = nil, 0
	return v.stores.Revisions.Save(ctx, core.Revision{ProjectID: e.ProjectID, CollectionID: e.CollectionID, EntryID: e.ID, RevisionRecord: *last})
}
