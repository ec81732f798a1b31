package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/ports"
)

type notices struct{ conn }

func (s notices) Insert(ctx context.Context, added ...*notice.Notice) error {
	return s.change(ctx, func(st *state) error {
		for _, n := range added {
			if !st.users.has(n.UserID) || n.ProjectID != 0 && !st.projects.has(n.ProjectID) {
				return core.NotFound("notice")
			}
			if st.notices.any(func(other notice.Notice) bool { return other.UserID == n.UserID && other.Key == n.Key }) {
				continue
			}
			n.ID, n.At = st.notices.next(), s.now()
			stored := *n
			stored.Actor.MadeBy = 0
			st.notices.put(n.ID, stored)
		}
		return nil
	})
}

func (s notices) Notice(ctx context.Context, id int64) (notice.Notice, error) {
	return view(ctx, s.conn, func(st *state) (notice.Notice, error) {
		n, ok := st.notices.get(id)
		return found(n, ok, "notice")
	})
}

func (s notices) Notices(ctx context.Context, q ports.NoticeQuery) ([]notice.Notice, error) {
	return view(ctx, s.conn, func(st *state) ([]notice.Notice, error) {
		found := window(st.noticesOf(q), q.Offset, q.Limit)
		return found[:min(int64(len(found)), q.Limit)], nil
	})
}

func (s notices) Count(ctx context.Context, q ports.NoticeQuery) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) { return int64(len(st.noticesOf(q))), nil })
}

func (st *state) noticesOf(q ports.NoticeQuery) []notice.Notice {
	actor := core.Actor{User: &core.User{ID: q.Reach.UserID, SuperAdmin: q.Reach.SuperAdmin}, Grants: q.Reach.Grants}
	for _, id := range q.Reach.CustomRoles {
		if role, ok := st.customRoles.get(id); ok {
			actor.CustomRoles = append(actor.CustomRoles, role)
		}
	}
	return st.notices.sorted(func(n notice.Notice) bool {
		if n.UserID != q.Reach.UserID || q.Unread && !n.ReadAt.IsZero() {
			return false
		}
		p, _ := st.projects.get(n.ProjectID)
		var request *review.Request
		if r, ok := st.requests.get(n.ApprovalID); ok {
			request = &r
		}
		return n.VisibleTo(actor, p, request)
	}, func(a, b notice.Notice) int { return cmp.Compare(b.ID, a.ID) }, unshared)
}

func (s notices) Blank(ctx context.Context, projectID int64, since time.Time, keys ...string) error {
	return s.apply(ctx, func(st *state) {
		for _, n := range st.notices.all(func(n notice.Notice) bool {
			return n.ProjectID == projectID && !n.At.Before(since) && slices.Contains(keys, n.Key)
		}) {
			n.Comment = ""
			st.notices.put(n.ID, n)
		}
	})
}

func (s notices) MarkRead(ctx context.Context, userID int64, ids []int64, before time.Time) error {
	return s.apply(ctx, func(st *state) {
		for _, n := range st.notices.all(func(n notice.Notice) bool {
			return n.UserID == userID && n.ReadAt.IsZero() && (slices.Contains(ids, n.ID) || !before.IsZero() && !n.At.After(before))
		}) {
			n.ReadAt = s.now()
			st.notices.put(n.ID, n)
		}
	})
}
