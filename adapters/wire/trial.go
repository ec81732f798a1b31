package wire

import (
	"imprimatur/core"
	"imprimatur/core/approval"
)

// TrialInput names the draft to try and, if it is given, the workflow.
type TrialInput struct {
	EntryID  int64          `json:"entryId" minimum:"1" doc:"The id of an entry of the Project." example:"42"`
	Workflow *WorkflowInput `json:"workflow,omitempty" doc:"A workflow that is not saved. Only for those who may set the workflow of the Project. Omitted means the effective one."`
}

// Trial says who would have to decide a draft.
type Trial struct {
	Reason string      `json:"reason" doc:"A sentence for users: what governs the entry." example:"The project has no workflow of its own, so that of its department governs it."`
	Exempt bool        `json:"exempt,omitempty" doc:"Whether the workflow exempts the collection of the entry. Omitted means false." example:"true"`
	Steps  []TriedStep `json:"steps" nullable:"false" doc:"In order. None means that the entry is published directly."`
}

// TriedStep is a step of a trial.
type TriedStep struct {
	StepID      int            `json:"stepId" doc:"The place of the step, from 1." example:"1"`
	StepOrder   int            `json:"stepOrder" example:"1"`
	StepLabel   *string        `json:"stepLabel" example:"Desk editor"`
	Approvals   int            `json:"approvals" doc:"How many different users must approve." example:"1"`
	Applies     bool           `json:"applies" doc:"Whether the request would pass the step." example:"true"`
	Because     string         `json:"because,omitempty" doc:"If applies is false: a sentence that says why." example:"The submitted change does not meet the condition of the step."`
	DueIn       int            `json:"dueIn,omitempty" doc:"After how many hours the open step would be overdue. Omitted means never." example:"48"`
	Deciders    []Person       `json:"deciders" nullable:"false" doc:"The active users who could decide the step, by id."`
	Barred      []BarredPerson `json:"barred" nullable:"false" doc:"The active users who have the role of the step and could not decide it, by id."`
	Unreachable bool           `json:"unreachable" doc:"Whether the approvals of the step, and of those that are open with it, cannot all be given, each by another user." example:"false"`
	Reasons     []string       `json:"reasons,omitempty" nullable:"false" doc:"Why the step is unreachable, each as a sentence. Omitted means that it is not." example:"[\"Paul Lindqvist submitted the request\"]"`
}

// BarredPerson is a user who has the role of a step and could not decide it.
type BarredPerson struct {
	Person Person `json:"person"`
	Reason string `json:"reason" doc:"A sentence that says why." example:"Paul Lindqvist submitted the request"`
}

// TrialOf returns t for a response.
func TrialOf(t approval.Trial) Trial {
	return Trial{t.Reason, t.Exempt, Each(t.Steps, func(s approval.TriedStep) TriedStep {
		return TriedStep{
			StepID: s.ID, StepOrder: s.Order, StepLabel: core.NullIfZero(s.Label), Approvals: s.Seats(), Applies: !s.Skipped, Because: s.Because(), DueIn: s.DueIn,
			Deciders:    Each(s.Deciders, func(p approval.Person) Person { return Person(p) }),
			Barred:      Each(s.Barred, func(b approval.BarredPerson) BarredPerson { return BarredPerson{Person(b.Person), b.Reason} }),
			Unreachable: s.Unreachable, Reasons: s.Reasons,
		}
	})}
}
