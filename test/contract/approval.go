package contract

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Workflows checks a ports.WorkflowStore.
func Workflows(t *testing.T, open Factory) {
	run(t, open, cases{
		"keeps the workflow of a department and of a project apart": func(t *testing.T, w *fixture) {
			ofDepartment, ofProject := twoSteps(review.Workflow{DepartmentID: w.department.ID}), oneStep(review.Workflow{ProjectID: w.project.ID})
			requireError(t, errorOf(w.Workflows.DepartmentWorkflow(t.Context(), w.department.ID)), core.ErrNotFound)
			requireError(t, errorOf(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID)), core.ErrNotFound)
			requireNoError(t, w.Workflows.Put(t.Context(), ofDepartment))
			requireNoError(t, w.Workflows.Put(t.Context(), ofProject))
			assertEqual(t, result(w.Workflows.DepartmentWorkflow(t.Context(), w.department.ID))(t), ofDepartment)
			assertEqual(t, result(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID))(t), ofProject)
		},
		"replaces the whole workflow": func(t *testing.T, w *fixture) {
			requireNoError(t, w.Workflows.Put(t.Context(), twoSteps(review.Workflow{ProjectID: w.project.ID})))
			next := oneStep(review.Workflow{ProjectID: w.project.ID, AllowSelfApproval: true, Exempt: []string{"tags", "redirects"}, Unpublishing: review.UnpublishReviewed})
			next.UpdatedAt = at(7)
			requireNoError(t, w.Workflows.Put(t.Context(), next))
			assertEqual(t, result(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID))(t), next)
		},
		"removes a workflow": func(t *testing.T, w *fixture) {
			for _, scope := range []review.Workflow{{ProjectID: w.project.ID}, {DepartmentID: w.department.ID}} {
				requireError(t, w.Workflows.Remove(t.Context(), scope), core.ErrNotFound)
				requireNoError(t, w.Workflows.Put(t.Context(), oneStep(scope)))
				requireNoError(t, w.Workflows.Remove(t.Context(), scope))
				requireError(t, w.Workflows.Remove(t.Context(), scope), core.ErrNotFound)
			}
			requireError(t, errorOf(w.Workflows.DepartmentWorkflow(t.Context(), w.department.ID)), core.ErrNotFound)
			requireError(t, errorOf(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID)), core.ErrNotFound)
		},
		"returns ErrNotFound for unknown scopes": func(t *testing.T, w *fixture) {
			for _, scope := range []review.Workflow{{ProjectID: unknown}, {DepartmentID: unknown}} {
				requireError(t, w.Workflows.Put(t.Context(), oneStep(scope)), core.ErrNotFound)
				requireError(t, w.Workflows.Remove(t.Context(), scope), core.ErrNotFound)
			}
			requireError(t, errorOf(w.Workflows.Governing(t.Context(), unknown)), core.ErrNotFound)
		},
		"resolves to the project's workflow, else its department's": func(t *testing.T, w *fixture) {
			ofDepartment, ofProject := twoSteps(review.Workflow{DepartmentID: w.department.ID}), oneStep(review.Workflow{ProjectID: w.project.ID})
			requireError(t, errorOf(w.Workflows.Governing(t.Context(), w.project.ID)), core.ErrNotFound)
			requireNoError(t, w.Workflows.Put(t.Context(), ofDepartment))
			for _, inside := range []bool{false, true} {
				assertEqual(t, w.governing(t, inside), ofDepartment)
			}
			requireNoError(t, w.Workflows.Put(t.Context(), ofProject))
			for _, inside := range []bool{false, true} {
				assertEqual(t, w.governing(t, inside), ofProject)
			}
			requireNoError(t, w.Workflows.Remove(t.Context(), ofProject))
			w.move(t, w.newDepartment(t, w.tenant.ID).ID)
			requireError(t, errorOf(w.Workflows.Governing(t.Context(), w.project.ID)), core.ErrNotFound)
			w.move(t, 0)
			requireError(t, errorOf(w.Workflows.Governing(t.Context(), w.project.ID)), core.ErrNotFound)
			w.move(t, w.department.ID)
			assertEqual(t, w.governing(t, true), ofDepartment)
		},
		"is deleted with its scope and survives changes of it": func(t *testing.T, w *fixture) {
			requireNoError(t, w.Workflows.Put(t.Context(), oneStep(review.Workflow{DepartmentID: w.department.ID})))
			requireNoError(t, w.Workflows.Put(t.Context(), oneStep(review.Workflow{ProjectID: w.project.ID})))
			w.department.Name, w.project.Name = "renamed", "renamed"
			requireNoError(t, w.Departments.Update(t.Context(), w.department))
			requireNoError(t, w.Projects.Update(t.Context(), w.project))
			assertEqual(t, w.governing(t, false), oneStep(review.Workflow{ProjectID: w.project.ID}))
			requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
			requireError(t, errorOf(w.Workflows.ProjectWorkflow(t.Context(), w.project.ID)), core.ErrNotFound)
			requireNoError(t, w.Departments.Delete(t.Context(), w.department.ID))
			requireError(t, errorOf(w.Workflows.DepartmentWorkflow(t.Context(), w.department.ID)), core.ErrNotFound)
		},
		"finds the workflows that use a custom role": func(t *testing.T, w *fixture) {
			legal, brand := w.newCustomRole(t, w.department.ID, "Legal"), w.newCustomRole(t, w.department.ID, "Brand")
			withRole := func(role core.CustomRole, scope review.Workflow) review.Workflow {
				workflow := twoSteps(scope)
				workflow.Steps[1].CustomRoleID = role.ID
				requireNoError(t, w.Workflows.Put(t.Context(), workflow))
				return workflow
			}
			assertEqual(t, result(w.Workflows.UsingRole(t.Context(), legal.ID))(t), []review.Workflow{})
			own := withRole(legal, review.Workflow{ProjectID: w.project.ID})
			ofDepartment := withRole(legal, review.Workflow{DepartmentID: w.department.ID})
			withRole(brand, review.Workflow{ProjectID: w.otherProject(t).project.ID})
			assertEqual(t, result(w.Workflows.UsingRole(t.Context(), legal.ID))(t), []review.Workflow{ofDepartment, own})
			w.move(t, 0)
			assertEqual(t, result(w.Workflows.UsingRole(t.Context(), legal.ID))(t), []review.Workflow{ofDepartment, own})
			assertEqual(t, result(w.Workflows.UsingRole(t.Context(), unknown))(t), []review.Workflow{})
		},
		"locks the governing workflow until the transaction ends": func(t *testing.T, w *fixture) {
			for _, scope := range []review.Workflow{{ProjectID: w.project.ID}, {DepartmentID: w.department.ID}} {
				started, put := make(chan struct{}), make(chan error, 1)
				first := true
				requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
					requireError(t, errorOf(s.Workflows.Governing(ctx, w.project.ID)), core.ErrNotFound)
					if first {
						first = false
						go func() {
							close(started)
							put <- w.Workflows.Put(t.Context(), oneStep(scope))
						}()
					}
					<-started
					time.Sleep(20 * time.Millisecond) // lets a missing lock show
					requireError(t, errorOf(s.Workflows.Governing(ctx, w.project.ID)), core.ErrNotFound)
					return nil
				}))
				requireNoError(t, <-put)
				assertEqual(t, w.governing(t, false), oneStep(scope))
				requireNoError(t, w.Workflows.Remove(t.Context(), scope))
			}
		},
	})
}

