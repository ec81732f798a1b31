package memory

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/discussion"
	"imprimatur/core/review"
)

type requests struct{ scoped }

// releaseYear is the scope of a sequence of release numbers.
type releaseYear struct {
	tenantID int64
	year     int
}

func (s requests) Request(ctx context.Context, projectID, id int64) (review.Request, error) {
	return view(ctx, s.conn, func(st *state) (review.Request, error) { return st.request(projectID, id) })
}

func (s requests) EntryRequests(ctx context.Context, projectID, entryID int64, limit int) ([]review.Request, error) {
	rows, err := s.list(ctx, func(r review.Request) bool {
		return r.ProjectID == projectID && r.Release == nil && r.ItemOf(entryID) != nil
	})
	return first(latest(rows), limit), err
}

func (s requests) ReleaseRequests(ctx context.Context, projectID, releaseID, offset int64, limit int) ([]review.Request, error) {
	rows, err := s.list(ctx, ofRelease(projectID, releaseID))
	return page(latest(rows), offset, int64(limit)), err
}

func ofRelease(projectID, releaseID int64) func(review.Request) bool {
	return func(r review.Request) bool {
		return r.ProjectID == projectID && r.Release != nil && r.Release.ID == releaseID
	}
}

func (s requests) Items(ctx context.Context, projectID, requestID int64, entryIDs ...int64) ([]review.RequestItem, error) {
	items, err := s.items(ctx, projectID, requestID, func(i *review.RequestItem) { i.Changed = nil })
	if len(entryIDs) > 0 {
		items = slices.DeleteFunc(items, func(i review.RequestItem) bool { return !slices.Contains(entryIDs, i.EntryID) })
	}
	return items, err
}

func (s requests) Members(ctx context.Context, projectID, requestID int64) ([]review.RequestItem, error) {
	return s.items(ctx, projectID, requestID, func(i *review.RequestItem) { i.Snapshot, i.Withheld = nil, nil })
}

func (s requests) items(ctx context.Context, projectID, requestID int64, shorten func(*review.RequestItem)) ([]review.RequestItem, error) {
	return view(ctx, s.conn, func(st *state) ([]review.RequestItem, error) {
		r, _ := st.requests.get(requestID)
		if r.ProjectID != projectID {
			return nil, nil
		}
		items := slices.Clone(r.Items)
		for n := range items {
			shorten(&items[n])
		}
		return items, nil
	})
}

func (s requests) Version(ctx context.Context, projectID, id int64) (int64, error) {
	r, err := s.Request(ctx, projectID, id)
	return r.Version, err
}

func (s requests) OpenOf(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]review.OpenRequest, error) {
	return view(ctx, s.conn, func(st *state) (map[int64]review.OpenRequest, error) {
		open := map[int64]review.OpenRequest{}
		for _, r := range st.requests.each {
			for _, i := range r.Items {
				if r.ProjectID == projectID && r.Status.Open() && slices.Contains(entryIDs, i.EntryID) {
					found := review.OpenRequest{ApprovalSummary: r.Summary()}
					if r.Release != nil {
						found.Release = new(*r.Release)
					}
					open[i.EntryID] = found
				}
			}
		}
		return open, nil
	})
}

func (s requests) ByIDs(ctx context.Context, projectID int64, ids []int64) ([]review.Request, error) {
	return s.list(ctx, func(r review.Request) bool { return r.ProjectID == projectID && slices.Contains(ids, r.ID) })
}

func (s requests) History(ctx context.Context, q review.HistoryQuery) ([]review.Request, error) {
	rows, err := s.history(ctx, q)
	return window(latest(rows), q.Offset, q.Limit), err
}

func (s requests) HistoryCount(ctx context.Context, q review.HistoryQuery) (int64, error) {
	rows, err := s.history(ctx, q)
	return int64(len(rows)), err
}

func (s requests) history(ctx context.Context, q review.HistoryQuery) ([]review.Request, error) {
	return s.list(ctx, func(r review.Request) bool {
		names := func(role int64) bool { return review.UsesRole(r.Steps, role) }
		item := r.ItemOf(q.EntryID)
		return r.ProjectID == q.ProjectID && r.Release == nil && item != nil && item.CollectionID == q.CollectionID &&
			(q.CustomRoles == nil || slices.ContainsFunc(q.CustomRoles, names))
	})
}

