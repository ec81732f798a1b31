package memory

import (
	"bytes"
	"context"
	"slices"
	"time"

	"imprimatur/core"
)

type requests struct{ conn }

// releaseYear is the scope of a sequence of release numbers.
type releaseYear struct {
	tenantID int64
	year     int
}

func (s requests) Request(ctx context.Context, projectID, id int64) (core.Request, error) {
	return view(ctx, s.conn, func(st *state) (core.Request, error) { return st.request(projectID, id) })
}

func (s requests) EntryRequests(ctx context.Context, projectID, entryID int64, limit int) ([]core.Request, error) {
	rows, err := s.list(ctx, func(r core.Request) bool { return r.ProjectID == projectID && r.EntryID == entryID })
	slices.Reverse(rows)
	return rows[:min(limit, len(rows))], err
}

func (s requests) ByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.Request, error) {
	return s.list(ctx, func(r core.Request) bool { return r.ProjectID == projectID && slices.Contains(ids, r.ID) })
}

func (s requests) History(ctx context.Context, q core.HistoryQuery) ([]core.Request, error) {
	rows, err := s.history(ctx, q)
	slices.Reverse(rows)
	return window(rows, q.Offset, q.Limit), err
}

func (s requests) HistoryCount(ctx context.Context, q core.HistoryQuery) (int64, error) {
	rows, err := s.history(ctx, q)
	return int64(len(rows)), err
}

func (s requests) history(ctx context.Context, q core.HistoryQuery) ([]core.Request, error) {
	return s.list(ctx, func(r core.Request) bool {
		names := func(role int64) bool { return core.UsesRole(r.Steps, role) }
		return r.ProjectID == q.ProjectID && r.CollectionID == q.CollectionID && r.EntryID == q.EntryID &&
			(q.CustomRoles == nil || slices.ContainsFunc(q.CustomRoles, names))
	})
}

func (s requests) Open(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Request, error) {
	rows, err := s.list(ctx, func(r core.Request) bool {
		return r.ProjectID == projectID && (collectionID == 0 || r.CollectionID == collectionID) && r.ID > after && r.Status.Open()
	})
	return rows[:min(limit, len(rows))], err
}

func (s requests) OpenUsingRole(ctx context.Context, customRoleID int64, limit int) ([]core.Request, error) {
	rows, err := s.list(ctx, func(r core.Request) bool { return r.Status.Open() && core.UsesRole(r.Steps, customRoleID) })
	for i := range rows {
		rows[i].Snapshot, rows[i].Withheld = nil, nil
	}
	return rows[:min(limit, len(rows))], err
}

func (s requests) Walk(ctx context.Context, projectID, after int64, limit int) ([]core.Request, error) {
	rows, err := s.list(ctx, func(r core.Request) bool { return r.ProjectID == projectID && r.ID > after })
	return rows[:min(limit, len(rows))], err
}

// list returns the matching requests by id.
func (s requests) list(ctx context.Context, match func(core.Request) bool) ([]core.Request, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Request, error) {
		return byID(&st.requests, match, copyRequest), nil
	})
}

func (s requests) Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.ApprovalSummary, error) {
	return view(ctx, s.conn, func(st *state) (map[int64]core.ApprovalSummary, error) {
		return st.summaries(projectID, func(entryID int64) bool { return slices.Contains(entryIDs, entryID) }), nil
	})
}

func (st *state) summaries(projectID int64, match func(entryID int64) bool) map[int64]core.ApprovalSummary {
	shown := map[int64]core.Request{}
	for _, r := range st.requests.rows {
		if r.ProjectID != projectID || !match(r.EntryID) {
			continue
		}
		if before, ok := shown[r.EntryID]; !ok || precedes(r, before) {
			shown[r.EntryID] = r
		}
	}
	summaries := map[int64]core.ApprovalSummary{}
	for id, r := range shown {
		summaries[id] = r.Summary()
	}
	return summaries
}

// precedes reports whether r is shown for an entry before other: an open request first,
// then the latest.
func precedes(r, other core.Request) bool {
	if r.Status.Open() != other.Status.Open() {
		return r.Status.Open()
	}
	return r.ID > other.ID
}