func (w *fixture) governing(t reporter, inside bool) (governs review.Workflow) {
	t.Helper()
	if !inside {
		return result(w.Workflows.Governing(t.Context(), w.project.ID))(t)
	}
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) (err error) {
		governs, err = s.Workflows.Governing(ctx, w.project.ID)
		return err
	}))
	return governs
}

// move moves the project to another department, or to none for 0.
func (w *fixture) move(t reporter, departmentID int64) {
	t.Helper()
	w.project.DepartmentID = departmentID
	requireNoError(t, w.Projects.Update(t.Context(), w.project))
}

func oneStep(w review.Workflow) review.Workflow {
	w.Steps = []review.Step{{Order: 1, RoleKind: core.RoleAdmin, AllowRevision: true, AllowRejection: true}}
	w.UpdatedAt = at(1)
	return w
}

func twoSteps(w review.Workflow) review.Workflow {
	w.Steps = []review.Step{
		{Order: 10, RoleKind: core.RoleTenantAdmin, Label: "Desk \"é\"", AllowRejection: true},
		{Order: 20, RoleKind: core.RoleDepartmentAdmin, CustomRoleID: 7, AllowRevision: true},
		{Order: 20, RoleKind: core.RoleAdmin, Skipped: true, When: &review.Condition{
			Collections: []string{"articles"}, Locales: []string{"de"}, Fields: []string{"seo.title", core.MediaMember}, Actions: []review.ChangeAction{review.ChangeFirst},
		}},
	}
	w.UpdatedAt = at(2)
	return w
}

