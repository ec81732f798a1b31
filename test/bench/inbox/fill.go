package inbox

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// The organisation has one tenant with a single department, and nine tenants that share the
// other departments. A department has ten projects and three custom roles.
const (
	tenants     = 10
	departments = 50
	projects    = 10 // in each department
	customRoles = 3  // in each department
)

// people holds the reach of the reviewers.
type people struct {
	reviewer, admin, super review.Reach
}

type reviewer struct {
	name  string
	reach review.Reach
}

func (p people) reviewers() []reviewer {
	return []reviewer{{"reviewer of 50 Projects", p.reviewer}, {"admin of one Project", p.admin}, {"super admin", p.super}}
}

const (
	reviewerID = 1_000_001 // submitter or earlier approver of some requests
	superID    = 1_000_002
)

// createOrganisation creates the organisation, and a reviewer with roles of every kind in
// 50 of its projects: tenant admin of 10, department admin of 10, project admin of 10 and
// holder of custom roles in 20.
func createOrganisation(ctx context.Context, stores ports.Stores) (people, error) {
	now := time.Now()
	p := people{
		reviewer: review.Reach{UserID: reviewerID}, admin: review.Reach{UserID: superID}, super: review.Reach{UserID: superID, SuperAdmin: true},
	}
	var all []core.Tenant
	for n := range tenants {
		tenant := core.Tenant{Name: fmt.Sprint("Tenant ", n), CreatedAt: now, UpdatedAt: now}
		if err := stores.Tenants.Insert(ctx, &tenant); err != nil {
			return p, err
		}
		all = append(all, tenant)
	}
	for n := range departments {
		tenant := all[0]
		if n > 0 {
			tenant = all[1+n%(tenants-1)]
		}
		d := core.Department{TenantID: tenant.ID, Name: fmt.Sprint("Department ", n), CreatedAt: now, UpdatedAt: now}
		if err := stores.Departments.Insert(ctx, &d); err != nil {
			return p, err
		}
		roles, err := createRoles(ctx, stores, d)
		if err != nil {
			return p, err
		}
		in, err := createProjects(ctx, stores, d)
		if err != nil {
			return p, err
		}
		g := core.Grant{UserID: reviewerID, TenantID: tenant.ID}
		switch {
		case n == 0:
			g.Role = core.RoleTenantAdmin
		case n == 1:
			g.Role, g.DepartmentID = core.RoleDepartmentAdmin, d.ID
		case n < 4:
			p.reviewer.CustomRoles = append(p.reviewer.CustomRoles, roles[:2]...)
			continue
		case n < 14:
			g.Role, g.DepartmentID, g.ProjectID = core.RoleAdmin, d.ID, in[0]
			p.admin.Grants = []core.Grant{g}
		default:
			continue
		}
		p.reviewer.Grants = append(p.reviewer.Grants, g)
	}
	return p, nil
}

func createRoles(ctx context.Context, stores ports.Stores, d core.Department) (ids []int64, err error) {
	for n := range customRoles {
		role := core.CustomRole{TenantID: d.TenantID, DepartmentID: d.ID, Name: fmt.Sprint("Role ", n), CreatedAt: d.CreatedAt}
		if err := stores.CustomRoles.Insert(ctx, &role); err != nil {
			return nil, err
		}
		ids = append(ids, role.ID)
	}
	return ids, nil
}

func createProjects(ctx context.Context, stores ports.Stores, d core.Department) (ids []int64, err error) {
	for n := range projects {
		p := &core.Project{
			UUID: uuid.NewString(), TenantID: d.TenantID, DepartmentID: d.ID, Name: fmt.Sprint("Project ", n),
			DefaultLocale: "en", Locales: []string{"en"}, UploadLimit: core.DefaultUploadLimit, CreatedAt: d.CreatedAt, UpdatedAt: d.CreatedAt,
		}
		if err := stores.Projects.Insert(ctx, p); err != nil {
			return nil, err
		}
		ids = append(ids, p.ID)
	}
	return ids, nil
}

// fill adds requests up to a total, of which the configured number is pending, evenly
// distributed. The reviewer may not decide one in ten of the pending requests. A tenth of
// the pending number is approved and scheduled. The reviewer and the super admin each submitted
// one in a hundred requests, and decided as many others.
func (b *bench) fill(ctx context.Context, total int) error {
	var present int
	if err := b.conn.QueryRow(ctx, "SELECT count(*) FROM approval_requests").Scan(&present); err != nil {
		return err
	}
	every := (total - present) / b.o.pending
	if present > 0 {
		every = total + 1 // all pending requests exist already
	}
	if _, err := b.conn.Exec(ctx, insertMany, present, total, every, reviewerID); err != nil {
		return err
	}
	_, err := b.conn.Exec(ctx, insertDecisions, present, reviewerID)
	return err
}

