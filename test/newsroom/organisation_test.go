package newsroom_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"imprimatur/adapters/systemclock"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/review"
	"imprimatur/test/newsroom"
)

// Roles are removed and projects are moved while workflows are set and content is
// submitted. In any order, no workflow and no open request may keep a step that its project
// cannot have.

func TestRoleRemovalRacesOnSQLite(t *testing.T) {
	t.Parallel()
	raceRoles(t, openSQLite, 10)
}

func TestRoleRemovalRacesOnPostgres(t *testing.T) {
	t.Parallel()
	raceRoles(t, openPostgres, 30)
}

func raceRoles(t *testing.T, open open, rounds int) {
	t.Helper()
	stores, tx := open(t)
	w := newsroom.New(t, stores, tx, systemclock.New())
	organisation := access.NewOrganisation(stores, tx, w.Clock)
	for round := range rounds {
		role, err := organisation.CreateCustomRole(t.Context(), core.Actor{System: true}, w.Newsroom, fmt.Sprint("role ", round))
		w.OK(err)
		steps := approval.WorkflowInput{Steps: []approval.StepInput{newsroom.CustomRoleStep(1, role)}}
		remove := func() error {
			return organisation.DeleteCustomRole(t.Context(), core.Actor{System: true}, w.Newsroom.ID, role.ID)
		}
		setProject := func() error {
			_, err := w.Workflows.SetProject(t.Context(), core.Actor{System: true}, w.Project, steps)
			return err
		}
		setDepartment := func() error {
			_, err := w.Workflows.SetDepartment(t.Context(), core.Actor{System: true}, w.Newsroom, steps)
			return err
		}
		concurrently(t, remove, setProject, setDepartment)
		checkSteps(t, w)
		if round%2 == 0 {
			continue // the workflow uses the role until the next round replaces it
		}
		w.OK(w.Stores.Workflows.Put(t.Context(), review.Workflow{DepartmentID: w.Newsroom.ID, Steps: []review.Step{{Order: 1, RoleKind: core.RoleAdmin}}}))
		submit := func() error {
			w.Create(newsroom.Article(fmt.Sprint("round ", round), newsroom.Published(true)))
			return nil
		}
		replace := func() error {
			_, err := w.Workflows.SetProject(t.Context(), core.Actor{System: true}, w.Project, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.Step(1, core.RoleAdmin)}})
			return err
		}
		concurrently(t, submit, replace, remove)
		checkSteps(t, w)
	}
}

func TestProjectMoveRacesOnSQLite(t *testing.T) {
	t.Parallel()
	raceMoves(t, openSQLite, 10)
}

func TestProjectMoveRacesOnPostgres(t *testing.T) {
	t.Parallel()
	raceMoves(t, openPostgres, 30)
}

func raceMoves(t *testing.T, open open, rounds int) {
	t.Helper()
	stores, tx := open(t)
	w := newsroom.New(t, stores, tx, systemclock.New())
	organisation := access.NewOrganisation(stores, tx, w.Clock)
	for department, role := range map[core.Department]core.CustomRole{w.Newsroom: w.Legal, w.Marketing: w.Brand} {
		_, err := w.Workflows.SetDepartment(t.Context(), core.Actor{System: true}, department, approval.WorkflowInput{Steps: []approval.StepInput{newsroom.CustomRoleStep(1, role)}})
		w.OK(err)
	}
	for round := range rounds {
		to := []int64{w.Marketing.ID, w.Newsroom.ID}[round%2]
		var id int64
		submit := func() error {
			id = w.Create(newsroom.Article(fmt.Sprint("round ", round), newsroom.Published(true))).ID
			return nil
		}
		move := func() error {
			_, err := organisation.UpdateProject(t.Context(), w.Actor("super"), w.Project, false, func(p *core.Project) { p.DepartmentID = to })
			return err
		}
		concurrently(t, submit, move)
		checkSteps(t, w)
		_, err := w.Writer.Update(t.Context(), w.Actor("editor"), w.Ref(id), nil, newsroom.Article("x", newsroom.Published(false)))
		w.OK(err)
		w.OK(errExceptIn(move(), core.ErrConflict))
	}
}

// concurrently runs all functions concurrently; each may be refused, but not fail.
func concurrently(t *testing.T, do ...func() error) {
	t.Helper()
	var all sync.WaitGroup
	for _, one := range do {
		all.Go(func() {
			err := errExceptIn(errExceptIn(errExceptIn(one(), core.ErrConflict), core.ErrInvalid), core.ErrNotFound)
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// errExceptIn returns err, or nil if it is of the expected kind.
func errExceptIn(err error, expected *core.Error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// checkSteps verifies that workflows and open requests use only custom roles of their
// department.
func checkSteps(t *testing.T, w *newsroom.Fixture) {
	t.Helper()
	ctx := t.Context()
	project, err := w.Stores.Projects.Project(ctx, w.Project.ID)
	w.OK(err)
	check := func(what string, steps []review.Step, departmentID int64) {
		for _, s := range steps {
			if s.CustomRoleID == 0 {
				continue
			}
			if role, err := w.Stores.CustomRoles.CustomRole(ctx, s.CustomRoleID); err != nil || role.DepartmentID != departmentID {
				t.Errorf("%s requires custom role %d in department %d: %+v, %v", what, s.CustomRoleID, departmentID, role, err)
			}
		}
	}
	if workflow, err := w.Stores.Workflows.DepartmentWorkflow(ctx, w.Newsroom.ID); err == nil {
		check("the department's workflow", workflow.Steps, w.Newsroom.ID)
	}
	if workflow, err := w.Stores.Workflows.ProjectWorkflow(ctx, w.Project.ID); err == nil {
		check("the project's workflow", workflow.Steps, project.DepartmentID)
	}
	open, err := w.Stores.Requests.Open(ctx, w.Project.ID, 0, 0, 1000)
	w.OK(err)
	for _, r := range open {
		check(fmt.Sprint("request ", r.ID), r.Steps, project.DepartmentID)
	}
}
