package sqlstore

import (
	"context"
	"strings"
	"time"

	"imprimatur/core/notice"
	"imprimatur/ports"
)

// noticeStore implements ports.NoticeStore.
type noticeStore struct{ conn }

var notices = rowsOf("notices", "notice", func(n *notice.Notice) []member {
	return []member{
		{name: "id", kind: "bigint", of: &n.ID},
		{name: "user_id", kind: "bigint", of: &n.UserID},
		{name: "key", kind: "text", of: &n.Key},
		{name: "kind", kind: "text", of: &n.Kind},
		{name: "event", kind: "text", of: &n.Event},
		{name: "reminder", kind: "boolean", of: &n.Reminder},
		{name: "project_id", kind: "bigint", of: nullIfZero[int64]{&n.ProjectID}},
		{name: "for_admins", kind: "boolean", of: &n.ForAdmins},
		{name: "approval_id", kind: "bigint", of: &n.ApprovalID},
		{name: "action_id", kind: "bigint", of: &n.ActionID},
		{name: "collection_id", kind: "bigint", of: &n.CollectionID},
		{name: "entry_id", kind: "bigint", of: &n.EntryID},
		{name: "release_id", kind: "bigint", of: &n.ReleaseID},
		{name: "title", kind: "text", of: &n.Title},
		{name: "release_number", kind: "text", of: &n.ReleaseNumber},
		{name: "actor_kind", kind: "text", of: &n.Actor.Kind},
		{name: "actor_id", kind: "bigint", of: &n.Actor.ID},
		{name: "actor_name", kind: "text", of: &n.Actor.Name},
		{name: "comment", kind: "text", of: &n.Comment},
		{name: "role", kind: "text", of: &n.Role},
		{name: "place", kind: "text", of: &n.Place},
		{name: "at", kind: "bigint", of: (*instant)(&n.At)},
		{name: "read_at", kind: "bigint", of: (*instant)(&n.ReadAt)},
	}
})

// The columns of new notices, and those of the notices n of a SELECT.
var (
	newNotices    = notices.without("id", "at", "read_at")
	noticeColumns = notices.columns("n.")
)

func (s noticeStore) Insert(ctx context.Context, added ...*notice.Notice) error {
	if len(added) == 0 {
		return nil
	}
	stored, err := returned(ctx, s.conn, notices.thing, into(func(n *notice.Notice) []any { return []any{&n.ID, &n.UserID, &n.Key, (*instant)(&n.At)} }),
		"INSERT INTO notices ("+strings.Join(newNotices.Columns, ", ")+", at) SELECT v.*, "+s.db.dialect.Now()+" FROM (?) AS v"+
			" WHERE true ON CONFLICT (user_id, key) DO NOTHING RETURNING id, user_id, key, at", // SQLite needs a WHERE before ON CONFLICT
		rowList{newNotices.Types, notices.values(added, newNotices.Columns)})
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
	reach = newInbox(s.db.dialect, q.Reach, 0, true)
	from = " FROM notices n LEFT JOIN reach ON reach.project_id = n.project_id WHERE n.user_id = " + reach.arg(q.Reach.UserID) +
		" AND (n.project_id IS NULL OR reach.tier >= CASE WHEN n.for_admins THEN 1 ELSE " + number(tierMember) + " END" +
		" OR (NOT n.for_admins AND EXISTS (SELECT 1 FROM approval_requests r WHERE r.project_id = n.project_id AND r.id = n.approval_id AND " + reach.visible("r") + ")))"
	if q.Unread {
		from += " AND n.read_at IS NULL"
	}
	return reach, from
}

func (s noticeStore) Notice(ctx context.Context, id int64) (notice.Notice, error) {
	return notices.one(ctx, s.conn, " WHERE id = ?", id)
}

func (s noticeStore) Notices(ctx context.Context, q ports.NoticeQuery) ([]notice.Notice, error) {
	reach, from := s.seenNotices(q)
	text := reach.with + "SELECT " + noticeColumns + from + " ORDER BY n.id DESC LIMIT " + reach.arg(q.Limit) + " OFFSET " + reach.arg(q.Offset)
	return collect(ctx, s.conn, notices.scan, text, reach.args...)
}

func (s noticeStore) Count(ctx context.Context, q ports.NoticeQuery) (int64, error) {
	reach, from := s.seenNotices(q)
	return value[int64](ctx, s.conn, reach.with+"SELECT count(*)"+from, reach.args...)
}

func (s noticeStore) Blank(ctx context.Context, projectID int64, since time.Time, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	_, err := s.do(ctx, notices.thing, "UPDATE notices SET comment = '' WHERE project_id = @project AND at >= ? AND key ?", projectID, instant(since), amongTexts(keys))
	return err
}

func (s noticeStore) MarkRead(ctx context.Context, userID int64, ids []int64, before time.Time) error {
	var marked []string
	args := []any{userID}
	if len(ids) > 0 {
		marked, args = append(marked, "id ?"), append(args, amongIDs(ids))
	}
	if !before.IsZero() {
		marked, args = append(marked, "at <= ?"), append(args, instant(before))
	}
	if len(marked) == 0 {
		return nil
	}
	_, err := s.do(ctx, notices.thing, "UPDATE notices SET read_at = "+s.db.dialect.Now()+
		" WHERE user_id = ? AND read_at IS NULL AND ("+strings.Join(marked, " OR ")+")", args...)
	return err
}