// Requests checks a ports.RequestStore; Inboxes checks what it shows to reviewers.
func Requests(t *testing.T, open Factory) {
	run(t, open, cases{
		"stores all members of a request": func(t *testing.T, w *fixture) {
			for _, withheld := range []core.Document{nil, doc(fields{"secret": "\u2028 é"})} {
				r := w.newRequest(1)
				r.Item().EntryID, r.Item().Withheld, r.ScheduledAt = int64(len(withheld)), withheld, at(99)
				if withheld == nil {
					r.Item().Title, r.Item().TitleFieldID = "", 0
				}
				r.SubmittedBy = core.ActorRef{Kind: "token", ID: 3, Name: "CI", MadeBy: 4}
				r.Contributors = []core.ActorRef{{Kind: "user", ID: 6, Name: "Zoë \u2028 <b>"}, r.SubmittedBy}
				r.AllowSelfApproval, r.Item().Snapshot = true, doc(fields{"fields": map[string]any{"title": "<b>\u2028 'é' \"😀"}})
				w.submit(t, &r)
				read := result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t)
				assertEqual(t, read.ReadAt.IsZero(), false) // its time has come
				read.ReadAt = time.Time{}
				assertEqual(t, read, r)
			}
			other := w.otherProject(t)
			requireError(t, errorOf(w.Requests.Request(t.Context(), other.project.ID, 1)), core.ErrNotFound)
			requireError(t, errorOf(w.Requests.Request(t.Context(), w.project.ID, unknown)), core.ErrNotFound)
		},
		"seals the request with the action that opens it": func(t *testing.T, w *fixture) {
			r := w.newRequest(1)
			action := &review.Action{ProjectID: w.project.ID, Type: review.ActionSubmit, Actor: r.SubmittedBy, CreatedAt: at(1), ScheduledAt: at(5)}
			requireNoError(t, w.do(t, inTx(func(s ports.Stores) error {
				requireNoError(t, s.Requests.Insert(t.Context(), &r))
				if r.ID == 0 || r.ReleaseCount != 1 {
					t.Errorf("inserted %+v", r)
				}
				action.PreviousHash, action.Hash = "terms", "sealed"
				r.ChainHash = action.Hash
				return s.Requests.Seal(t.Context(), &r, action)
			})))
			assertEqual(t, action.RequestID, r.ID)
			assertEqual(t, result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t).ChainHash, action.Hash)
			assertEqual(t, result(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t), []review.Action{*action})
		},
		"stores actions in order":                          keepsActions,
		"updates only mutable members":                     changesRequests,
		"allows one open request per entry":                opensOne,
		"keeps the items of a request":                     keepsItems,
		"keeps the requests of releases":                   keepsReleaseRequests,
		"numbers releases without gaps":                    numbersReleases,
		"numbers concurrent releases without gaps":         racesReleases,
		"accepts one of concurrent decisions":              racesDecisions,
		"accepts one of concurrent submissions":            racesSubmissions,
		"lists an entry's requests, latest first":          listsRequests,
		"summarizes the open or latest request of entries": summarizes,
		"walks a project's requests":                       walksRequests,
		"lists open requests of a collection":              listsOpen,
		"lists open requests that use a custom role":       listsOpenUsingRole,
		"lists the pending requests of projects":           listsPending,
		"pages through an entry's requests":                pagesHistory,
		"survives the collection, not the project":         outlives,
		"does not share memory with the caller":            sharesNoRequest,
		"refuses an unknown project":                       refusesUnknownProject,
	})
}

// newRequest returns a pending request that is not stored. Its entry and users need not exist.
func (w *fixture) newRequest(entryID int64) review.Request {
	return review.Request{
		TenantID: w.tenant.ID, ProjectID: w.project.ID, Items: []review.RequestItem{newItem(entryID)}, ReleaseYear: 2026,
		Status: review.RequestPending, Version: 1, Steps: oneStep(review.Workflow{}).Steps,
		SubmittedBy: core.ActorRef{Kind: "user", ID: 4, Name: "Edda"}, SubmittedAt: at(1),
		RecordFormat: 2, Contributors: []core.ActorRef{},
	}
}

func newItem(entryID int64) review.RequestItem {
	return review.RequestItem{
		EntryID: entryID, CollectionID: 5, Locale: "en", Action: schedule.Publish, Snapshot: doc(fields{"fields": fields{}}), ContentHash: "c0ffee",
		Title: "Ceasefire \u2028 é", TitleFieldID: 2,
	}
}

func (w *fixture) submit(t reporter, r *review.Request) {
	t.Helper()
	requireNoError(t, w.submitAlone(t, r))
}

