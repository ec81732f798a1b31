package sqlstore

import (
	"context"
	"strings"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/words"
)

// releaseStore implements ports.ReleaseStore.
type releaseStore struct{ sqldb.Conn }

var releases = sqldb.NewTableOf("releases", "release", func(r *release.Release) []sqldb.Column {
	return []sqldb.Column{
		{Name: "project_id", Kind: "bigint", Of: &r.ProjectID},
		{Name: "id", Kind: "bigint", Of: &r.ID},
		{Name: "name", Kind: "text", Of: &r.Name},
		{Name: "description", Kind: "text", Of: &r.Description},
		{Name: "search", Kind: "text", Of: sqldb.Derived(func() any { return words.Fold(r.Name) + unitSeparator + words.Fold(r.Description) })},
		{Name: "state", Kind: "text", Of: &r.State},
		{Name: "publish_at", Kind: "bigint", Of: (*sqldb.Instant)(&r.PublishAt)},
		{Name: "version", Kind: "bigint", Of: &r.Version},
		{Name: "created_by", Kind: "text", Of: sqldb.InJSON(&r.CreatedBy)},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&r.CreatedAt)},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&r.UpdatedAt)},
		{Name: "contributors", Kind: "text", Of: sqldb.InJSON(&r.Contributors)},
		{Name: "request_id", Kind: "bigint", Of: sqldb.NullIfZero(&r.RequestID)},
		{Name: "rounds", Kind: "integer", Of: &r.Rounds},
		{Name: "fault", Kind: "text", Of: &r.Fault},
		{Name: "published_at", Kind: "bigint", Of: (*sqldb.Instant)(&r.PublishedAt)},
		{Name: "revert_of", Kind: "bigint", Of: sqldb.NullIfZero(&r.RevertOf)},
	}
})

// releaseColumns are the columns of a release r of the Project @project with its request a, in the order of scanRelease.
var releaseColumns = releases.Listed("r.") + "," +
	" (SELECT count(*) FROM release_members m WHERE m.project_id = @project AND m.release_id = r.id)," +
	" (SELECT count(*) FROM release_members m WHERE m.project_id = @project AND m.release_id = r.id AND m.action = 'unpublish')," +
	" coalesce((SELECT s.last_fault FROM schedules s WHERE s.project_id = @project AND s.entry_id = 0 AND s.release_id = r.id AND s.action = 'publish'), '')," +
	" coalesce((SELECT max(b.id) FROM releases b WHERE b.project_id = @project AND b.revert_of = r.id AND b.state = 'published'), 0)," +
	" coalesce(a.status, ''), coalesce(a.release_year, 0), coalesce(a.release_count, 0)"

const withRequest = " LEFT JOIN approval_requests a ON a.project_id = @project AND a.id = r.request_id"

func scanRelease(from sqldb.Rows) (r release.Release, err error) {
	var request review.Request
	err = releases.ScanInto(from, &r, &r.Counts.Members, &r.Counts.Unpublish, &r.Failing, &r.RevertedBy, &request.Status, &request.ReleaseYear, &request.ReleaseCount)
	r.Counts.Publish = r.Counts.Members - r.Counts.Unpublish
	if request.ID = r.RequestID; request.ReleaseCount != 0 {
		r.Latest = request.Summary()
	}
	return r, err
}

func (s releaseStore) Release(ctx context.Context, projectID, id int64) (release.Release, error) {
	return sqldb.Single(ctx, s.Conn, "release", scanRelease, "SELECT "+releaseColumns+" FROM releases r"+withRequest+" WHERE r.project_id = @project AND r.id = ?", projectID, id)
}

func (s releaseStore) Lock(ctx context.Context, projectID, id int64) (release.Release, error) {
	if err := s.LockBy(ctx, "SELECT 1 FROM releases WHERE project_id = @project AND id = ?"+s.ForUpdate(), projectID, id); err != nil {
		return release.Release{}, err
	}
	return s.Release(ctx, projectID, id)
}

func (s releaseStore) Releases(ctx context.Context, q release.Query) ([]release.Release, error) {
	from, args := s.matching(q)
	page := "SELECT r.*" + from + " ORDER BY r.id DESC LIMIT ? OFFSET ?"
	return sqldb.Collect(ctx, s.Conn, scanRelease, "SELECT "+releaseColumns+" FROM ("+page+") AS r"+withRequest+" ORDER BY r.id DESC", append(args, q.Limit+1, q.Offset)...)
}

func (s releaseStore) Count(ctx context.Context, q release.Query) (int64, error) {
	from, args := s.matching(q)
	return sqldb.Value[int64](ctx, s.Conn, "SELECT count(*)"+from, args...)
}

