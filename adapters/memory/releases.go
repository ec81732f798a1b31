package memory

import (
	"context"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/words"
)

type releases struct{ scoped }

// releaseMark identifies a mark.
type releaseMark struct{ releaseID, userID, entryID int64 }

func (s releases) Release(ctx context.Context, projectID, id int64) (release.Release, error) {
	return view(ctx, s.conn, func(st *state) (release.Release, error) { return st.release(projectID, id) })
}

func (s releases) Lock(ctx context.Context, projectID, id int64) (release.Release, error) {
	if err := s.hold(ctx, s.thing, id); err != nil {
		return release.Release{}, err
	}
	return s.Release(ctx, projectID, id)
}

func (st *state) release(projectID, id int64) (release.Release, error) {
	r, err := st.releases.in(projectID, id)
	return st.withCounts(r), err
}

// withCounts returns a copy of r with its counts.
func (st *state) withCounts(r release.Release) release.Release {
	members, _ := st.members.get(r.ID)
	if r.Latest = (review.ApprovalSummary{}); r.RequestID != 0 {
		request, _ := st.requests.get(r.RequestID)
		r.Latest = request.Summary()
	}
	r.Counts = release.Counts{Members: len(members)}
	for _, m := range members {
		if m.Action == schedule.Unpublish {
			r.Counts.Unpublish++
		} else {
			r.Counts.Publish++
		}
	}
	r.Failing, r.RevertedBy = "", 0
	if due, ok := st.schedules.get(scheduleKey{r.ProjectID, 0, r.ID, schedule.Publish}); ok {
		r.Failing = due.LastFault
	}
	for _, b := range st.releases.where(func(b release.Release) bool {
		return b.ProjectID == r.ProjectID && b.RevertOf == r.ID && b.State == release.Published
	}) {
		r.RevertedBy = max(r.RevertedBy, b.ID)
	}
	return r
}

func (s releases) Releases(ctx context.Context, q release.Query) ([]release.Release, error) {
	rows, err := s.list(ctx, q)
	return window(latest(rows), q.Offset, q.Limit), err
}

func (s releases) Count(ctx context.Context, q release.Query) (int64, error) {
	rows, err := s.list(ctx, q)
	return int64(len(rows)), err
}

func (s releases) list(ctx context.Context, q release.Query) ([]release.Release, error) {
	contains := func(text string) bool { return strings.Contains(words.Fold(text), words.Fold(q.Search)) }
	return view(ctx, s.conn, func(st *state) ([]release.Release, error) {
		rows := st.releases.where(func(r release.Release) bool {
			request, _ := st.requests.get(r.RequestID)
			members, _ := st.members.get(r.ID)
			has := q.EntryID == 0 || slices.Contains(entriesIn(members), q.EntryID)
			names := func(role int64) bool { return review.UsesRole(request.Steps, role) }
			return r.ProjectID == q.ProjectID && (q.ID == 0 || r.ID == q.ID) && has &&
				(len(q.States) == 0 || slices.Contains(q.States, r.State)) && (contains(r.Name) || contains(r.Description)) &&
				(q.CustomRoles == nil || slices.ContainsFunc(q.CustomRoles, names))
		})
		for i, r := range rows {
			rows[i] = st.withCounts(r)
		}
		return rows, nil
	})
}

func (s releases) Insert(ctx context.Context, r *release.Release) error { return s.insert(ctx, r) }

func (s releases) Update(ctx context.Context, r release.Release) error {
	return edit(ctx, s.store, in{r.ProjectID, r.ID}, func(st *state, next *release.Release) error {
		next.Name, next.Description, next.PublishAt, next.Version, next.UpdatedAt = r.Name, r.Description, r.PublishAt, r.Version, r.UpdatedAt
		next.Contributors = r.Contributors
		st.record(release.OfRelease(event.ReleaseUpdated, new(st.withCounts(*next))))
		return nil
	})
}

