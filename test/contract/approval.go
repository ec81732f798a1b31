package contract

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// Workflows checks a ports.WorkflowStore.
func Workflows(t *testing.T, open Factory) {
	run(t, open, cases{
		"keeps the workflow of a department and of a project apart": func(t *testing.T, w *world) {
			ofDepartment, ofProject := twoSteps(core.Workflow{DepartmentID: w.department.ID}), oneStep(core.Workflow{ProjectID: w.project.ID})
			refused(t, failure(w.Workflows.DepartmentWorkflow(t.Context(), w.department.ID)), core.ErrNotFound)
			refused(t, failure(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID)), core.ErrNotFound)
			succeed(t, w.Workflows.Put(t.Context(), ofDepartment))
			succeed(t, w.Workflows.Put(t.Context(), ofProject))
			same(t, value(w.Workflows.DepartmentWorkflow(t.Context(), w.department.ID))(t), ofDepartment)
			same(t, value(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID))(t), ofProject)
		},
		"replaces the whole workflow": func(t *testing.T, w *world) {
			succeed(t, w.Workflows.Put(t.Context(), twoSteps(core.Workflow{ProjectID: w.project.ID})))
			next := oneStep(core.Workflow{ProjectID: w.project.ID, AllowSelfApproval: true})
			next.UpdatedAt = at(7)
			succeed(t, w.Workflows.Put(t.Context(), next))
			same(t, value(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID))(t), next)
		},
		"takes a workflow away": func(t *testing.T, w *world) {
			for _, scope := range []core.Workflow{{ProjectID: w.project.ID}, {DepartmentID: w.department.ID}} {
				refused(t, w.Workflows.Remove(t.Context(), scope), core.ErrNotFound)
				succeed(t, w.Workflows.Put(t.Context(), oneStep(scope)))
				succeed(t, w.Workflows.Remove(t.Context(), scope))
				refused(t, w.Workflows.Remove(t.Context(), scope), core.ErrNotFound)
			}
			refused(t, failure(w.Workflows.DepartmentWorkflow(t.Context(), w.department.ID)), core.ErrNotFound)
			refused(t, failure(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID)), core.ErrNotFound)
		},
		"is not there for what does not exist": func(t *testing.T, w *world) {
			for _, scope := range []core.Workflow{{ProjectID: unknown}, {DepartmentID: unknown}} {
				refused(t, w.Workflows.Put(t.Context(), oneStep(scope)), core.ErrNotFound)
				refused(t, w.Workflows.Remove(t.Context(), scope), core.ErrNotFound)
			}
			refused(t, failure(w.Workflows.Governing(t.Context(), unknown)), core.ErrNotFound)
		},
		"governs by the project's own, else by that of its department now": func(t *testing.T, w *world) {
			ofDepartment, ofProject := twoSteps(core.Workflow{DepartmentID: w.department.ID}), oneStep(core.Workflow{ProjectID: w.project.ID})
			refused(t, failure(w.Workflows.Governing(t.Context(), w.project.ID)), core.ErrNotFound)
			succeed(t, w.Workflows.Put(t.Context(), ofDepartment))
			for _, inside := range []bool{false, true} {
				same(t, w.governing(t, inside), ofDepartment)
			}
			succeed(t, w.Workflows.Put(t.Context(), ofProject))
			for _, inside := range []bool{false, true} {
				same(t, w.governing(t, inside), ofProject)
			}
			succeed(t, w.Workflows.Remove(t.Context(), ofProject))
			w.move(t, w.newDepartment(t, w.tenant.ID).ID)
			refused(t, failure(w.Workflows.Governing(t.Context(), w.project.ID)), core.ErrNotFound)
			w.move(t, 0)
			refused(t, failure(w.Workflows.Governing(t.Context(), w.project.ID)), core.ErrNotFound)
			w.move(t, w.department.ID)
			same(t, w.governing(t, true), ofDepartment)
		},
		"goes with its scope and stays when that is changed": func(t *testing.T, w *world) {
			succeed(t, w.Workflows.Put(t.Context(), oneStep(core.Workflow{DepartmentID: w.department.ID})))
			succeed(t, w.Workflows.Put(t.Context(), oneStep(core.Workflow{ProjectID: w.project.ID})))
			w.department.Name, w.project.Name = "renamed", "renamed"
			succeed(t, w.Departments.Update(t.Context(), w.department))
			succeed(t, w.Projects.Update(t.Context(), w.project))
			same(t, w.governing(t, false), oneStep(core.Workflow{ProjectID: w.project.ID}))
			succeed(t, w.Projects.Delete(t.Context(), w.project.ID))
			refused(t, failure(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID)), core.ErrNotFound)
			succeed(t, w.Departments.Delete(t.Context(), w.department.ID))
			refused(t, failure(w.Workflows.DepartmentWorkflow(t.Context(), w.department.ID)), core.ErrNotFound)
		},
		"finds the workflows that name a custom role": func(t *testing.T, w *world) {
			legal, brand := w.newCustomRole(t, w.department.ID, "Legal"), w.newCustomRole(t, w.department.ID, "Brand")
			naming := func(role core.CustomRole, scope core.Workflow) core.Workflow {
				workflow := twoSteps(scope)
				workflow.Steps[1].CustomRoleID = role.ID
				succeed(t, w.Workflows.Put(t.Context(), workflow))
				return workflow
			}
			same(t, value(w.Workflows.UsingRole(t.Context(), legal.ID))(t), []core.Workflow{})
			own := naming(legal, core.Workflow{ProjectID: w.project.ID})
			ofDepartment := naming(legal, core.Workflow{DepartmentID: w.department.ID})
			naming(brand, core.Workflow{ProjectID: w.beside(t).project.ID})
			same(t, value(w.Workflows.UsingRole(t.Context(), legal.ID))(t), []core.Workflow{ofDepartment, own})
			w.move(t, 0)
			same(t, value(w.Workflows.UsingRole(t.Context(), legal.ID))(t), []core.Workflow{ofDepartment, own})
			same(t, value(w.Workflows.UsingRole(t.Context(), unknown))(t), []core.Workflow{})
		},
		"holds what governs until the transaction ends": func(t *testing.T, w *world) {
			for _, scope := range []core.Workflow{{ProjectID: w.project.ID}, {DepartmentID: w.department.ID}} {
				asked, put := make(chan struct{}), make(chan error, 1)
				first := true
				succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
					refused(t, failure(s.Workflows.Governing(ctx, w.project.ID)), core.ErrNotFound)
					if first {
						first = false
						go func() {
							close(asked)
							put <- w.Workflows.Put(t.Context(), oneStep(scope))
						}()
					}
					<-asked
					time.Sleep(20 * time.Millisecond) // time in which the other could slip through
					refused(t, failure(s.Workflows.Governing(ctx, w.project.ID)), core.ErrNotFound)
					return nil
				}))
				succeed(t, <-put)
				same(t, w.governing(t, false), oneStep(scope))
				succeed(t, w.Workflows.Remove(t.Context(), scope))
			}
		},
	})
}