func (s requests) Actions(ctx context.Context, projectID int64, requestIDs ...int64) ([]core.ApprovalAction, error) {
	return view(ctx, s.conn, func(st *state) ([]core.ApprovalAction, error) {
		return byID(&st.actions, func(a core.ApprovalAction) bool {
			return a.ProjectID == projectID && slices.Contains(requestIDs, a.RequestID)
		}, unshared), nil
	})
}

func (s requests) Insert(ctx context.Context, r *core.Request, action *core.ApprovalAction, seal func()) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.project(r.ProjectID); err != nil {
			return err
		}
		if st.requests.any(func(o core.Request) bool {
			return o.ProjectID == r.ProjectID && o.EntryID == r.EntryID && o.Status.Open()
		}) {
			return core.Conflict("request_open", "the entry has an open request")
		}
		year := releaseYear{r.TenantID, r.ReleaseYear}
		released, _ := st.releases.get(year)
		st.releases.put(year, released+1)
		r.ID, r.ReleaseCount = st.requests.next(), released+1
		action.RequestID = r.ID
		seal()
		st.requests.put(r.ID, copyRequest(*r))
		st.keep(action)
		st.remind(r, action)
		st.record(core.RequestEvents(r, action)...)
		return nil
	})
}

func (s requests) Update(ctx context.Context, r *core.Request, actions []*core.ApprovalAction) error {
	return s.change(ctx, func(st *state) error {
		next, err := st.request(r.ProjectID, r.ID)
		if err != nil {
			return err
		}
		if next.Version != r.Version-1 {
			return core.Conflict("changed_meanwhile", "the request was changed meanwhile")
		}
		changed := copyRequest(*r)
		next.Status, next.Version, next.Current = changed.Status, changed.Version, changed.Current
		next.ScheduledAt, next.UnpublishAt, next.PublishedAt = changed.ScheduledAt, changed.UnpublishAt, changed.PublishedAt
		next.Approvers, next.ChainHash = changed.Approvers, changed.ChainHash
		st.requests.put(next.ID, next)
		for _, a := range actions {
			st.keep(a)
			st.remind(&next, a)
		}
		st.record(core.RequestEvents(&next, actions...)...)
		return nil
	})
}

func (st *state) request(projectID, id int64) (core.Request, error) {
	r, ok := st.requests.get(id)
	return found(copyRequest(r), ok && r.ProjectID == projectID, "request")
}

func (st *state) keep(a *core.ApprovalAction) {
	a.ID = st.actions.next()
	st.actions.put(a.ID, *a)
}

// reminder is a core.Reminder with the time when it is due.
type reminder struct {
	core.Reminder

	due time.Time
}

// remind keeps the reminder of r after action.
func (st *state) remind(r *core.Request, action *core.ApprovalAction) {
	switch step := r.CurrentStep(); {
	case step == nil:
		st.reminders.remove(r.ID)
	case action.Type != core.ActionSubmit && action.Type != core.ActionApprove:
	case step.RemindAfter == 0:
		st.reminders.remove(r.ID)
	default:
		st.reminders.put(r.ID, reminder{core.Reminder{ProjectID: r.ProjectID, RequestID: r.ID, StepOrder: step.Order}, step.RemindAt(action.CreatedAt)})
	}
}

func (s requests) AnyDue(ctx context.Context, except ...int64) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) { return st.reminders.any(s.due(except)), nil })
}

// due returns a function that reports whether a reminder is due.
func (s requests) due(except []int64) func(reminder) bool {
	now := s.now()
	return func(r reminder) bool { return !r.due.After(now) && !slices.Contains(except, r.RequestID) }
}

func (s requests) TakeDue(ctx context.Context, limit int, except ...int64) (taken []core.Reminder, err error) {
	err = s.apply(ctx, func(st *state) {
		due := st.reminders.sorted(s.due(except), func(a, b reminder) int { return a.due.Compare(b.due) }, unshared)
		for _, r := range due[:min(limit, len(due))] {
			st.reminders.remove(r.RequestID)
			taken = append(taken, r.Reminder)
		}
	})
	return taken, err
}

func copyRequest(r core.Request) core.Request {
	r.Steps, r.Approvers, r.Contributors = slices.Clone(r.Steps), slices.Clone(r.Approvers), slices.Clone(r.Contributors)
	r.Snapshot, r.Withheld = bytes.Clone(r.Snapshot), bytes.Clone(r.Withheld)
	return r
}
