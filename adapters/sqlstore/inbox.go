package sqlstore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/entryquery"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/review"
)

// inbox builds the reads of an inbox. Each read selects the Projects that the user can reach,
// then the requests of the list in each of them. So the cost depends on the number of requests
// of the list within reach, not on the number of all requests.
type inbox struct {
	lists entryquery.Lists
	args  []any
	with  string
	lent  bool // with has lent and lent_held
	// commented limits the read to requests with open comments, overdue to those that are overdue.
	commented, overdue bool
	now                string
}

// The tiers of users below the roles in tiers.
const (
	tierNone   = -1 // no role in the Project, except possibly a custom role
	tierMember = 0  // editor or viewer
)

// inboxLists is what an inbox needs of a dialect.
type inboxLists interface {
	entryquery.Lists
	Now() string
}

// newInbox begins a read for a user. A projectID other than 0 limits it to that Project.
// members includes the Projects in which the user is only an editor or viewer.
func newInbox(lists inboxLists, reach review.Reach, projectID int64, members bool) *inbox {
	q := &inbox{lists: lists, now: lists.Now()}
	var in [4][]int64 // ids by tier: projects (members), projects (admins), departments, tenants
	for _, g := range reach.Grants {
		switch g.Role {
		case core.RoleTenantAdmin:
			in[3] = append(in[3], g.TenantID)
		case core.RoleDepartmentAdmin:
			in[2] = append(in[2], g.DepartmentID)
		case core.RoleAdmin:
			in[1] = append(in[1], g.ProjectID)
		default:
			in[tierMember] = append(in[tierMember], g.ProjectID)
		}
	}
	if !members {
		in[tierMember] = nil
	}
	branches := []string{projectsOfTier(tierNone, lists.AmongRows("p.department_id", "SELECT department_id FROM held"))}
	if len(reach.CustomRoles) == 0 {
		branches = []string{projectsOfTier(tierNone, "1 = 0")}
	}
	if reach.SuperAdmin {
		branches = append(branches, projectsOfTier(3, "1 = 1"))
	} else {
		for tier, column := range []string{"p.id", "p.id", "p.department_id", "p.tenant_id"} {
			if len(in[tier]) > 0 {
				branches = append(branches, projectsOfTier(tier, column+" "+q.among(in[tier])))
			}
		}
	}
	only := ""
	if projectID != 0 {
		only = " WHERE id = " + q.arg(projectID)
	}
	q.with = "WITH held (role_id, department_id) AS MATERIALIZED (SELECT id, department_id FROM custom_roles WHERE id " + q.among(reach.CustomRoles) + ")," +
		" reach (project_id, department_id, tier) AS MATERIALIZED (SELECT id, department_id, max(tier) FROM (" + strings.Join(branches, " UNION ALL ") + ") AS p" +
		only + " GROUP BY id, department_id) "
	q.lend(reach.Lent)
	return q
}

func projectsOfTier(tier int, condition string) string {
	return "SELECT p.id, p.department_id, " + strconv.Itoa(tier) + " AS tier FROM projects p WHERE p.tenant_id IS NOT NULL AND " + condition
}

func (q *inbox) arg(value any) string {
	q.args = append(q.args, value)
	return "$" + strconv.Itoa(len(q.args))
}

// among returns the part of the condition "column is one of ids" that follows the column. ids
// may be empty.
func (q *inbox) among(ids []int64) string {
	values := []any{int64(0), int64(0)} // 0 is no id; Among needs two values
	for _, id := range ids {
		values = append(values, id)
	}
	text, args := q.lists.Among(len(q.args)+1, values)
	q.args = append(q.args, args...)
	return text
}

// waiting returns a FROM clause of the requests r with an open step that the user may act on: the requests for which
// review.Request.StandingOf finds one.
func (q *inbox) waiting(userID int64, delegated *bool) string {
	own := "(r.step_tier <= reach.tier OR (r.step_role, reach.department_id) IN (SELECT role_id, department_id FROM held)" +
		" OR (r.step_more IS NOT NULL AND EXISTS (SELECT 1 FROM held WHERE held.department_id = reach.department_id AND " +
		q.lists.Contains("r.step_more", "(',' || held.role_id || ',')") + "))" + q.escalated() + ")"
	switch {
	case !q.lent && delegated != nil && *delegated:
		own = "1 = 0"
	case !q.lent:
	case delegated == nil:
		own = "(" + own + " OR " + q.borrowed() + ")"
	case *delegated:
		own = "(" + q.borrowed() + " AND NOT coalesce(" + own + ", false))"
	}
	return q.requests("r.status = 'pending' AND " + own + " AND NOT " + q.lists.Contains("r.barred", q.arg(idList([]int64{userID}))))
}

