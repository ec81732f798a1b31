package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core/notice"
)

// mailStore implements ports.MailStore.
type mailStore struct{ sqldb.Conn }

var mails = sqldb.Queue[notice.Mail]{TableOf: sqldb.NewTableOf("mails", "mail", func(m *notice.Mail) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &m.ID},
		{Name: "notice_id", Kind: "bigint", Of: sqldb.NullIfZero(&m.NoticeID)},
		{Name: "letter", Kind: "bytea", Of: &m.Letter},
		{Name: "status", Kind: "text", Of: (*string)(&m.Status)},
		{Name: "due_at", Kind: "bigint", Of: (*sqldb.Instant)(&m.DueAt)},
		{Name: "attempts", Kind: "bigint", Of: &m.Attempts},
		{Name: "fault", Kind: "text", Of: &m.Fault},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&m.CreatedAt)},
		{Name: "ended_at", Kind: "bigint", Of: (*sqldb.Instant)(&m.EndedAt)},
	}
})}

func (s mailStore) Insert(ctx context.Context, noticeIDs ...int64) error {
	if len(noticeIDs) == 0 {
		return nil
	}
	return s.due(ctx, sqldb.Mapped(noticeIDs, func(id int64) []any { return []any{id, nil} }))
}

func (s mailStore) InsertLetter(ctx context.Context, letter []byte) error {
	return s.due(ctx, [][]any{{nil, letter}})
}

var newMails = sqldb.NewTable("mails", "notice_id bigint", "letter bytea")

// due adds mails that are due now.
func (s mailStore) due(ctx context.Context, rows [][]any) error {
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		now := c.DB.Dialect.Now()
		_, err := c.Exec(ctx, "INSERT INTO mails (notice_id, letter, status, due_at, attempts, fault, created_at)"+
			" SELECT v.column1, v.column2, 'waiting', "+now+", 0, '', "+now+" FROM (?) AS v", sqldb.RowList{Types: newMails.Types, Rows: rows})
		return c.Written(err, "notice")
	})
}

func (s mailStore) Mailed(ctx context.Context, userID, approvalID int64, within time.Duration) (bool, error) {
	return sqldb.Value[bool](ctx, s.Conn, "SELECT EXISTS (SELECT 1 FROM notices n JOIN mails m ON m.notice_id = n.id WHERE n.user_id = ? AND n.approval_id = ? AND m.created_at > "+
		s.DB.Dialect.Now()+" - ?)", userID, approvalID, within.Milliseconds())
}

// ofLive is the condition of mails that are about no deleted Project.
const ofLive = "NOT EXISTS (SELECT 1 FROM notices n JOIN deletions x ON x.project_id = n.project_id AND x.collection_id = 0 WHERE n.id = mails.notice_id)"

func (s mailStore) Claim(ctx context.Context, limit int, lease time.Duration) (claimed []notice.Mail, err error) {
	if limit <= 0 {
		return nil, nil
	}
	due, err := sqldb.Value[bool](ctx, s.Conn, "SELECT EXISTS (SELECT 1 FROM mails WHERE "+sqldb.IsDue(s.DB.Dialect.Now())+" AND "+ofLive+")")
	if err != nil || !due {
		return nil, err
	}
	err = s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		claimed, err = mails.Claim(ctx, c, limit, lease, "true", ofLive)
		slices.SortFunc(claimed, func(a, b notice.Mail) int { return cmp.Compare(a.ID, b.ID) })
		return err
	})
	return claimed, err
}

func (s mailStore) Record(ctx context.Context, m notice.Mail, again time.Duration) error {
	set, ended := sqldb.Assign("status", string(m.Status), "fault", m.Fault), m.Status != notice.MailWaiting
	if ended {
		set = append(set, sqldb.Assign("letter", []byte(nil))...)
	}
	return s.Change(ctx, func(ctx context.Context, c sqldb.Conn) error {
		return mails.Record(ctx, c, set, ended, again, "id = ? AND attempts = ? AND "+sqldb.Waits, m.ID, m.Attempts)
	})
}

func (s mailStore) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	return mails.Backlog(ctx, s.Conn, "created_at")
}
