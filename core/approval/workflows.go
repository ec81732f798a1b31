package approval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/publishing"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Workflows stores the workflows of Departments and Projects. The caller has authorized the
// actor. A change applies to later submissions; open requests keep their steps.
type Workflows struct {
	stores ports.Stores
	tx     ports.Tx
	clock  ports.Clock
}

// NewWorkflows returns Workflows.
func NewWorkflows(stores ports.Stores, tx ports.Tx, clock ports.Clock) *Workflows {
	return &Workflows{stores: stores, tx: tx, clock: clock}
}

// WorkflowView is a workflow with the users that could decide its steps now.
type WorkflowView struct {
	review.Workflow

	// Deciders has all steps. For a Department's workflow only roles in the Department and above
	// count, not roles in single Projects.
	review.Deciders
}

// Effective is the workflow that governs a Project, and why.
type Effective struct {
	Workflow *WorkflowView // nil: none
	Source   string        // SourceProject, SourceDepartment or SourceNone
	Reason   string        // a sentence for users
	Exempt   bool          // of an entry: the Workflow exempts its collection, so it is published directly
}

// The values of Effective.Source.
const (
	SourceProject    = "project"
	SourceDepartment = "department"
	SourceNone       = "none"
)

// Department returns the Department's workflow, or core.ErrNotFound.
func (w *Workflows) Department(ctx context.Context, department core.Department) (*WorkflowView, error) {
	found, err := w.stores.Workflows.DepartmentWorkflow(ctx, department.ID)
	if err != nil {
		return nil, err
	}
	return w.view(ctx, found, department.TenantID, department.ID, 0)
}

// Project returns the Project's own workflow, or core.ErrNotFound.
func (w *Workflows) Project(ctx context.Context, project *core.Project) (*WorkflowView, error) {
	found, err := w.stores.Workflows.ProjectWorkflow(ctx, project.ID)
	if err != nil {
		return nil, err
	}
	return w.view(ctx, found, project.TenantID, project.DepartmentID, project.ID)
}

// view returns workflow with the deciders of its steps in a Project or, for projectID 0, in its
// Department.
func (w *Workflows) view(ctx context.Context, workflow review.Workflow, tenantID, departmentID, projectID int64) (*WorkflowView, error) {
	reviewers, err := w.stores.Grants.Reviewers(ctx, tenantID, departmentID, projectID)
	request := review.Request{Status: review.RequestPending, Steps: workflow.Steps, AllowSelfApproval: workflow.AllowSelfApproval}
	return &WorkflowView{workflow, request.Deciders(reviewers)}, err
}

// SetDepartment replaces the Department's workflow. It returns core.ErrInvalid with all faults by
// location: "steps", "steps[0].stepOrder".
func (w *Workflows) SetDepartment(ctx context.Context, actor core.Actor, department core.Department, in WorkflowInput) (*WorkflowView, error) {
	set := review.Workflow{DepartmentID: department.ID}
	err := w.changeDepartment(ctx, actor, department, func(ctx context.Context, stores ports.Stores) (bool, error) {
		return w.put(ctx, stores, in, &set, department.ID)
	})
	if err != nil {
		return nil, err
	}
	return w.view(ctx, set, department.TenantID, department.ID, 0)
}

// SetProject replaces the Project's own workflow, as SetDepartment does. The workflow of a
// Project without Department cannot have steps for department admins or custom roles.
func (w *Workflows) SetProject(ctx context.Context, actor core.Actor, project *core.Project, in WorkflowInput) (*WorkflowView, error) {
	set := review.Workflow{ProjectID: project.ID}
	err := w.changeProject(ctx, actor, project, func(ctx context.Context, stores ports.Stores) (bool, error) {
		present, err := stores.Projects.Project(ctx, project.ID)
		if err != nil {
			return false, err
		}
		project = present
		return w.put(ctx, stores, in, &set, present.DepartmentID)
	})
	if err != nil {
		return nil, err
	}
	return w.view(ctx, set, project.TenantID, project.DepartmentID, project.ID)
}

