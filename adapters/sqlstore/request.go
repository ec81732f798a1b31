package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/review"
)

// requestStore implements ports.RequestStore.
type requestStore struct{ sqldb.Conn }

// shownColumns are the columns of a request and of one of its items in lists. requestColumns are all
// columns, in the order of scanRequest.
const (
	shownColumns = "coalesce(r.release_id, 0), coalesce(r.release_name, ''), coalesce(r.release_hash, '')," +
		" r.project_id, r.id, r.tenant_id, r.release_year, r.release_count, r.status, r.version," +
		" r.steps, r.allow_self_approval, r.current_step, r.scheduled_at, r.unpublish_at," +
		" r.submitter_kind, r.submitter_id, r.submitter_name, r.submitter_maker, r.submitted_at, r.published_at, r.approvals, r.chain_hash," +
		" r.record_format, r.contributors, r.open_since, " + openComments + ", " + memberColumns
	requestColumns = shownColumns + ", i.snapshot, i.withheld"

	// memberColumns are the columns of an item in lists, in the order of memberInto. They are zero if a request has
	// no item.
	memberColumns = "coalesce(i.entry_id, 0), coalesce(i.collection_id, 0), coalesce(i.collection, ''), coalesce(i.locale, ''), coalesce(i.action, '')," +
		" coalesce(i.content_hash, ''), coalesce(i.base_number, 0), coalesce(i.base_hash, ''), coalesce(i.title, ''), coalesce(i.title_field, 0)"

	// fromItems is the part of a SELECT from FROM on, of the requests r with an item o that is no member of a release.
	fromItems = " FROM request_items o JOIN approval_requests r ON r.project_id = o.project_id AND r.id = o.request_id WHERE o.project_id = @project" +
		" AND o.collection IS NULL AND "
)

// openComments is the number of open comments of the request r, without replies. Those on an entry have no release.
const openComments = "CASE WHEN r.release_id IS NULL THEN (SELECT count(*) FROM comments c WHERE c.project_id = r.project_id AND c.release_id = 0" +
	" AND c.entry_id = (SELECT min(o.entry_id) FROM request_items o WHERE o.project_id = r.project_id AND o.request_id = r.id)" + openOf +
	") ELSE (SELECT count(*) FROM comments c WHERE c.project_id = r.project_id AND c.release_id = r.release_id" + openOf + ") END"

const openOf = " AND c.request_id <= r.id AND c.parent = 0 AND c.closed_in = 0"

func scanRequest(rows sqldb.Rows) (review.Request, error) {
	return scanRequestInto(rows, func(i *review.RequestItem) []any { return []any{&i.Snapshot, (*[]byte)(&i.Withheld)} })
}

// scanShown scans shownColumns.
func scanShown(rows sqldb.Rows) (review.Request, error) {
	return scanRequestInto(rows, func(*review.RequestItem) []any { return nil })
}

func scanRequestInto(rows sqldb.Rows, rest func(*review.RequestItem) []any) (r review.Request, err error) {
	var steps sqldb.Encoded[[]review.Step]
	var approvals sqldb.Encoded[[]review.Approval]
	var contributors sqldb.Encoded[[]core.ActorRef]
	var release review.RequestRelease
	var now time.Time
	items := make([]review.RequestItem, 1)
	i := &items[0]
	err = rows.Scan(slices.Concat([]any{
		&release.ID, &release.Name, &release.ContentHash, &r.ProjectID, &r.ID, &r.TenantID, &r.ReleaseYear, &r.ReleaseCount, &r.Status, &r.Version,
		&steps, &r.AllowSelfApproval, &r.Current, (*sqldb.Instant)(&r.ScheduledAt), (*sqldb.Instant)(&r.UnpublishAt),
		&r.SubmittedBy.Kind, &r.SubmittedBy.ID, &r.SubmittedBy.Name, &r.SubmittedBy.MadeBy, (*sqldb.Instant)(&r.SubmittedAt), (*sqldb.Instant)(&r.PublishedAt), &approvals, &r.ChainHash,
		&r.RecordFormat, &contributors, (*sqldb.Instant)(&r.OpenSince), &r.OpenComments,
	}, memberInto(i), rest(i), []any{(*sqldb.Instant)(&now)})...)
	r.Steps, r.Approvals, r.Contributors = steps.V, approvals.V, contributors.V
	r.ReadOn(now)
	if r.Items = items; release.ID != 0 {
		r.Release, r.Items = &release, nil
	}
	return r, err
}

