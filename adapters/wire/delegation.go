package wire

import (
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/delegation"
)

// Delegation lends the decisions of a user to another one.
type Delegation struct {
	ID          int64         `json:"id" example:"3"`
	For         core.ActorRef `json:"for" doc:"The user on whose behalf."`
	To          core.ActorRef `json:"to" doc:"The user that may decide."`
	SetBy       core.ActorRef `json:"setBy" doc:"The user of for, or an admin of the department."`
	From        string        `json:"from" format:"date-time" doc:"When it begins to hold." example:"2026-01-02T15:04:05.000Z"`
	Until       string        `json:"until" format:"date-time" doc:"When it no longer holds." example:"2026-01-09T15:04:05.000Z"`
	Projects    []int64       `json:"projects" nullable:"false" doc:"The projects that it is limited to; empty: it is not limited to projects." example:"[1]"`
	Departments []int64       `json:"departments" nullable:"false" doc:"The departments that it is limited to; empty: it is not limited to departments." example:"[]"`
	Note        string        `json:"note" example:"On holiday"`
	CreatedAt   string        `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// DelegationOf returns d for a response.
func DelegationOf(d core.Delegation) Delegation {
	departments := append([]int64{}, d.DepartmentIDs...)
	if d.Within != 0 {
		departments = []int64{d.Within}
	}
	return Delegation{
		d.ID, d.From, d.To, d.SetBy, core.FormatTime(d.Since), core.FormatTime(d.Until), append([]int64{}, d.ProjectIDs...), departments, d.Note, core.FormatTime(d.CreatedAt),
	}
}

// Delegations are the delegations of a user that hold now or later.
type Delegations struct {
	Given    []Delegation `json:"given" nullable:"false" doc:"Those that lend the decisions of the caller."`
	Received []Delegation `json:"received" nullable:"false" doc:"Those by which the caller may decide."`
	Set      []Delegation `json:"set" nullable:"false" doc:"Those that the caller has set for others."`
}

// DelegationsOf returns lists for a response.
func DelegationsOf(lists delegation.Lists) Delegations {
	return Delegations{Each(lists.Given, DelegationOf), Each(lists.Received, DelegationOf), Each(lists.Set, DelegationOf)}
}

// DelegationInput lends the decisions of the caller.
type DelegationInput struct {
	To          int64      `json:"to" doc:"The id of the user that may decide." example:"7"`
	From        *time.Time `json:"from,omitempty" doc:"When it begins to hold. Omitted or past: now." example:"2026-01-02T15:04:05.000Z"`
	Until       time.Time  `json:"until" doc:"When it no longer holds, at most 90 days ahead." example:"2026-01-09T15:04:05.000Z"`
	Projects    []int64    `json:"projects,omitempty" nullable:"false" maxItems:"100" doc:"The projects that it is limited to. Omitted, with departments: it holds everywhere." example:"[1]"`
	Departments []int64    `json:"departments,omitempty" nullable:"false" maxItems:"100" doc:"The departments that it is limited to; not with projects." example:"[1]"`
	Note        *string    `json:"note,omitempty" nullable:"true" maxLength:"500" doc:"Both users see it." example:"On holiday"`
}

// Input returns in for the use case.
func (in DelegationInput) Input() delegation.Input {
	made := delegation.Input{To: in.To, Until: in.Until, ProjectIDs: in.Projects, DepartmentIDs: in.Departments}
	core.Assign(&made.From, in.From)
	core.Assign(&made.Note, in.Note)
	return made
}

// DepartmentDelegationInput lends the decisions of another user in a department.
type DepartmentDelegationInput struct {
	For      int64      `json:"for" doc:"The id of the user on whose behalf." example:"5"`
	To       int64      `json:"to" doc:"The id of the user that may decide; not the caller." example:"7"`
	From     *time.Time `json:"from,omitempty" doc:"When it begins to hold. Omitted or past: now." example:"2026-01-02T15:04:05.000Z"`
	Until    time.Time  `json:"until" doc:"When it no longer holds, at most 90 days ahead." example:"2026-01-09T15:04:05.000Z"`
	Projects []int64    `json:"projects,omitempty" nullable:"false" maxItems:"100" doc:"The projects of the department that it is limited to. Omitted: all." example:"[1]"`
	Note     *string    `json:"note,omitempty" nullable:"true" maxLength:"500" doc:"Both users see it." example:"On sick leave"`
}

// Input returns in for the use case.
func (in DepartmentDelegationInput) Input() delegation.Input {
	made := delegation.Input{For: in.For, To: in.To, Until: in.Until, ProjectIDs: in.Projects}
	core.Assign(&made.From, in.From)
	core.Assign(&made.Note, in.Note)
	return made
}

// LentDecision says on whose behalf the caller may decide a step.
type LentDecision struct {
	StepID int             `json:"stepId" example:"1"`
	Own    bool            `json:"own" doc:"Whether the caller may decide the step in its own name as well, which it does unless the body says for." example:"false"`
	For    []core.ActorRef `json:"for" nullable:"false" doc:"The users, that with the oldest delegation first."`
}

// LentDecisionsOf returns on whose behalf the user of v may decide.
func LentDecisionsOf(v approval.View) (shown []LentDecision) {
	for _, b := range v.Behalf {
		last := len(shown) - 1
		if last < 0 || shown[last].StepID != b.StepID {
			shown, last = append(shown, LentDecision{StepID: b.StepID, Own: slices.Contains(v.Own, b.StepID)}), last+1
		}
		if !slices.Contains(shown[last].For, b.Person) {
			shown[last].For = append(shown[last].For, b.Person)
		}
	}
	return shown
}
