package assistant

import (
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
)

// RunGap is the pause after which a further event of an assistant belongs to another run. It is longer than
// core.revisionGap, so that a revision belongs to one run.
const RunGap = 30 * time.Minute

// Run is what an assistant did in a Project without a pause of RunGap.
type Run struct {
	ID       int64 // of its first event
	By       core.ActorRef
	From, To time.Time // of its first and last event
	Drafts   []Draft   // that it created or changed, in the order of its first writes
	Counts   RunCounts // of what else it did
}

// Draft is a draft that an assistant created or changed.
type Draft struct {
	EntryID    int64
	Collection string // slug at that time
	Locale     string
	Created    bool
}

// RunCounts counts what an assistant did besides its drafts.
type RunCounts struct {
	Releases, Requests, Comments int // that it opened, and added
}

// Runs returns the runs in events of assistants, which are in the order from the newest to the oldest. The
// latest run is first.
func Runs(events []event.Event) []Run {
	var runs []Run
	open := map[int64]int{} // the indexes of the latest runs by assistant
	for _, e := range slices.Backward(events) {
		i, known := open[e.Actor.ID]
		if !known || e.At.Sub(runs[i].To) >= RunGap {
			i = len(runs)
			open[e.Actor.ID] = i
			runs = append(runs, Run{ID: e.ID, By: e.Actor, From: e.At})
		}
		runs[i].add(&e)
	}
	slices.SortStableFunc(runs, func(a, b Run) int { return b.To.Compare(a.To) })
	return runs
}

// add adds the next event of the run.
func (r *Run) add(e *event.Event) {
	r.To = e.At
	switch e.Type {
	case event.EntryCreated, event.EntryUpdated:
		if !slices.ContainsFunc(r.Drafts, func(d Draft) bool { return d.EntryID == e.EntryID }) {
			r.Drafts = append(r.Drafts, Draft{e.EntryID, e.Collection, e.Locale, e.Type == event.EntryCreated})
		}
	case event.ReleaseCreated:
		r.Counts.Releases++
	case event.RequestSubmitted:
		r.Counts.Requests++
	case event.CommentCreated:
		r.Counts.Comments++
	}
}

// Wrote reports whether a revision has only writes of the run. The clocks of events and revisions may differ by half of
// RunGap.
func (r *Run) Wrote(revision *core.RevisionRecord) bool {
	const skew = RunGap / 2
	return revision.By.Same(r.By) && !revision.CreatedAt.Time().Before(r.From.Add(-skew)) && !revision.UpdatedAt.Time().After(r.To.Add(skew))
}
