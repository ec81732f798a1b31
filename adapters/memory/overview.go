package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/overview"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

type overviews struct{ conn }

func (s overviews) Overview(ctx context.Context, projectID int64, from time.Time) (overview.Overview, error) {
	return view(ctx, s.conn, func(st *state) (overview.Overview, error) {
		o := overview.Overview{
			Published: st.published(projectID, from), Waiting: st.waiting(projectID, from),
			Collections: st.counted(projectID), Tokens: st.tokenReads(projectID, from),
		}
		for _, p := range st.schedules.where(func(p schedule.Schedule) bool { return p.ProjectID == projectID && !st.trashed(p) }) {
			if o.Scheduled++; p.Attempts > 0 {
				o.Failed++
			}
			if o.NextDue.IsZero() || p.DueAt.Before(o.NextDue) {
				o.NextDue = p.DueAt
			}
		}
		return o, nil
	})
}

func (st *state) published(projectID int64, from time.Time) (days []overview.DayCount) {
	counts := map[time.Time]int64{}
	for key, publications := range st.publications.each {
		for _, p := range publications {
			if key.projectID == projectID && !p.PublishedAt.Before(from) {
				counts[core.Day(p.PublishedAt)]++
			}
		}
	}
	for _, day := range sort(slices.Collect(maps.Keys(counts)), time.Time.Compare) {
		days = append(days, overview.DayCount{Day: day, Count: counts[day]})
	}
	return days
}

// waitedAt identifies the steps at which waiting requests are counted together.
type waitedAt struct {
	label string
	order int
}

// stay is the time that a request spent at a step before its approval.
type stay struct {
	at   time.Time // of the approval
	took time.Duration
}

func (st *state) waiting(projectID int64, from time.Time) []overview.WaitingStep {
	steps, passed := map[waitedAt]overview.WaitingStep{}, map[waitedAt][]stay{}
	actions := st.actions.where(func(a review.Action) bool { return a.ProjectID == projectID })
	for _, r := range st.requests.of(projectID) {
		since, then := r.SubmittedAt, r
		then.Approvals = nil
		for _, a := range actions {
			step := r.ApprovedBy(&a)
			if a.RequestID != r.ID || step == nil {
				continue
			}
			then.Approvals = r.Approvals[:min(len(r.Approvals), len(then.Approvals)+1)]
			if len(then.Approvals) > 0 && then.Lacks(then.Approvals[len(then.Approvals)-1].StepID) > 0 {
				continue
			}
			if !a.CreatedAt.Before(from) {
				key := waitedAt{step.Label, step.Order}
				passed[key] = append(passed[key], stay{a.CreatedAt, a.CreatedAt.Sub(since)})
			}
			if passedAll(&then, step.Order) {
				since = a.CreatedAt
			}
		}
		for _, id := range r.OpenSteps() {
			step := &r.Steps[id-1]
			key := waitedAt{step.Label, step.Order}
			w, known := steps[key]
			if w.Label, w.Order = step.Label, step.Order; !known || since.Before(w.OldestSince) {
				w.OldestSince = since
			}
			w.Count++
			steps[key] = w
		}
	}
	waiting := sort(slices.Collect(maps.Values(steps)), func(a, b overview.WaitingStep) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Label, b.Label))
	})
	for i, w := range waiting {
		waiting[i].Median = -1
		if latest := passed[waitedAt{w.Label, w.Order}]; len(latest) > 0 {
			sort(latest, func(a, b stay) int { return b.at.Compare(a.at) })
			latest = first(latest, 1000)
			sort(latest, by(func(s stay) time.Duration { return s.took }))
			waiting[i].Median = latest[(len(latest)-1)/2].took
		}
	}
	return waiting
}

// passedAll reports whether no step of an order lacks an approval.
func passedAll(r *review.Request, order int) bool {
	for i := range r.Steps {
		if r.Steps[i].Order == order && r.Lacks(i+1) > 0 {
			return false
		}
	}
	return true
}

func (st *state) counted(projectID int64) (counts []overview.CollectionCount) {
	for _, c := range st.collections.of(projectID) {
		count := overview.CollectionCount{CollectionID: c.ID, Name: c.Name}
		for _, e := range st.entries.where(func(e core.Entry) bool { return e.CollectionID == c.ID }) {
			switch {
			case !e.TrashedAt.IsZero():
				count.Trashed++
			case e.Published != nil:
				count.Published++
			default:
				count.Drafts++
			}
		}
		counts = append(counts, count)
	}
	return counts
}

func (st *state) tokenReads(projectID int64, from time.Time) (reads []overview.TokenReads) {
	for _, t := range st.tokens.of(projectID) {
		token := overview.TokenReads{ID: t.ID, Name: t.Name}
		for key, usage := range st.tokenUsage.each {
			if key.tokenID == t.ID && !usage.Day.Before(from) {
				token.Reads += usage.Reads
			}
		}
		if t.RevokedAt.IsZero() || token.Reads > 0 {
			reads = append(reads, token)
		}
	}
	sort(reads, func(a, b overview.TokenReads) int {
		return cmp.Or(cmp.Compare(b.Reads, a.Reads), cmp.Compare(a.ID, b.ID))
	})
	return reads
}