func memberInto(i *review.RequestItem) []any {
	return []any{
		&i.EntryID, &i.CollectionID, &i.Collection, &i.Locale, &i.Action, &i.ContentHash, &i.BaseNumber, &i.BaseHash, &i.Title, &i.TitleFieldID,
	}
}

// requests returns the requests that rows selects, in an order. rows selects all columns of
// approval_requests.
func (s requestStore) requests(ctx context.Context, rows, order string, args ...any) ([]review.Request, error) {
	return s.joined(ctx, scanRequest, s.withItems(requestColumns, "("+rows+") AS r", order), args...)
}

// shown is requests without Snapshot and Withheld.
func (s requestStore) shown(ctx context.Context, rows, order string, args ...any) ([]review.Request, error) {
	return s.joined(ctx, scanShown, s.withItems(shownColumns, "("+rows+") AS r", order), args...)
}

// withItems returns a SELECT of columns and the time, with a row for each item of the requests r of a FROM clause, and one without an item for
// that of a release. The rows of a request follow one another.
func (s requestStore) withItems(columns, from, order string) string {
	return "SELECT " + columns + ", " + s.DB.Dialect.Now() + " FROM " + from +
		s.DB.Dialect.ForEachOrNone("request_items", "i", "i.project_id = r.project_id AND i.request_id = r.id AND r.release_id IS NULL") +
		" ORDER BY " + order + ", i.entry_id"
}

// joined returns the requests of a result of withItems.
func (s requestStore) joined(ctx context.Context, scan func(sqldb.Rows) (review.Request, error), text string, args ...any) (requests []review.Request, err error) {
	rows, err := sqldb.Collect(ctx, s.Conn, scan, text, args...)
	for _, r := range rows {
		if last := len(requests) - 1; last >= 0 && requests[last].ID == r.ID {
			requests[last].Items = append(requests[last].Items, r.Items...)
		} else {
			requests = append(requests, r)
		}
	}
	return requests, err
}

// allOf selects the requests of the Project @project that meet the condition that follows.
const allOf = "SELECT r.* FROM approval_requests r WHERE r.project_id = @project AND "

func (s requestStore) Request(ctx context.Context, projectID, id int64) (review.Request, error) {
	found, err := s.requests(ctx, allOf+"r.id = ?", "r.id", projectID, id)
	if err == nil && len(found) == 0 {
		err = core.NotFound("request")
	}
	if err != nil {
		return review.Request{}, err
	}
	return found[0], nil
}

func (s requestStore) EntryRequests(ctx context.Context, projectID, entryID int64, limit int) ([]review.Request, error) {
	return s.requests(ctx, "SELECT r.*"+fromItems+"o.entry_id = ? ORDER BY o.request_id DESC LIMIT ?", "r.id DESC", projectID, entryID, limit)
}

func (s requestStore) ReleaseRequests(ctx context.Context, projectID, releaseID, offset int64, limit int) ([]review.Request, error) {
	return s.requests(ctx, allOf+"r.release_id = ? ORDER BY r.id DESC LIMIT ? OFFSET ?", "r.id DESC", projectID, releaseID, limit, offset)
}