// matching returns the part of a SELECT from FROM on, of the releases r that q selects, and its arguments.
func (s releaseStore) matching(q release.Query) (from string, args []any) {
	from, args = " FROM releases r WHERE r.project_id = @project", []any{q.ProjectID}
	arg := func(value any) string {
		args = append(args, value)
		return "?"
	}
	if q.ID != 0 {
		from += " AND r.id = " + arg(q.ID)
	}
	if q.EntryID != 0 {
		from += " AND r.id IN (SELECT m.release_id FROM release_members m WHERE m.project_id = @project AND m.entry_id = " + arg(q.EntryID) + ")"
	}
	if len(q.States) > 0 {
		from += " AND r.state IN (" + strings.Join(sqldb.Mapped(q.States, func(state release.State) string { return arg(string(state)) }), ", ") + ")"
	}
	if q.Search != "" {
		from += " AND " + s.DB.Dialect.Contains("r.search", arg(words.Fold(q.Search)))
	}
	if q.CustomRoles != nil {
		named := []string{"1 = 0"}
		for _, role := range q.CustomRoles {
			named = append(named, s.DB.Dialect.Contains("a.step_roles", arg(idList([]int64{role}))))
		}
		from += " AND EXISTS (SELECT 1 FROM approval_requests a WHERE a.project_id = @project AND a.id = r.request_id AND (" + strings.Join(named, " OR ") + "))"
	}
	return from, args
}

func (s releaseStore) Insert(ctx context.Context, r *release.Release) error {
	return releases.Add(ctx, s.Conn, r, &r.ID, func() event.Event {
		return event.Event{Type: event.ReleaseCreated, ProjectID: r.ProjectID, ReleaseID: r.ID}
	})
}

const ofRelease = "project_id = ? AND id = ?"

func (s releaseStore) Update(ctx context.Context, r release.Release) error {
	text, args := releases.Set(&r, "name", "description", "search", "publish_at", "version", "updated_at", "contributors").Update(releases.Name)
	return s.Note(ctx, releases.Thing, release.OfRelease(event.ReleaseUpdated, &r), text+" WHERE "+ofRelease, append(args, r.ProjectID, r.ID)...)
}

func (s releaseStore) SetState(ctx context.Context, r release.Release) error {
	text, args := releases.Set(&r, "state", "request_id", "rounds", "fault", "publish_at", "published_at", "version", "updated_at", "contributors").Update(releases.Name)
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		err := c.Must(ctx, releases.Thing, text+" WHERE "+ofRelease, append(args, r.ProjectID, r.ID)...)
		if err == nil {
			c.Record(release.StateEvents(&r)...)
		}
		return err
	})
}

func (s releaseStore) Delete(ctx context.Context, projectID, id int64) error {
	return releases.Drop(ctx, s.Conn, event.Event{Type: event.ReleaseDeleted, ProjectID: projectID, ReleaseID: id}, ofRelease, projectID, id)
}

// memberTable has all columns of a member.
var memberTable = sqldb.NewTable("release_members", "project_id bigint", "release_id bigint", "entry_id bigint", "collection_id bigint", "collection text", "locale text",
	"action text", "from_number bigint")

func (s releaseStore) PutMembers(ctx context.Context, projectID, id int64, members []release.Member) error {
	rows := sqldb.Mapped(members, func(m release.Member) []any {
		return []any{projectID, id, m.EntryID, m.CollectionID, m.Collection, m.Locale, string(m.Action), orNull(m.From)}
	})
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		_, err := c.Run(ctx, sqldb.Added(memberTable, rows, " ON CONFLICT (project_id, release_id, entry_id) DO UPDATE SET"+
			" collection_id = excluded.collection_id, collection = excluded.collection, locale = excluded.locale, action = excluded.action, from_number = excluded.from_number,"+
			" content_hash = NULL, base_number = NULL, base_hash = NULL, title = NULL, title_field = NULL, changed = NULL, snapshot = NULL, withheld = NULL"))
		return c.Written(err, "release")
	})
}

var sealTable = sqldb.NewTable("release_members", "project_id bigint", "release_id bigint", "entry_id bigint", "collection_id bigint",
	"collection text", "locale text", "action text", "content_hash text", "base_number bigint", "base_hash text", "title text", "title_field integer", "changed text",
	"snapshot text", "withheld text")

