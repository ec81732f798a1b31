package sqlstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// noticeStore implements ports.NoticeStore.
type noticeStore struct{ conn }

type noticeRow struct {
	bun.BaseModel `bun:"table:notices,alias:n"`

	ID            int64 `bun:",pk,autoincrement"`
	UserID        int64
	Key           string
	Kind          notice.Kind
	Event         event.Type
	Reminder      bool
	ProjectID     int64 `bun:",nullzero"`
	ForAdmins     bool
	ApprovalID    int64
	ActionID      int64
	CollectionID  int64
	EntryID       int64
	ReleaseID     int64
	Title         string
	ReleaseNumber string
	ActorKind     string
	ActorID       int64
	ActorName     string
	Comment       string
	Role          string
	Place         string
	At            instant
	ReadAt        instant
}

// noticeColumns are the columns of a notice in the order of scanNotice.
const noticeColumns = "n.id, n.user_id, n.key, n.kind, n.event, n.reminder, COALESCE(n.project_id, 0), n.for_admins, n.approval_id, n.action_id, n.collection_id, n.entry_id, n.release_id," +
	" n.title, n.release_number, n.actor_kind, n.actor_id, n.actor_name, n.comment, n.role, n.place, n.at, n.read_at"

var scanNotice = into(func(n *notice.Notice) []any {
	return []any{
		&n.ID, &n.UserID, &n.Key, &n.Kind, &n.Event, &n.Reminder, &n.ProjectID, &n.ForAdmins, &n.ApprovalID, &n.ActionID, &n.CollectionID, &n.EntryID, &n.ReleaseID,
		&n.Title, &n.ReleaseNumber, &n.Actor.Kind, &n.Actor.ID, &n.Actor.Name, &n.Comment, &n.Role, &n.Place, (*instant)(&n.At), (*instant)(&n.ReadAt),
	}
})

func (s noticeStore) Insert(ctx context.Context, notices ...*notice.Notice) error {
	if len(notices) == 0 {
		return nil
	}
	rows := mapped(notices, func(n *notice.Notice) *noticeRow {
		return &noticeRow{
			UserID: n.UserID, Key: n.Key, Kind: n.Kind, Event: n.Event, Reminder: n.Reminder, ProjectID: n.ProjectID, ForAdmins: n.ForAdmins,
			ApprovalID: n.ApprovalID, ActionID: n.ActionID, CollectionID: n.CollectionID, EntryID: n.EntryID, ReleaseID: n.ReleaseID, Title: n.Title, ReleaseNumber: n.ReleaseNumber,
			ActorKind: n.Actor.Kind, ActorID: n.Actor.ID, ActorName: n.Actor.Name, Comment: n.Comment, Role: n.Role, Place: n.Place,
		}
	})
	var added []noticeRow
	_, err := s.write.NewInsert().Model(&rows).Value("at", s.db.dialect.Now()).
		On("CONFLICT (user_id, key) DO NOTHING").Returning("id, user_id, key, at").Exec(ctx, &added)
	for _, r := range added {
		for _, n := range notices {
			if n.UserID == r.UserID && n.Key == r.Key {
				n.ID, n.At = r.ID, time.Time(r.At)
			}
		}
	}
	return s.written(err, "notice")
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
	found, err := collect(ctx, s.conn, scanNotice, "SELECT "+noticeColumns+" FROM notices n WHERE n.id = ?", id)
	if err == nil && len(found) == 0 {
		err = core.NotFound("notice")
	}
	if err != nil {
		return notice.Notice{}, err
	}
	return found[0], nil
}

func (s noticeStore) Notices(ctx context.Context, q ports.NoticeQuery) ([]notice.Notice, error) {
	reach, from := s.seenNotices(q)
	text := reach.with + "SELECT " + noticeColumns + from + " ORDER BY n.id DESC LIMIT " + reach.arg(q.Limit) + " OFFSET " + reach.arg(q.Offset)
	return collect(ctx, s.conn, scanNotice, text, reach.args...)
}

func (s noticeStore) Count(ctx context.Context, q ports.NoticeQuery) (int64, error) {
	reach, from := s.seenNotices(q)
	return value[int64](ctx, s.conn, reach.with+"SELECT count(*)"+from, reach.args...)
}

func (s noticeStore) Blank(ctx context.Context, projectID int64, since time.Time, keys ...string) error {
	_, err := s.write.NewUpdate().Model((*noticeRow)(nil)).Set("comment = ''").
		Where("project_id = ? AND at >= ? AND key IN (?)", projectID, instant(since), bun.List(keys)).Exec(ctx)
	return s.db.fault(err, "notice")
}

func (s noticeStore) MarkRead(ctx context.Context, userID int64, ids []int64, before time.Time) error {
	if len(ids) == 0 && before.IsZero() {
		return nil
	}
	q := s.write.NewUpdate().Model((*noticeRow)(nil)).Set("read_at = "+s.db.dialect.Now()).Where("user_id = ? AND read_at IS NULL", userID)
	q = q.WhereGroup(" AND ", func(q *bun.UpdateQuery) *bun.UpdateQuery {
		if len(ids) > 0 {
			q = q.WhereOr("id IN (?)", bun.List(ids))
		}
		if !before.IsZero() {
			q = q.WhereOr("at <= ?", instant(before))
		}
		return q
	})
	_, err := q.Exec(ctx)
	return s.db.fault(err, "notice")
}