func (s requestStore) Items(ctx context.Context, projectID, requestID int64, entryIDs ...int64) ([]review.RequestItem, error) {
	some, args := "", []any{projectID, requestID}
	if len(entryIDs) > 0 {
		some, args = " AND i.entry_id ?", append(args, sqldb.AmongIDs(entryIDs))
	}
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(i *review.RequestItem) []any {
		return append(memberInto(i), &i.Snapshot, (*[]byte)(&i.Withheld))
	}), "SELECT "+memberColumns+", i.snapshot, i.withheld"+itemsOf+some+" ORDER BY i.entry_id", args...)
}

func (s requestStore) Members(ctx context.Context, projectID, requestID int64) ([]review.RequestItem, error) {
	return sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (i review.RequestItem, err error) {
		var changed sqldb.Encoded[[]string]
		err = rows.Scan(append(memberInto(&i), &changed)...)
		i.Changed = changed.V
		return i, err
	}, "SELECT "+memberColumns+", coalesce(i.changed, 'null')"+itemsOf+" ORDER BY i.entry_id", projectID, requestID)
}

// itemsOf is the part of a SELECT from FROM on, of the items i of a request.
const itemsOf = " FROM request_items i WHERE i.project_id = @project AND i.request_id = ?"

func (s requestStore) Version(ctx context.Context, projectID, id int64) (int64, error) {
	return sqldb.Single(ctx, s.Conn, "request", sqldb.ScanValue[int64], "SELECT version FROM approval_requests WHERE project_id = @project AND id = ?", projectID, id)
}

func (s requestStore) OpenOf(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]review.OpenRequest, error) {
	if len(entryIDs) == 0 {
		return nil, nil
	}
	open := make(map[int64]review.OpenRequest, len(entryIDs))
	_, err := sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (entryID int64, err error) {
		var r review.Request
		var release review.RequestRelease
		err = rows.Scan(&entryID, &r.ID, &r.Status, &r.ReleaseYear, &r.ReleaseCount, &release.ID, &release.Name, &release.ContentHash)
		found := review.OpenRequest{ApprovalSummary: r.Summary()}
		if release.ID != 0 {
			found.Release = &release
		}
		open[entryID] = found
		return entryID, err
	}, "SELECT o.entry_id, r.id, r.status, r.release_year, coalesce(r.release_count, 0), coalesce(r.release_id, 0), coalesce(r.release_name, ''), coalesce(r.release_hash, '')"+
		" FROM request_items o JOIN approval_requests r ON r.project_id = o.project_id AND r.id = o.request_id"+
		" WHERE o.project_id = @project AND o.status IN ('pending', 'approved') AND o.entry_id ?", projectID, sqldb.AmongIDs(entryIDs))
	return open, err
}

func (s requestStore) ByIDs(ctx context.Context, projectID int64, ids []int64) ([]review.Request, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.requests(ctx, allOf+"r.id ?", "r.id", projectID, sqldb.AmongIDs(ids))
}

func (s requestStore) History(ctx context.Context, q review.HistoryQuery) ([]review.Request, error) {
	from, args := s.history(q)
	return s.requests(ctx, "SELECT r.*"+from+" ORDER BY o.request_id DESC LIMIT ? OFFSET ?", "r.id DESC",
		append(args, q.Limit+1, q.Offset)...)
}

func (s requestStore) HistoryCount(ctx context.Context, q review.HistoryQuery) (int64, error) {
	from, args := s.history(q)
	return sqldb.Value[int64](ctx, s.Conn, "SELECT count(*)"+from, args...)
}

// history returns the part of a SELECT from FROM on, of the requests r, and all arguments.
func (s requestStore) history(q review.HistoryQuery) (from string, args []any) {
	from, args = fromItems+"o.collection_id = ? AND o.entry_id = ?", []any{q.ProjectID, q.CollectionID, q.EntryID}
	if q.CustomRoles == nil {
		return from, args
	}
	named := []string{"1 = 0"}
	for _, role := range q.CustomRoles {
		args = append(args, idList([]int64{role}))
		named = append(named, s.DB.Dialect.Contains("r.step_roles", "?"))
	}
	return from + " AND (" + strings.Join(named, " OR ") + ")", args
}

