package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"imprimatur/core"
)

// requestStore implements ports.RequestStore.
type requestStore struct{ conn }

// shownColumns are the columns of a request in lists. requestColumns are all columns, in the
// order of scanRequest.
const (
	shownColumns = "r.project_id, r.id, r.tenant_id, r.collection_id, r.entry_id, r.locale, r.release_year, r.release_count, r.status, r.version," +
		" r.steps, r.allow_self_approval, r.current_step, r.content_hash, r.scheduled_at, r.unpublish_at," +
		" r.submitter_kind, r.submitter_id, r.submitter_name, r.submitter_maker, r.submitted_at, r.published_at, r.approvers, r.chain_hash," +
		" r.record_format, r.contributors, COALESCE(r.title, ''), COALESCE(r.title_field, 0)"
	requestColumns = shownColumns + ", r.snapshot, r.withheld"

	openRequests = "r.status IN ('pending', 'approved')"

	selectRequests = "SELECT " + requestColumns + " FROM approval_requests r WHERE r.project_id = $1 AND "
)

func scanRequest(rows Rows) (core.Request, error) {
	return scanRequestInto(rows, func(r *core.Request) []any { return []any{&r.Snapshot, (*[]byte)(&r.Withheld)} })
}

// scanShown scans shownColumns.
func scanShown(rows Rows) (core.Request, error) {
	return scanRequestInto(rows, func(*core.Request) []any { return nil })
}

func scanRequestInto(rows Rows, rest func(*core.Request) []any) (r core.Request, err error) {
	var steps encoded[[]core.Step]
	var approvers encoded[[]int64]
	var contributors encoded[[]core.ActorRef]
	err = rows.Scan(append([]any{
		&r.ProjectID, &r.ID, &r.TenantID, &r.CollectionID, &r.EntryID, &r.Locale, &r.ReleaseYear, &r.ReleaseCount, &r.Status, &r.Version,
		&steps, &r.AllowSelfApproval, &r.Current, &r.ContentHash, (*instant)(&r.ScheduledAt), (*instant)(&r.UnpublishAt),
		&r.SubmittedBy.Kind, &r.SubmittedBy.ID, &r.SubmittedBy.Name, &r.SubmittedBy.MadeBy, (*instant)(&r.SubmittedAt), (*instant)(&r.PublishedAt), &approvers, &r.ChainHash,
		&r.RecordFormat, &contributors, &r.Title, &r.TitleFieldID,
	}, rest(&r)...)...)
	r.Steps, r.Approvers, r.Contributors = steps.v, approvers.v, contributors.v
	return r, err
}

func (s requestStore) requests(ctx context.Context, condition string, args ...any) ([]core.Request, error) {
	return collect(ctx, s.conn, scanRequest, selectRequests+condition, args...)
}

func (s requestStore) Request(ctx context.Context, projectID, id int64) (core.Request, error) {
	return single(ctx, s.conn, "request", scanRequest, selectRequests+"r.id = $2", projectID, id)
}

func (s requestStore) EntryRequests(ctx context.Context, projectID, entryID int64, limit int) ([]core.Request, error) {
	return s.requests(ctx, "r.entry_id = $2 ORDER BY r.id DESC LIMIT $3", projectID, entryID, limit)
}

func (s requestStore) ByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.Request, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	among, args := s.among(ids, projectID)
	return s.requests(ctx, "r.id "+among, args...)
}

func (s requestStore) History(ctx context.Context, q core.HistoryQuery) ([]core.Request, error) {
	condition, args := s.history(q)
	at := len(args)
	return s.requests(ctx, condition+" ORDER BY r.id DESC LIMIT $"+strconv.Itoa(at+1)+" OFFSET $"+strconv.Itoa(at+2), append(args, q.Limit+1, q.Offset)...)
}

func (s requestStore) HistoryCount(ctx context.Context, q core.HistoryQuery) (int64, error) {
	condition, args := s.history(q)
	return value[int64](ctx, s.conn, "SELECT count(*) FROM approval_requests r WHERE r.project_id = $1 AND "+condition, args...)
}

