package sqlstore

import (
	"context"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// noticeStore implements ports.NoticeStore.
type noticeStore struct{ sqldb.Conn }

var notices = sqldb.NewTableOf("notices", "notice", func(n *notice.Notice) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &n.ID},
		{Name: "user_id", Kind: "bigint", Of: &n.UserID},
		{Name: "key", Kind: "text", Of: &n.Key},
		{Name: "kind", Kind: "text", Of: &n.Kind},
		{Name: "event", Kind: "text", Of: &n.Event},
		{Name: "reminder", Kind: "boolean", Of: &n.Reminder},
		{Name: "project_id", Kind: "bigint", Of: sqldb.NullIfZero(&n.ProjectID)},
		{Name: "for_admins", Kind: "boolean", Of: &n.ForAdmins},
		{Name: "approval_id", Kind: "bigint", Of: &n.ApprovalID},
		{Name: "action_id", Kind: "bigint", Of: &n.ActionID},
		{Name: "collection_id", Kind: "bigint", Of: &n.CollectionID},
		{Name: "entry_id", Kind: "bigint", Of: &n.EntryID},
		{Name: "release_id", Kind: "bigint", Of: &n.ReleaseID},
		{Name: "title", Kind: "text", Of: &n.Title},
		{Name: "release_number", Kind: "text", Of: &n.ReleaseNumber},
		{Name: "actor_kind", Kind: "text", Of: &n.Actor.Kind},
		{Name: "actor_id", Kind: "bigint", Of: &n.Actor.ID},
		{Name: "actor_name", Kind: "text", Of: &n.Actor.Name},
		{Name: "comment", Kind: "text", Of: &n.Comment},
		{Name: "role", Kind: "text", Of: &n.Role},
		{Name: "place", Kind: "text", Of: &n.Place},
		{Name: "at", Kind: "bigint", Of: (*sqldb.Instant)(&n.At)},
		{Name: "read_at", Kind: "bigint", Of: (*sqldb.Instant)(&n.ReadAt)},
	}
})

// The columns of new notices, and those of the notices n of a SELECT.
var (
	newNotices    = notices.Without("id", "at", "read_at")
	noticeColumns = notices.Listed("n.")
)

func (s noticeStore) Insert(ctx context.Context, added ...*notice.Notice) error {
	if len(added) == 0 {
		return nil
	}
	stored, err := sqldb.Returned(ctx, s.Conn, notices.Thing, sqldb.Into(func(n *notice.Notice) []any { return []any{&n.ID, &n.UserID, &n.Key, (*sqldb.Instant)(&n.At)} }),
		"INSERT INTO notices ("+strings.Join(newNotices.Columns, ", ")+", at) SELECT v.*, "+s.DB.Dialect.Now()+" FROM (?) AS v"+
			" WHERE true ON CONFLICT (user_id, key) DO NOTHING RETURNING id, user_id, key, at", // SQLite needs a WHERE before ON CONFLICT
		sqldb.RowList{Types: newNotices.Types, Rows: notices.Values(added, newNotices.Columns)})
	for _, r := range stored {
		for _, n := range added {
			if n.UserID == r.UserID && n.Key == r.Key {
				n.ID, n.At = r.ID, r.At
			}
		}
	}
	return err
}

// seenNotices returns the part of a SELECT from FROM on, of the notices n that q selects.
func (s noticeStore) seenNotices(q ports.NoticeQuery) (reach *inbox, from string) {
	reach = newInbox(s.DB.Dialect, q.Reach, 0, true)
	from = " FROM notices n LEFT JOIN reach ON reach.project_id = n.project_id WHERE n.user_id = " + reach.arg(q.Reach.UserID) +
		" AND (n.project_id IS NULL OR reach.tier >= CASE WHEN n.for_admins THEN 1 ELSE " + sqldb.Number(tierMember) + " END" +
		" OR (NOT n.for_admins AND EXISTS (SELECT 1 FROM approval_requests r WHERE r.project_id = n.project_id AND r.id = n.approval_id AND " + reach.visible("r") + ")))"
	if q.Unread {
		from += " AND n.read_at IS NULL"
	}
	return reach, from
}

func (s noticeStore) Notice(ctx context.Context, id int64) (notice.Notice, error) {
	return notices.One(ctx, s.Conn, " WHERE id = ?", id)
}

func (s noticeStore) Notices(ctx context.Context, q ports.NoticeQuery) ([]notice.Notice, error) {
	reach, from := s.seenNotices(q)
	text := reach.with + "SELECT " + noticeColumns + from + " ORDER BY n.id DESC LIMIT " + reach.arg(q.Limit) + " OFFSET " + reach.arg(q.Offset)
	return sqldb.Collect(ctx, s.Conn, notices.Scan, text, reach.args...)
}

func (s noticeStore) Count(ctx context.Context, q ports.NoticeQuery) (int64, error) {
	reach, from := s.seenNotices(q)
	return sqldb.Value[int64](ctx, s.Conn, reach.with+"SELECT count(*)"+from, reach.args...)
}

func (s noticeStore) Blank(ctx context.Context, projectID int64, since time.Time, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	_, err := s.Do(ctx, notices.Thing, "UPDATE notices SET comment = '' WHERE project_id = @project AND at >= ? AND key ?", projectID, sqldb.Instant(since), sqldb.AmongTexts(keys))
	return err
}

func (s noticeStore) MarkRead(ctx context.Context, userID int64, ids []int64, before time.Time) error {
	var marked []string
	args := []any{userID}
	if len(ids) > 0 {
		marked, args = append(marked, "id ?"), append(args, sqldb.AmongIDs(ids))
	}
	if !before.IsZero() {
		marked, args = append(marked, "at <= ?"), append(args, sqldb.Instant(before))
	}
	if len(marked) == 0 {
		return nil
	}
	_, err := s.Do(ctx, notices.Thing, "UPDATE notices SET read_at = "+s.DB.Dialect.Now()+
		" WHERE user_id = ? AND read_at IS NULL AND ("+strings.Join(marked, " OR ")+")", args...)
	return err
}
