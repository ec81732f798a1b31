package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core/notice"
)

// mailStore implements ports.MailStore.
type mailStore struct{ conn }

var mails = queue[notice.Mail]{rowsOf("mails", "mail", func(m *notice.Mail) []member {
	return []member{
		{name: "id", kind: "bigint", of: &m.ID},
		{name: "notice_id", kind: "bigint", of: nullIfZero[int64]{&m.NoticeID}},
		{name: "letter", kind: "bytea", of: &m.Letter},
		{name: "status", kind: "text", of: (*string)(&m.Status)},
		{name: "due_at", kind: "bigint", of: (*instant)(&m.DueAt)},
		{name: "attempts", kind: "bigint", of: &m.Attempts},
		{name: "fault", kind: "text", of: &m.Fault},
		{name: "created_at", kind: "bigint", of: (*instant)(&m.CreatedAt)},
		{name: "ended_at", kind: "bigint", of: (*instant)(&m.EndedAt)},
	}
})}

func (s mailStore) Insert(ctx context.Context, noticeIDs ...int64) error {
	if len(noticeIDs) == 0 {
		return nil
	}
	return s.due(ctx, mapped(noticeIDs, func(id int64) []any { return []any{id, nil} }))
}

func (s mailStore) InsertLetter(ctx context.Context, letter []byte) error {
	return s.due(ctx, [][]any{{nil, letter}})
}

var newMails = newTable("mails", "notice_id bigint", "letter bytea")

// due adds mails that are due now.
func (s mailStore) due(ctx context.Context, rows [][]any) error {
	return s.change(ctx, func(ctx context.Context, c conn) error {
		now := c.db.dialect.Now()
		_, err := c.exec(ctx, "INSERT INTO mails (notice_id, letter, status, due_at, attempts, fault, created_at)"+
			" SELECT v.column1, v.column2, 'waiting', "+now+", 0, '', "+now+" FROM (?) AS v", rowList{newMails.Types, rows})
		return c.written(err, "notice")
	})
}

func (s mailStore) Mailed(ctx context.Context, userID, approvalID int64, within time.Duration) (bool, error) {
	return value[bool](ctx, s.conn, "SELECT EXISTS (SELECT 1 FROM notices n JOIN mails m ON m.notice_id = n.id WHERE n.user_id = ? AND n.approval_id = ? AND m.created_at > "+
		s.db.dialect.Now()+" - ?)", userID, approvalID, within.Milliseconds())
}

// ofLive is the condition of mails that are about no deleted Project.
const ofLive = "NOT EXISTS (SELECT 1 FROM notices n JOIN deletions x ON x.project_id = n.project_id AND x.collection_id = 0 WHERE n.id = mails.notice_id)"

func (s mailStore) Claim(ctx context.Context, limit int, lease time.Duration) (claimed []notice.Mail, err error) {
	if limit <= 0 {
		return nil, nil
	}
	due, err := value[bool](ctx, s.conn, "SELECT EXISTS (SELECT 1 FROM mails WHERE "+isDue(s.db.dialect.Now())+" AND "+ofLive+")")
	if err != nil || !due {
		return nil, err
	}
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		claimed, err = mails.claim(ctx, c, limit, lease, "true", ofLive)
		slices.SortFunc(claimed, func(a, b notice.Mail) int { return cmp.Compare(a.ID, b.ID) })
		return err
	})
	return claimed, err
}

func (s mailStore) Record(ctx context.Context, m notice.Mail, again time.Duration) error {
	set, ended := assigned{{"status", string(m.Status)}, {"fault", m.Fault}}, m.Status != notice.MailWaiting
	if ended {
		set = append(set, assigned{{"letter", []byte(nil)}}...)
	}
	return s.change(ctx, func(ctx context.Context, c conn) error {
		return mails.record(ctx, c, set, ended, again, "id = ? AND attempts = ? AND "+waits, m.ID, m.Attempts)
	})
}

func (s mailStore) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	return mails.backlog(ctx, s.conn, "created_at")
}