// history returns the condition after "r.project_id = $1 AND", and all arguments.
func (s requestStore) history(q core.HistoryQuery) (condition string, args []any) {
	condition, args = "r.collection_id = $2 AND r.entry_id = $3", []any{q.ProjectID, q.CollectionID, q.EntryID}
	if q.CustomRoles == nil {
		return condition, args
	}
	named := []string{"1 = 0"}
	for _, role := range q.CustomRoles {
		args = append(args, idList([]int64{role}))
		named = append(named, s.db.dialect.Contains("r.step_roles", "$"+strconv.Itoa(len(args))))
	}
	return condition + " AND (" + strings.Join(named, " OR ") + ")", args
}

func (s requestStore) Open(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Request, error) {
	if collectionID == 0 {
		return s.requests(ctx, openRequests+" AND r.id > $2 ORDER BY r.id LIMIT $3", projectID, after, limit)
	}
	return s.requests(ctx, openRequests+" AND r.collection_id = $2 AND r.id > $3 ORDER BY r.id LIMIT $4",
		projectID, collectionID, after, limit)
}

func (s requestStore) OpenUsingRole(ctx context.Context, customRoleID int64, limit int) ([]core.Request, error) {
	return collect(ctx, s.conn, scanShown, "SELECT "+shownColumns+" FROM approval_requests r WHERE "+openRequests+
		" AND "+s.db.dialect.Contains("r.step_roles", "$1")+" ORDER BY r.id LIMIT $2", idList([]int64{customRoleID}), limit)
}

func (s requestStore) Walk(ctx context.Context, projectID, after int64, limit int) ([]core.Request, error) {
	return s.requests(ctx, "r.id > $2 ORDER BY r.id LIMIT $3", projectID, after, limit)
}

// Summaries reads only the latest request of each entry: an open request is always the latest.
func (s requestStore) Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.ApprovalSummary, error) {
	if len(entryIDs) == 0 {
		return nil, nil
	}
	among, args := s.among(entryIDs, projectID)
	latest, err := collect(ctx, s.conn, into(func(r *core.Request) []any {
		return []any{&r.EntryID, &r.ID, &r.Status, &r.ReleaseYear, &r.ReleaseCount}
	}), "SELECT r.entry_id, r.id, r.status, r.release_year, r.release_count FROM"+
		" (SELECT max(id) AS id FROM approval_requests WHERE project_id = $1 AND entry_id "+among+" GROUP BY entry_id) AS latest"+
		" JOIN approval_requests r ON r.project_id = $1 AND r.id = latest.id", args...)
	summaries := make(map[int64]core.ApprovalSummary, len(latest))
	for _, r := range latest {
		summaries[r.EntryID] = r.Summary()
	}
	return summaries, err
}

func (s requestStore) Actions(ctx context.Context, projectID int64, requestIDs ...int64) ([]core.ApprovalAction, error) {
	if len(requestIDs) == 0 {
		return nil, nil
	}
	among, args := s.among(requestIDs, projectID)
	return collect(ctx, s.conn, func(rows Rows) (a core.ApprovalAction, err error) {
		var outcome encoded[core.Outcome]
		err = rows.Scan(&a.ProjectID, &a.RequestID, &a.ID, &a.Type, &a.StepOrder, &a.Actor.Kind, &a.Actor.ID, &a.Actor.Name, &a.Actor.MadeBy,
			&a.Comment, &a.ContentHash, &a.DraftHash, (*instant)(&a.ScheduledAt), (*instant)(&a.UnpublishAt), &a.Verified, (*instant)(&a.CreatedAt), &outcome, &a.PreviousHash, &a.Hash)
		a.Outcome = outcome.v
		return a, err
	}, "SELECT project_id, request_id, id, type, step_order, actor_kind, actor_id, actor_name, actor_maker,"+
		" comment, content_hash, draft_hash, scheduled_at, unpublish_at, verified, created_at, outcome, previous_hash, hash"+
		" FROM approval_actions WHERE project_id = $1 AND request_id "+among+" ORDER BY id", args...)
}

func (s requestStore) Insert(ctx context.Context, r *core.Request, action *core.ApprovalAction, seal func()) error {
	return entryStore(s).change(ctx, func(ctx context.Context, inside entryStore) error {
		return s.written(requestStore(inside).insert(ctx, r, action, seal), "request")
	})
}