func (s requestStore) Open(ctx context.Context, projectID, collectionID, after int64, limit int) ([]review.Request, error) {
	open, args := "SELECT DISTINCT o.request_id FROM request_items o WHERE o.project_id = @project AND o.request_id > ? AND o.status IN ('pending', 'approved')",
		[]any{projectID, after}
	if collectionID != 0 {
		open, args = open+" AND o.collection_id = ?", append(args, collectionID)
	}
	return s.requests(ctx, allOf+"r.id IN ("+open+" ORDER BY o.request_id LIMIT ?)", "r.id", append(args, limit)...)
}

func (s requestStore) OpenUsingRole(ctx context.Context, customRoleID int64, limit int) ([]review.Request, error) {
	return s.shown(ctx, "SELECT r.* FROM approval_requests r WHERE r.status IN ('pending', 'approved') AND "+ofLiveProject("r")+
		" AND "+s.DB.Dialect.Contains("r.step_roles", "?")+" ORDER BY r.id LIMIT ?", "r.id", idList([]int64{customRoleID}), limit)
}

func (s requestStore) Pending(ctx context.Context, projectIDs []int64, limit int) ([]review.Request, error) {
	if len(projectIDs) == 0 {
		return nil, nil
	}
	return s.shown(ctx, "SELECT r.* FROM approval_requests r WHERE r.status = 'pending' AND r.project_id ?"+
		" ORDER BY r.submitted_at, r.id LIMIT ?", "r.submitted_at, r.id", sqldb.AmongIDs(projectIDs), limit)
}

func (s requestStore) Walk(ctx context.Context, projectID, after int64, limit int) ([]review.Request, error) {
	return s.requests(ctx, allOf+"r.id > ? ORDER BY r.id LIMIT ?", "r.id", projectID, after, limit)
}

// Summaries reads only the latest request of each entry: an open request is always the latest.
func (s requestStore) Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]review.ApprovalSummary, error) {
	if len(entryIDs) == 0 {
		return nil, nil
	}
	type latest struct {
		entryID int64
		request review.Request
	}
	found, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(l *latest) []any {
		return []any{&l.entryID, &l.request.ID, &l.request.Status, &l.request.ReleaseYear, &l.request.ReleaseCount}
	}), "SELECT latest.entry_id, r.id, r.status, r.release_year, r.release_count FROM"+
		" (SELECT entry_id, max(request_id) AS id FROM request_items WHERE project_id = @project AND collection IS NULL AND entry_id ? GROUP BY entry_id) AS latest"+
		" JOIN approval_requests r ON r.project_id = @project AND r.id = latest.id", projectID, sqldb.AmongIDs(entryIDs))
	summaries := make(map[int64]review.ApprovalSummary, len(found))
	for _, l := range found {
		summaries[l.entryID] = l.request.Summary()
	}
	return summaries, err
}

var requestActions = sqldb.NewTableOf("approval_actions", "request", func(a *review.Action) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint", Of: &a.ProjectID},
		{Name: "request_id", Kind: "bigint", Of: &a.RequestID},
		{Name: "id", Kind: "bigint", Of: &a.ID},
		{Name: "type", Kind: "text", Of: &a.Type},
		{Name: "step_order", Kind: "integer", Of: &a.StepOrder},
		{Name: "actor_kind", Kind: "text", Of: &a.Actor.Kind},
		{Name: "actor_id", Kind: "bigint", Of: &a.Actor.ID},
		{Name: "actor_name", Kind: "text", Of: &a.Actor.Name},
		{Name: "actor_maker", Kind: "bigint", Of: &a.Actor.MadeBy},
		{Name: "comment", Kind: "text", Of: &a.Comment},
		{Name: "content_hash", Kind: "text", Of: &a.ContentHash},
		{Name: "draft_hash", Kind: "text", Of: &a.DraftHash},
		{Name: "outcome", Kind: "text", Of: sqldb.InJSON(&a.Outcome)},
		{Name: "scheduled_at", Kind: "bigint", Of: (*sqldb.Instant)(&a.ScheduledAt)},
		{Name: "unpublish_at", Kind: "bigint", Of: (*sqldb.Instant)(&a.UnpublishAt)},
		{Name: "behalf_id", Kind: "bigint", Of: &a.OnBehalfOf.ID},
		{Name: "behalf_name", Kind: "text", Of: &a.OnBehalfOf.Name},
		{Name: "escalated", Kind: "boolean", Of: &a.Escalated},
		{Name: "signature", Kind: "text", Of: sqldb.NullJSON(&a.Signature)},
		{Name: "verified", Kind: "text", Of: &a.Verified},
		{Name: "comments_hash", Kind: "text", Of: &a.CommentsHash},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&a.CreatedAt)},
		{Name: "previous_hash", Kind: "text", Of: &a.PreviousHash},
		{Name: "hash", Kind: "text", Of: &a.Hash},
	}
})

