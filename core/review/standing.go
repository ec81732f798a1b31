package review

import (
	"slices"

	"imprimatur/core"
)

// Refusal is the reason why a user may not decide a request, or a step of it.
type Refusal uint8

// The refusals. RefusedSubmitter to RefusedSeated are those of Request.Bars.
const (
	MayDecide           Refusal = iota // none
	RefusedWaits                       // the request is approved and waits for its time
	RefusedEnded                       // the request has ended
	RefusedRole                        // the user has the role of no open step
	RefusedSubmitter                   // the user, or a token that the user created, submitted the request
	RefusedContributor                 // the user, or such a token, changed what the request publishes
	RefusedApprover                    // the user approved a step of an earlier order
	RefusedSeated                      // the user approved the step, or one that is open with it
	RefusedLender                      // the user could decide on behalf of one of whom one of the reasons above holds
	RefusedLenderSeated                // the user on whose behalf it could decide approved the step, or one that is open with it
)

// Standing says whether a user may decide a request as it is now.
type Standing struct {
	Steps   []int    // the ids of the open steps that the user may decide, ascending
	Own     []int    // those of Steps that the user may decide in its own name
	Late    []int    // those of Own that the user may decide only because they are escalated
	Behalf  []Behalf // on whose behalf the user may decide Steps, by the id of the delegation for each step
	Refusal Refusal  // why there are no Steps
}

// StandingOf returns the standing of the actor, with its present roles in p, the Project of r. All that shows,
// lists, announces or applies decisions follows it; the inbox of a database has the same rule as a condition.
//
// A user may decide a step in its own name, or on behalf of a user of actor.Lent. Then neither of the two may be
// barred (Bars). Both may have the role of the step or, when it has been open long enough at r.ReadAt, the one that it
// is escalated to (Request.Escalated).
func (r *Request) StandingOf(actor core.Actor, p *core.Project) Standing {
	open := r.OpenSteps()
	switch {
	case len(open) == 0 && r.Status.Open():
		return Standing{Refusal: RefusedWaits}
	case len(open) == 0:
		return Standing{Refusal: RefusedEnded}
	case actor.User == nil:
		return Standing{Refusal: RefusedRole}
	case r.Bars(actor.User.ID, open[0]) == RefusedSeated: // also if the user has the role of none that is still open
		return Standing{Refusal: RefusedSeated}
	}
	s := Standing{Refusal: RefusedRole}
	for _, id := range open {
		behalf, why := r.behalf(actor, p, id)
		own, late := r.holds(id, func(step *Step) bool { return MayActOn(actor, step, p) })
		if own {
			if why = r.Bars(actor.User.ID, id); why == MayDecide {
				s.Own = append(s.Own, id)
			}
			if why == MayDecide && late {
				s.Late = append(s.Late, id)
			}
		}
		if why != MayDecide {
			s.Refusal = max(s.Refusal, why)
			continue
		}
		s.Steps, s.Behalf = append(s.Steps, id), append(s.Behalf, behalf...)
	}
	if len(s.Steps) > 0 {
		s.Refusal = MayDecide
	}
	return s
}

// holds reports whether has is true of the open step of r with the id or, if it is escalated, only as it is for those
// that it is escalated to (late).
func (r *Request) holds(id int, has func(step *Step) bool) (may, late bool) {
	if has(&r.Steps[id-1]) {
		return true, false
	}
	other := r.Escalated(id)
	late = other != nil && has(other)
	return late, late
}

// EndableBy returns the standing of the actor for decisions that reject r or send it back. Besides the steps that it may
// decide, it has those that only an approval of its own bars the actor from, because a reviewer may change their mind until
// all approvals are given.
func (r *Request) EndableBy(actor core.Actor, p *core.Project) Standing {
	s := r.StandingOf(actor, p)
	if s.Refusal != RefusedSeated {
		return s
	}
	for _, id := range r.OpenSteps() {
		may, late := r.holds(id, func(step *Step) bool { return MayActOn(actor, step, p) })
		if !may {
			continue
		}
		s.Refusal, s.Steps, s.Own = MayDecide, append(s.Steps, id), append(s.Own, id)
		if late {
			s.Late = append(s.Late, id)
		}
	}
	return s
}