// submitAlone is trySubmit in a transaction of its own: cases that read the requests of the whole database at the same
// time do not see one that has no number yet.
func (w *fixture) submitAlone(t reporter, r *review.Request) error {
	t.Helper()
	return w.do(t, inTx(func(s ports.Stores) error { return w.trySubmit(t, s, r) }))
}

func (w *fixture) trySubmit(t reporter, s ports.Stores, r *review.Request) error {
	action := actionOf(r, review.ActionSubmit)
	if err := s.Requests.Insert(t.Context(), r); err != nil {
		return err
	}
	action.PreviousHash, action.Hash = "terms", "sealed"
	r.ChainHash = action.Hash
	return s.Requests.Seal(t.Context(), r, action)
}

func actionOf(r *review.Request, kind review.ActionType) *review.Action {
	return &review.Action{ProjectID: r.ProjectID, RequestID: r.ID, Type: kind, Actor: r.SubmittedBy, ContentHash: r.ContentHash(), CreatedAt: at(3)}
}

// decide sets the status of a request.
func (w *fixture) decide(t reporter, r *review.Request, status review.RequestStatus) {
	t.Helper()
	r.Status, r.Version = status, r.Version+1
	requireNoError(t, w.Requests.Update(t.Context(), r, []*review.Action{actionOf(r, review.ActionApprove)}))
}

func requestID(r review.Request) int64 { return r.ID }

func keepsActions(t *testing.T, w *fixture) {
	r, other := w.newRequest(1), w.newRequest(2)
	w.submit(t, &r)
	w.submit(t, &other)
	opened := result(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t)
	approve := actionOf(&r, review.ActionApprove)
	approve.StepOrder, approve.Comment, approve.ScheduledAt, approve.Hash = 30, "<b>\u2028 'é' \"😀", at(8), "beef"
	approve.UnpublishAt, approve.Verified = at(10), core.WayPasskey
	approve.DraftHash, approve.PreviousHash = "draft", opened[0].Hash
	approve.Actor = core.ActorRef{Kind: "token", ID: 3, Name: "CI", MadeBy: 4}
	approve.Outcome = review.Outcome{
		Status: review.RequestApproved, StepIndex: new(1), Approvers: []int64{4, 5}, Version: 2,
		ScheduledPublishAt: core.FormatTime(at(8)), ScheduledUnpublishAt: core.FormatTime(at(10)), PublishedAt: core.FormatTime(at(9)),
	}
	publish := actionOf(&r, review.ActionPublish)
	publish.Actor = core.Actor{}.Ref()
	r.Version = 2
	requireNoError(t, w.Requests.Update(t.Context(), &r, []*review.Action{approve, publish}))
	assertEqual(t, result(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t), append(opened, *approve, *publish))
	assertEqual(t, result(w.Requests.Actions(t.Context(), w.otherProject(t).project.ID, r.ID))(t), []review.Action{})
}

func changesRequests(t *testing.T, w *fixture) {
	r := w.newRequest(1)
	r.Steps = twoSteps(review.Workflow{}).Steps
	w.submit(t, &r)
	want := r
	want.Status, want.Version, want.Current, want.ScheduledAt, want.PublishedAt = review.RequestApproved, 2, 1, at(50), at(51)
	want.UnpublishAt = at(60)
	want.Approvals, want.ChainHash = []review.Approval{{StepID: 1, Person: 9}, {StepID: 2, Person: 3, For: 4}}, "abc"
	changed := want
	changed.Items = []review.RequestItem{{EntryID: 77, Locale: "fr", Snapshot: []byte("{}"), ContentHash: "other"}}
	changed.ReleaseCount, changed.ReleaseYear, changed.SubmittedAt, changed.SubmittedBy.Name = 99, 1999, at(90), "Mallory"
	changed.RecordFormat, changed.Contributors = 1, []core.ActorRef{{Kind: "user", ID: 1}}
	requireNoError(t, w.Requests.Update(t.Context(), &changed, nil))
	assertEqual(t, result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t), want)

	requireError(t, w.Requests.Update(t.Context(), &changed, []*review.Action{actionOf(&r, review.ActionReject)}), core.ErrConflict)
	assertEqual(t, len(result(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t)), 1)
	changed.ID = unknown
	requireError(t, w.Requests.Update(t.Context(), &changed, nil), core.ErrNotFound)
	elsewhere := want
	elsewhere.ProjectID, elsewhere.Version = w.otherProject(t).project.ID, 3
	requireError(t, w.Requests.Update(t.Context(), &elsewhere, nil), core.ErrNotFound)
}

