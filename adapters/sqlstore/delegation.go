package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// delegationStore implements ports.DelegationStore.
type delegationStore struct{ sqldb.Conn }

var delegations = sqldb.NewTableOf("delegations", "delegation", func(d *core.Delegation) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &d.ID},
		{Name: "from_id", Kind: "bigint", Of: &d.From.ID},
		{Name: "to_id", Kind: "bigint", Of: &d.To.ID},
		{Name: "set_by", Kind: "bigint", Of: &d.SetBy.ID},
		{Name: "starts_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.Since)},
		{Name: "until_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.Until)},
		{Name: "projects", Kind: "text", Of: sqldb.ListInJSON(&d.ProjectIDs)},
		{Name: "departments", Kind: "text", Of: sqldb.ListInJSON(&d.DepartmentIDs)},
		{Name: "department_id", Kind: "bigint", Of: &d.Within},
		{Name: "ceiling", Kind: "text", Of: &d.Ceiling},
		{Name: "tenant_id", Kind: "bigint", Of: &d.TenantID},
		{Name: "note", Kind: "text", Of: &d.Note},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.CreatedAt)},
		{Name: "ended_at", Kind: "bigint", Of: (*sqldb.Instant)(&d.EndedAt)},
	}
})

// selectDelegations selects delegations with the names of their users. A condition follows.
var selectDelegations = "SELECT " + delegations.Listed("d.") + ", f.name, t.name, coalesce(s.name, '') FROM delegations d" +
	" JOIN users f ON f.id = d.from_id JOIN users t ON t.id = d.to_id LEFT JOIN users s ON s.id = d.set_by WHERE "

func scanDelegation(from sqldb.Rows) (d core.Delegation, err error) {
	err = delegations.ScanInto(from, &d, &d.From.Name, &d.To.Name, &d.SetBy.Name)
	d.From.Kind, d.To.Kind, d.SetBy.Kind = "user", "user", "user"
	return d, err
}

func (s delegationStore) Delegations(ctx context.Context, q review.DelegationQuery) ([]core.Delegation, error) {
	text, args := selectDelegations+"d.ended_at IS NULL AND d.until_at > ?", []any{sqldb.Instant(q.After)}
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
		args = append(args, sqldb.AmongIDs(q.From))
		text += " AND d.from_id ?"
	}
	return sqldb.Collect(ctx, s.Conn, scanDelegation, text+" ORDER BY d.id", args...)
}

func (s delegationStore) Delegation(ctx context.Context, id int64) (core.Delegation, error) {
	return sqldb.Single(ctx, s.Conn, "delegation", scanDelegation, selectDelegations+"d.id = ?", id)
}

func (s delegationStore) Hold(ctx context.Context, id int64) (core.Delegation, error) {
	if err := s.LockBy(ctx, "SELECT 1 FROM delegations WHERE id = ?"+s.ForUpdate(), id); err != nil {
		return core.Delegation{}, err
	}
	return s.Delegation(ctx, id)
}

func (s delegationStore) Insert(ctx context.Context, d *core.Delegation) error {
	return delegations.Add(ctx, s.Conn, d, &d.ID, func() event.Event { return review.DelegationEvent(event.DelegationCreated, d) })
}

func (s delegationStore) End(ctx context.Context, d *core.Delegation) error {
	return s.Note(ctx, delegations.Thing, review.DelegationEvent(event.DelegationEnded, d),
		"UPDATE delegations SET ended_at = ? WHERE id = ? AND ended_at IS NULL", sqldb.Instant(d.EndedAt), d.ID)
}