func (s releases) SetState(ctx context.Context, r release.Release) error {
	return edit(ctx, s.store, in{r.ProjectID, r.ID}, func(st *state, next *release.Release) error {
		next.State, next.RequestID, next.Rounds, next.Fault = r.State, r.RequestID, r.Rounds, r.Fault
		next.PublishAt, next.PublishedAt, next.Version, next.UpdatedAt = r.PublishAt, r.PublishedAt, r.Version, r.UpdatedAt
		next.Contributors = r.Contributors
		st.record(release.StateEvents(new(st.withCounts(*next)))...)
		return nil
	})
}

func (s releases) PutMembers(ctx context.Context, projectID, id int64, members []release.Member) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.releases.in(projectID, id); err != nil {
			return err
		}
		kept, _ := st.members.get(id)
		kept = append(without(kept, entriesIn(members)), members...)
		sort(kept, by(func(m release.Member) int64 { return m.EntryID }))
		st.members.put(id, kept)
		return nil
	})
}

func (s releases) Seal(ctx context.Context, projectID, id int64, items []review.RequestItem, content bool) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.releases.in(projectID, id); err != nil {
			return err
		}
		kept, _ := st.members.get(id)
		kept = slices.Clone(kept)
		sealed := slices.Clone(items)
		for n := range sealed {
			i := &sealed[n]
			if at := slices.IndexFunc(kept, func(m release.Member) bool { return m.EntryID == i.EntryID }); at >= 0 {
				m := &kept[at]
				m.TitleFieldID = i.TitleFieldID
				m.Locale, m.Title, m.ContentHash, m.BaseNumber, m.BaseHash, m.Changed = i.Locale, i.Title, i.ContentHash, i.BaseNumber, i.BaseHash, i.Changed
			}
			if !content {
				i.Snapshot, i.Withheld = nil, nil
			}
		}
		sort(sealed, by(func(i review.RequestItem) int64 { return i.EntryID }))
		st.members.put(id, kept)
		st.sealed.put(id, sealed)
		return nil
	})
}

func (s releases) Items(ctx context.Context, projectID, id int64) ([]review.RequestItem, error) {
	return view(ctx, s.conn, func(st *state) ([]review.RequestItem, error) {
		if _, err := st.releases.in(projectID, id); err != nil {
			return nil, nil //nolint:nilerr // no release, no items
		}
		sealed, _ := st.sealed.get(id)
		return sealed, nil
	})
}

func (s releases) Submitted(ctx context.Context, projectID, id, entryID int64) (review.RequestItem, error) {
	return view(ctx, s.conn, func(st *state) (review.RequestItem, error) {
		r, err := st.releases.in(projectID, id)
		sealed, _ := st.sealed.get(id)
		at := slices.IndexFunc(sealed, func(i review.RequestItem) bool { return i.EntryID == entryID })
		if err != nil || at < 0 {
			return review.RequestItem{}, core.NotFound("member")
		}
		item := sealed[at]
		if request, _ := st.requests.get(r.RequestID); item.Snapshot == nil && request.ItemOf(entryID) != nil {
			item.Snapshot = request.ItemOf(entryID).Snapshot
		}
		item.Withheld = nil
		return item, nil
	})
}

func entriesIn(members []release.Member) []int64 {
	ids := make([]int64, len(members))
	for i, m := range members {
		ids[i] = m.EntryID
	}
	return ids
}

// without returns the members whose entries are not among ids, as a new list.
func without(members []release.Member, ids []int64) []release.Member {
	return slices.DeleteFunc(slices.Clone(members), func(m release.Member) bool { return slices.Contains(ids, m.EntryID) })
}

func (s releases) RemoveMembers(ctx context.Context, projectID, id int64, entryIDs []int64) (removed int, err error) {
	err = s.apply(ctx, func(st *state) {
		if _, err := st.releases.in(projectID, id); err != nil {
			return
		}
		kept, _ := st.members.get(id)
		left := without(kept, entryIDs)
		removed = len(kept) - len(left)
		st.members.put(id, left)
	})
	return removed, err
}