func opensOne(t *testing.T, w *fixture) {
	first := w.newRequest(1)
	w.submit(t, &first)
	for n, status := range []review.RequestStatus{
		review.RequestPending, review.RequestApproved, review.RequestPublished, review.RequestRejected, review.RequestRevision, review.RequestWithdrawn,
	} {
		held := w.newRequest(int64(100 + n))
		w.submit(t, &held)
		w.decide(t, &held, status)
		again := w.newRequest(held.Item().EntryID)
		if err := w.submitAlone(t, &again); status.Open() != errors.Is(err, core.ErrConflict) || status.Open() == (err == nil) {
			t.Errorf("with a %s request: %v", status, err)
		}
	}
	elsewhere := w.otherProject(t).newRequest(1)
	w.submit(t, &elsewhere)
}

// keepsItems checks a request with two items: each is found by its entry and its collection, keeps its entry
// from other requests while the request is open, and has the base that readers saw at submission.
func keepsItems(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e, draft := coll.add(t, publicOf("en", fields{"title": "a"})), coll.add(t, draftOf("en", fields{"title": "b"}))
	coll.change(t, &e, func(e *core.Entry) { e.Published, e.ReleasedAt = doc(fields{"title": "c"}), at(6) })
	r := w.newRequest(e.ID)
	r.Item().CollectionID = e.CollectionID
	r.Items = append(r.Items, newItem(draft.ID))
	r.Items[1].Withheld = doc(fields{"secret": 1})
	w.submit(t, &r)
	public := result(w.Publications.Publication(t.Context(), w.project.ID, e.CollectionID, e.ID, 2))(t)
	assertEqual(t, []any{r.Items[0].BaseNumber, r.Items[0].BaseHash, r.Items[1].BaseNumber, r.Items[1].BaseHash}, []any{int64(2), public.ContentHash, int64(0), ""})

	find := func(entryID, collectionID int64) (found [][]review.Request) {
		q := review.HistoryQuery{ProjectID: w.project.ID, CollectionID: collectionID, EntryID: entryID, Limit: 9}
		assertEqual(t, result(w.Requests.Summaries(t.Context(), w.project.ID, []int64{entryID}))(t), map[int64]review.ApprovalSummary{entryID: r.Summary()})
		return [][]review.Request{
			result(w.Requests.EntryRequests(t.Context(), w.project.ID, entryID, 1))(t), result(w.Requests.History(t.Context(), q))(t),
			result(w.Requests.Open(t.Context(), w.project.ID, collectionID, 0, 9))(t), result(w.Requests.Walk(t.Context(), w.project.ID, 0, 9))(t),
		}
	}
	for _, item := range r.Items {
		assertEqual(t, find(item.EntryID, item.CollectionID), [][]review.Request{{r}, {r}, {r}, {r}})
		again := w.newRequest(item.EntryID)
		requireError(t, w.submitAlone(t, &again), core.ErrConflict)
	}
	listed := result(w.Requests.Pending(t.Context(), []int64{w.project.ID}, 9))(t)
	assertEqual(t, []any{len(listed), len(listed[0].Items), listed[0].Items[0].Title, len(listed[0].Items[1].Withheld)}, []any{1, 2, r.Items[0].Title, 0})

	w.decide(t, &r, review.RequestApproved)
	again := w.newRequest(draft.ID)
	requireError(t, w.submitAlone(t, &again), core.ErrConflict)
	w.decide(t, &r, review.RequestRejected)
	w.submit(t, &again)
	w.decide(t, &again, review.RequestWithdrawn)
	assertEqual(t, len(result(w.Requests.Open(t.Context(), w.project.ID, 0, 0, 9))(t)), 0)
}

func numbersReleases(t *testing.T, w *fixture) {
	number := func(projectID, entryID int64, year int) int64 {
		r := w.newRequest(entryID)
		r.ProjectID, r.ReleaseYear = projectID, year
		w.submit(t, &r)
		return r.ReleaseCount
	}
	assertEqual(t, number(w.project.ID, 1, 2026), int64(1))
	assertEqual(t, number(w.otherProject(t).project.ID, 1, 2026), int64(2))
	assertEqual(t, number(w.project.ID, 2, 2027), int64(1))
	errAborted := errors.New("aborted")
	err := w.do(t, func(ctx context.Context, s ports.Stores) error {
		lost := w.newRequest(3)
		if err := w.trySubmit(t, s, &lost); err != nil {
			return err
		}
		assertEqual(t, lost.ReleaseCount, int64(3))
		return errAborted
	})
	if !errors.Is(err, errAborted) {
		t.Fatal(err)
	}
	again := w.newRequest(1)
	requireError(t, w.submitAlone(t, &again), core.ErrConflict)
	assertEqual(t, number(w.project.ID, 3, 2026), int64(3))

	// A refused request uses no number, even if the transaction commits.
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		again := w.newRequest(1)
		requireError(t, w.trySubmit(t, s, &again), core.ErrConflict)
		return nil
	}))
	assertEqual(t, number(w.project.ID, 4, 2026), int64(4))
}