// escalated returns the condition, after an OR, that an open step of r is escalated to the user.
func (q *inbox) escalated() string {
	return " OR (r.escalate_at <= " + q.now + " AND EXISTS (SELECT 1 FROM approval_waits w WHERE " + q.late() + " AND (w.escalate_tier <= reach.tier" +
		" OR (w.escalate_role, reach.department_id) IN (SELECT role_id, department_id FROM held))))"
}

// late returns the condition that w is a wait of r that is escalated.
func (q *inbox) late() string {
	return "w.project_id = r.project_id AND w.request_id = r.id AND w.passed_at IS NULL AND w.escalate_at <= " + q.now
}

// requests returns a FROM clause of the requests r within reach that meet a condition.
func (q *inbox) requests(condition string) string {
	if q.commented {
		condition += " AND " + openComments + " > 0"
	}
	if q.overdue {
		condition += " AND r.status = 'pending' AND (r.due_at <= " + q.now + " OR r.scheduled_at <= " + q.now + ")"
	}
	return "reach" + q.lists.ForEach("approval_requests", "r", "r.project_id = reach.project_id AND "+condition)
}

// scheduled returns a FROM clause of the approved requests r with a time of publication.
func (q *inbox) scheduled() string {
	return q.requests("r.status = 'approved' AND r.scheduled_at IS NOT NULL AND " + q.visible("r"))
}

// submitted returns a FROM clause of the requests r that the user submitted.
func (q *inbox) submitted(userID int64) string {
	return q.requests("r.submitter_id = " + q.arg(userID) + " AND r.submitter_kind = 'user' AND " + q.visible("r"))
}

// returned returns a FROM clause of the requests r that the user submitted and that came back: the
// latest ones of their open release, or of the entry of an item; not all entries are in the trash. OFFSET keeps Postgres
// from reading all items and entries.
func (q *inbox) returned(userID int64) string {
	return q.requests("r.submitter_id = " + q.arg(userID) + " AND r.submitter_kind = 'user' AND r.status IN ('rejected', 'revision_requested') AND " + q.visible("r") +
		" AND NOT EXISTS (SELECT 1 FROM approval_requests later WHERE later.project_id = r.project_id AND later.release_id = r.release_id AND later.id > r.id LIMIT 1 OFFSET 0)" +
		" AND NOT EXISTS (SELECT 1 FROM releases x WHERE x.project_id = r.project_id AND x.id = r.release_id AND x.state <> 'open' LIMIT 1 OFFSET 0)" +
		" AND EXISTS (SELECT 1 FROM request_items i WHERE i.project_id = r.project_id AND i.request_id = r.id" +
		" AND NOT EXISTS (SELECT 1 FROM request_items later WHERE later.project_id = i.project_id AND later.entry_id = i.entry_id AND later.request_id > i.request_id" +
		" AND later.collection IS NULL AND i.collection IS NULL)" +
		" AND EXISTS (SELECT 1 FROM entries e WHERE e.project_id = i.project_id AND e.id = i.entry_id AND e.trashed_at IS NULL" + kept("e") + " LIMIT 1 OFFSET 0) LIMIT 1 OFFSET 0)")
}

// decided returns a FROM clause r of the requests that the user decided: r.id is the request and
// r.decided the user's latest decision. It reads a request only if the user may see it by a custom
// role alone: OFFSET keeps Postgres from reading all requests instead.
func (q *inbox) decided(userID int64) string {
	also := ""
	if q.commented {
		also = " AND (SELECT " + openComments + " FROM approval_requests r WHERE r.project_id = a.project_id AND r.id = a.request_id) > 0"
	}
	return "(SELECT a.project_id, a.request_id AS id, max(a.id) AS decided FROM reach" + q.lists.ForEach("approval_actions", "a",
		"a.project_id = reach.project_id AND a.actor_id = "+q.arg(userID)+" AND a.actor_kind = 'user' AND a.type IN ('approve', 'reject', 'request_revision')"+
			" AND (reach.tier >= "+strconv.Itoa(tierMember)+" OR EXISTS (SELECT 1 FROM approval_requests seen WHERE seen.project_id = a.project_id"+
			" AND seen.id = a.request_id AND "+q.visible("seen")+" LIMIT 1 OFFSET 0))"+also) + " GROUP BY a.project_id, a.request_id) AS r"
}

// visible returns the condition that the user may see a request of a Project within reach.
func (q *inbox) visible(request string) string {
	return "(reach.tier >= " + strconv.Itoa(tierMember) + " OR EXISTS (SELECT 1 FROM held WHERE held.department_id = reach.department_id AND " +
		q.lists.Contains(request+".step_roles", "(',' || held.role_id || ',')") + "))"
}