func (s releases) RemoveCollection(ctx context.Context, projectID, collectionID int64) error {
	return s.apply(ctx, func(st *state) {
		for _, r := range st.releases.where(func(r release.Release) bool { return r.ProjectID == projectID && r.State == release.Open }) {
			kept, _ := st.members.get(r.ID)
			left := slices.DeleteFunc(slices.Clone(kept), func(m release.Member) bool { return m.CollectionID == collectionID })
			if len(left) == len(kept) {
				continue
			}
			st.members.put(r.ID, left)
			r.Version++
			r.UpdatedAt = s.now()
			st.releases.put(r.ID, r)
			st.record(release.OfRelease(event.ReleaseUpdated, &r))
		}
	})
}

func (s releases) Members(ctx context.Context, projectID, id int64, present bool, entryIDs ...int64) ([]release.Member, error) {
	return view(ctx, s.conn, func(st *state) (rows []release.Member, _ error) {
		if _, err := st.releases.in(projectID, id); err != nil {
			return nil, nil //nolint:nilerr // no release, no members
		}
		all, _ := st.members.get(id)
		for _, m := range all {
			if len(entryIDs) > 0 && !slices.Contains(entryIDs, m.EntryID) {
				continue
			}
			if m.Changed = append([]string{}, m.Changed...); present {
				st.presently(projectID, &m)
			}
			rows = append(rows, m)
		}
		return rows, nil
	})
}

// presently sets what m has of its present entry.
func (st *state) presently(projectID int64, m *release.Member) {
	e, ok := st.entries.get(m.EntryID)
	m.Gone, m.BaseNumber, m.BaseHash = !ok || e.Trashed(), 0, ""
	if ok {
		m.Locale = e.Locale
	}
	if p, public := st.current(projectID, m.EntryID); public {
		m.BaseNumber, m.BaseHash = p.Number, p.ContentHash
	}
}

// inRelease reports whether a release that is not over names p.
func (st *state) inRelease(p core.Publication) bool {
	for id, members := range st.members.each {
		r, _ := st.releases.get(id)
		if r.ProjectID == p.ProjectID && (r.State == release.Open || r.State.Submitted()) &&
			slices.ContainsFunc(members, func(m release.Member) bool { return m.EntryID == p.EntryID && m.From == p.Number }) {
			return true
		}
	}
	return false
}

func (s releases) Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]release.Summary, error) {
	rank := func(r release.Release) int {
		switch {
		case r.State.Submitted():
			return 2
		case r.State == release.Open:
			return 1
		}
		return 0
	}
	return view(ctx, s.conn, func(st *state) (map[int64]release.Summary, error) {
		summaries := map[int64]release.Summary{}
		all := st.releases.where(func(r release.Release) bool { return r.ProjectID == projectID && r.State != release.Closed })
		sort(all, by(rank))
		for _, r := range all {
			shown := release.Summary{ID: r.ID, Name: r.Name, State: r.State}
			if request, ok := st.requests.get(r.RequestID); ok {
				shown.ReleaseNumber = request.ReleaseNumber()
			}
			members, _ := st.members.get(r.ID)
			for _, m := range members {
				if slices.Contains(entryIDs, m.EntryID) {
					summaries[m.EntryID] = shown
				}
			}
		}
		return summaries, nil
	})
}

func (s releases) Mark(ctx context.Context, projectID, id, userID int64, marks []release.Mark) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.releases.in(projectID, id); err != nil {
			return err
		}
		for _, m := range marks {
			st.marks.put(releaseMark{id, userID, m.EntryID}, m)
		}
		return nil
	})
}

func (s releases) Marks(ctx context.Context, projectID, id, userID int64) ([]release.Mark, error) {
	return view(ctx, s.conn, func(st *state) ([]release.Mark, error) {
		_, err := st.releases.in(projectID, id)
		return matching(&st.marks, func(key releaseMark, _ release.Mark) bool {
			return err == nil && key.releaseID == id && key.userID == userID
		}), nil
	})
}