func (s requests) Open(ctx context.Context, projectID, collectionID, after int64, limit int) ([]review.Request, error) {
	rows, err := s.list(ctx, func(r review.Request) bool {
		return r.ProjectID == projectID && r.ID > after && r.Status.Open() &&
			slices.ContainsFunc(r.Items, func(i review.RequestItem) bool { return collectionID == 0 || i.CollectionID == collectionID })
	})
	return first(rows, limit), err
}

func (s requests) OpenUsingRole(ctx context.Context, customRoleID int64, limit int) ([]review.Request, error) {
	rows, err := s.list(ctx, func(r review.Request) bool { return r.Status.Open() && review.UsesRole(r.Steps, customRoleID) })
	return shown(first(rows, limit)), err
}

func (s requests) Pending(ctx context.Context, projectIDs []int64, limit int) ([]review.Request, error) {
	rows, err := s.list(ctx, func(r review.Request) bool {
		return r.Status == review.RequestPending && slices.Contains(projectIDs, r.ProjectID)
	})
	sort(rows, func(a, b review.Request) int { return a.SubmittedAt.Compare(b.SubmittedAt) })
	return shown(first(rows, limit)), err
}

// shown removes the contents of the items of rows, which are copies, and returns rows.
func shown(rows []review.Request) []review.Request {
	for _, r := range rows {
		for i := range r.Items {
			r.Items[i].Snapshot, r.Items[i].Withheld = nil, nil
		}
	}
	return rows
}

func (s requests) Walk(ctx context.Context, projectID, after int64, limit int) ([]review.Request, error) {
	rows, err := s.list(ctx, func(r review.Request) bool { return r.ProjectID == projectID && r.ID > after })
	return first(rows, limit), err
}

// list returns the matching requests by id.
func (s requests) list(ctx context.Context, match func(review.Request) bool) ([]review.Request, error) {
	return view(ctx, s.conn, func(st *state) ([]review.Request, error) {
		return st.readAll(st.requests.where(match)), nil
	})
}

func (s requests) Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]review.ApprovalSummary, error) {
	return view(ctx, s.conn, func(st *state) (map[int64]review.ApprovalSummary, error) {
		return st.summaries(projectID, func(entryID int64) bool { return slices.Contains(entryIDs, entryID) }), nil
	})
}

func (st *state) summaries(projectID int64, match func(entryID int64) bool) map[int64]review.ApprovalSummary {
	shown := map[int64]review.Request{}
	for _, r := range st.requests.each {
		for _, i := range r.Items {
			if before, ok := shown[i.EntryID]; r.ProjectID == projectID && r.Release == nil && match(i.EntryID) && (!ok || precedes(r, before)) {
				shown[i.EntryID] = r
			}
		}
	}
	summaries := map[int64]review.ApprovalSummary{}
	for id, r := range shown {
		summaries[id] = r.Summary()
	}
	return summaries
}

// precedes reports whether r is shown for an entry before other: an open request first,
// then the latest.
func precedes(r, other review.Request) bool {
	if r.Status.Open() != other.Status.Open() {
		return r.Status.Open()
	}
	return r.ID > other.ID
}

func (s requests) Actions(ctx context.Context, projectID int64, requestIDs ...int64) ([]review.Action, error) {
	return view(ctx, s.conn, func(st *state) ([]review.Action, error) {
		return st.actions.where(func(a review.Action) bool {
			return a.ProjectID == projectID && slices.Contains(requestIDs, a.RequestID)
		}), nil
	})
}

func (s requests) Insert(ctx context.Context, r *review.Request) error {
	return s.change(ctx, func(st *state) error {
		if st.requests.any(func(o review.Request) bool {
			return o.ProjectID == r.ProjectID && o.Status.Open() &&
				slices.ContainsFunc(r.Items, func(i review.RequestItem) bool { return o.ItemOf(i.EntryID) != nil })
		}) {
			return core.Conflict("request_open", "the entry has an open request")
		}
		year := releaseYear{r.TenantID, r.ReleaseYear}
		released, _ := st.numbers.get(year)
		st.numbers.put(year, released+1)
		r.ID, r.ReleaseCount = st.requests.next(), released+1
		for n := range r.Items {
			i := &r.Items[n]
			if p, public := st.current(r.ProjectID, i.EntryID); public {
				i.BaseNumber, i.BaseHash = p.Number, p.ContentHash
			}
		}
		st.requests.put(r.ID, *r)
		return nil
	})
}

func (s requests) Seal(ctx context.Context, r *review.Request, action *review.Action) error {
	return s.change(ctx, func(st *state) error {
		action.RequestID = r.ID
		st.requests.put(r.ID, *r)
		st.keep(action)
		st.remind(r, action)
		st.record(review.RequestEvents(r, action)...)
		return nil
	})
}