// StandingFor returns the standing of the actor for decisions on behalf of one user.
func (r *Request) StandingFor(actor core.Actor, p *core.Project, userID int64) Standing {
	only := core.Actor{Lent: slices.DeleteFunc(slices.Clone(actor.Lent), func(l core.Lender) bool { return l.From.ID != userID })}
	if actor.User != nil {
		only.User = &core.User{ID: actor.User.ID, Name: actor.User.Name}
	}
	return r.StandingOf(only, p)
}

// behalf returns on whose behalf the actor may decide the step of r with an id, or why it may on nobody's.
func (r *Request) behalf(actor core.Actor, p *core.Project, stepID int) (found []Behalf, why Refusal) {
	why = RefusedRole
	for i := range actor.Lent {
		l := &actor.Lent[i]
		lends, late := r.holds(stepID, func(step *Step) bool { return Lends(l, step, p) })
		if !lends {
			continue
		}
		if own := r.Bars(actor.User.ID, stepID); own != MayDecide {
			return nil, own
		}
		switch r.Bars(l.From.ID, stepID) {
		case MayDecide:
			found = append(found, Behalf{StepID: stepID, Person: l.From, DelegationID: l.ID, Late: late})
		case RefusedSeated:
			why = max(why, RefusedLenderSeated)
		default:
			why = max(why, RefusedLender)
		}
	}
	if len(found) > 0 {
		why = MayDecide
	}
	return found, why
}

// As returns on whose behalf a user of the standing decides a step; nil: in its own name, which comes first.
func (s *Standing) As(stepID int) *Behalf {
	if slices.Contains(s.Own, stepID) {
		return nil
	}
	for i := range s.Behalf {
		if s.Behalf[i].StepID == stepID {
			return &s.Behalf[i]
		}
	}
	return nil
}

// Escalated reports whether a user of the standing decides a step only because it is escalated: in its own name or, with
// as, on behalf of that user.
func (s *Standing) Escalated(stepID int, as *Behalf) bool {
	if as != nil {
		return as.Late
	}
	return slices.Contains(s.Late, stepID)
}

// Bars returns why a user may not decide the step of r with an id, whatever the user's roles are, or MayDecide. A
// user fills one seat among the steps of one order. Unless AllowSelfApproval is true, these users are barred as well:
// the submitter, the contributors, and the approvers of steps of an earlier order. A token counts for the user who
// created it, and bars no user if that is not known.
func (r *Request) Bars(userID int64, stepID int) Refusal {
	order, approved := r.step(stepID).Order, false
	for _, given := range r.Approvals {
		if given.Person != userID && given.For != userID {
			continue
		}
		at := r.step(given.StepID).Order
		if at == order {
			return RefusedSeated
		}
		approved = approved || at < order
	}
	is := func(by core.ActorRef) bool { return userID != 0 && by.Person() == userID }
	switch {
	case r.AllowSelfApproval:
		return MayDecide
	case is(r.SubmittedBy):
		return RefusedSubmitter
	case slices.ContainsFunc(r.Contributors, is):
		return RefusedContributor
	case approved:
		return RefusedApprover
	default:
		return MayDecide
	}
}

// Barred returns the ids of the users that may not decide the open steps of a pending request (Bars), those who
// approved a step first.
func (r *Request) Barred() (barred []int64) {
	if r.CurrentStep() == nil {
		return nil
	}
	add := func(userID int64) {
		if userID != 0 && !slices.Contains(barred, userID) && r.Bars(userID, r.Current+1) != MayDecide {
			barred = append(barred, userID)
		}
	}
	for _, given := range r.Approvals {
		add(given.Person)
		add(given.For)
	}
	add(r.SubmittedBy.Person())
	for _, by := range r.Contributors {
		add(by.Person())
	}
	return barred
}
