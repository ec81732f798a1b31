package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// mailStore implements ports.MailStore.
type mailStore struct{ conn }

type mailRow struct {
	bun.BaseModel `bun:"table:mails,alias:m"`

	ID        int64 `bun:",pk,autoincrement"`
	NoticeID  int64 `bun:",nullzero"`
	Letter    []byte
	Status    core.MailStatus
	DueAt     instant
	Attempts  int
	Fault     string
	CreatedAt instant
	EndedAt   instant
}

func (r mailRow) core() core.Mail {
	return core.Mail{
		ID: r.ID, NoticeID: r.NoticeID, Letter: r.Letter, Status: r.Status, DueAt: time.Time(r.DueAt), Attempts: r.Attempts, Fault: r.Fault, CreatedAt: time.Time(r.CreatedAt), EndedAt: time.Time(r.EndedAt),
	}
}

func (s mailStore) Insert(ctx context.Context, noticeIDs ...int64) error {
	if len(noticeIDs) == 0 {
		return nil
	}
	return s.add(ctx, mapped(noticeIDs, func(id int64) *mailRow { return &mailRow{NoticeID: id, Status: core.MailWaiting} }))
}

func (s mailStore) InsertLetter(ctx context.Context, letter []byte) error {
	return s.add(ctx, []*mailRow{{Letter: letter, Status: core.MailWaiting}})
}

// add adds mails that are due now.
func (s mailStore) add(ctx context.Context, rows []*mailRow) error {
	now := s.db.dialect.Now()
	_, err := s.write.NewInsert().Model(&rows).Value("due_at", now).Value("created_at", now).Exec(ctx)
	return s.written(err, "notice")
}

func (s mailStore) Mailed(ctx context.Context, userID, approvalID int64, within time.Duration) (bool, error) {
	return value[bool](ctx, s.conn, "SELECT EXISTS (SELECT 1 FROM notices n JOIN mails m ON m.notice_id = n.id WHERE n.user_id = ? AND n.approval_id = ? AND m.created_at > "+
		s.db.dialect.Now()+" - ?)", userID, approvalID, within.Milliseconds())
}

// due selects the mails that an attempt is due for.
func (s mailStore) due(q *bun.SelectQuery) *bun.SelectQuery {
	return q.Model((*mailRow)(nil)).Column("id").Where("ended_at IS NULL AND due_at <= " + s.db.dialect.Now()).
		Where("NOT EXISTS (SELECT 1 FROM notices n JOIN deletions x ON x.project_id = n.project_id AND x.collection_id = 0 WHERE n.id = m.notice_id)")
}

func (s mailStore) Claim(ctx context.Context, limit int, lease time.Duration) (claimed []core.Mail, err error) {
	if limit <= 0 {
		return nil, nil
	}
	exists, err := s.due(s.read.NewSelect()).Exists(ctx)
	if err != nil || !exists {
		return nil, s.db.fault(err, "mail")
	}
	err = s.change(ctx, func(ctx context.Context, c conn) error {
		claimed, err = mailStore{c}.claim(ctx, limit, lease)
		return err
	})
	return claimed, err
}

func (s mailStore) claim(ctx context.Context, limit int, lease time.Duration) ([]core.Mail, error) {
	due := s.due(s.write.NewSelect()).Order("due_at", "id").Limit(int64(limit))
	if s.locks() {
		due = due.For("UPDATE SKIP LOCKED")
	}
	var rows []mailRow
	_, err := s.write.NewUpdate().Model((*mailRow)(nil)).Set("attempts = attempts + 1").Set("due_at = "+s.db.dialect.Now()+" + ?", lease.Milliseconds()).
		Where("id IN (?)", due).Returning("*").Exec(ctx, &rows)
	slices.SortFunc(rows, func(a, b mailRow) int { return cmp.Compare(a.ID, b.ID) })
	return mapped(rows, mailRow.core), s.db.fault(err, "mail")
}

func (s mailStore) Record(ctx context.Context, m core.Mail, again time.Duration) error {
	now := s.db.dialect.Now()
	q := s.write.NewUpdate().Model((*mailRow)(nil)).Set("status = ?", m.Status).Set("fault = ?", m.Fault).
		Where("id = ? AND attempts = ? AND ended_at IS NULL", m.ID, m.Attempts)
	if m.Status == core.MailWaiting {
		q = q.Set("due_at = "+now+" + ?", again.Milliseconds())
	} else {
		q = q.Set("ended_at = " + now).Set("letter = NULL")
	}
	result, err := q.Exec(ctx)
	if err != nil {
		return s.db.fault(err, "mail")
	}
	return s.found(result, "mail")
}

func (s mailStore) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	var row struct {
		Count  int64
		Oldest instant
	}
	err = s.read.NewSelect().Model((*mailRow)(nil)).ColumnExpr("count(*) AS count, min(created_at) AS oldest").Where("ended_at IS NULL").Scan(ctx, &row)
	return row.Count, time.Time(row.Oldest), s.db.fault(err, "mail")
}
