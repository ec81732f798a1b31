package writing

import (
	"context"
	"time"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Create adds an entry to the collection. Fields that wr does not name get their defaults.
// Create and Restore return core.ErrConflict for a second translation group of a singleton.
func (w *Writer) Create(ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, wr core.EntryWrite) (*core.Written, error) {
	in, err := w.prepare(ctx, actor, review.EntryRef{Project: project, CollectionID: collectionID}, wr)
	if err != nil {
		return nil, err
	}
	return w.run(ctx, actor, project, collectionID, func(ctx context.Context, tx *transaction) (*core.Written, error) {
		return tx.write(ctx, &core.Entry{}, request{EntryWrite: in})
	})
}

// Update replaces the fields that wr names and leaves the others.
func (w *Writer) Update(
	ctx context.Context, actor core.Actor, ref review.EntryRef, ifMatch *core.EntryTag, wr core.EntryWrite,
) (*core.Written, error) {
	in, err := w.prepare(ctx, actor, ref, wr)
	if err != nil {
		return nil, err
	}
	return w.change(ctx, actor, ref, ifMatch, live, func(ctx context.Context, tx *transaction, e *core.Entry) (*core.Written, error) {
		return tx.write(ctx, e, request{EntryWrite: in})
	})
}

// Publication is the requested publication of a draft.
type Publication struct {
	At      *time.Time               // nil or past: at once
	Until   core.Optional[time.Time] // as core.EntryWrite.UnpublishAt
	Comment string                   // as core.EntryWrite.Comment
}

// Publish publishes the entry's draft. Where a workflow governs the Project, it submits an approval
// request instead. It returns core.ErrInvalid with all faults of an incomplete draft.
func (w *Writer) Publish(ctx context.Context, actor core.Actor, ref review.EntryRef, p Publication, ifMatch *core.EntryTag) (*core.Written, error) {
	return w.change(ctx, actor, ref, ifMatch, live,
		func(ctx context.Context, tx *transaction, e *core.Entry) (*core.Written, error) {
			var found core.Faults
			intent := publishAt(p.At, p.Until, &found)
			intent.comment = p.Comment
			more, err := tx.targets().Faults(ctx, tx.schema, e.Draft.Values(), ports.WhollyPublic(e))
			if err != nil {
				return nil, err
			}
			found.List = append(found.List, more.List...)
			if err := tx.checkPictures(ctx, e, e.Draft, &found); err != nil {
				return nil, err
			}
			if err := found.Err(); err != nil {
				return nil, err
			}
			return tx.save(ctx, *e, e, intent)
		})
}

// Unpublish removes the published version and withdraws the entry's open request or scheduled
// publication. The draft stays. The reason, of at most event.MaxReason characters, goes into the event.
func (w *Writer) Unpublish(
	ctx context.Context, actor core.Actor, ref review.EntryRef, ifMatch *core.EntryTag, reason string,
) (*core.Written, error) {
	return w.change(ctx, actor, ref, ifMatch, live, takeAway(intentUnpublish, reason))
}

// Unschedule cancels the scheduled publication of the entry and the scheduled end of its present
// publication, if any, and removes the times of its pending request. It does not change the draft
// and the published version. It returns core.KindForbidden when the actor may not change the times
// of the open request, and core.ErrConflict when the publication was scheduled by an approved
// request, and when an end is scheduled and a workflow governs the entry.
func (w *Writer) Unschedule(
	ctx context.Context, actor core.Actor, ref review.EntryRef, ifMatch *core.EntryTag,
) (*core.Written, error) {
	return w.change(ctx, actor, ref, ifMatch, live, unschedule)
}

var errScheduledByRequest = core.Conflict("scheduled_by_request", "an approved request is scheduled: change its schedule, or withdraw it")

// Trash moves the entry to the trash, where no reader sees it, and withdraws its open request or
// scheduled publication. The scheduled end of its present publication stays. The reason is as in Unpublish.
func (w *Writer) Trash(
	ctx context.Context, actor core.Actor, ref review.EntryRef, ifMatch *core.EntryTag, reason string,
) (*core.Written, error) {
	return w.change(ctx, actor, ref, ifMatch, live, takeAway(intentTrash, reason))
}

// Restore takes the entry out of the trash. A published entry is published again, until the end
// that it had. It becomes a draft if a workflow governs the Project by now, if that end has passed,
// or if the published version lacks a required value or a required public target, or is otherwise not valid any more. Restore
// returns core.ErrConflict when the entry is not in the trash, and core.ErrInvalid when another
// entry has taken one of its unique values.
func (w *Writer) Restore(
	ctx context.Context, actor core.Actor, ref review.EntryRef, ifMatch *core.EntryTag,
) (*core.Written, error) {
	return w.change(ctx, actor, ref, ifMatch, trashed, saveAs(intentRestore))
}

// takeAway is saveAs with a reason.
func takeAway(kind intentKind, reason string) operation {
	save := saveAs(kind)
	return func(ctx context.Context, tx *transaction, e *core.Entry) (*core.Written, error) {
		if err := checkReason(reason); err != nil {
			return nil, err
		}
		e.Reason = reason
		return save(ctx, tx, e)
	}
}

// checkReason returns core.ErrInvalid for a reason that is too long.
func checkReason(reason string) error { return checkText("reason", reason) }

// checkText is checkReason for the member at a location.
func checkText(location, reason string) error {
	var found core.Faults
	switch {
	case utf8.RuneCountInString(reason) > event.MaxReason:
		found.Addf(location, nil, "must have at most %d characters", event.MaxReason)
	case !core.ValidText(reason):
		found.Add(location, nil, "must be text without the character U+0000")
	}
	return found.Err()
}

// saveAs returns a function that saves an entry with an intent of that kind and no other change.
func saveAs(kind intentKind) operation {
	return func(ctx context.Context, tx *transaction, e *core.Entry) (*core.Written, error) {
		return tx.save(ctx, *e, e, publishIntent{kind: kind})
	}
}

// Destroy permanently removes an entry in the trash. It returns core.ErrConflict when the entry
// is not in the trash. The reason is as in Unpublish.
func (w *Writer) Destroy(
	ctx context.Context, actor core.Actor, ref review.EntryRef, ifMatch *core.EntryTag, reason string,
) error {
	return w.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		tx, err := w.begin(ctx, stores, actor, ref.Project, ref.CollectionID, false)
		if err != nil {
			return err
		}
		e, err := tx.entry(ctx, ref.ID, ifMatch)
		if err != nil {
			return err
		}
		if err := trashed(&e); err != nil {
			return err
		}
		if err := checkReason(reason); err != nil {
			return err
		}
		return stores.Entries.Destroy(ctx, tx.schema, ref.ID, reason)
	})
}