func racesReleases(t *testing.T, w *fixture) {
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
					return core.Conflict("aborted", "aborted")
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
	assertEqual(t, slices.Sorted(slices.Values(slices.Concat(numbers...))), want)
}

func racesDecisions(t *testing.T, w *fixture) {
	r := w.newRequest(1)
	w.submit(t, &r)
	for range 4 {
		won := race(4, func(i int) error {
			mine := r
			mine.Version, mine.Approvals = r.Version+1, []review.Approval{{StepID: 1, Person: int64(i)}}
			return w.do(t, func(ctx context.Context, s ports.Stores) error {
				return s.Requests.Update(ctx, &mine, []*review.Action{actionOf(&mine, review.ActionApprove)})
			})
		})
		for _, err := range won.failures {
			requireError(t, err, core.ErrConflict)
		}
		if won.successes != 1 {
			t.Fatalf("%d of 4 decisions on the same version succeeded", won.successes)
		}
		r.Version++
	}
	assertEqual(t, result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t).Version, r.Version)
	assertEqual(t, len(result(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t)), 5)
}

func racesSubmissions(t *testing.T, w *fixture) {
	won := race(4, func(int) error {
		return w.do(t, func(ctx context.Context, s ports.Stores) error {
			r := w.newRequest(1)
			return w.trySubmit(t, s, &r)
		})
	})
	for _, err := range won.failures {
		requireError(t, err, core.ErrConflict)
	}
	if won.successes != 1 {
		t.Fatalf("%d of 4 submissions succeeded", won.successes)
	}
	assertEqual(t, len(result(w.Requests.EntryRequests(t.Context(), w.project.ID, 1, 9))(t)), 1)
}

func listsRequests(t *testing.T, w *fixture) {
	var want []review.Request
	for range 3 {
		r := w.newRequest(1)
		w.submit(t, &r)
		w.decide(t, &r, review.RequestRejected)
		want = append([]review.Request{r}, want...)
		other := w.newRequest(2)
		_ = w.submitAlone(t, &other)
	}
	assertEqual(t, result(w.Requests.EntryRequests(t.Context(), w.project.ID, 1, 9))(t), want)
	assertEqual(t, result(w.Requests.EntryRequests(t.Context(), w.project.ID, 1, 2))(t), want[:2])
	assertEqual(t, result(w.Requests.EntryRequests(t.Context(), w.otherProject(t).project.ID, 1, 9))(t), []review.Request{})
}

func summarizes(t *testing.T, w *fixture) {
	rejected, again, pending := w.newRequest(1), w.newRequest(1), w.newRequest(2)
	w.submit(t, &rejected)
	w.decide(t, &rejected, review.RequestRejected)
	w.submit(t, &again)
	w.decide(t, &again, review.RequestRevision)
	w.submit(t, &pending)
	assertEqual(t, result(w.Requests.Summaries(t.Context(), w.project.ID, []int64{1, 2, 3}))(t), map[int64]review.ApprovalSummary{
		1: again.Summary(), 2: pending.Summary(),
	})
	assertEqual(t, result(w.Requests.Summaries(t.Context(), w.project.ID, []int64{3}))(t), map[int64]review.ApprovalSummary{})
	assertEqual(t, result(w.Requests.Summaries(t.Context(), w.project.ID, nil))(t), map[int64]review.ApprovalSummary{})
	assertEqual(t, result(w.Requests.Summaries(t.Context(), w.otherProject(t).project.ID, []int64{1, 2}))(t), map[int64]review.ApprovalSummary{})
}

