package memory

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/notice"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

type aging struct{ conn }

func (s aging) Delete(ctx context.Context, kind ports.Aged, t time.Time, limit int) (deleted int, err error) {
	err = s.apply(ctx, func(st *state) { deleted = st.age(kind, t, limit) })
	return deleted, err
}

// age removes up to limit old rows of a kind.
func (st *state) age(kind ports.Aged, t time.Time, limit int) int {
	switch kind {
	case ports.AgedSessions:
		return removeOld(&st.sessions, func(s account.Session) time.Time { return s.ExpiresAt }, t, limit)
	case ports.AgedSignIns:
		return removeOld(&st.signIns, func(f account.FailedSignIns) time.Time { return f.EndsAt }, t, limit)
	case ports.AgedLinks:
		return removeOld(&st.links, func(l account.MailLink) time.Time { return l.ExpiresAt }, t, limit)
	case ports.AgedInvitations:
		return removeOld(&st.invitations, func(i account.Invitation) time.Time { return i.ExpiresAt }, t, limit)
	case ports.AgedSpent:
		return removeOld(&st.spent, func(expiresAt time.Time) time.Time { return expiresAt }, t, limit)
	case ports.AgedPreviews:
		return removeOld(&st.previews, func(p core.Preview) time.Time { return p.ExpiresAt }, t, limit)
	case ports.AgedUsage:
		return removeOld(&st.tokenUsage, func(u core.TokenUsage) time.Time { return u.Day }, t, limit)
	case ports.AgedKeys:
		return removeOld(&st.claims, func(c claim) time.Time { return c.at }, t, limit)
	case ports.AgedEvents:
		return st.removeOldEvents(t, limit)
	case ports.AgedDeliveries:
		removed := removeOld(&st.deliveries, func(d webhook.Delivery) time.Time { return d.EndedAt }, t, limit)
		st.removeAttempts()
		return removed
	case ports.AgedMails:
		return removeOld(&st.mails, func(m notice.Mail) time.Time { return m.EndedAt }, t, limit)
	case ports.AgedNotices:
		return removeOld(&st.notices, func(n notice.Notice) time.Time { return n.At }, t, limit)
	}
	return 0
}

// removeOld removes up to limit rows whose time is before t, the oldest first. Rows without a time stay.
func removeOld[K comparable, V any](rows *table[K, V], timeOf func(V) time.Time, t time.Time, limit int) int {
	type old struct {
		key K
		at  time.Time
	}
	var found []old
	for key, row := range rows.rows {
		if at := timeOf(row); !at.IsZero() && at.Before(t) {
			found = append(found, old{key, at})
		}
	}
	slices.SortFunc(found, func(a, b old) int { return a.at.Compare(b.at) })
	found = found[:min(limit, len(found))]
	for _, row := range found {
		rows.remove(row.key)
	}
	return len(found)
}

func (st *state) removeOldEvents(t time.Time, limit int) (removed int) {
	for removed < min(limit, len(st.events)) && st.events[removed].At.Before(t) {
		removed++
	}
	st.events = slices.Clone(st.events[removed:])
	if removed > 0 && t.After(st.keptSince) {
		st.keptSince = t
	}
	return removed
}
