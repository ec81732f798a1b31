package core

import (
	"slices"
	"time"
)

// AssistantRunGap is the pause after which a further event of an assistant belongs to another run. It is longer than
// RevisionGap, so that a revision belongs to one run.
const AssistantRunGap = 30 * time.Minute

// AssistantRun is what an assistant did in a Project without a pause of AssistantRunGap.
type AssistantRun struct {
	ID       int64 // of its first event
	By       ActorRef
	From, To time.Time          // of its first and last event
	Drafts   []AssistantDraft   // that it created or changed, in the order of its first writes
	Counts   AssistantRunCounts // of what else it did
}

// AssistantDraft is a draft that an assistant created or changed.
type AssistantDraft struct {
	EntryID    int64
	Collection string // slug at that time
	Locale     string
	Created    bool
}

// AssistantRunCounts counts what an assistant did besides its drafts.
type AssistantRunCounts struct {
	Releases, Requests, Comments int // that it opened, and added
}

// AssistantRuns returns the runs in events of assistants, which are in the order from the newest to the oldest. The
// latest run is first.
func AssistantRuns(events []Event) []AssistantRun {
	var runs []AssistantRun
	open := map[int64]int{} // the indexes of the latest runs by assistant
	for _, e := range slices.Backward(events) {
		i, known := open[e.Actor.ID]
		if !known || e.At.Sub(runs[i].To) >= AssistantRunGap {
			i = len(runs)
			open[e.Actor.ID] = i
			runs = append(runs, AssistantRun{ID: e.ID, By: e.Actor, From: e.At})
		}
		runs[i].add(&e)
	}
	slices.SortStableFunc(runs, func(a, b AssistantRun) int { return b.To.Compare(a.To) })
	return runs
}

// add adds the next event of the run.
func (r *AssistantRun) add(e *Event) {
	r.To = e.At
	switch e.Type {
	case EventEntryCreated, EventEntryUpdated:
		if !slices.ContainsFunc(r.Drafts, func(d AssistantDraft) bool { return d.EntryID == e.EntryID }) {
			r.Drafts = append(r.Drafts, AssistantDraft{e.EntryID, e.Collection, e.Locale, e.Type == EventEntryCreated})
		}
	case EventReleaseCreated:
		r.Counts.Releases++
	case EventRequestSubmitted:
		r.Counts.Requests++
	case EventCommentCreated:
		r.Counts.Comments++
	}
}

// Wrote reports whether a revision has only writes of the run. The clocks of events and revisions may differ by half of
// AssistantRunGap.
func (r *AssistantRun) Wrote(revision *RevisionRecord) bool {
	const skew = AssistantRunGap / 2
	return revision.By.Same(r.By) && !revision.CreatedAt.Time().Before(r.From.Add(-skew)) && !revision.UpdatedAt.Time().After(r.To.Add(skew))
}

// FieldBy is a field that an assistant changed.
type FieldBy struct {
	Field string
	By    ActorRef
}

// AssistantFields returns the fields of c that assistants changed in the revisions of an entry, which are in the order
// from the newest to the oldest, after the version with the content hash base up to the one with the hash submitted.
// Without base it begins with the oldest revision, and without submitted it ends with the newest. By is the last assistant
// of a field. Secret fields are not among them.
func (c *Collection) AssistantFields(revisions []RevisionRecord, base, submitted string) []FieldBy {
	last := map[string]ActorRef{}
	for _, r := range revisions {
		if submitted != "" && r.ContentHash != submitted {
			continue
		}
		submitted = ""
		if base != "" && r.ContentHash == base {
			break
		}
		if r.By.Kind != KindAssistant {
			continue
		}
		for _, name := range r.Changed {
			if _, known := last[name]; !known {
				last[name] = r.By
			}
		}
	}
	found := []FieldBy{}
	for _, f := range c.Fields {
		if by, changed := last[f.Name]; changed && !f.Secret() {
			found = append(found, FieldBy{f.Name, by})
		}
	}
	return found
}