func (s requests) Update(ctx context.Context, r *review.Request, actions []*review.Action) error {
	return edit(ctx, s.store, in{r.ProjectID, r.ID}, func(st *state, next *review.Request) error {
		if next.Version != r.Version-1 {
			return core.Conflict("changed_meanwhile", "the request was changed meanwhile")
		}
		next.Status, next.Version, next.Current = r.Status, r.Version, r.Current
		next.ScheduledAt, next.UnpublishAt, next.PublishedAt = r.ScheduledAt, r.UnpublishAt, r.PublishedAt
		next.Approvals, next.ChainHash, next.OpenSince = r.Approvals, r.ChainHash, r.OpenSince
		for _, a := range actions {
			st.keep(a)
			st.remind(next, a)
		}
		st.record(review.RequestEvents(next, actions...)...)
		return nil
	})
}

func (st *state) request(projectID, id int64) (review.Request, error) {
	r, err := st.requests.in(projectID, id)
	return st.readRequest(r), err
}

func (st *state) keep(a *review.Action) {
	a.ID = st.actions.next()
	st.actions.put(a.ID, *a)
}

// reminder is a review.Reminder with the time when it is due.
type reminder struct {
	review.Reminder

	Due time.Time
}

// stayAt is the stay of a request at a step, or as a whole, and what is told of it.
type stayAt struct {
	requestID int64
	stepID    int
	kind      review.ReminderKind
}

// remind keeps the reminders of r after action.
func (st *state) remind(r *review.Request, action *review.Action) {
	open := r.OpenSteps()
	for id := 1; id <= len(r.Steps); id++ {
		if !slices.Contains(open, id) {
			st.reminders.remove(stayAt{r.ID, id, review.RemindTurn})
			st.reminders.remove(stayAt{r.ID, id, review.RemindEscalated})
		}
	}
	switch {
	case r.Status != review.RequestPending:
		st.reminders.remove(stayAt{r.ID, 0, review.RemindOverdue})
	case action.Type == review.ActionSubmit && r.ScheduledAt.After(r.SubmittedAt), action.Type == review.ActionReschedule:
		st.remindAt(r, review.RemindOverdue, 0, r.ScheduledAt)
	}
	if !r.Arrived() || action.Type != review.ActionSubmit && action.Type != review.ActionApprove {
		return
	}
	for _, id := range open {
		st.remindAt(r, review.RemindTurn, id, r.Steps[id-1].RemindAt(action.CreatedAt))
		st.remindAt(r, review.RemindEscalated, id, r.EscalatesAt(id))
	}
}

// remindAt keeps a reminder of r, or none if at is zero.
func (st *state) remindAt(r *review.Request, kind review.ReminderKind, stepID int, at time.Time) {
	key := stayAt{r.ID, stepID, kind}
	if st.reminders.remove(key); !at.IsZero() {
		st.reminders.put(key, reminder{review.Reminder{Kind: kind, ProjectID: r.ProjectID, RequestID: r.ID, StepID: stepID}, at})
	}
}

func (s requests) AnyDue(ctx context.Context, except ...int64) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) { return st.reminders.any(s.due(except)), nil })
}

// due returns a function that reports whether a reminder is due.
func (s requests) due(except []int64) func(reminder) bool {
	now := s.now()
	return func(r reminder) bool { return !r.Due.After(now) && !slices.Contains(except, r.RequestID) }
}

func (s requests) TakeDue(ctx context.Context, limit int, except ...int64) (taken []review.Reminder, err error) {
	err = s.apply(ctx, func(st *state) {
		for _, r := range first(st.reminders.where(s.due(except)), limit) {
			st.reminders.remove(stayAt{r.RequestID, r.StepID, r.Kind})
			taken = append(taken, r.Reminder)
		}
	})
	return taken, err
}

// readAll changes requests to what reads return, and returns them.
func (st *state) readAll(rows []review.Request) []review.Request {
	for i, r := range rows {
		rows[i] = st.readRequest(r)
	}
	return rows
}

// readRequest returns r as reads return it: with OpenComments, and that of a release without items.
func (st *state) readRequest(r review.Request) review.Request {
	if r.Release != nil {
		r.Items = nil
	}
	if r.ID == 0 { // none was found
		return r
	}
	r.ReadOn(st.now())
	r.OpenComments = len(st.comments.where(func(c discussion.Comment) bool {
		return c.Parent == 0 && c.ClosedIn == 0 && discussion.CommentsOf(&r).Has(&c)
	}))
	return r
}
