package approval

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Trial says who would have to decide the draft of an entry if a user submitted it now.
type Trial struct {
	Reason string      // what governs the entry, as a sentence for users
	Exempt bool        // the workflow exempts the collection of the entry
	Steps  []TriedStep // in order; none: the entry is published directly
}

// TriedStep is a step of a Trial.
type TriedStep struct {
	review.Step

	ID       int // the place of the step, from 1
	Deciders []Person
	Barred   []BarredPerson
	// Unreachable and Reasons are those of review.Deciders.
	Unreachable bool
	Reasons     []string
}

// Person is a user with the present name.
type Person struct {
	ID   int64
	Name string
}

// BarredPerson is a user that has the role of a step and may not decide it.
type BarredPerson struct {
	Person

	Reason string // a sentence in lower case without a stop
}

// Because returns why the step does not apply, as a sentence for users, or "".
func (s *TriedStep) Because() string {
	if s.Skipped {
		return skippedBecause
	}
	return ""
}

// Try returns who would have to decide the draft of e if the actor submitted it now: to the workflow that governs the
// Project or, if in is not nil, to that one. It changes nothing. in is core.KindForbidden for an actor that may not set
// the workflow, and core.ErrInvalid with faults at "workflow.steps" and below.
func (w *Workflows) Try(ctx context.Context, actor core.Actor, project *core.Project, e *core.Entry, in *WorkflowInput) (Trial, error) {
	if in == nil {
		found, err := w.Effective(ctx, project)
		if err != nil || found.Workflow == nil {
			return Trial{Reason: found.Reason}, err
		}
		return w.try(ctx, actor, project, e, found.Workflow.Workflow, found.Reason)
	}
	if !actor.MaySetWorkflow(project) {
		return Trial{}, core.Forbidden("only those who may set the workflow of the project may try one that is not saved")
	}
	if err := in.check(ctx, w.stores.CustomRoles, project.DepartmentID); err != nil {
		return Trial{}, inWorkflow(err)
	}
	return w.try(ctx, actor, project, e, in.workflow(review.Workflow{ProjectID: project.ID}), "The workflow is not saved.")
}

// inWorkflow returns err, the faults of a workflow, with locations in a body that has it as the member workflow.
func inWorkflow(err error) error {
	invalid, ok := errors.AsType[*core.Error](err)
	if !ok {
		return err
	}
	moved := *invalid
	moved.Fields = make([]core.FieldError, len(invalid.Fields))
	for i, f := range invalid.Fields {
		f.Location = "workflow." + f.Location
		moved.Fields[i] = f
	}
	return &moved
}

// try is Try for one workflow.
func (w *Workflows) try(ctx context.Context, actor core.Actor, project *core.Project, e *core.Entry, workflow review.Workflow, reason string) (Trial, error) {
	exempt, err := w.exempts(ctx, project, e, &workflow)
	if err != nil || exempt != "" {
		return Trial{Reason: exempt, Exempt: exempt != ""}, err
	}
	r, err := w.would(ctx, actor.Ref(), project, e, workflow)
	if err != nil {
		return Trial{}, err
	}
	reviewers, err := w.stores.Grants.Reviewers(ctx, project.TenantID, project.DepartmentID, project.ID)
	if err != nil {
		return Trial{}, err
	}
	names, err := namesOf(ctx, w.stores.Users, reviewers)
	if err != nil {
		return Trial{}, err
	}
	trial, deciders := Trial{Reason: reason, Steps: make([]TriedStep, len(r.Steps))}, r.Deciders(reviewers)
	for i, step := range r.Steps {
		tried := TriedStep{Step: step, ID: i + 1, Unreachable: deciders.Unreachable[i+1], Reasons: deciders.Reasons[i+1]}
		for _, id := range deciders.Users[i+1] {
			tried.Deciders = append(tried.Deciders, Person{id, names[id]})
		}
		if !step.Skipped {
			for _, b := range r.BarredFrom(i+1, reviewers) {
				tried.Barred = append(tried.Barred, BarredPerson{Person{b.UserID, names[b.UserID]}, b.Reason})
			}
		}
		trial.Steps[i] = tried
	}
	return trial, nil
}

// namesOf returns the names of the users of reviewers, by id.
func namesOf(ctx context.Context, users ports.UserStore, reviewers []review.Reviewer) (map[int64]string, error) {
	ids := make([]int64, len(reviewers))
	for i, v := range reviewers {
		ids[i] = v.UserID
	}
	found, err := users.UsersByIDs(ctx, core.Distinct(ids))
	names := make(map[int64]string, len(found))
	for _, u := range found {
		names[u.ID] = u.Name
	}
	return names, err
}