// insert allocates the release number after the insert has succeeded, so that a number is
// either used or rolled back with the transaction.
func (s requestStore) insert(ctx context.Context, r *core.Request, action *core.ApprovalAction, seal func()) error {
	tier, role := waitsFor(r)
	err := s.scan(ctx, &r.ID, insertRequest, r.ProjectID, r.TenantID, r.CollectionID, r.EntryID, r.Locale, r.ReleaseYear,
		string(r.Status), r.Version, encoded[[]core.Step]{r.Steps}, r.AllowSelfApproval, r.Current, r.ContentHash, instant(r.ScheduledAt), instant(r.UnpublishAt),
		r.SubmittedBy.Kind, r.SubmittedBy.ID, r.SubmittedBy.Name, r.SubmittedBy.MadeBy, instant(r.SubmittedAt), instant(r.PublishedAt),
		encoded[[]int64]{r.Approvers}, "", tier, role, barred(r), stepRoles(r), string(r.Snapshot), nullable(r.Withheld),
		sql.NullString{String: r.Title, Valid: r.Title != ""}, sql.NullInt64{Int64: int64(r.TitleFieldID), Valid: r.TitleFieldID != 0},
		r.RecordFormat, encoded[[]core.ActorRef]{r.Contributors})
	if errors.Is(err, sql.ErrNoRows) {
		return core.Conflict("request_open", "the entry has an open request")
	}
	if err != nil {
		return err
	}
	if err := s.scan(ctx, &r.ReleaseCount, nextRelease, r.TenantID, r.ReleaseYear); err != nil {
		return err
	}
	action.RequestID = r.ID
	seal()
	if _, err := s.exec(ctx, "UPDATE approval_requests SET release_count = $3, chain_hash = $4 WHERE project_id = $1 AND id = $2",
		r.ProjectID, r.ID, r.ReleaseCount, r.ChainHash); err != nil {
		return err
	}
	if err := s.wait(ctx, r, r.SubmittedAt); err != nil {
		return err
	}
	s.conn.record(core.RequestEvents(r, action)...)
	return s.record(ctx, action)
}

// wait records that r arrived at its current step. It does nothing if r is not pending.
func (s requestStore) wait(ctx context.Context, r *core.Request, since time.Time) error {
	step := r.CurrentStep()
	if step == nil {
		return nil
	}
	_, err := s.exec(ctx, "INSERT INTO approval_waits (project_id, request_id, step_order, label, since, remind_at) VALUES ($1, $2, $3, $4, $5, $6)"+
		" ON CONFLICT (project_id, request_id, step_order) DO UPDATE SET since = excluded.since, remind_at = excluded.remind_at, passed_at = NULL",
		r.ProjectID, r.ID, step.Order, step.Label, instant(since), instant(step.RemindAt(since)))
	return err
}

// moved updates approval_waits for action. r is in its new state. An approval ends the wait at a
// step and begins the next. The wait is deleted if r is no longer pending for another reason.
func (s requestStore) moved(ctx context.Context, r *core.Request, action *core.ApprovalAction) error {
	const waiting = " WHERE project_id = $1 AND request_id = $2 AND passed_at IS NULL"
	if action.Type == core.ActionApprove {
		if _, err := s.exec(ctx, "UPDATE approval_waits SET passed_at = $3, remind_at = NULL"+waiting, r.ProjectID, r.ID, instant(action.CreatedAt)); err != nil {
			return err
		}
		return s.wait(ctx, r, action.CreatedAt)
	}
	if r.Status == core.RequestPending {
		return nil
	}
	_, err := s.exec(ctx, "DELETE FROM approval_waits"+waiting, r.ProjectID, r.ID)
	return err
}

const (
	insertRequest = "INSERT INTO approval_requests (project_id, tenant_id, collection_id, entry_id, locale, release_year," +
		" status, version, steps, allow_self_approval, current_step, content_hash, scheduled_at, unpublish_at," +
		" submitter_kind, submitter_id, submitter_name, submitter_maker, submitted_at, published_at," +
		" approvers, chain_hash, step_tier, step_role, barred, step_roles, snapshot, withheld, title, title_field, record_format, contributors)" +
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32)" +
		" ON CONFLICT (project_id, entry_id) WHERE status IN ('pending', 'approved') DO NOTHING RETURNING id"

	nextRelease = "INSERT INTO approval_release_counters AS c (tenant_id, year, released) VALUES ($1, $2, 1)" +
		" ON CONFLICT (tenant_id, year) DO UPDATE SET released = c.released + 1 RETURNING released"

	insertAction = "INSERT INTO approval_actions (project_id, request_id, type, step_order, actor_kind, actor_id, actor_name, actor_maker," +
		" comment, content_hash, draft_hash, scheduled_at, unpublish_at, verified, created_at, outcome, previous_hash, hash)" +
		" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) RETURNING id"

	updateRequest = "UPDATE approval_requests SET version = $4, status = $5, current_step = $6, scheduled_at = $7, unpublish_at = $8, published_at = $9," +
		" approvers = $10, chain_hash = $11, step_tier = $12, step_role = $13, barred = $14" +
		" WHERE project_id = $1 AND id = $2 AND version = $3"
)

