package sqlstore

import (
	"context"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/review"
)

// delegationStore implements ports.DelegationStore.
type delegationStore struct{ conn }

type delegationRow struct {
	bun.BaseModel `bun:"table:delegations"`

	ID           int64 `bun:",pk,autoincrement"`
	FromID       int64
	ToID         int64
	SetBy        int64
	StartsAt     instant
	UntilAt      instant
	Projects     encoded[[]int64]
	Departments  encoded[[]int64]
	DepartmentID int64
	Ceiling      core.Role
	TenantID     int64
	Note         string
	CreatedAt    instant
	EndedAt      instant
}

// delegationsOf selects delegations with the names of their users. A condition follows.
const delegationsOf = "SELECT d.id, d.from_id, f.name, d.to_id, t.name, d.set_by, coalesce(s.name, ''), d.starts_at, d.until_at, d.projects, d.departments," +
	" d.department_id, d.ceiling, d.tenant_id, d.note, d.created_at, d.ended_at FROM delegations d" +
	" JOIN users f ON f.id = d.from_id JOIN users t ON t.id = d.to_id LEFT JOIN users s ON s.id = d.set_by WHERE "

func scanDelegation(rows Rows) (d core.Delegation, err error) {
	var projects, departments encoded[[]int64]
	err = rows.Scan(&d.ID, &d.From.ID, &d.From.Name, &d.To.ID, &d.To.Name, &d.SetBy.ID, &d.SetBy.Name, (*instant)(&d.Since), (*instant)(&d.Until),
		&projects, &departments, &d.Within, &d.Ceiling, &d.TenantID, &d.Note, (*instant)(&d.CreatedAt), (*instant)(&d.EndedAt))
	d.ProjectIDs, d.DepartmentIDs = projects.v, departments.v
	d.From.Kind, d.To.Kind, d.SetBy.Kind = "user", "user", "user"
	return d, err
}

func (s delegationStore) Delegations(ctx context.Context, q review.DelegationQuery) ([]core.Delegation, error) {
	text, args := delegationsOf+"d.ended_at IS NULL AND d.until_at > ?", []any{instant(q.After)}
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
	return single(ctx, s.conn, "delegation", scanDelegation, delegationsOf+"d.id = ?", id)
}

func (s delegationStore) Hold(ctx context.Context, id int64) (core.Delegation, error) {
	if err := s.lock(ctx, "SELECT 1 FROM delegations WHERE id = ?"+s.forUpdate(), id); err != nil {
		return core.Delegation{}, err
	}
	return s.Delegation(ctx, id)
}

func (s delegationStore) Insert(ctx context.Context, d *core.Delegation) error {
	row := &delegationRow{
		FromID: d.From.ID, ToID: d.To.ID, SetBy: d.SetBy.ID, StartsAt: instant(d.Since), UntilAt: instant(d.Until),
		Projects: encoded[[]int64]{append([]int64{}, d.ProjectIDs...)}, Departments: encoded[[]int64]{append([]int64{}, d.DepartmentIDs...)},
		DepartmentID: d.Within, Ceiling: d.Ceiling, TenantID: d.TenantID, Note: d.Note, CreatedAt: instant(d.CreatedAt), EndedAt: instant(d.EndedAt),
	}
	return s.insert(ctx, newRow{row, &row.ID, &d.ID}, "delegation", func() event.Event {
		made := *d
		made.ID = row.ID
		return review.DelegationEvent(event.DelegationCreated, &made)
	})
}

func (s delegationStore) End(ctx context.Context, d *core.Delegation) error {
	q := s.write.NewUpdate().Model((*delegationRow)(nil)).Set("ended_at = ?", instant(d.EndedAt)).Where("id = ? AND ended_at IS NULL", d.ID)
	return s.updateBy(ctx, q, "delegation", review.DelegationEvent(event.DelegationEnded, d))
}