func (s requestStore) Actions(ctx context.Context, projectID int64, requestIDs ...int64) ([]review.Action, error) {
	if len(requestIDs) == 0 {
		return nil, nil
	}
	actions, err := requestActions.All(ctx, s.Conn, " WHERE project_id = @project AND request_id ? ORDER BY id", projectID, sqldb.AmongIDs(requestIDs))
	for i := range actions {
		if a := &actions[i]; a.OnBehalfOf.ID != 0 {
			a.OnBehalfOf.Kind = "user"
		}
	}
	return actions, err
}

func (s requestStore) Insert(ctx context.Context, r *review.Request) error {
	return entryStore(s).change(ctx, func(ctx context.Context, inside entryStore) error {
		return s.Written(requestStore(inside).insert(ctx, r), "request")
	})
}

// insert allocates the release number after the insert has succeeded, so that a number is
// either used or rolled back with the transaction.
func (s requestStore) insert(ctx context.Context, r *review.Request) error {
	tier, role, more := waitsFor(r)
	lentTier, lentRoles := lentFor(r)
	late := r.ScheduledAt
	if !late.After(r.SubmittedAt) { // it was past already
		late = time.Time{}
	}
	text, args := sqldb.Assign(
		"project_id", r.ProjectID, "tenant_id", r.TenantID, "release_year", r.ReleaseYear, "status", string(r.Status), "version", r.Version,
		"steps", sqldb.Encode(r.Steps), "allow_self_approval", r.AllowSelfApproval, "current_step", r.Current,
		"scheduled_at", sqldb.Instant(r.ScheduledAt), "unpublish_at", sqldb.Instant(r.UnpublishAt),
		"submitter_kind", r.SubmittedBy.Kind, "submitter_id", r.SubmittedBy.ID, "submitter_name", r.SubmittedBy.Name, "submitter_maker", r.SubmittedBy.MadeBy,
		"submitted_at", sqldb.Instant(r.SubmittedAt), "published_at", sqldb.Instant(r.PublishedAt), "approvals", sqldb.Encode(r.Approvals), "chain_hash", "",
		"step_tier", tier, "step_role", role, "step_more", more, "barred", barred(r), "step_roles", stepRoles(r), "record_format", r.RecordFormat,
		"contributors", sqldb.Encode(r.Contributors), "release_id", releaseOf(r).ID, "release_name", releaseOf(r).Name,
		"lent_tier", lentTier, "lent_roles", lentRoles, "open_since", sqldb.Instant(r.OpenSince), "due_at", sqldb.Instant(r.Deadline()),
		"escalate_at", sqldb.Instant(r.Escalation()), "late_at", sqldb.Instant(late),
	).Insert("approval_requests")
	if err := s.ScanOne(ctx, &r.ID, text+" RETURNING id", args...); err != nil {
		return err
	}
	if err := s.insertItems(ctx, r); err != nil {
		return err
	}
	return s.ScanOne(ctx, &r.ReleaseCount, nextRelease, r.TenantID, r.ReleaseYear)
}