func (s requestStore) Update(ctx context.Context, r *core.Request, actions []*core.ApprovalAction) error {
	return entryStore(s).change(ctx, func(ctx context.Context, inside entryStore) error {
		return s.written(requestStore(inside).update(ctx, r, actions), "request")
	})
}

func (s requestStore) update(ctx context.Context, r *core.Request, actions []*core.ApprovalAction) error {
	tier, role := waitsFor(r)
	moved, err := s.exec(ctx, updateRequest, r.ProjectID, r.ID, r.Version-1, r.Version, string(r.Status), r.Current,
		instant(r.ScheduledAt), instant(r.UnpublishAt), instant(r.PublishedAt), encoded[[]int64]{r.Approvers}, r.ChainHash, tier, role, barred(r))
	if err != nil {
		return err
	}
	if moved == 0 {
		if _, err := s.Request(ctx, r.ProjectID, r.ID); err != nil {
			return err
		}
		return core.Conflict("changed_meanwhile", "the request was changed meanwhile")
	}
	for _, a := range actions {
		if err := s.moved(ctx, r, a); err != nil {
			return err
		}
		if err := s.record(ctx, a); err != nil {
			return err
		}
	}
	s.conn.record(core.RequestEvents(r, actions...)...)
	return nil
}

func (s requestStore) record(ctx context.Context, a *core.ApprovalAction) error {
	return s.scan(ctx, &a.ID, insertAction, a.ProjectID, a.RequestID, string(a.Type), a.StepOrder, a.Actor.Kind, a.Actor.ID, a.Actor.Name, a.Actor.MadeBy,
		a.Comment, a.ContentHash, a.DraftHash, instant(a.ScheduledAt), instant(a.UnpublishAt), string(a.Verified), instant(a.CreatedAt), encoded[core.Outcome]{a.Outcome}, a.PreviousHash, a.Hash)
}

// scan runs a write in the transaction and scans the one value that it returns.
func (s requestStore) scan(ctx context.Context, into any, text string, args ...any) error {
	countStatement(ctx)
	return s.tx.queryRow(ctx, into, text, args...)
}

// tiers numbers the roles that a step can require. A role may also act on steps of lower tiers.
var tiers = map[core.Role]int64{core.RoleAdmin: 1, core.RoleDepartmentAdmin: 2, core.RoleTenantAdmin: 3}

// waitsFor returns the tier or the custom role that r's current step requires. It returns
// neither if r is not pending.
func waitsFor(r *core.Request) (tier, role sql.NullInt64) {
	step := r.CurrentStep()
	switch {
	case step == nil:
	case step.CustomRoleID != 0:
		role = sql.NullInt64{Int64: step.CustomRoleID, Valid: true}
	default:
		tier = sql.NullInt64{Int64: tiers[step.RoleKind], Valid: true}
	}
	return tier, role
}

// maxBarred keeps the column barred within the 2,704 bytes of an index row of Postgres. An inbox
// also lists the requests from which users beyond this number are barred.
const maxBarred = 200

// barred returns the list of users that may not act on r's current step.
func barred(r *core.Request) string {
	if r.Status != core.RequestPending {
		return ""
	}
	ids := r.Barred()
	return idList(ids[:min(len(ids), maxBarred)])
}

// stepRoles returns the list of custom roles that r's steps require.
func stepRoles(r *core.Request) string {
	var roles []int64
	for _, step := range r.Steps {
		if step.CustomRoleID != 0 {
			roles = append(roles, step.CustomRoleID)
		}
	}
	return idList(roles)
}

// idList returns ids as text with commas around each: the list contains an id if the text
// contains ",<id>,".
func idList(ids []int64) string {
	if len(ids) == 0 {
		return ""
	}
	var list strings.Builder
	for _, id := range ids {
		list.WriteString("," + number(id))
	}
	return list.String() + ","
}