// numbered returns a FROM clause of the requests r with a release number.
func (q *inbox) numbered(n review.ReleaseNumber) string {
	return "(SELECT DISTINCT p.tenant_id FROM reach JOIN projects p ON p.id = reach.project_id) AS of" +
		q.lists.ForEach("approval_requests", "r", "r.tenant_id = of.tenant_id AND r.release_year = "+q.arg(n.Year)+" AND r.release_count = "+q.arg(n.Count)+
			" AND EXISTS (SELECT 1 FROM reach WHERE reach.project_id = r.project_id AND "+q.visible("r")+")")
}

// newInboxList begins the read of a list. from is its FROM clause, and key the column of r that
// it is ordered by.
func newInboxList(lists inboxLists, query review.InboxQuery) (q *inbox, from, key string) {
	q = newInbox(lists, query.Reach, query.ProjectID, query.List != review.InboxPending || len(query.Reach.Lent) > 0)
	q.commented, q.overdue = query.Commented, query.Overdue
	switch query.List {
	case review.InboxSubmitted:
		return q, q.submitted(query.Reach.UserID), "submitted_at"
	case review.InboxReturned:
		return q, q.returned(query.Reach.UserID), "submitted_at"
	case review.InboxScheduled:
		return q, q.scheduled(), "scheduled_at"
	case review.InboxNumbered:
		return q, q.numbered(query.Number), "submitted_at"
	case review.InboxDecided:
		return q, q.decided(query.Reach.UserID), "decided"
	default:
		return q, q.waiting(query.Reach.UserID, query.Delegated), "submitted_at"
	}
}

func (s requestStore) Inbox(ctx context.Context, query review.InboxQuery) ([]review.Request, error) {
	q, from, key := newInboxList(s.DB.Dialect, query)
	direction := ""
	if query.Descending {
		direction = " DESC"
	}
	unset := ""
	if query.ByDeadline {
		key, unset = "due_at", "page.position IS NULL, "
	}
	page := "(SELECT r.project_id, r.id, r." + key + " AS position FROM " + from +
		" ORDER BY " + strings.Replace(unset, "page.position", "r.due_at", 1) + "r." + key + direction + ", r.id" + direction + " LIMIT " + q.arg(query.Limit+1) + " OFFSET " +
		q.arg(query.Offset) + ") AS page" +
		" JOIN approval_requests r ON r.project_id = page.project_id AND r.id = page.id"
	return s.joined(ctx, scanShown, q.with+s.withItems(shownColumns, page, unset+"page.position"+direction+", r.id"+direction), q.args...)
}

func (s requestStore) InboxCount(ctx context.Context, query review.InboxQuery) (int64, error) {
	q, from, _ := newInboxList(s.DB.Dialect, query)
	return sqldb.Value[int64](ctx, s.Conn, q.with+"SELECT count(*) FROM "+from, q.args...)
}

func (s requestStore) InboxSummary(ctx context.Context, reach review.Reach) (review.InboxSummary, error) {
	q := newInbox(s.DB.Dialect, reach, 0, true)
	text := q.with + "SELECT own.submitted, own.returned, own.scheduled, COALESCE(w.project_id, 0), COALESCE(p.name, ''), COALESCE(w.pending, 0), w.oldest FROM (SELECT" +
		" (SELECT count(*) FROM approval_requests r WHERE r.submitter_id = " + q.arg(reach.UserID) +
		" AND r.submitter_kind = 'user' AND r.status IN ('pending', 'approved') AND " + ofLiveProject("r") + ") AS submitted," +
		" (SELECT count(*) FROM " + q.returned(reach.UserID) + ") AS returned," +
		" (SELECT count(*) FROM " + q.scheduled() + ") AS scheduled" +
		") AS own LEFT JOIN (SELECT r.project_id, count(*) AS pending, min(r.submitted_at) AS oldest FROM " + q.waiting(reach.UserID, nil) +
		" GROUP BY r.project_id) AS w ON 1 = 1 LEFT JOIN projects p ON p.id = w.project_id ORDER BY w.pending DESC, w.project_id"
	var sum review.InboxSummary
	projects, err := sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (p review.InboxProject, err error) {
		var oldest sqldb.Instant
		err = rows.Scan(&sum.SubmittedByMe, &sum.Returned, &sum.Scheduled, &p.ProjectID, &p.Name, &p.Pending, &oldest)
		if at := time.Time(oldest); sum.OldestSubmittedAt.IsZero() || at.Before(sum.OldestSubmittedAt) {
			sum.OldestSubmittedAt = at
		}
		return p, err
	}, text, q.args...)
	for _, p := range projects {
		if p.Pending > 0 { // otherwise the row has only the counts
			sum.Pending += p.Pending
			sum.ByProject = append(sum.ByProject, p)
		}
	}
	return sum, err
}