func (s releaseStore) Seal(ctx context.Context, projectID, id int64, items []review.RequestItem, content bool) error {
	rows := sqldb.Mapped(items, func(i review.RequestItem) []any {
		var snapshot, withheld any
		if content {
			snapshot, withheld = nullable(i.Snapshot), nullable(i.Withheld)
		}
		changed, _ := core.EncodeJSON(append([]string{}, i.Changed...)) // texts can be encoded
		return []any{
			projectID, id, i.EntryID, i.CollectionID, "", i.Locale, string(i.Action), i.ContentHash, orNull(i.BaseNumber), orNull(i.BaseHash),
			orNull(i.Title), orNull(int64(i.TitleFieldID)), string(changed), snapshot, withheld,
		}
	})
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		_, err := c.Run(ctx, sqldb.Added(sealTable, rows, " ON CONFLICT (project_id, release_id, entry_id) DO UPDATE SET locale = excluded.locale, content_hash = excluded.content_hash,"+
			" base_number = excluded.base_number, base_hash = excluded.base_hash, title = excluded.title, title_field = excluded.title_field, changed = excluded.changed,"+
			" snapshot = excluded.snapshot, withheld = excluded.withheld"))
		return c.Written(err, "release")
	})
}

// sealedColumns are the columns of a member m as Seal has stored it, without its snapshot and what is withheld, which
// scanSealed scans after them.
const sealedColumns = "m.entry_id, m.collection_id, m.collection, m.locale, m.action, coalesce(m.content_hash, '')," +
	" coalesce(m.base_number, 0), coalesce(m.base_hash, ''), coalesce(m.title, ''), coalesce(m.title_field, 0), coalesce(m.changed, '[]')"

func scanSealed(rows sqldb.Rows) (i review.RequestItem, err error) {
	var changed sqldb.Encoded[[]string]
	err = rows.Scan(&i.EntryID, &i.CollectionID, &i.Collection, &i.Locale, &i.Action, &i.ContentHash, &i.BaseNumber, &i.BaseHash, &i.Title, &i.TitleFieldID,
		&changed, &i.Snapshot, (*[]byte)(&i.Withheld))
	i.Changed = changed.V
	return i, err
}

func (s releaseStore) Submitted(ctx context.Context, projectID, id, entryID int64) (review.RequestItem, error) {
	return sqldb.Single(ctx, s.Conn, "member", scanSealed, "SELECT "+sealedColumns+
		", coalesce(m.snapshot, i.snapshot), NULL FROM release_members m JOIN releases r ON r.project_id = @project AND r.id = m.release_id"+
		" LEFT JOIN request_items i ON i.project_id = @project AND i.request_id = r.request_id AND i.entry_id = m.entry_id"+
		" WHERE m.project_id = @project AND m.release_id = ? AND m.entry_id = ?", projectID, id, entryID)
}

// orNull returns value, or nil for the zero value.
func orNull[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}

func (s releaseStore) Items(ctx context.Context, projectID, id int64) ([]review.RequestItem, error) {
	return sqldb.Collect(ctx, s.Conn, scanSealed, "SELECT "+sealedColumns+", m.snapshot, m.withheld FROM release_members m"+
		" WHERE m.project_id = @project AND m.release_id = ? ORDER BY m.entry_id", projectID, id)
}

func (s releaseStore) RemoveMembers(ctx context.Context, projectID, id int64, entryIDs []int64) (removed int, err error) {
	if len(entryIDs) == 0 {
		return 0, nil
	}
	err = s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		n, err := c.Exec(ctx, "DELETE FROM release_members WHERE project_id = @project AND release_id = ? AND entry_id ?", projectID, id, sqldb.AmongIDs(entryIDs))
		removed = int(n)
		return c.DB.Fault(err, "release")
	})
	return removed, err
}

func (s releaseStore) RemoveCollection(ctx context.Context, projectID, collectionID int64) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		const holding = " IN (SELECT m.release_id FROM release_members m WHERE m.project_id = @project AND m.collection_id = ?)"
		if err := c.LockBy(ctx, "SELECT 1 FROM releases WHERE project_id = @project AND state = 'open' AND id"+holding+" ORDER BY id"+c.ForUpdate(), projectID,
			collectionID); err != nil {
			return err
		}
		changed, err := sqldb.Collect(ctx, c, sqldb.ScanValue[int64], "UPDATE releases SET version = version + 1, updated_at = "+c.DB.Dialect.Now()+
			" WHERE project_id = @project AND state = 'open' AND id"+holding+" RETURNING id", projectID, collectionID)
		if err != nil || len(changed) == 0 {
			return err
		}
		for _, id := range changed {
			c.Record(event.Event{Type: event.ReleaseUpdated, ProjectID: projectID, ReleaseID: id})
		}
		_, err = c.Exec(ctx, "DELETE FROM release_members WHERE project_id = @project AND collection_id = ? AND release_id ?", projectID, collectionID, sqldb.AmongIDs(changed))
		return c.DB.Fault(err, "release")
	})
}

