package contract

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/overview"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// Overviews checks a ports.OverviewStore.
func Overviews(t *testing.T, open Factory) {
	run(t, open, cases{
		"is empty for a new project":             countsNothing,
		"counts what became public by day":       countsPublished,
		"counts waiting requests and their time": countsWaiting,
		"counts schedules":                       countsSchedules,
		"counts entries of collections":          countsEntries,
		"counts reads of tokens":                 countsReads,
	})
}

func (w *fixture) overview(t reporter, from time.Time) overview.Overview {
	t.Helper()
	return result(w.Overviews.Overview(t.Context(), w.project.ID, from))(t)
}

func countsNothing(t *testing.T, w *fixture) {
	assertEqual(t, w.overview(t, at(0)), overview.Overview{})
}

func countsPublished(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	elsewhere := newTestCollection(t, w.otherProject(t), "articles", titleField())
	today := core.Day(at(1))
	publish := func(c *testCollection, days ...int) {
		for _, day := range days {
			e := publicOf("en", fields{})
			e.ReleasedAt = today.AddDate(0, 0, day).Add(24*time.Hour - time.Millisecond)
			c.add(t, e)
		}
	}
	publish(coll, -3, -2, 0, 0)
	publish(elsewhere, 0)
	assertEqual(t, w.overview(t, today.AddDate(0, 0, -2)).Published, []overview.DayCount{{Day: today.AddDate(0, 0, -2), Count: 1}, {Day: today, Count: 2}})
}

func countsWaiting(t *testing.T, w *fixture) {
	steps := []review.Step{{Order: 1, RoleKind: core.RoleAdmin}, {Order: 2, RoleKind: core.RoleAdmin, Label: "Legal"}, {Order: 4, RoleKind: core.RoleAdmin}}
	submit := func(entry int64, second int) *review.Request {
		r := w.newRequest(entry)
		r.Steps, r.SubmittedAt = steps, at(second)
		w.submit(t, &r)
		return &r
	}
	act := func(r *review.Request, kind review.ActionType, second int) {
		a := actionOf(r, kind)
		if a.CreatedAt = at(second); kind == review.ActionApprove {
			a.StepOrder = r.CurrentStep().Order
		}
		switch {
		case kind == review.ActionReject:
			r.Status = review.RequestRejected
		case kind == review.ActionApprove && r.Approve(review.Approval{StepID: r.OpenSteps()[0], Person: int64(len(r.Approvals) + 1)}):
			r.Status = review.RequestApproved
		}
		r.Version++
		a.Outcome = r.Outcome()
		requireNoError(t, w.Requests.Update(t.Context(), r, []*review.Action{a}))
	}
	submit(1, 10)
	second := submit(2, 5)
	act(second, review.ActionReschedule, 6)
	for n, took := range []int{30, 10, 20, 40} { // at the first step, then 100 s at the second
		r := submit(int64(10+n), 20)
		act(r, review.ActionApprove, 20+took)
		if took == 40 {
			continue
		}
		act(r, review.ActionApprove, 120+took)
		switch took {
		case 10:
			act(r, review.ActionApprove, 121+took)
		case 20:
			act(r, review.ActionReject, 400)
		}
	}
	other := w.otherProject(t)
	elsewhere := other.newRequest(1)
	other.submit(t, &elsewhere)
	countsOpenSteps(t, w.otherProject(t), act)

	const none = time.Duration(-1)
	assertEqual(t, w.overview(t, at(0)).Waiting, []overview.WaitingStep{
		{Order: 1, Count: 2, OldestSince: at(5), Median: 20 * time.Second},
		{Order: 2, Label: "Legal", Count: 1, OldestSince: at(60), Median: 100 * time.Second},
		{Order: 4, Count: 1, OldestSince: at(150), Median: time.Second},
	})
	late := w.overview(t, at(145)).Waiting
	assertEqual(t, []time.Duration{late[0].Median, late[1].Median, late[2].Median}, []time.Duration{none, 100 * time.Second, none})
	assertEqual(t, len(other.overview(t, at(0)).Waiting), 1)
	requireNoError(t, other.Projects.Delete(t.Context(), other.project.ID))
}

