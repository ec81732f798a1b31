package sqlstore

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// delegationStore implements ports.DelegationStore.
type delegationStore struct{ conn }

var delegations = rowsOf("delegations", "delegation", func(d *core.Delegation) []member {
	return []member{
		{name: "id", kind: "bigint", of: &d.ID},
		{name: "from_id", kind: "bigint", of: &d.From.ID},
		{name: "to_id", kind: "bigint", of: &d.To.ID},
		{name: "set_by", kind: "bigint", of: &d.SetBy.ID},
		{name: "starts_at", kind: "bigint", of: (*instant)(&d.Since)},
		{name: "until_at", kind: "bigint", of: (*instant)(&d.Until)},
		{name: "projects", kind: "text", of: ListInJSON(&d.ProjectIDs)},
		{name: "departments", kind: "text", of: ListInJSON(&d.DepartmentIDs)},
		{name: "department_id", kind: "bigint", of: &d.Within},
		{name: "ceiling", kind: "text", of: &d.Ceiling},
		{name: "tenant_id", kind: "bigint", of: &d.TenantID},
		{name: "note", kind: "text", of: &d.Note},
		{name: "created_at", kind: "bigint", of: (*instant)(&d.CreatedAt)},
		{name: "ended_at", kind: "bigint", of: (*instant)(&d.EndedAt)},
	}
})

// selectDelegations selects delegations with the names of their users. A condition follows.
var selectDelegations = "SELECT " + delegations.columns("d.") + ", f.name, t.name, coalesce(s.name, '') FROM delegations d" +
	" JOIN users f ON f.id = d.from_id JOIN users t ON t.id = d.to_id LEFT JOIN users s ON s.id = d.set_by WHERE "

func scanDelegation(from Rows) (d core.Delegation, err error) {
	err = delegations.scanInto(from, &d, &d.From.Name, &d.To.Name, &d.SetBy.Name)
	d.From.Kind, d.To.Kind, d.SetBy.Kind = "user", "user", "user"
	return d, err
}

func (s delegationStore) Delegations(ctx context.Context, q review.DelegationQuery) ([]core.Delegation, error) {
	text, args := selectDelegations+"d.ended_at IS NULL AND d.until_at > ?", []any{instant(q.After)}
	add := func(condition string, id int64) {
		if id != 0 {
			args = append(args, id)
			text += " AND " + condition + "?"
		}
	}
	add("d.to_id = ", q.To)
	add("d.from_id <> d.set_by AND d.set_by = ", q.SetBy)
	add("d.department_id = ", q.Within)
	if q.Involved != 0 {
		args = append(args, q.Involved)
		text += " AND (d.to_id = @user OR d.from_id = @user OR d.set_by = @user)"
	}
	if q.From != nil {
		args = append(args, amongIDs(q.From))
		text += " AND d.from_id ?"
	}
	return collect(ctx, s.conn, scanDelegation, text+" ORDER BY d.id", args...)
}

func (s delegationStore) Delegation(ctx context.Context, id int64) (core.Delegation, error) {
	return single(ctx, s.conn, "delegation", scanDelegation, selectDelegations+"d.id = ?", id)
}

func (s delegationStore) Hold(ctx context.Context, id int64) (core.Delegation, error) {
	if err := s.lock(ctx, "SELECT 1 FROM delegations WHERE id = ?"+s.forUpdate(), id); err != nil {
		return core.Delegation{}, err
	}
	return s.Delegation(ctx, id)
}

func (s delegationStore) Insert(ctx context.Context, d *core.Delegation) error {
	return delegations.add(ctx, s.conn, d, &d.ID, func() event.Event { return review.DelegationEvent(event.DelegationCreated, d) })
}

func (s delegationStore) End(ctx context.Context, d *core.Delegation) error {
	return s.note(ctx, delegations.thing, review.DelegationEvent(event.DelegationEnded, d),
		"UPDATE delegations SET ended_at = ? WHERE id = ? AND ended_at IS NULL", instant(d.EndedAt), d.ID)
}
