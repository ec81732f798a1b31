package access_test

import (
	"slices"
	"strconv"
	"testing"

	"imprimatur/core"
	"imprimatur/core/review"
)

// locations returns the error locations of an in_use error.
func locations(t *testing.T, err error) []string {
	t.Helper()
	wantKind(t, err, core.KindConflict)
	fault := asError(t, err)
	if fault.Code != "in_use" {
		t.Errorf("code = %q, want in_use", fault.Code)
	}
	var places []string
	for _, f := range fault.Fields {
		places = append(places, f.Location)
	}
	return places
}

func legalSteps(w *fixture) []review.Step {
	return []review.Step{{Order: 1, RoleKind: core.RoleAdmin}, {Order: 2, RoleKind: core.RoleAdmin, CustomRoleID: w.legalRole.ID}}
}

func (w *fixture) setWorkflow(t *testing.T, workflow review.Workflow) {
	t.Helper()
	ok(t, w.stores.Workflows.Put(t.Context(), workflow))
}

// request stores a request of the project with a status.
func (w *fixture) request(t *testing.T, p *core.Project, entryID int64, status review.RequestStatus, steps []review.Step) {
	t.Helper()
	r := review.Request{
		SubmittedAt: w.clock.now, TenantID: p.TenantID, ProjectID: p.ID, Items: []review.RequestItem{{CollectionID: 5, EntryID: entryID}}, ReleaseYear: 2026,
		Status: status, Version: 1, Steps: steps,
	}
	ok(t, w.stores.Requests.Insert(t.Context(), &r))
	ok(t, w.stores.Requests.Seal(t.Context(), &r, &review.Action{CreatedAt: w.clock.now, ProjectID: p.ID, Type: review.ActionSubmit}))
}

func at(p *core.Project, rest string) string {
	return "projects/" + strconv.FormatInt(p.ID, 10) + rest
}

func TestCustomRolesInUseAreNotDeleted(t *testing.T) {
	t.Parallel()
	w := setup(t)
	remove := func() error {
		return w.organisation.DeleteCustomRole(t.Context(), core.Actor{System: true}, w.newsroom.ID, w.legalRole.ID)
	}
	ofDepartment := review.Workflow{DepartmentID: w.newsroom.ID, Steps: legalSteps(w)}
	ofProject := review.Workflow{ProjectID: w.worldDesk.ID, Steps: legalSteps(w)}
	w.setWorkflow(t, ofDepartment)
	w.setWorkflow(t, ofProject)
	w.request(t, w.worldDesk, 7, review.RequestPending, legalSteps(w))
	w.request(t, w.worldDesk, 8, review.RequestApproved, legalSteps(w))
	w.request(t, w.worldDesk, 9, review.RequestPublished, legalSteps(w))
	w.request(t, w.worldDesk, 10, review.RequestPending, legalSteps(w)[:1])

	requests := []string{at(w.worldDesk, "/collections/5/content/7/approval"), at(w.worldDesk, "/collections/5/content/8/approval")}
	department := "departments/" + strconv.FormatInt(w.newsroom.ID, 10) + "/approval-workflow"
	want := append([]string{department, at(w.worldDesk, "/approval-workflow")}, requests...)
	if got := locations(t, remove()); !slices.Equal(got, want) {
		t.Errorf("in use at %q, want %q", got, want)
	}
	ok(t, w.stores.Workflows.Remove(t.Context(), ofDepartment))
	ok(t, w.stores.Workflows.Remove(t.Context(), ofProject))
	if got := locations(t, remove()); !slices.Equal(got, requests) {
		t.Errorf("in use at %q, want %q", got, requests)
	}
}

func TestRolesOfEndedRequestsCanBeRemoved(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.request(t, w.worldDesk, 9, review.RequestPublished, legalSteps(w))
	ok(t, w.organisation.DeleteCustomRole(t.Context(), core.Actor{System: true}, w.newsroom.ID, w.legalRole.ID))
}

func TestProjectsMoveOnlyWhereTheirStepsAreValid(t *testing.T) {
	t.Parallel()
	ofDepartment := []review.Step{{Order: 1, RoleKind: core.RoleDepartmentAdmin}}
	ofProject := []review.Step{{Order: 1, RoleKind: core.RoleAdmin}, {Order: 2, RoleKind: core.RoleTenantAdmin}}
	for name, row := range map[string]struct {
		steps    func(w *fixture) []review.Step
		nowhere  bool // move to no department instead of another
		refused  bool
		original bool // the project is already in a department where its steps are invalid
	}{
		"a custom role, to another department":         {steps: legalSteps, refused: true},
		"a custom role, to none":                       {steps: legalSteps, nowhere: true, refused: true},
		"a department admin, to another department":    {steps: func(*fixture) []review.Step { return ofDepartment }},
		"a department admin, to none":                  {steps: func(*fixture) []review.Step { return ofDepartment }, nowhere: true, refused: true},
		"admins of project and tenant, to none":        {steps: func(*fixture) []review.Step { return ofProject }, nowhere: true},
		"a custom role, to the department that has it": {steps: legalSteps, original: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, place := range []string{"/approval-workflow", "/collections/5/content/7/approval"} {
				w := setup(t)
				project, to := w.worldDesk, core.Some(w.marketing.ID)
				if row.nowhere {
					to.Value = nil
				}
				if row.original {
					project, to.Value = w.blog, &w.newsroom.ID
				}
				if place == "/approval-workflow" {
					w.setWorkflow(t, review.Workflow{ProjectID: project.ID, Steps: row.steps(w)})
				} else {
					w.request(t, project, 7, review.RequestPending, row.steps(w))
				}
				_, err := w.organisation.UpdateProject(t.Context(), w.actor(t, "tenant"), project, false, func(p *core.Project) { to.AssignTo(&p.DepartmentID) })
				stored := must(w.stores.Projects.Project(t.Context(), project.ID))(t)
				if !row.refused {
					ok(t, err)
					continue
				}
				if got := locations(t, err); !slices.Equal(got, []string{at(project, place)}) {
					t.Errorf("in use at %q, want %q", got, at(project, place))
				}
				if stored.DepartmentID != project.DepartmentID {
					t.Error("the project was moved")
				}
			}
		})
	}
}

func TestEndedRequestsDoNotPreventAMove(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.request(t, w.worldDesk, 9, review.RequestWithdrawn, legalSteps(w))
	_, err := w.organisation.UpdateProject(t.Context(), w.actor(t, "tenant"), w.worldDesk, false, func(p *core.Project) { p.DepartmentID = w.marketing.ID })
	ok(t, err)
}

// Naming the current department is not a move, even if a move there would be refused.
func TestUnchangedDepartmentIsNotAMove(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.request(t, w.blog, 7, review.RequestPending, legalSteps(w))
	_, err := w.organisation.UpdateProject(t.Context(), w.actor(t, "tenant"), w.blog, false, func(p *core.Project) {
		p.Name = "Weblog"
		p.DepartmentID = w.marketing.ID
	})
	ok(t, err)
}