func (s requestStore) Seal(ctx context.Context, r *review.Request, action *review.Action) error {
	return entryStore(s).change(ctx, func(ctx context.Context, inside entryStore) error {
		return s.Written(requestStore(inside).seal(ctx, r, action), "request")
	})
}

func (s requestStore) seal(ctx context.Context, r *review.Request, action *review.Action) error {
	action.RequestID = r.ID
	if _, err := s.Exec(ctx, "UPDATE approval_requests SET release_count = ?, chain_hash = ?, release_hash = ? WHERE project_id = @project AND id = ?",
		r.ReleaseCount, r.ChainHash, releaseOf(r).ContentHash, r.ProjectID, r.ID); err != nil {
		return err
	}
	if err := s.wait(ctx, r, r.SubmittedAt); err != nil {
		return err
	}
	s.Conn.Record(review.RequestEvents(r, action)...)
	return s.record(ctx, action)
}

// releaseOf returns the release of r as columns.
func releaseOf(r *review.Request) (release struct{ ID, Name, ContentHash any }) {
	if r.Release != nil {
		release.ID, release.Name, release.ContentHash = r.Release.ID, r.Release.Name, r.Release.ContentHash
	}
	return release
}

// insertItems adds the items of r and sets their base. If one of their entries has an open request,
// it removes r and returns core.ErrConflict.
func (s requestStore) insertItems(ctx context.Context, r *review.Request) error {
	var added []review.RequestItem
	for some := range slices.Chunk(r.Items, itemsAtOnce) {
		rows := sqldb.Mapped(some, func(i review.RequestItem) []any { return itemRow(r, i) })
		found, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(i *review.RequestItem) []any { return []any{&i.EntryID, &i.BaseNumber, &i.BaseHash} }),
			insertItems(), r.ProjectID, sqldb.RowList{Types: itemTable.Types, Rows: rows})
		if err != nil {
			return err
		}
		added = append(added, found...)
	}
	if len(added) < len(r.Items) {
		if _, err := s.Exec(ctx, "DELETE FROM approval_requests WHERE project_id = @project AND id = ?", r.ProjectID, r.ID); err != nil {
			return err
		}
		return core.Conflict("request_open", "the entry has an open request")
	}
	for _, a := range added {
		item := r.ItemOf(a.EntryID)
		item.BaseNumber, item.BaseHash = a.BaseNumber, a.BaseHash
	}
	return nil
}

// itemsAtOnce bounds the items that one statement adds.
const itemsAtOnce = 500

