package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/notice"
)

type mails struct{ conn }

// removeNotices removes the notices that match, with their mails.
func (st *state) removeNotices(match func(notice.Notice) bool) {
	st.notices.removeIf(func(_ int64, n notice.Notice) bool { return match(n) })
	st.mails.removeIf(func(_ int64, m notice.Mail) bool { return m.NoticeID != 0 && !st.notices.has(m.NoticeID) })
}

func (s mails) Insert(ctx context.Context, noticeIDs ...int64) error {
	return s.change(ctx, func(st *state) error {
		for _, id := range noticeIDs {
			if !st.notices.has(id) {
				return core.NotFound("notice")
			}
			s.add(st, notice.Mail{NoticeID: id})
		}
		return nil
	})
}

func (s mails) InsertLetter(ctx context.Context, letter []byte) error {
	return s.apply(ctx, func(st *state) { s.add(st, notice.Mail{Letter: slices.Clone(letter)}) })
}

// add adds a mail that is due now.
func (s mails) add(st *state, m notice.Mail) {
	m.ID, m.Status, m.DueAt, m.CreatedAt = st.mails.next(), notice.MailWaiting, s.now(), s.now()
	st.mails.put(m.ID, m)
}

func (s mails) Mailed(ctx context.Context, userID, approvalID int64, within time.Duration) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) {
		return st.mails.any(func(m notice.Mail) bool {
			n, ok := st.notices.get(m.NoticeID)
			return ok && n.UserID == userID && n.ApprovalID == approvalID && m.CreatedAt.After(s.now().Add(-within))
		}), nil
	})
}

func (s mails) Claim(ctx context.Context, limit int, lease time.Duration) (claimed []notice.Mail, err error) {
	err = s.apply(ctx, func(st *state) {
		now := s.now()
		due := st.mails.sorted(func(m notice.Mail) bool { return m.EndedAt.IsZero() && !m.DueAt.After(now) }, func(a, b notice.Mail) int {
			return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID))
		}, unshared)
		for _, m := range due[:min(len(due), limit)] {
			m.Attempts, m.DueAt = m.Attempts+1, now.Add(lease)
			st.mails.put(m.ID, m)
			claimed = append(claimed, m)
		}
	})
	return claimed, err
}

func (s mails) Record(ctx context.Context, m notice.Mail, again time.Duration) error {
	return s.change(ctx, func(st *state) error {
		stored, ok := st.mails.get(m.ID)
		if !ok || stored.Attempts != m.Attempts || !stored.EndedAt.IsZero() {
			return core.NotFound("mail")
		}
		stored.Status, stored.Fault = m.Status, m.Fault
		if m.Status == notice.MailWaiting {
			stored.DueAt = s.now().Add(again)
		} else {
			stored.EndedAt, stored.Letter = s.now(), nil
		}
		st.mails.put(m.ID, stored)
		return nil
	})
}

func (s mails) Backlog(ctx context.Context) (count int64, oldest time.Time, err error) {
	waiting, err := view(ctx, s.conn, func(st *state) ([]notice.Mail, error) {
		return st.mails.sorted(func(m notice.Mail) bool { return m.EndedAt.IsZero() }, func(a, b notice.Mail) int { return a.CreatedAt.Compare(b.CreatedAt) }, unshared), nil
	})
	if len(waiting) > 0 {
		oldest = waiting[0].CreatedAt
	}
	return int64(len(waiting)), oldest, err
}
