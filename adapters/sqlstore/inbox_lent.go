package sqlstore

import (
	"strconv"
	"strings"

	"imprimatur/core"
)

// lend adds to the read the Projects in which others lend their decisions to the user: lent has a row for each of
// them and each delegation, with the tier of the lender, and lent_held the custom roles of the lenders. It changes
// nothing without a lender.
func (q *inbox) lend(lenders []core.Lender) {
	if len(lenders) == 0 {
		return
	}
	q.lent = true
	var held, places []string
	for i := range lenders {
		l := &lenders[i]
		id := strconv.Itoa(i) // not the id of the delegation, so that the statements of all users are the same
		var roles []int64
		for _, role := range l.CustomRoles {
			roles = append(roles, role.ID)
		}
		held = append(held, "SELECT "+id+" AS delegation_id, id AS role_id, department_id FROM custom_roles WHERE id "+q.among(roles))
		for tier, in := range q.lentIn(l, id) {
			if in != "" {
				places = append(places, "SELECT p.id AS project_id, p.department_id, "+id+" AS delegation_id, CAST("+q.arg(l.From.ID)+" AS bigint) AS lender_id, "+strconv.Itoa(tier)+" AS tier"+
					" FROM projects p WHERE p.tenant_id IS NOT NULL AND "+in+q.covered(&l.Delegation))
			}
		}
	}
	q.with = strings.TrimSuffix(q.with, " ") + ", lent_held (delegation_id, role_id, department_id) AS MATERIALIZED (" + strings.Join(held, " UNION ALL ") + ")," +
		" lent (project_id, department_id, delegation_id, lender_id, tier) AS MATERIALIZED (SELECT project_id, department_id, delegation_id, lender_id, max(tier) FROM (" +
		strings.Join(places, " UNION ALL ") + ") AS p GROUP BY project_id, department_id, delegation_id, lender_id) "
}

// lentIn returns the conditions on the Projects p in which a lender has the role of a tier: those of a tier below
// roles, for custom roles, first.
func (q *inbox) lentIn(l *core.Lender, id string) [4]string {
	var in [4][]int64
	for _, g := range l.Grants {
		switch g.Role {
		case core.RoleTenantAdmin:
			in[3] = append(in[3], g.TenantID)
		case core.RoleDepartmentAdmin:
			in[2] = append(in[2], g.DepartmentID)
		case core.RoleAdmin:
			in[1] = append(in[1], g.ProjectID)
		}
	}
	conditions := [4]string{"p.department_id IN (SELECT department_id FROM lent_held WHERE lent_held.delegation_id = " + id + ")"}
	if l.SuperAdmin {
		conditions[3] = "1 = 1"
		return conditions
	}
	for tier, column := range []string{"", "p.id", "p.department_id", "p.tenant_id"} {
		if len(in[tier]) > 0 {
			conditions[tier] = column + " " + q.among(in[tier])
		}
	}
	return conditions
}

// covered returns the condition of core.Delegation.Covers on the Projects p, with a leading AND; "": all are covered.
func (q *inbox) covered(d *core.Delegation) string {
	text := ""
	if d.Within != 0 {
		text = " AND p.department_id = " + q.arg(d.Within)
	}
	switch {
	case len(d.ProjectIDs) > 0:
		return text + " AND p.id " + q.among(d.ProjectIDs)
	case len(d.DepartmentIDs) > 0:
		return text + " AND p.department_id " + q.among(d.DepartmentIDs)
	default:
		return text
	}
}

// borrowed returns the condition that the user may decide an open step of r on behalf of a lender, and see r.
func (q *inbox) borrowed() string {
	return "((r.lent_tier IS NOT NULL OR r.lent_roles IS NOT NULL) AND " + q.visible("r") + " AND EXISTS (SELECT 1 FROM lent WHERE lent.project_id = r.project_id" +
		" AND (r.lent_tier <= lent.tier OR (r.lent_roles IS NOT NULL AND EXISTS (SELECT 1 FROM lent_held WHERE lent_held.delegation_id = lent.delegation_id" +
		" AND lent_held.department_id = lent.department_id AND " + q.lists.Contains("r.lent_roles", "(',' || lent_held.role_id || ',')") + "))" +
		" OR (r.escalate_at <= " + q.now + " AND EXISTS (SELECT 1 FROM approval_waits w WHERE " + q.late() + " AND w.escalate_lent AND (w.escalate_tier <= lent.tier" +
		" OR EXISTS (SELECT 1 FROM lent_held WHERE lent_held.delegation_id = lent.delegation_id AND lent_held.department_id = lent.department_id" +
		" AND lent_held.role_id = w.escalate_role)))))" +
		" AND NOT " + q.lists.Contains("r.barred", "(',' || lent.lender_id || ',')") + "))"
}