func (s releaseStore) Members(ctx context.Context, projectID, id int64, present bool, entryIDs ...int64) ([]release.Member, error) {
	join, text := "", "SELECT m.entry_id, m.collection_id, m.collection, m.action, coalesce(m.from_number, 0), coalesce(m.title, ''),"+
		" coalesce(m.title_field, 0), coalesce(m.content_hash, ''), coalesce(m.changed, '[]'),"
	if present {
		text += " coalesce(e.locale, m.locale), e.id IS NULL OR e.trashed_at IS NOT NULL, coalesce(p.number, 0), coalesce(p.content_hash, '')"
		join = " LEFT JOIN entries e ON e.project_id = @project AND e.id = m.entry_id" +
			" LEFT JOIN publications p ON p.project_id = @project AND p.entry_id = m.entry_id AND p.unpublished_at IS NULL"
	} else {
		text += " m.locale, FALSE, coalesce(m.base_number, 0), coalesce(m.base_hash, '')"
	}
	text += " FROM release_members m" + join + " WHERE m.project_id = @project AND m.release_id = ?"
	args := []any{projectID, id}
	if len(entryIDs) > 0 {
		args = append(args, sqldb.AmongIDs(entryIDs))
		text += " AND m.entry_id ?"
	}
	return sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (m release.Member, err error) {
		var changed sqldb.Encoded[[]string]
		err = rows.Scan(&m.EntryID, &m.CollectionID, &m.Collection, &m.Action, &m.From, &m.Title, &m.TitleFieldID, &m.ContentHash, &changed,
			&m.Locale, &m.Gone, &m.BaseNumber, &m.BaseHash)
		m.Changed = changed.V
		return m, err
	}, text+" ORDER BY m.entry_id", args...)
}

// Summaries orders the releases of an entry by a number that has their rank in front of their id.
func (s releaseStore) Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]release.Summary, error) {
	if len(entryIDs) == 0 {
		return nil, nil
	}
	type shown struct {
		entryID int64
		release release.Summary
		request review.Request
	}
	const rank = " + CASE WHEN r.state IN ('pending', 'approved') THEN 2 WHEN r.state = 'open' THEN 1 ELSE 0 END * 1000000000000000"
	found, err := sqldb.Collect(ctx, s.Conn, sqldb.Into(func(f *shown) []any {
		return []any{&f.entryID, &f.release.ID, &f.release.Name, &f.release.State, &f.request.ReleaseYear, &f.request.ReleaseCount}
	}), "SELECT best.entry_id, r.id, r.name, r.state, coalesce(a.release_year, 0), coalesce(a.release_count, 0) FROM"+
		" (SELECT m.entry_id, max(r.id"+rank+") % 1000000000000000 AS id FROM release_members m JOIN releases r ON r.project_id = @project AND r.id = m.release_id"+
		" WHERE m.project_id = @project AND m.entry_id ? AND r.state <> 'closed' GROUP BY m.entry_id) AS best"+
		" JOIN releases r ON r.project_id = @project AND r.id = best.id"+
		" LEFT JOIN approval_requests a ON a.project_id = @project AND a.id = r.request_id", projectID, sqldb.AmongIDs(entryIDs))
	summaries := make(map[int64]release.Summary, len(found))
	for _, f := range found {
		if f.request.ReleaseCount != 0 {
			f.release.ReleaseNumber = f.request.ReleaseNumber()
		}
		summaries[f.entryID] = f.release
	}
	return summaries, err
}

var markTable = sqldb.NewTable("release_marks", "project_id bigint", "release_id bigint", "user_id bigint", "entry_id bigint", "content_hash text")

func (s releaseStore) Mark(ctx context.Context, projectID, id, userID int64, marks []release.Mark) error {
	rows := sqldb.Mapped(marks, func(m release.Mark) []any { return []any{projectID, id, userID, m.EntryID, m.ContentHash} })
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		_, err := c.Run(ctx, sqldb.Added(markTable, rows, " ON CONFLICT (project_id, release_id, user_id, entry_id) DO UPDATE SET content_hash = excluded.content_hash"))
		return c.Written(err, "release")
	})
}

func (s releaseStore) Marks(ctx context.Context, projectID, id, userID int64) ([]release.Mark, error) {
	return sqldb.Collect(ctx, s.Conn, sqldb.Into(func(m *release.Mark) []any { return []any{&m.EntryID, &m.ContentHash} }),
		"SELECT entry_id, content_hash FROM release_marks WHERE project_id = @project AND release_id = ? AND user_id = ? ORDER BY entry_id", projectID, id, userID)
}