func walksRequests(t *testing.T, w *fixture) {
	var want []review.Request
	other := w.otherProject(t)
	for entry := range int64(3) {
		r, elsewhere := w.newRequest(entry), other.newRequest(entry)
		w.submit(t, &r)
		other.submit(t, &elsewhere)
		want = append(want, r)
	}
	w.decide(t, &want[1], review.RequestWithdrawn)
	assertEqual(t, result(w.Requests.Walk(t.Context(), w.project.ID, 0, 9))(t), want)
	assertEqual(t, result(w.Requests.Walk(t.Context(), w.project.ID, want[0].ID, 1))(t), want[1:2])
	assertEqual(t, result(w.Requests.Walk(t.Context(), w.project.ID, want[2].ID, 9))(t), []review.Request{})
	assertEqual(t, len(result(w.Requests.ByIDs(t.Context(), w.project.ID, []int64{want[0].ID, want[2].ID, unknown}))(t)), 2)
	assertEqual(t, result(w.Requests.ByIDs(t.Context(), w.project.ID, []int64{want[1].ID}))(t), want[1:2])
	assertEqual(t, result(w.Requests.ByIDs(t.Context(), other.project.ID, []int64{want[1].ID}))(t), []review.Request{})
	assertEqual(t, result(w.Requests.ByIDs(t.Context(), w.project.ID, nil))(t), []review.Request{})
}

func pagesHistory(t *testing.T, w *fixture) {
	legal, brand := w.newCustomRole(t, w.department.ID, "Legal"), w.newCustomRole(t, w.department.ID, "Brand")
	var all, ofLegal []review.Request
	for n := range 5 {
		r := w.newRequest(1)
		if n%2 == 0 {
			r.Steps = append(r.Steps, review.Step{Order: 2, RoleKind: core.RoleAdmin, CustomRoleID: legal.ID})
		}
		w.submit(t, &r)
		w.decide(t, &r, review.RequestRejected)
		all = append([]review.Request{r}, all...)
		if n%2 == 0 {
			ofLegal = append([]review.Request{r}, ofLegal...)
		}
	}
	elsewhere, other := w.otherProject(t).newRequest(1), w.newRequest(2)
	w.submit(t, &elsewhere)
	w.submit(t, &other)
	check := func(q review.HistoryQuery, total int64, want []review.Request) {
		t.Helper()
		q.ProjectID, q.EntryID = w.project.ID, 1
		if q.CollectionID == 0 {
			q.CollectionID = 5
		}
		assertEqual(t, result(w.Requests.History(t.Context(), q))(t), want)
		assertEqual(t, result(w.Requests.HistoryCount(t.Context(), q))(t), total)
	}
	check(review.HistoryQuery{Limit: 9}, 5, all)
	check(review.HistoryQuery{Limit: 2}, 5, all[:3]) // the extra row shows that more follow
	check(review.HistoryQuery{Limit: 2, Offset: 3}, 5, all[3:])
	check(review.HistoryQuery{Limit: 2, Offset: 5}, 5, nil)
	check(review.HistoryQuery{Limit: 9, CollectionID: 6}, 0, nil)
	check(review.HistoryQuery{Limit: 9, CustomRoles: []int64{brand.ID, legal.ID}}, 3, ofLegal)
	check(review.HistoryQuery{Limit: 1, Offset: 1, CustomRoles: []int64{legal.ID}}, 3, ofLegal[1:])
	check(review.HistoryQuery{Limit: 9, CustomRoles: []int64{brand.ID}}, 0, nil)
	check(review.HistoryQuery{Limit: 9, CustomRoles: []int64{}}, 0, nil)
}

func listsPending(t *testing.T, w *fixture) {
	other, unasked := w.otherProject(t), w.otherProject(t)
	var want []review.Request
	for n, from := range []*fixture{w, other, w, unasked, other} {
		r := from.newRequest(int64(n))
		r.SubmittedAt = at([]int{3, 2, 2, 1, 4}[n])
		from.submit(t, &r)
		r.Item().Snapshot, r.Item().Withheld = nil, nil
		want = append(want, r)
	}
	approved := w.newRequest(9)
	w.submit(t, &approved)
	w.decide(t, &approved, review.RequestApproved)
	want = []review.Request{want[1], want[2], want[0], want[4]}
	both := []int64{other.project.ID, w.project.ID}
	assertEqual(t, result(w.Requests.Pending(t.Context(), both, 9))(t), want)
	assertEqual(t, result(w.Requests.Pending(t.Context(), both, 3))(t), want[:3])
	assertEqual(t, result(w.Requests.Pending(t.Context(), both[:1], 9))(t), []review.Request{want[0], want[3]})
	assertEqual(t, len(result(w.Requests.Pending(t.Context(), nil, 9))(t)), 0)
}