func itemRow(r *review.Request, i review.RequestItem) []any {
	text := func(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
	var changed any
	if i.Changed != nil {
		changed = sqldb.Encode(i.Changed)
	}
	return []any{
		r.ID, i.EntryID, i.CollectionID, text(i.Collection), i.Locale, string(i.Action), string(r.Status), text(i.ContentHash),
		text(i.Title), sql.NullInt64{Int64: int64(i.TitleFieldID), Valid: i.TitleFieldID != 0}, nullable(i.Snapshot), nullable(i.Withheld), changed,
	}
}

var itemTable = sqldb.NewTable("request_items", "request_id bigint", "entry_id bigint", "collection_id bigint", "collection text", "locale text", "action text",
	"status text", "content_hash text", "title text", "title_field integer", "snapshot text", "withheld text", "changed text")

// insertItems returns a statement that adds items with their base: what readers see of their entries now.
func insertItems() string {
	columns := strings.Join(itemTable.Columns, ", ")
	return "INSERT INTO request_items (project_id, " + columns + ", base_number, base_hash) SELECT @project, v.*, p.number, p.content_hash FROM (?) AS v" +
		" LEFT JOIN publications p ON p.project_id = @project AND p.entry_id = v.column2 AND p.unpublished_at IS NULL WHERE true" + // SQLite needs a WHERE before ON CONFLICT
		" ON CONFLICT (project_id, entry_id) WHERE status IN ('pending', 'approved') DO NOTHING" +
		" RETURNING entry_id, coalesce(base_number, 0), coalesce(base_hash, '')"
}

// wait records that r arrived at its open steps. It does nothing if r is not pending.
func (s requestStore) wait(ctx context.Context, r *review.Request, since time.Time) error {
	for _, id := range r.OpenSteps() {
		step := &r.Steps[id-1]
		tier, role := escalatesTo(step)
		text, args := sqldb.Assign(
			"project_id", r.ProjectID, "request_id", r.ID, "step_id", id, "step_order", step.Order, "label", step.Label,
			"since", sqldb.Instant(since), "remind_at", sqldb.Instant(step.RemindAt(since)), "escalate_at", sqldb.Instant(r.EscalatesAt(id)),
			"escalate_tier", tier, "escalate_role", role, "escalate_lent", step.Delegable, "escalate_told", false,
		).Insert("approval_waits")
		if _, err := s.Exec(ctx, text+" ON CONFLICT (project_id, request_id, step_id) DO UPDATE SET since = excluded.since, remind_at = excluded.remind_at, passed_at = NULL,"+
			" escalate_at = excluded.escalate_at, escalate_told = false", args...); err != nil {
			return err
		}
	}
	return nil
}

// moved updates approval_waits for action. r is in its new state. An approval ends the waits at the steps that are no
// longer open, and perhaps begins those at the next. The waits are deleted if r is no longer pending for another reason.
func (s requestStore) moved(ctx context.Context, r *review.Request, action *review.Action) error {
	const waiting = " WHERE project_id = @project AND request_id = ? AND passed_at IS NULL"
	switch {
	case action.Type == review.ActionApprove:
		passed, args := waiting, []any{sqldb.Instant(action.CreatedAt), r.ProjectID, r.ID}
		for _, id := range r.OpenSteps() {
			args = append(args, id)
			passed += " AND step_id <> ?"
		}
		if _, err := s.Exec(ctx, "UPDATE approval_waits SET passed_at = ?, remind_at = NULL"+passed, args...); err != nil || !r.Arrived() {
			return err
		}
		return s.wait(ctx, r, action.CreatedAt)
	case r.Status == review.RequestPending:
		return nil
	}
	_, err := s.Exec(ctx, "DELETE FROM approval_waits"+waiting, r.ProjectID, r.ID)
	return err
}

const nextRelease = "INSERT INTO approval_release_counters AS c (tenant_id, year, released) VALUES (?, ?, 1)" +
	" ON CONFLICT (tenant_id, year) DO UPDATE SET released = c.released + 1 RETURNING released"

func (s requestStore) Update(ctx context.Context, r *review.Request, actions []*review.Action) error {
	return entryStore(s).change(ctx, func(ctx context.Context, inside entryStore) error {
		return s.Written(requestStore(inside).update(ctx, r, actions), "request")
	})
}

func (s requestStore) update(ctx context.Context, r *review.Request, actions []*review.Action) error {
	tier, role, more := waitsFor(r)
	lentTier, lentRoles := lentFor(r)
	columns := sqldb.Assign(
		"version", r.Version, "status", string(r.Status), "current_step", r.Current, "scheduled_at", sqldb.Instant(r.ScheduledAt),
		"unpublish_at", sqldb.Instant(r.UnpublishAt), "published_at", sqldb.Instant(r.PublishedAt), "approvals", sqldb.Encode(r.Approvals), "chain_hash", r.ChainHash,
		"step_tier", tier, "step_role", role, "step_more", more, "barred", barred(r), "lent_tier", lentTier, "lent_roles", lentRoles,
		"open_since", sqldb.Instant(r.OpenSince), "due_at", sqldb.Instant(r.Deadline()), "escalate_at", sqldb.Instant(r.Escalation()),
	)
	if len(actions) > 0 && actions[0].Type == review.ActionReschedule && r.Status == review.RequestPending {
		columns = append(columns, sqldb.Assign("late_at", sqldb.Instant(r.ScheduledAt))...)
	}
	text, args := columns.Update("approval_requests")
	moved, err := s.Exec(ctx, text+" WHERE project_id = ? AND id = ? AND version = ?", append(args, r.ProjectID, r.ID, r.Version-1)...)
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
	s.Conn.Record(review.RequestEvents(r, actions...)...)
	return nil
}

func (s requestStore) record(ctx context.Context, a *review.Action) error {
	text, args := requestActions.Insert(a)
	return s.ScanOne(ctx, &a.ID, text+" RETURNING id", args...)
}

// tiers numbers the roles that a step can require. A role may also act on steps of lower tiers.
var tiers = map[core.Role]int64{core.RoleAdmin: 1, core.RoleDepartmentAdmin: 2, core.RoleTenantAdmin: 3}

// waitsFor returns what r's open steps require: the least tier, a custom role, and the list of the other custom roles.
// It returns none of them if r is not pending.
func waitsFor(r *review.Request) (tier, role sql.NullInt64, more sql.NullString) {
	var others []int64
	for _, id := range r.OpenSteps() {
		switch step := &r.Steps[id-1]; {
		case step.CustomRoleID == 0 && (!tier.Valid || tiers[step.RoleKind] < tier.Int64):
			tier = sql.NullInt64{Int64: tiers[step.RoleKind], Valid: true}
		case step.CustomRoleID != 0 && !role.Valid:
			role = sql.NullInt64{Int64: step.CustomRoleID, Valid: true}
		case step.CustomRoleID != 0:
			others = append(others, step.CustomRoleID)
		}
	}
	return tier, role, sql.NullString{String: idList(others), Valid: len(others) > 0}
}

// escalatesTo returns what the Escalation of a step requires: a tier or a custom role.
func escalatesTo(step *review.Step) (tier, role sql.NullInt64) {
	switch to := step.Escalate; {
	case to == nil:
	case to.CustomRoleID != 0:
		role = sql.NullInt64{Int64: to.CustomRoleID, Valid: true}
	default:
		tier = sql.NullInt64{Int64: tiers[to.RoleKind], Valid: true}
	}
	return tier, role
}

// lentFor returns what r's open steps with Delegable require: the least tier, and the list of the custom roles.
func lentFor(r *review.Request) (tier sql.NullInt64, roles sql.NullString) {
	var ids []int64
	for _, id := range r.OpenSteps() {
		switch step := &r.Steps[id-1]; {
		case !step.Delegable:
		case step.CustomRoleID != 0:
			ids = append(ids, step.CustomRoleID)
		case !tier.Valid || tiers[step.RoleKind] < tier.Int64:
			tier = sql.NullInt64{Int64: tiers[step.RoleKind], Valid: true}
		}
	}
	return tier, sql.NullString{String: idList(ids), Valid: len(ids) > 0}
}

// maxBarred keeps the column barred within the 2,704 bytes of an index row of Postgres. An inbox
// also lists the requests from which users beyond this number are barred.
const maxBarred = 200

// barred returns the list of users that may not act on r's open steps.
func barred(r *review.Request) string {
	if r.Status != review.RequestPending {
		return ""
	}
	ids := r.Barred()
	return idList(ids[:min(len(ids), maxBarred)])
}

// stepRoles returns the list of custom roles that r's steps require.
func stepRoles(r *review.Request) string {
	var roles []int64
	for _, step := range r.Steps {
		if step.CustomRoleID != 0 {
			roles = append(roles, step.CustomRoleID)
		}
		if step.Escalate != nil && step.Escalate.CustomRoleID != 0 {
			roles = append(roles, step.Escalate.CustomRoleID)
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
		list.WriteString("," + sqldb.Number(id))
	}
	return list.String() + ","
}
