package memory

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

type delegations struct{ conn }

func (s delegations) Delegations(ctx context.Context, q review.DelegationQuery) ([]core.Delegation, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Delegation, error) {
		return byID(&st.delegations, func(d core.Delegation) bool {
			is := func(wanted, id int64) bool { return wanted == 0 || wanted == id }
			return d.EndedAt.IsZero() && d.Until.After(q.After) && is(q.To, d.To.ID) && is(q.Within, d.Within) &&
				(q.From == nil || slices.Contains(q.From, d.From.ID)) && (q.SetBy == 0 || q.SetBy == d.SetBy.ID && d.SetBy.ID != d.From.ID) &&
				(q.Involved == 0 || slices.Contains([]int64{d.From.ID, d.To.ID, d.SetBy.ID}, q.Involved))
		}, st.readDelegation), nil
	})
}

func (s delegations) Delegation(ctx context.Context, id int64) (core.Delegation, error) {
	return view(ctx, s.conn, func(st *state) (core.Delegation, error) {
		d, ok := st.delegations.get(id)
		return found(st.readDelegation(d), ok, "delegation")
	})
}

// Hold needs no lock: transactions run one after another.
func (s delegations) Hold(ctx context.Context, id int64) (core.Delegation, error) {
	return s.Delegation(ctx, id)
}

func (s delegations) Insert(ctx context.Context, d *core.Delegation) error {
	return s.change(ctx, func(st *state) error {
		for _, id := range []int64{d.From.ID, d.To.ID} {
			if !st.users.has(id) {
				return core.NotFound("user")
			}
		}
		d.ID = st.delegations.next()
		st.delegations.put(d.ID, copyDelegation(*d))
		st.record(review.DelegationEvent(event.DelegationCreated, d))
		return nil
	})
}

func (s delegations) End(ctx context.Context, d *core.Delegation) error {
	return s.change(ctx, func(st *state) error {
		next, ok := st.delegations.get(d.ID)
		if !ok || !next.EndedAt.IsZero() {
			return core.NotFound("delegation")
		}
		next.EndedAt = d.EndedAt
		st.delegations.put(d.ID, next)
		st.record(review.DelegationEvent(event.DelegationEnded, &next))
		return nil
	})
}

// readDelegation returns a copy of d with the present names of its users.
func (st *state) readDelegation(d core.Delegation) core.Delegation {
	d = copyDelegation(d)
	for _, ref := range []*core.ActorRef{&d.From, &d.To, &d.SetBy} {
		u, _ := st.users.get(ref.ID)
		ref.Kind, ref.Name = "user", u.Name
	}
	return d
}

func copyDelegation(d core.Delegation) core.Delegation {
	d.ProjectIDs, d.DepartmentIDs = slices.Clone(d.ProjectIDs), slices.Clone(d.DepartmentIDs)
	return d
}