// insertDecisions adds a decision to each request that is not pending, except the first $1
// requests. $2 is the reviewer.
const insertDecisions = `
INSERT INTO approval_actions (project_id, request_id, type, step_order, actor_kind, actor_id, actor_name, comment, content_hash, created_at, hash)
SELECT project_id, r.id, CASE WHEN r.status = 'rejected' THEN 'reject' ELSE 'approve' END, 1, 'user',
    CASE (hashint4(entry_id::integer) & 65535) % 100 WHEN 17 THEN $2::bigint WHEN 18 THEN $2 + 1 ELSE 1 + entry_id % 5000 END,
    'Paul Reviewer', '', content_hash, submitted_at + 60000, chain_hash
FROM approval_requests r JOIN request_items i USING (project_id) WHERE i.request_id = r.id AND entry_id > $1 AND r.status <> 'pending' ORDER BY r.id`

// insertMany distributes requests with one item each over all projects by hash. $1 and $2 are the
// first and the last number, one in $3 is pending; $4 is the reviewer. The release number of a request
// is the id of the entry of its item.
const insertMany = `
WITH p AS (
    SELECT id, tenant_id, department_id, row_number() OVER (ORDER BY id) - 1 AS n, count(*) OVER () AS projects FROM projects
), r AS (
    SELECT department_id, array_agg(id ORDER BY id) AS roles FROM custom_roles GROUP BY department_id
), g AS (
    SELECT n, n % $3 = 0 AS pending, n % $3 = 1 AND n / $3 % 10 = 0 AS scheduled, (hashint4(n) & 65535) % 100 AS kind, (hashint4(-n) & 2147483647) % 500 AS project
    FROM generate_series($1::integer + 1, $2::integer) AS n
), requests AS (
INSERT INTO approval_requests (project_id, tenant_id, release_year, release_count, status, version, steps,
    allow_self_approval, current_step, scheduled_at, submitter_kind, submitter_id, submitter_name, submitted_at, published_at,
    approvals, chain_hash, step_tier, step_role, barred, step_roles, record_format, contributors)
SELECT p.id, p.tenant_id, 2026, g.n,
    CASE WHEN pending THEN 'pending' WHEN scheduled THEN 'approved' WHEN kind < 80 THEN 'published' ELSE 'rejected' END, 3,
    '[{"stepOrder":1,"requiredRoleKind":"admin","stepLabel":"Desk","allowRevision":true,"allowRejection":true},{"stepOrder":2,"requiredRoleKind":"department_admin","allowRevision":true,"allowRejection":true}]',
    kind % 2 = 0, 0, CASE WHEN scheduled THEN 1900000000000 END,
    'user', CASE kind WHEN 7 THEN $4::bigint WHEN 8 THEN $4 + 1 ELSE 1 + g.n % 5000 END, 'Edda Editor', 1700000000000 + (g.n::bigint * 611953) % 50000000000,
    CASE WHEN NOT pending AND NOT scheduled AND kind < 80 THEN 1800000000000 END, '[]', md5(g.n::text) || md5(g.n::text),
    CASE WHEN NOT pending OR kind >= 70 THEN NULL WHEN kind < 40 THEN 1 WHEN kind < 60 THEN 2 ELSE 3 END,
    CASE WHEN pending AND kind >= 70 THEN r.roles[1 + kind % 3] END,
    CASE WHEN pending AND kind % 10 = 3 THEN ',' || $4::bigint || ',17,' WHEN pending AND kind % 2 = 1 THEN ',' || (1 + g.n % 5000) || ',' || (1 + (g.n + 1733) % 5000) || ',' || (1 + (g.n + 3301) % 5000) || ',' ELSE '' END,
    CASE WHEN kind >= 70 THEN ',' || r.roles[1 + kind % 3] || ',' ELSE '' END,
    2, '[{"kind":"user","id":' || (1 + (g.n + 1733) % 5000) || ',"name":"Emil Santos"},{"kind":"user","id":' || (1 + (g.n + 3301) % 5000) || ',"name":"Ada Lind"}]'
FROM g JOIN p ON p.n = g.project JOIN r ON r.department_id = p.department_id
RETURNING project_id, id, release_count AS n, status
)
INSERT INTO request_items (project_id, request_id, entry_id, collection_id, locale, action, status, content_hash, snapshot)
SELECT project_id, id, n, 1, 'en', 'publish', status, md5(n::text) || md5(n::text),
    '{"collection":"articles","fields":{"body":"' || repeat(md5(n::text) || ' ', 12) || '","title":"Article ' || n || '"},"locale":"en"}'
FROM requests`
