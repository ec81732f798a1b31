package writing

import (
	"context"
	"errors"
	"slices"

	"imprimatur/core"
	"imprimatur/core/assistant"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// maxRunEvents is how many events of assistants AssistantRuns reads.
const maxRunEvents = 10_000

// draftsAtATime is how many entries UndoRun reads at once.
const draftsAtATime = 500

// AssistantRuns returns the runs of all assistants in a Project, the latest first, as far as they are among the latest
// 10,000 events of assistants.
func (w *Writer) AssistantRuns(ctx context.Context, projectID int64) ([]assistant.Run, error) {
	events, err := w.stores.Events.Events(ctx, ports.EventQuery{ProjectID: projectID, Assistants: true, Newest: true, Limit: maxRunEvents})
	if err != nil {
		return nil, err
	}
	runs := assistant.Runs(events)
	if len(events) == maxRunEvents { // earlier events may belong to the runs that begin with the oldest
		first := events[len(events)-1].At.Add(assistant.RunGap)
		runs = slices.DeleteFunc(runs, func(r assistant.Run) bool { return r.From.Before(first) })
	}
	return runs, nil
}

// Why a draft of a run stays as it is.
const (
	KeptGone      = "gone"          // the entry is in the trash or deleted
	KeptChanged   = "changed_since" // somebody has written it after the run
	KeptInReview  = "in_review"     // the run created the entry, and its request is open or approved for a time
	KeptPublished = "published"     // readers see what the run wrote
	KeptPruned    = "pruned"        // the revision before the run is not kept
	KeptInvalid   = "invalid"       // the revision before the run is not valid any more
)

// UndoneDraft is what UndoRun did with a draft.
type UndoneDraft struct {
	assistant.Draft

	Trashed bool   // the run had created it
	Kept    string // why it stays as it is; empty: it has the content of the revision before the run, or is in the trash
}

// UndoRun gives the drafts of a run of an assistant the content of the revisions before the run, as new revisions by
// actor, and moves entries that the run created to the trash, but not while they are in review. What readers see and what
// reviewers decide does not change. A draft stays as it is if another write followed, or if readers see what the run
// wrote. What stays has a reason in the result. Each
// draft is undone in a transaction of its own, so that an error leaves those before it undone; a repetition continues.
// It returns core.ErrNotFound for a run that AssistantRuns does not have.
func (w *Writer) UndoRun(ctx context.Context, actor core.Actor, project *core.Project, id int64) ([]UndoneDraft, error) {
	runs, err := w.AssistantRuns(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(runs, func(r assistant.Run) bool { return r.ID == id })
	if i < 0 {
		return nil, core.NotFound("run")
	}
	done := make([]UndoneDraft, 0, len(runs[i].Drafts))
	for some := range slices.Chunk(runs[i].Drafts, draftsAtATime) {
		collections, err := w.collectionsOf(ctx, project.ID, some)
		if err != nil {
			return nil, err
		}
		for _, d := range some {
			undone, err := w.undo(ctx, actor, review.EntryRef{Project: project, CollectionID: collections[d.EntryID], ID: d.EntryID}, &runs[i])
			if err != nil {
				return nil, err
			}
			undone.Draft = d
			done = append(done, undone)
		}
	}
	return done, nil
}

// collectionsOf returns the ids of the collections of drafts by the ids of their entries, without deleted entries.
func (w *Writer) collectionsOf(ctx context.Context, projectID int64, drafts []assistant.Draft) (map[int64]int64, error) {
	ids := make([]int64, len(drafts))
	for i, d := range drafts {
		ids[i] = d.EntryID
	}
	entries, err := w.stores.Entries.Entries(ctx, projectID, ids)
	if err != nil {
		return nil, err
	}
	of := map[int64]int64{}
	for i := range entries {
		of[entries[i].ID] = entries[i].CollectionID
	}
	return of, nil
}

// undo undoes what a run wrote of one entry.
func (w *Writer) undo(ctx context.Context, actor core.Actor, ref review.EntryRef, run *assistant.Run) (done UndoneDraft, err error) {
	_, err = w.change(ctx, actor, ref, nil, live, func(ctx context.Context, tx *transaction, e *core.Entry) (*core.Written, error) {
		done = UndoneDraft{}
		before, kept, err := tx.beforeRun(ctx, e, run)
		if err != nil || kept != "" {
			done.Kept = kept
			return nil, err
		}
		if before == 0 {
			done.Trashed = true
			return saveAs(intentTrash)(ctx, tx, e)
		}
		return restoreRevision(before)(ctx, tx, e)
	})
	switch {
	case errors.Is(err, core.ErrNotFound):
		return UndoneDraft{Kept: KeptGone}, nil
	case errors.Is(err, core.ErrInvalid):
		return UndoneDraft{Kept: KeptInvalid}, nil
	}
	return done, err
}

// beforeRun returns the number of the revision before those of a run; 0: the run created the entry. kept says why the
// draft stays as it is; empty: it does not.
func (tx *transaction) beforeRun(ctx context.Context, e *core.Entry, run *assistant.Run) (number int64, kept string, err error) {
	newest, err := core.DecodeRevision(e.Revision)
	if err != nil {
		return 0, "", err
	}
	if !run.Wrote(&newest) {
		return 0, KeptChanged, nil
	}
	past, err := tx.stores.Revisions.Revisions(ctx, core.RevisionQuery{ProjectID: e.ProjectID, EntryID: e.ID})
	if err != nil {
		return 0, "", err
	}
	first := newest
	for i := range past {
		if !run.Wrote(&past[i].RevisionRecord) {
			number = past[i].Number
			break
		}
		first = past[i].RevisionRecord
	}
	switch {
	case e.Published != nil && !e.ReleasedAt.Before(first.CreatedAt.Time()):
		return 0, KeptPublished, nil
	case number == 0 && (first.Number > 1 || e.Published != nil):
		return 0, KeptPruned, nil
	case number > 0:
		return number, "", nil
	}
	if pending, err := tx.times.pending(ctx, e); err != nil || pending {
		return 0, KeptInReview, err
	}
	return 0, "", nil
}
