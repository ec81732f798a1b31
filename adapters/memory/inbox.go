package memory

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/review"
)

func (s requests) Inbox(ctx context.Context, q review.InboxQuery) ([]review.Request, error) {
	rows, err := view(ctx, s.conn, func(st *state) ([]review.Request, error) {
		return st.readAll(window(st.inbox(q), q.Offset, q.Limit)), nil
	})
	return shown(rows), err
}

func (s requests) InboxCount(ctx context.Context, q review.InboxQuery) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) { return int64(len(st.inbox(q))), nil })
}

func (s requests) InboxSummary(ctx context.Context, reach review.Reach) (review.InboxSummary, error) {
	return view(ctx, s.conn, func(st *state) (sum review.InboxSummary, err error) {
		waiting := st.inbox(review.InboxQuery{Reach: reach})
		counts := map[int64]int64{}
		for _, r := range waiting {
			counts[r.ProjectID]++
		}
		for id, n := range counts {
			p, _ := st.projects.get(id)
			sum.ByProject = append(sum.ByProject, review.InboxProject{ProjectID: id, Name: p.Name, Pending: n})
		}
		sort(sum.ByProject, func(a, b review.InboxProject) int {
			return cmp.Or(cmp.Compare(b.Pending, a.Pending), cmp.Compare(a.ProjectID, b.ProjectID))
		})
		if sum.Pending = int64(len(waiting)); sum.Pending > 0 {
			sum.OldestSubmittedAt = waiting[0].SubmittedAt
		}
		for _, r := range st.requests.each {
			if r.Status.Open() && submitted(reach.UserID, r) {
				sum.SubmittedByMe++
			}
			if st.returned(reach.UserID, r) && st.seen(reach, r) {
				sum.Returned++
			}
			if scheduled(r) && st.seen(reach, r) {
				sum.Scheduled++
			}
		}
		return sum, nil
	})
}

// inbox returns the matching requests in order.
func (st *state) inbox(q review.InboxQuery) []review.Request {
	decided := map[int64]int64{} // the user's latest decision by request
	for _, a := range st.actions.each {
		if a.Actor.Kind == "user" && a.Actor.ID == q.Reach.UserID && a.Type.Decision() {
			decided[a.RequestID] = max(decided[a.RequestID], a.ID)
		}
	}
	rows := st.requests.where(func(r review.Request) bool {
		if q.ProjectID != 0 && q.ProjectID != r.ProjectID || q.Commented && st.readRequest(r).OpenComments == 0 {
			return false
		}
		if r.ReadOn(st.now()); q.Overdue && !r.Overdue() {
			return false
		}
		switch q.List {
		case review.InboxSubmitted:
			return submitted(q.Reach.UserID, r) && st.seen(q.Reach, r)
		case review.InboxReturned:
			return st.returned(q.Reach.UserID, r) && st.seen(q.Reach, r)
		case review.InboxScheduled:
			return scheduled(r) && st.seen(q.Reach, r)
		case review.InboxNumbered:
			return q.Number == review.ReleaseNumber{Year: r.ReleaseYear, Count: r.ReleaseCount} && st.seen(q.Reach, r)
		case review.InboxDecided:
			return decided[r.ID] > 0 && st.seen(q.Reach, r)
		default:
			own, lent := st.waitsFor(q.Reach, r)
			return q.Delegated == nil && (own || lent) || q.Delegated != nil && own != *q.Delegated && (own || lent)
		}
	})
	sort(rows, func(a, b review.Request) int {
		if due, other := a.Deadline(), b.Deadline(); q.ByDeadline && due.IsZero() != other.IsZero() {
			return other.Compare(due) // the one that has a deadline, which is later than the zero time, comes first
		}
		if q.Descending {
			a, b = b, a
		}
		order := a.SubmittedAt.Compare(b.SubmittedAt)
		switch {
		case q.ByDeadline:
			order = a.Deadline().Compare(b.Deadline())
		case q.List == review.InboxScheduled:
			order = a.ScheduledAt.Compare(b.ScheduledAt)
		case q.List == review.InboxDecided:
			order = cmp.Compare(decided[a.ID], decided[b.ID])
		}
		return cmp.Or(order, cmp.Compare(a.ID, b.ID))
	})
	return rows
}

// returned reports whether r came back to the user who submitted it: see review.InboxReturned.
func (st *state) returned(userID int64, r review.Request) bool {
	if !submitted(userID, r) || r.Status != review.RequestRejected && r.Status != review.RequestRevision {
		return false
	}
	if r.Release != nil {
		held, _ := st.releases.get(r.Release.ID)
		if held.State != release.Open || st.requests.any(func(other review.Request) bool { return other.ID > r.ID && ofRelease(r.ProjectID, r.Release.ID)(other) }) {
			return false
		}
	}
	return slices.ContainsFunc(r.Items, func(i review.RequestItem) bool {
		e, live := st.entries.get(i.EntryID)
		return live && !e.Trashed() && !st.requests.any(func(other review.Request) bool {
			return r.Release == nil && other.ProjectID == r.ProjectID && other.Release == nil && other.ItemOf(i.EntryID) != nil && other.ID > r.ID
		})
	})
}

func scheduled(r review.Request) bool {
	return r.Status == review.RequestApproved && !r.ScheduledAt.IsZero()
}

// waitsFor reports whether the user may decide an open step of r in its own name, and on behalf of others.
func (st *state) waitsFor(reach review.Reach, r review.Request) (own, lent bool) {
	p, _ := st.projects.get(r.ProjectID)
	actor := st.actor(reach)
	actor.Lent = reach.Lent
	if standing := r.StandingOf(actor, p); r.VisibleTo(actor, p) {
		own, lent = len(standing.Own) > 0, len(standing.Behalf) > 0
	}
	return own, lent
}

// seen reports whether the user may see r: with any role in its Project, or with a custom
// role that one of its steps requires.
func (st *state) seen(reach review.Reach, r review.Request) bool {
	p, _ := st.projects.get(r.ProjectID)
	return roleIn(reach, p) != "" || slices.ContainsFunc(r.Steps, func(step review.Step) bool {
		return step.CustomRoleID != 0 && st.holds(reach, step.CustomRoleID, p) ||
			step.Escalate != nil && step.Escalate.CustomRoleID != 0 && st.holds(reach, step.Escalate.CustomRoleID, p)
	})
}

// holds reports whether the user has the custom role and it belongs to the department of
// p.
func (st *state) holds(reach review.Reach, roleID int64, p *core.Project) bool {
	role, ok := st.customRoles.get(roleID)
	return ok && slices.Contains(reach.CustomRoles, roleID) && role.DepartmentID == p.DepartmentID
}

func submitted(userID int64, r review.Request) bool {
	return r.SubmittedBy.Kind == "user" && r.SubmittedBy.ID == userID
}

// roleIn returns the highest role of the user in p, or none.
func roleIn(reach review.Reach, p *core.Project) core.Role { return person(reach).RoleInProject(p) }

// actor returns the user as an actor.
func (st *state) actor(reach review.Reach) core.Actor {
	actor := person(reach)
	for _, id := range reach.CustomRoles {
		if role, ok := st.customRoles.get(id); ok {
			actor.CustomRoles = append(actor.CustomRoles, role)
		}
	}
	return actor
}

// person returns the user as an actor without custom roles.
func person(reach review.Reach) core.Actor {
	return core.Actor{User: &core.User{ID: reach.UserID, SuperAdmin: reach.SuperAdmin}, Grants: reach.Grants}
}