func (w *world) governing(t reporter, inside bool) (governs core.Workflow) {
	t.Helper()
	if !inside {
		return value(w.Workflows.Governing(t.Context(), w.project.ID))(t)
	}
	succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
		governs, err = s.Workflows.Governing(ctx, w.project.ID)
		return err
	}))
	return governs
}

// move puts the Project into another Department, or with 0 into none.
func (w *world) move(t reporter, departmentID int64) {
	t.Helper()
	w.project.DepartmentID = departmentID
	succeed(t, w.Projects.Update(t.Context(), w.project))
}

func oneStep(w core.Workflow) core.Workflow {
	w.Steps = []core.Step{{Order: 1, RoleKind: core.RoleAdmin, AllowRevision: true, AllowRejection: true}}
	w.UpdatedAt = at(1)
	return w
}

func twoSteps(w core.Workflow) core.Workflow {
	w.Steps = []core.Step{
		{Order: 10, RoleKind: core.RoleTenantAdmin, Label: "Desk \"é\"", AllowRejection: true},
		{Order: 20, RoleKind: core.RoleDepartmentAdmin, CustomRoleID: 7, AllowRevision: true},
	}
	w.UpdatedAt = at(2)
	return w
}

// Requests checks a ports.RequestStore; Inboxes checks what it shows to reviewers.
func Requests(t *testing.T, open Factory) {
	run(t, open, cases{
		"keeps a request whole": func(t *testing.T, w *world) {
			for _, withheld := range []core.Document{nil, doc(fields{"secret": "\u2028 é"})} {
				r := w.newRequest(1)
				r.EntryID, r.Withheld, r.ScheduledAt = int64(len(withheld)), withheld, at(99)
				r.SubmittedBy = core.ActorRef{Kind: "token", ID: 3, Name: "CI", MadeBy: 4}
				r.AllowSelfApproval, r.Snapshot = true, doc(fields{"fields": map[string]any{"title": "<b>\u2028 'é' \"😀"}})
				w.submit(t, &r)
				same(t, value(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t), r)
			}
			other := w.beside(t)
			refused(t, failure(w.Requests.Request(t.Context(), other.project.ID, 1)), core.ErrNotFound)
			refused(t, failure(w.Requests.Request(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
		},
		"seals the request with the action that opens it": func(t *testing.T, w *world) {
			r := w.newRequest(1)
			action := &core.ApprovalAction{ProjectID: w.project.ID, Type: core.ActionSubmit, Actor: r.SubmittedBy, CreatedAt: at(1), ScheduledAt: at(5)}
			sealed := 0
			succeed(t, w.Requests.Insert(t.Context(), &r, action, func() {
				sealed++
				if action.RequestID == 0 || action.RequestID != r.ID || r.ReleaseCount != 1 {
					t.Errorf("sealed request %d of action %+v", r.ID, action)
				}
				action.PreviousHash, action.Hash = "terms", "sealed"
				r.ChainHash = action.Hash
			}))
			same(t, sealed, 1)
			same(t, value(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t).ChainHash, action.Hash)
			same(t, value(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t), []core.ApprovalAction{*action})
		},
		"keeps actions in their order":               keepsActions,
		"changes only what changes":                  changesRequests,
		"has one open request per entry":             opensOne,
		"numbers releases without gaps":              numbersReleases,
		"numbers racing releases without gaps":       racesReleases,
		"lets one of racing decisions win":           racesDecisions,
		"lets one of racing submissions win":         racesSubmissions,
		"lists an entry's requests, latest first":    listsRequests,
		"shows the open or the latest of many":       summarizes,
		"walks a project's requests":                 walksRequests,
		"lists what is open in a collection":         listsOpen,
		"lists what is open for a custom role":       listsOpenUsingRole,
		"pages through an entry's requests":          pagesHistory,
		"outlives the collection, not the project":   outlives,
		"does not share a request with the caller":   sharesNoRequest,
		"names nothing of a project that is unknown": refusesUnknownProject,
	})
}

// newRequest returns a pending request for an entry, not yet stored. Like its users,
// requests need no entry to be there.
func (w *world) newRequest(entryID int64) core.Request {
	return core.Request{
		TenantID: w.tenant.ID, ProjectID: w.project.ID, CollectionID: 5, EntryID: entryID, Locale: "en", ReleaseYear: 2026,
		Status: core.RequestPending, Version: 1, Steps: oneStep(core.Workflow{}).Steps, Snapshot: doc(fields{"fields": fields{}}), ContentHash: "c0ffee",
		SubmittedBy: core.ActorRef{Kind: "user", ID: 4, Name: "Edda"}, SubmittedAt: at(1),
	}
}

func (w *world) submit(t reporter, r *core.Request) {
	t.Helper()
	succeed(t, w.trySubmit(t, w.Stores, r))
}

func (w *world) trySubmit(t reporter, s ports.Stores, r *core.Request) error {
	action := actionOf(r, core.ActionSubmit)
	return s.Requests.Insert(t.Context(), r, action, func() {
		action.PreviousHash, action.Hash = "terms", "sealed"
		r.ChainHash = action.Hash
	})
}

func actionOf(r *core.Request, kind core.ActionType) *core.ApprovalAction {
	return &core.ApprovalAction{ProjectID: r.ProjectID, RequestID: r.ID, Type: kind, Actor: r.SubmittedBy, ContentHash: r.ContentHash, CreatedAt: at(3)}
}

// decide brings the request to a status.
func (w *world) decide(t reporter, r *core.Request, status core.RequestStatus) {
	t.Helper()
	r.Status, r.Version = status, r.Version+1
	succeed(t, w.Requests.Update(t.Context(), r, []*core.ApprovalAction{actionOf(r, core.ActionApprove)}))
}

func requestID(r core.Request) int64 { return r.ID }

func keepsActions(t *testing.T, w *world) {
	r, other := w.newRequest(1), w.newRequest(2)
	w.submit(t, &r)
	w.submit(t, &other)
	opened := value(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t)
	approve := actionOf(&r, core.ActionApprove)
	approve.StepOrder, approve.Comment, approve.ScheduledAt, approve.Hash = 30, "<b>\u2028 'é' \"😀", at(8), "beef"
	approve.DraftHash, approve.PreviousHash = "draft", opened[0].Hash
	approve.Actor = core.ActorRef{Kind: "token", ID: 3, Name: "CI", MadeBy: 4}
	approve.Outcome = core.Outcome{
		Status: core.RequestApproved, StepIndex: 1, Approvers: []int64{4, 5}, Version: 2,
		ScheduledPublishAt: core.FormatTime(at(8)), PublishedAt: core.FormatTime(at(9)),
	}
	publish := actionOf(&r, core.ActionPublish)
	publish.Actor = core.Actor{}.Ref()
	r.Version = 2
	succeed(t, w.Requests.Update(t.Context(), &r, []*core.ApprovalAction{approve, publish}))
	same(t, value(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t), append(opened, *approve, *publish))
	same(t, value(w.Requests.Actions(t.Context(), w.beside(t).project.ID, r.ID))(t), []core.ApprovalAction{})
}

func changesRequests(t *testing.T, w *world) {
	r := w.newRequest(1)
	r.Steps = twoSteps(core.Workflow{}).Steps
	w.submit(t, &r)
	want := r
	want.Status, want.Version, want.Current, want.ScheduledAt, want.PublishedAt = core.RequestApproved, 2, 1, at(50), at(51)
	want.Approvers, want.ChainHash = []int64{9, 3}, "abc"
	changed := want
	changed.EntryID, changed.Locale, changed.Snapshot, changed.ContentHash = 77, "fr", []byte("{}"), "other"
	changed.ReleaseCount, changed.ReleaseYear, changed.SubmittedAt, changed.SubmittedBy.Name = 99, 1999, at(90), "Mallory"
	succeed(t, w.Requests.Update(t.Context(), &changed, nil))
	same(t, value(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t), want)

	refused(t, w.Requests.Update(t.Context(), &changed, []*core.ApprovalAction{actionOf(&r, core.ActionReject)}), core.ErrConflict)
	same(t, len(value(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t)), 1)
	changed.ID = unknown
	refused(t, w.Requests.Update(t.Context(), &changed, nil), core.ErrNotFound)
	elsewhere := want
	elsewhere.ProjectID, elsewhere.Version = w.beside(t).project.ID, 3
	refused(t, w.Requests.Update(t.Context(), &elsewhere, nil), core.ErrNotFound)
}

func opensOne(t *testing.T, w *world) {
	first := w.newRequest(1)
	w.submit(t, &first)
	for n, status := range []core.RequestStatus{
		core.RequestPending, core.RequestApproved, core.RequestPublished, core.RequestRejected, core.RequestRevision, core.RequestWithdrawn,
	} {
		held := w.newRequest(int64(100 + n))
		w.submit(t, &held)
		w.decide(t, &held, status)
		again := w.newRequest(held.EntryID)
		if err := w.trySubmit(t, w.Stores, &again); status.Open() != errors.Is(err, core.ErrConflict) || status.Open() == (err == nil) {
			t.Errorf("beside a %s request: %v", status, err)
		}
	}
	elsewhere := w.beside(t).newRequest(1)
	w.submit(t, &elsewhere)
}

func numbersReleases(t *testing.T, w *world) {
	number := func(projectID, entryID int64, year int) int64 {
		r := w.newRequest(entryID)
		r.ProjectID, r.ReleaseYear = projectID, year
		w.submit(t, &r)
		return r.ReleaseCount
	}
	same(t, number(w.project.ID, 1, 2026), int64(1))
	same(t, number(w.beside(t).project.ID, 1, 2026), int64(2))
	same(t, number(w.project.ID, 2, 2027), int64(1))
	errGivenUp := errors.New("given up")
	err := w.do(t, func(ctx context.Context, s ports.Stores) error {
		lost := w.newRequest(3)
		if err := w.trySubmit(t, s, &lost); err != nil {
			return err
		}
		same(t, lost.ReleaseCount, int64(3))
		return errGivenUp
	})
	if !errors.Is(err, errGivenUp) {
		t.Fatal(err)
	}
	again := w.newRequest(1)
	refused(t, w.trySubmit(t, w.Stores, &again), core.ErrConflict)
	same(t, number(w.project.ID, 3, 2026), int64(3))

	// A refused one takes no number with it, whatever becomes of the transaction.
	succeed(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		again := w.newRequest(1)
		refused(t, w.trySubmit(t, s, &again), core.ErrConflict)
		return nil
	}))
	same(t, number(w.project.ID, 4, 2026), int64(4))
}

func racesReleases(t *testing.T, w *world) {
	const submitters, each = 4, 5
	numbers := make([][]int64, submitters)
	won := race(submitters, func(i int) error {
		for n := range each {
			r := w.newRequest(int64(100*i + n))
			err := w.do(t, func(ctx context.Context, s ports.Stores) error {
				if err := w.trySubmit(t, s, &r); err != nil {
					return err
				}
				if n == 2 {
					return core.Conflict("given_up", "given up")
				}
				return nil
			})
			if n == 2 {
				continue
			}
			if err != nil {
				return err
			}
			numbers[i] = append(numbers[i], r.ReleaseCount)
		}
		return nil
	})
	for _, err := range won.failures {
		t.Error(err)
	}
	var want []int64
	for n := range submitters * (each - 1) {
		want = append(want, int64(n+1))
	}
	same(t, slices.Sorted(slices.Values(slices.Concat(numbers...))), want)
}

func racesDecisions(t *testing.T, w *world) {
	r := w.newRequest(1)
	w.submit(t, &r)
	for range 4 {
		won := race(4, func(i int) error {
			mine := r
			mine.Version, mine.Approvers = r.Version+1, []int64{int64(i)}
			return w.do(t, func(ctx context.Context, s ports.Stores) error {
				return s.Requests.Update(ctx, &mine, []*core.ApprovalAction{actionOf(&mine, core.ActionApprove)})
			})
		})
		for _, err := range won.failures {
			refused(t, err, core.ErrConflict)
		}
		if won.successes != 1 {
			t.Fatalf("%d of 4 decisions on the same version won", won.successes)
		}
		r.Version++
	}
	same(t, value(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t).Version, r.Version)
	same(t, len(value(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t)), 5)
}

func racesSubmissions(t *testing.T, w *world) {
	won := race(4, func(int) error {
		return w.do(t, func(ctx context.Context, s ports.Stores) error {
			r := w.newRequest(1)
			return w.trySubmit(t, s, &r)
		})
	})
	for _, err := range won.failures {
		refused(t, err, core.ErrConflict)
	}
	if won.successes != 1 {
		t.Fatalf("%d of 4 submissions won", won.successes)
	}
	same(t, len(value(w.Requests.EntryRequests(t.Context(), w.project.ID, 1, 9))(t)), 1)
}

func listsRequests(t *testing.T, w *world) {
	var want []core.Request
	for range 3 {
		r := w.newRequest(1)
		w.submit(t, &r)
		w.decide(t, &r, core.RequestRejected)
		want = append([]core.Request{r}, want...)
		other := w.newRequest(2)
		_ = w.trySubmit(t, w.Stores, &other)
	}
	same(t, value(w.Requests.EntryRequests(t.Context(), w.project.ID, 1, 9))(t), want)
	same(t, value(w.Requests.EntryRequests(t.Context(), w.project.ID, 1, 2))(t), want[:2])
	same(t, value(w.Requests.EntryRequests(t.Context(), w.beside(t).project.ID, 1, 9))(t), []core.Request{})
}

func summarizes(t *testing.T, w *world) {
	rejected, again, pending := w.newRequest(1), w.newRequest(1), w.newRequest(2)
	w.submit(t, &rejected)
	w.decide(t, &rejected, core.RequestRejected)
	w.submit(t, &again)
	w.decide(t, &again, core.RequestRevision)
	w.submit(t, &pending)
	same(t, value(w.Requests.Summaries(t.Context(), w.project.ID, []int64{1, 2, 3}))(t), map[int64]core.ApprovalSummary{
		1: again.Summary(), 2: pending.Summary(),
	})
	same(t, value(w.Requests.Summaries(t.Context(), w.project.ID, []int64{3}))(t), map[int64]core.ApprovalSummary{})
	same(t, value(w.Requests.Summaries(t.Context(), w.project.ID, nil))(t), map[int64]core.ApprovalSummary{})
	same(t, value(w.Requests.Summaries(t.Context(), w.beside(t).project.ID, []int64{1, 2}))(t), map[int64]core.ApprovalSummary{})
}

func walksRequests(t *testing.T, w *world) {
	var want []core.Request
	other := w.beside(t)
	for entry := range int64(3) {
		r, elsewhere := w.newRequest(entry), other.newRequest(entry)
		w.submit(t, &r)
		other.submit(t, &elsewhere)
		want = append(want, r)
	}
	w.decide(t, &want[1], core.RequestWithdrawn)
	same(t, value(w.Requests.Walk(t.Context(), w.project.ID, 0, 9))(t), want)
	same(t, value(w.Requests.Walk(t.Context(), w.project.ID, want[0].ID, 1))(t), want[1:2])
	same(t, value(w.Requests.Walk(t.Context(), w.project.ID, want[2].ID, 9))(t), []core.Request{})
}

func pagesHistory(t *testing.T, w *world) {
	legal, brand := w.newCustomRole(t, w.department.ID, "Legal"), w.newCustomRole(t, w.department.ID, "Brand")
	var all, ofLegal []core.Request
	for n := range 5 {
		r := w.newRequest(1)
		if n%2 == 0 {
			r.Steps = append(r.Steps, core.Step{Order: 2, RoleKind: core.RoleAdmin, CustomRoleID: legal.ID})
		}
		w.submit(t, &r)
		w.decide(t, &r, core.RequestRejected)
		all = append([]core.Request{r}, all...)
		if n%2 == 0 {
			ofLegal = append([]core.Request{r}, ofLegal...)
		}
	}
	elsewhere, other := w.beside(t).newRequest(1), w.newRequest(2)
	w.submit(t, &elsewhere)
	w.submit(t, &other)
	check := func(q core.HistoryQuery, total int64, want []core.Request) {
		t.Helper()
		q.ProjectID, q.EntryID = w.project.ID, 1
		if q.CollectionID == 0 {
			q.CollectionID = 5
		}
		same(t, value(w.Requests.History(t.Context(), q))(t), want)
		same(t, value(w.Requests.HistoryCount(t.Context(), q))(t), total)
	}
	check(core.HistoryQuery{Limit: 9}, 5, all)
	check(core.HistoryQuery{Limit: 2}, 5, all[:3]) // one more says that there is more
	check(core.HistoryQuery{Limit: 2, Offset: 3}, 5, all[3:])
	check(core.HistoryQuery{Limit: 2, Offset: 5}, 5, nil)
	check(core.HistoryQuery{Limit: 9, CollectionID: 6}, 0, nil)
	check(core.HistoryQuery{Limit: 9, CustomRoles: []int64{brand.ID, legal.ID}}, 3, ofLegal)
	check(core.HistoryQuery{Limit: 1, Offset: 1, CustomRoles: []int64{legal.ID}}, 3, ofLegal[1:])
	check(core.HistoryQuery{Limit: 9, CustomRoles: []int64{brand.ID}}, 0, nil)
	check(core.HistoryQuery{Limit: 9, CustomRoles: []int64{}}, 0, nil)
}

func listsOpenUsingRole(t *testing.T, w *world) {
	legal := w.newCustomRole(t, w.department.ID, "Legal")
	var want []core.Request
	for entry, status := range []core.RequestStatus{
		core.RequestPending, core.RequestApproved, core.RequestRejected, core.RequestPublished, core.RequestRevision, core.RequestWithdrawn,
	} {
		from := []*world{w, w.beside(t)}[entry%2]
		r, other := from.newRequest(int64(entry)), from.newRequest(int64(100+entry))
		r.Steps = append(r.Steps, core.Step{Order: 2, RoleKind: core.RoleAdmin, CustomRoleID: legal.ID})
		other.Steps = append(other.Steps, core.Step{Order: 2, RoleKind: core.RoleAdmin, CustomRoleID: legal.ID * 10})
		from.submit(t, &r)
		from.submit(t, &other)
		from.decide(t, &r, status)
		if r.Snapshot, r.Withheld = nil, nil; status.Open() {
			want = append(want, r)
		}
	}
	same(t, value(w.Requests.OpenUsingRole(t.Context(), legal.ID, 9))(t), want)
	same(t, value(w.Requests.OpenUsingRole(t.Context(), legal.ID, 1))(t), want[:1])
	same(t, value(w.Requests.OpenUsingRole(t.Context(), unknown, 9))(t), []core.Request{})
}

func listsOpen(t *testing.T, w *world) {
	var want []core.Request
	for entry, status := range []core.RequestStatus{
		core.RequestPending, core.RequestApproved, core.RequestRejected, core.RequestPublished, core.RequestPending,
	} {
		r := w.newRequest(int64(entry))
		w.submit(t, &r)
		w.decide(t, &r, status)
		if status.Open() {
			want = append(want, r)
		}
	}
	elsewhere := w.newRequest(50)
	elsewhere.CollectionID = 6
	w.submit(t, &elsewhere)
	same(t, value(w.Requests.Open(t.Context(), w.project.ID, 5, 0, 9))(t), want)
	same(t, value(w.Requests.Open(t.Context(), w.project.ID, 5, want[0].ID, 1))(t), want[1:2])
	same(t, value(w.Requests.Open(t.Context(), w.beside(t).project.ID, 5, 0, 9))(t), []core.Request{})
}

func outlives(t *testing.T, w *world) {
	shelf := newShelf(t, w, "articles", titleField())
	e := shelf.add(t, draftOf("en", fields{"title": "a"}))
	r := w.newRequest(e.ID)
	r.CollectionID = e.CollectionID
	w.submit(t, &r)
	succeed(t, w.Collections.Delete(t.Context(), w.project.ID, e.CollectionID))
	same(t, value(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t), r)
	elsewhere := w.beside(t).newRequest(e.ID)
	w.submit(t, &elsewhere)
	succeed(t, w.Projects.Delete(t.Context(), w.project.ID))
	refused(t, failure(w.Requests.Request(t.Context(), w.project.ID, r.ID)), core.ErrNotFound)
	same(t, value(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t), []core.ApprovalAction{})
	same(t, value(w.Requests.Request(t.Context(), elsewhere.ProjectID, elsewhere.ID))(t), elsewhere)

	// The number is not given again.
	next := w.beside(t).newRequest(1)
	w.submit(t, &next)
	same(t, next.ReleaseCount, int64(3))
}

func sharesNoRequest(t *testing.T, w *world) {
	r := w.newRequest(1)
	r.Approvers, r.Withheld = []int64{1}, doc(fields{"a": 1})
	w.submit(t, &r)
	want := value(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t)
	r.Steps[0].Label, r.Approvers[0], r.Snapshot[0], r.Withheld[0] = "changed", 9, '!', '!'
	got := value(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t)
	same(t, got, want)
	got.Steps[0].Label, got.Approvers[0], got.Snapshot[0], got.Withheld[0] = "changed", 9, '!', '!'
	if again := value(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t); again.Approvers[0] != 1 || again.Steps[0].Label != "" {
		t.Errorf("the stored request was changed from outside: %+v", again)
	}
}

func refusesUnknownProject(t *testing.T, w *world) {
	r := w.newRequest(1)
	r.ProjectID = unknown
	refused(t, w.trySubmit(t, w.Stores, &r), core.ErrNotFound)
}
