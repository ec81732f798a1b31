package contract

import (
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/notice"
	"imprimatur/ports"
)

// Mails checks a ports.MailStore.
func Mails(t *testing.T, open Factory) {
	runSequentially(t, open, cases{ // a case claims the mails of others
		"sends mails":            sendsMails,
		"sends mails again":      sendsMailsAgain,
		"claims mails once":      claimsMailsOnce,
		"forgets mails":          forgetsMails,
		"sends letters":          sendsLetters,
		"removes mails of users": removesMails,
	})
}

// newMails adds a notice with a mail for each key.
func (w *fixture) newMails(t reporter, keys ...string) (ids []int64) {
	t.Helper()
	user := w.newUser(t)
	for _, key := range keys {
		ids = append(ids, w.newNotice(t, user, key, nil).ID)
	}
	requireNoError(t, w.Mails.Insert(t.Context(), ids...))
	return ids
}

// claimMails claims all due mails, and returns those with the ids.
func (w *fixture) claimMails(t reporter, lease time.Duration, ids []int64) (claimed []notice.Mail) {
	t.Helper()
	for {
		some := result(w.Mails.Claim(t.Context(), 2, lease))(t)
		if len(some) == 0 {
			return claimed
		}
		for _, m := range some {
			for _, id := range ids {
				if m.NoticeID == id {
					claimed = append(claimed, m)
				}
			}
		}
	}
}

func sendsMails(t *testing.T, w *fixture) {
	ids := w.newMails(t, "a", "b", "c")
	before, _, err := w.Mails.Backlog(t.Context())
	requireNoError(t, err)
	assertEqual(t, len(result(w.Mails.Claim(t.Context(), 0, time.Minute))(t)), 0)
	claimed := w.claimMails(t, time.Minute, ids)
	assertEqual(t, len(claimed), 3)
	first := claimed[0]
	assertEqual(t, []any{first.Status, first.Attempts, first.Fault, first.EndedAt, first.CreatedAt.IsZero()}, []any{notice.MailWaiting, 1, "", time.Time{}, false})
	assertEqual(t, len(w.claimMails(t, time.Minute, ids)), 0)
	for i, status := range []notice.MailStatus{notice.MailSent, notice.MailDropped, notice.MailParked} {
		m := claimed[i]
		m.Status, m.Fault = status, "550 é"
		requireNoError(t, w.Mails.Record(t.Context(), m, 0))
		requireError(t, w.Mails.Record(t.Context(), m, 0), core.ErrNotFound) // it has ended
	}
	after, oldest, err := w.Mails.Backlog(t.Context())
	requireNoError(t, err)
	assertEqual(t, before-after, int64(3))
	assertEqual(t, after == 0, oldest.IsZero())
	assertEqual(t, len(w.claimMails(t, time.Minute, ids)), 0)
	requireError(t, w.Mails.Insert(t.Context(), 1<<40), core.ErrNotFound)
	requireNoError(t, w.Mails.Insert(t.Context()))
}

func sendsMailsAgain(t *testing.T, w *fixture) {
	ids := w.newMails(t, "a")
	m := w.claimMails(t, time.Minute, ids)[0]
	m.Fault = "451 later"
	requireNoError(t, w.Mails.Record(t.Context(), m, time.Hour))
	assertEqual(t, len(w.claimMails(t, 0, ids)), 0)
	requireNoError(t, w.Mails.Record(t.Context(), m, 0))
	again := result(w.Mails.Claim(t.Context(), 1, time.Minute))(t)[0]
	assertEqual(t, []any{again.NoticeID, again.Attempts, again.Fault}, []any{ids[0], 2, "451 later"})
	requireError(t, w.Mails.Record(t.Context(), m, 0), core.ErrNotFound) // another attempt has begun
	_, oldest, err := w.Mails.Backlog(t.Context())
	requireNoError(t, err)
	assertEqual(t, oldest.After(m.CreatedAt), false)
	again.Status = notice.MailSent
	requireNoError(t, w.Mails.Record(t.Context(), again, 0))
}

func claimsMailsOnce(t *testing.T, w *fixture) {
	ids := w.newMails(t, "a", "b", "c", "d", "e", "f", "g", "h")
	parts := make(chan []notice.Mail, 4)
	for range cap(parts) {
		go func() { parts <- w.claimMails(t, time.Minute, ids) }()
	}
	seen := map[int64]int{}
	for range cap(parts) {
		for _, m := range <-parts {
			seen[m.NoticeID]++
		}
	}
	for _, id := range ids {
		assertEqual(t, seen[id], 1)
	}
}

func forgetsMails(t *testing.T, w *fixture) {
	ids := w.newMails(t, "a", "b")
	m := w.claimMails(t, time.Minute, ids)[0]
	m.Status = notice.MailSent
	requireNoError(t, w.Mails.Record(t.Context(), m, 0))
	now := result(w.Clock.Now(t.Context()))(t)
	assertEqual(t, result(w.Aging.Delete(t.Context(), ports.AgedMails, now.Add(-time.Hour), 9))(t), 0)
	before, _, err := w.Mails.Backlog(t.Context())
	requireNoError(t, err)
	deleted := result(w.Aging.Delete(t.Context(), ports.AgedMails, now.Add(time.Second), 1000))(t)
	assertEqual(t, deleted >= 1, true)
	after, _, err := w.Mails.Backlog(t.Context())
	requireNoError(t, err)
	assertEqual(t, after, before) // those that wait stay
	requireNoError(t, w.Mails.Insert(t.Context(), m.NoticeID))
}

func removesMails(t *testing.T, w *fixture) {
	ids := w.newMails(t, "a")
	assertEqual(t, result(w.Notices.Notice(t.Context(), ids[0]))(t).Key, "a")
	requireNoError(t, w.Projects.Delete(t.Context(), w.project.ID))
	_, err := w.Notices.Notice(t.Context(), ids[0])
	requireError(t, err, core.ErrNotFound)
	assertEqual(t, len(w.claimMails(t, time.Minute, ids)), 0)
}

func sendsLetters(t *testing.T, w *fixture) {
	letter := []byte("sealed")
	w.claimMails(t, time.Hour, nil) // those of other cases
	requireNoError(t, w.Mails.InsertLetter(t.Context(), letter))
	requireNoError(t, w.Mails.InsertLetter(t.Context(), letter))
	claimed := result(w.Mails.Claim(t.Context(), 9, time.Minute))(t)
	assertEqual(t, len(claimed), 2)
	for i, m := range claimed {
		assertEqual(t, []any{m.NoticeID, m.Letter, m.ID != 0, m.Status}, []any{int64(0), letter, true, notice.MailWaiting})
		if m.Status = notice.MailSent; i == 0 {
			m.Status = notice.MailWaiting
		}
		requireNoError(t, w.Mails.Record(t.Context(), m, 0))
	}
	again := result(w.Mails.Claim(t.Context(), 9, time.Minute))(t)
	assertEqual(t, len(again), 1)
	assertEqual(t, []any{again[0].ID, again[0].Letter}, []any{claimed[0].ID, letter})
	again[0].Status = notice.MailSent
	requireNoError(t, w.Mails.Record(t.Context(), again[0], 0))
}