func listsOpenUsingRole(t *testing.T, w *fixture) {
	legal := w.newCustomRole(t, w.department.ID, "Legal")
	var want []review.Request
	for entry, status := range []review.RequestStatus{
		review.RequestPending, review.RequestApproved, review.RequestRejected, review.RequestPublished, review.RequestRevision, review.RequestWithdrawn,
	} {
		from := []*fixture{w, w.otherProject(t)}[entry%2]
		r, other := from.newRequest(int64(entry)), from.newRequest(int64(100+entry))
		r.Steps = append(r.Steps, review.Step{Order: 2, RoleKind: core.RoleAdmin, CustomRoleID: legal.ID})
		other.Steps = append(other.Steps, review.Step{Order: 2, RoleKind: core.RoleAdmin, CustomRoleID: legal.ID * 10})
		from.submit(t, &r)
		from.submit(t, &other)
		from.decide(t, &r, status)
		if r.Item().Snapshot, r.Item().Withheld = nil, nil; status.Open() {
			want = append(want, r)
		}
	}
	assertEqual(t, result(w.Requests.OpenUsingRole(t.Context(), legal.ID, 9))(t), want)
	assertEqual(t, result(w.Requests.OpenUsingRole(t.Context(), legal.ID, 1))(t), want[:1])
	assertEqual(t, result(w.Requests.OpenUsingRole(t.Context(), unknown, 9))(t), []review.Request{})
}

func listsOpen(t *testing.T, w *fixture) {
	var want []review.Request
	for entry, status := range []review.RequestStatus{
		review.RequestPending, review.RequestApproved, review.RequestRejected, review.RequestPublished, review.RequestPending,
	} {
		r := w.newRequest(int64(entry))
		w.submit(t, &r)
		w.decide(t, &r, status)
		if status.Open() {
			want = append(want, r)
		}
	}
	elsewhere := w.newRequest(50)
	elsewhere.Item().CollectionID = 6
	w.submit(t, &elsewhere)
	assertEqual(t, result(w.Requests.Open(t.Context(), w.project.ID, 5, 0, 9))(t), want)
	assertEqual(t, result(w.Requests.Open(t.Context(), w.project.ID, 5, want[0].ID, 1))(t), want[1:2])
	assertEqual(t, result(w.Requests.Open(t.Context(), w.otherProject(t).project.ID, 5, 0, 9))(t), []review.Request{})
}

func outlives(t *testing.T, w *fixture) {
	coll := newTestCollection(t, w, "articles", titleField())
	e := coll.add(t, draftOf("en", fields{"title": "a"}))
	r := w.newRequest(e.ID)
	r.Item().CollectionID = e.CollectionID
	w.submit(t, &r)
	requireNoError(t, w.Collections.Delete(t.Context(), w.project.ID, e.CollectionID))
	assertEqual(t, result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t), r)
	elsewhere := w.otherProject(t).newRequest(e.ID)
	w.submit(t, &elsewhere)
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	requireError(t, errorOf(w.Requests.Request(t.Context(), w.project.ID, r.ID)), core.ErrNotFound)
	assertEqual(t, result(w.Requests.Actions(t.Context(), w.project.ID, r.ID))(t), []review.Action{})
	assertEqual(t, result(w.Requests.Request(t.Context(), elsewhere.ProjectID, elsewhere.ID))(t), elsewhere)

	// The number is not reused.
	next := w.otherProject(t).newRequest(1)
	w.submit(t, &next)
	assertEqual(t, next.ReleaseCount, int64(3))
}

func sharesNoRequest(t *testing.T, w *fixture) {
	r := w.newRequest(1)
	r.Approvals, r.Item().Withheld, r.Contributors = []review.Approval{{StepID: 1, Person: 1}}, doc(fields{"a": 1}), []core.ActorRef{{Kind: "user", ID: 1}}
	w.submit(t, &r)
	want := result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t)
	r.Steps[0].Label, r.Approvals[0].Person, r.Item().Snapshot[0], r.Item().Withheld[0], r.Contributors[0].ID = "changed", 9, '!', '!', 9
	got := result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t)
	assertEqual(t, got, want)
	got.Steps[0].Label, got.Approvals[0].Person, got.Item().Snapshot[0], got.Item().Withheld[0], got.Contributors[0].ID = "changed", 9, '!', '!', 9
	if again := result(w.Requests.Request(t.Context(), w.project.ID, r.ID))(t); again.Approvals[0].Person != 1 || again.Contributors[0].ID != 1 || again.Steps[0].Label != "" {
		t.Errorf("the stored request shares memory with the caller: %+v", again)
	}
}

func refusesUnknownProject(t *testing.T, w *fixture) {
	r := w.newRequest(1)
	r.ProjectID = unknown
	requireError(t, w.submitAlone(t, &r), core.ErrNotFound)
}