// put stores in as the workflow of the Department or Project that workflow names, and sets the
// other members of workflow. departmentID is the Department whose custom roles the steps may name.
// changed is false if the present workflow is the same.
func (w *Workflows) put(
	ctx context.Context, stores ports.Stores, in WorkflowInput, workflow *review.Workflow, departmentID int64,
) (changed bool, err error) {
	if err := in.check(ctx, stores.CustomRoles, departmentID); err != nil {
		return false, err
	}
	present, err := presentWorkflow(ctx, stores.Workflows, *workflow)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return false, err
	}
	next := in.workflow(*workflow)
	if next.UpdatedAt = present.UpdatedAt; err == nil && reflect.DeepEqual(present, next) {
		*workflow = present
		return false, nil
	}
	*workflow = next
	workflow.UpdatedAt = w.clock.Now()
	return true, stores.Workflows.Put(ctx, *workflow)
}

// presentWorkflow returns the stored workflow of the Department or Project that workflow names.
func presentWorkflow(ctx context.Context, workflows ports.WorkflowStore, workflow review.Workflow) (review.Workflow, error) {
	if workflow.ProjectID != 0 {
		return workflows.ProjectWorkflow(ctx, workflow.ProjectID)
	}
	return workflows.DepartmentWorkflow(ctx, workflow.DepartmentID)
}

// RemoveDepartment removes the Department's workflow, or returns core.ErrNotFound if it has none.
func (w *Workflows) RemoveDepartment(ctx context.Context, actor core.Actor, department core.Department) error {
	return w.changeDepartment(ctx, actor, department, func(ctx context.Context, stores ports.Stores) (bool, error) {
		return true, stores.Workflows.Remove(ctx, review.Workflow{DepartmentID: department.ID})
	})
}

// RemoveProject removes the Project's own workflow, so that the workflow of its Department governs
// it. It returns core.ErrNotFound when the Project has none.
func (w *Workflows) RemoveProject(ctx context.Context, actor core.Actor, project *core.Project) error {
	return w.changeProject(ctx, actor, project, func(ctx context.Context, stores ports.Stores) (bool, error) {
		return true, stores.Workflows.Remove(ctx, review.Workflow{ProjectID: project.ID})
	})
}

// workflowChange changes a workflow. changed is false if it was the same before.
type workflowChange func(ctx context.Context, stores ports.Stores) (changed bool, err error)

// changeProject changes the Project's own workflow, and seals its published entries.
func (w *Workflows) changeProject(ctx context.Context, actor core.Actor, project *core.Project, change workflowChange) error {
	return w.tx.DoAlone(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		if changed, err := change(ctx, stores); err != nil || !changed {
			return err
		}
		return publishing.Seal(ctx, stores, project.ID)
	})
}

// changeDepartment changes the Department's workflow, and seals the published entries of its
// Projects. It locks the Projects before the workflow changes, as writers of entries do. It
// returns core.ErrChangedMeanwhile when another transaction has moved a Project there meanwhile.
func (w *Workflows) changeDepartment(
	ctx context.Context, actor core.Actor, department core.Department, change workflowChange,
) error {
	return w.tx.DoAlone(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		locked, err := projectsIn(ctx, stores.Projects, department)
		if err != nil {
			return err
		}
		for _, id := range locked {
			if err := stores.Projects.Lock(ctx, id); err != nil {
				return err
			}
		}
		if changed, err := change(ctx, stores); err != nil || !changed {
			return err
		}
		present, err := projectsIn(ctx, stores.Projects, department)
		if err != nil {
			return err
		}
		for _, id := range present {
			if !slices.Contains(locked, id) {
				return core.ErrChangedMeanwhile
			}
			if err := stores.Events.Record(ctx, event.Event{Type: event.WorkflowUpdated, TenantID: department.TenantID, ProjectID: id}); err != nil {
				return err
			}
		}
		return publishing.Seal(ctx, stores, present...)
	})
}

// projectsIn returns the ids of the Projects of the Department in ascending order.
func projectsIn(ctx context.Context, projects ports.ProjectStore, department core.Department) ([]int64, error) {
	all, err := projects.Projects(ctx, department.TenantID)
	var ids []int64
	for _, p := range all {
		if p.DepartmentID == department.ID {
			ids = append(ids, p.ID)
		}
	}
	return ids, err
}