// countsOpenSteps checks the counts of steps that are open together, the first of which needs two approvals.
func countsOpenSteps(t *testing.T, w *fixture, act func(r *review.Request, kind review.ActionType, second int)) {
	r := w.newRequest(1)
	r.Steps = []review.Step{
		{Order: 1, RoleKind: core.RoleAdmin, Label: "Desk", Approvals: 2}, {Order: 1, RoleKind: core.RoleAdmin, Label: "Legal"}, {Order: 2, RoleKind: core.RoleAdmin, Label: "Head"},
	}
	r.SubmittedAt, r.RecordFormat = at(10), 3
	w.submit(t, &r)
	waiting := func(label string, order, since int, median time.Duration) overview.WaitingStep {
		return overview.WaitingStep{Order: order, Label: label, Count: 1, OldestSince: at(since), Median: median}
	}
	assertEqual(t, w.overview(t, at(0)).Waiting, []overview.WaitingStep{waiting("Desk", 1, 10, -1), waiting("Legal", 1, 10, -1)})
	act(&r, review.ActionApprove, 20)
	assertEqual(t, w.overview(t, at(0)).Waiting, []overview.WaitingStep{waiting("Desk", 1, 10, -1), waiting("Legal", 1, 10, -1)})
	act(&r, review.ActionApprove, 30)
	assertEqual(t, w.overview(t, at(0)).Waiting, []overview.WaitingStep{waiting("Legal", 1, 10, -1)})
	act(&r, review.ActionApprove, 40)
	assertEqual(t, w.overview(t, at(0)).Waiting, []overview.WaitingStep{waiting("Head", 2, 40, -1)})
	again := w.newRequest(2)
	again.Steps, again.SubmittedAt = r.Steps, at(50)
	w.submit(t, &again)
	assertEqual(t, w.overview(t, at(0)).Waiting, []overview.WaitingStep{
		waiting("Desk", 1, 50, 20*time.Second), waiting("Legal", 1, 50, 30*time.Second), waiting("Head", 2, 40, -1),
	})
}

func countsSchedules(t *testing.T, w *fixture) {
	w.schedule(t, 1, at(30))
	w.schedule(t, 2, at(20))
	w.otherProject(t).schedule(t, 1, at(10))
	requireNoError(t, w.Schedules.RecordFailure(t.Context(), schedule.Schedule{ProjectID: w.project.ID, EntryID: 2, Action: schedule.Publish}, "taken", time.Hour))
	o := w.overview(t, at(0))
	assertEqual(t, []any{o.Scheduled, o.NextDue, o.Failed}, []any{int64(2), at(20), int64(1)})
}

func countsEntries(t *testing.T, w *fixture) {
	pages, articles := newTestCollection(t, w, "pages", titleField()), newTestCollection(t, w, "articles", titleField())
	for _, locale := range []string{"en", "fr"} {
		articles.add(t, publicOf(locale, fields{}))
		articles.add(t, draftOf(locale, fields{}))
	}
	articles.add(t, publicOf("de", fields{}))
	trashed := articles.add(t, publicOf("en", fields{}))
	trashed.TrashedAt = at(5)
	trashed.Version++
	requireNoError(t, w.Entries.Update(t.Context(), articles.schema, &trashed))
	assertEqual(t, w.overview(t, at(0)).Collections, []overview.CollectionCount{
		{CollectionID: articles.schema.Collection.ID, Name: articles.schema.Collection.Name, Published: 3, Drafts: 2, Trashed: 1},
		{CollectionID: pages.schema.Collection.ID, Name: pages.schema.Collection.Name},
	})
}

func countsReads(t *testing.T, w *fixture) {
	day := core.Day(at(0))
	insert := func(w *fixture, name string, revoked time.Time) core.Token {
		token := core.Token{ProjectID: w.project.ID, Name: name, Hash: sha256.Sum256([]byte(uuid.NewString())), CreatedAt: at(1)}
		requireNoError(t, w.Tokens.Insert(t.Context(), &token))
		token.RevokedAt = revoked
		requireNoError(t, w.Tokens.Update(t.Context(), token))
		return token
	}
	quiet, busy := insert(w, "quiet", time.Time{}), insert(w, "busy", time.Time{})
	past, gone := insert(w, "past", at(1)), insert(w, "gone with", at(1))
	elsewhere := insert(w.otherProject(t), "elsewhere", time.Time{})
	for n := range 3 {
		requireNoError(t, w.Tokens.Touch(t.Context(), day.AddDate(0, 0, n), []core.TokenUse{
			{TokenID: busy.ID, Reads: 10, Writes: 5}, {TokenID: past.ID, Reads: 1}, {TokenID: elsewhere.ID, Reads: 1}, {TokenID: quiet.ID, Writes: 3},
		}))
	}
	requireNoError(t, w.Tokens.Touch(t.Context(), day, []core.TokenUse{{TokenID: gone.ID, Reads: 9}}))
	assertEqual(t, w.overview(t, day.AddDate(0, 0, 1)).Tokens, []overview.TokenReads{
		{ID: busy.ID, Name: "busy", Reads: 20}, {ID: past.ID, Name: "past", Reads: 2}, {ID: quiet.ID, Name: "quiet"},
	})
}