// EffectiveFor is Effective with the steps and the deciders of a request for the draft of e that the actor would submit
// now, unless the workflow exempts e.
func (w *Workflows) EffectiveFor(ctx context.Context, actor core.Actor, project *core.Project, e *core.Entry) (Effective, error) {
	found, err := w.Effective(ctx, project)
	if err != nil || found.Workflow == nil {
		return found, err
	}
	exempt, err := w.exempts(ctx, project, e, &found.Workflow.Workflow)
	if err != nil || exempt != "" {
		found.Exempt, found.Reason = exempt != "", cmp.Or(exempt, found.Reason)
		return found, err
	}
	request, err := w.would(ctx, actor.Ref(), project, e, found.Workflow.Workflow)
	if err != nil {
		return found, err
	}
	reviewers, err := w.stores.Grants.Reviewers(ctx, project.TenantID, project.DepartmentID, project.ID)
	found.Workflow.Steps, found.Workflow.Deciders = request.Steps, request.Deciders(reviewers)
	return found, err
}

// exempts returns why the draft of e needs no review, as a sentence for users, or "". An entry of an exempt collection
// with an open request is still published by that.
func (w *Workflows) exempts(ctx context.Context, project *core.Project, e *core.Entry, workflow *review.Workflow) (string, error) {
	if len(workflow.Exempt) == 0 {
		return "", nil
	}
	collection, err := w.stores.Collections.Collection(ctx, project.ID, e.CollectionID)
	if err != nil || workflow.Governs(collection.Slug) {
		return "", err
	}
	open, err := publishing.Requested(ctx, w.stores.Requests, project.ID, e.ID)
	if err != nil || open {
		return "", err
	}
	return fmt.Sprintf("The workflow exempts the collection %s: its entries are published directly.", collection.Slug), nil
}

// would returns the request for the draft of e that by would submit now to workflow, as far as its steps and who may
// decide them go.
func (w *Workflows) would(ctx context.Context, by core.ActorRef, project *core.Project, e *core.Entry, workflow review.Workflow) (*review.Request, error) {
	contributors, err := core.ContributorsOf(e.Revision)
	if err != nil {
		return nil, err
	}
	r := &review.Request{Status: review.RequestPending, AllowSelfApproval: workflow.AllowSelfApproval, SubmittedBy: by, Contributors: contributors}
	changes, err := w.changes(ctx, project, e, workflow.Steps)
	r.Steps = review.Judge(workflow.Steps, changes)
	r.Start()
	return r, err
}

// changes returns what the draft of e would change for readers, if one of the steps has a condition.
func (w *Workflows) changes(ctx context.Context, project *core.Project, e *core.Entry, steps []review.Step) ([]review.SubmittedChange, error) {
	if !review.Conditional(steps) {
		return nil, nil
	}
	collection, err := w.stores.Collections.Collection(ctx, project.ID, e.CollectionID)
	if err != nil {
		return nil, err
	}
	media, err := ports.Seal(ctx, w.stores.Media, project.ID, collection, e.Draft)
	if err != nil {
		return nil, err
	}
	change, err := changeOf(ctx, w.stores.Media, collection, e, media)
	return []review.SubmittedChange{change}, err
}

// Effective returns the workflow that governs the Project, and why.
func (w *Workflows) Effective(ctx context.Context, project *core.Project) (Effective, error) {
	workflow, err := w.stores.Workflows.Governing(ctx, project.ID)
	switch {
	case errors.Is(err, core.ErrNotFound):
		return Effective{Source: SourceNone, Reason: ungoverned(project)}, nil
	case err != nil:
		return Effective{}, err
	}
	shown, err := w.view(ctx, workflow, project.TenantID, project.DepartmentID, project.ID)
	e := Effective{Workflow: shown, Source: SourceDepartment, Reason: "The project has no workflow of its own, so its department's governs it."}
	if workflow.ProjectID != 0 {
		e.Source, e.Reason = SourceProject, "The project has a workflow of its own, which replaces its department's."
	}
	if len(workflow.Exempt) > 0 {
		e.Reason += " It exempts these collections, whose entries are published directly: " + strings.Join(workflow.Exempt, ", ") + "."
	}
	return e, err
}

func ungoverned(project *core.Project) string {
	if project.DepartmentID == 0 {
		return "The project has no workflow and no department: content is published directly."
	}
	return "Neither the project nor its department has a workflow: content is published directly."
}
