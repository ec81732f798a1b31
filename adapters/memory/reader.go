package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// listed is an answer of List.
type listed struct {
	Rows  []core.Row
	Total int64
}

func (s entries) List(ctx context.Context, sel query.Selection, counted bool) ([]core.Row, int64, error) {
	found, err := see(ctx, s, sel.Schema.Project.ID, func(st *state) (found listed, _ error) {
		rows := st.selected(sel)
		if counted {
			found.Total = int64(len(rows))
		}
		at := make(map[int64]query.Position, len(rows)) // by entry
		for _, row := range rows {
			at[row.ID] = positionOf(sel, row)
		}
		if sel.After != nil {
			rows = slices.DeleteFunc(rows, func(row core.Row) bool { return comparePositions(sel.Sort, at[row.ID], *sel.After) <= 0 })
		}
		sort(rows, func(a, b core.Row) int { return comparePositions(sel.Sort, at[a.ID], at[b.ID]) })
		found.Rows = window(rows, sel.Offset, sel.Limit)
		for i := range found.Rows {
			clearParts(&found.Rows[i], sel.Without)
		}
		return found, nil
	})
	return found.Rows, found.Total, err
}

// clearParts sets parts of a row to zero.
func clearParts(r *core.Row, parts query.RowParts) {
	if parts&query.RowDates != 0 {
		r.CreatedAt, r.UpdatedAt = time.Time{}, time.Time{}
	}
	if parts&query.RowGroup != 0 {
		r.Group, r.Serves = 0, 0
	}
	if parts&query.RowDocument != 0 {
		r.Document, r.Media = nil, nil
	}
}

func (s entries) Count(ctx context.Context, sel query.Selection) (int64, error) {
	return see(ctx, s, sel.Schema.Project.ID, func(st *state) (int64, error) { return int64(len(st.selected(sel))), nil })
}

func (s entries) Tally(ctx context.Context, sel query.Selection, t query.Tally) ([]query.Tallied, error) {
	return see(ctx, s, sel.Schema.Project.ID, func(st *state) ([]query.Tallied, error) {
		m, counts := newMatcher(st, sel), map[query.Tallied]int64{}
		for _, row := range st.selected(sel) {
			for _, value := range m.tallied(row, t) {
				counts[value]++
			}
		}
		found := make([]query.Tallied, 0, len(counts))
		for value, n := range counts {
			value.Count = n
			found = append(found, value)
		}
		sort(found, t.CompareTallied)
		if t.By.Kind() != fieldtype.Time {
			found = first(found, t.Most)
		}
		return found, nil
	})
}

func (s entries) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	return see(ctx, s, projectID, func(st *state) (core.Row, error) {
		e, err := st.entries.in(projectID, id)
		if err != nil {
			return core.Row{}, err
		}
		project, err := st.projects.one(projectID)
		if err != nil {
			return core.Row{}, err
		}
		for _, row := range st.rows(project, core.StatePublished, func(o core.Entry) bool {
			return o.CollectionID == collectionID && o.Group == e.Group
		}) {
			if row.ID == id {
				return row, nil
			}
		}
		return core.Row{}, core.NotFound("entry")
	})
}

func (s entries) Serving(
	ctx context.Context, projectID int64, seen core.State, groups []int64, mask uint64, documents bool,
) ([]core.Row, error) {
	return see(ctx, s, projectID, func(st *state) ([]core.Row, error) {
		project, err := st.projects.one(projectID)
		if err != nil {
			return nil, nil //nolint:nilerr // no Project, no rows
		}
		var serving []core.Row
		for _, row := range st.rows(project, seen, func(e core.Entry) bool { return slices.Contains(groups, e.Group) }) {
			if row.Serves&mask == 0 {
				continue
			}
			if !documents {
				row = core.Row{ID: row.ID, CollectionID: row.CollectionID, Group: row.Group, Serves: row.Serves}
			}
			serving = append(serving, row)
		}
		return serving, nil
	})
}

func (s entries) Alternates(ctx context.Context, project *core.Project, groups []int64, slug *core.Field) ([]query.Alternate, error) {
	return see(ctx, s, project.ID, func(st *state) (found []query.Alternate, err error) {
		for _, row := range st.rows(project, core.StatePublished, func(e core.Entry) bool { return slices.Contains(groups, e.Group) }) {
			a := query.Alternate{ID: row.ID, Group: row.Group, Locale: row.Locale}
			if slug != nil {
				a.Slug, _ = canonical.Text(row.Document.Value(slug.Name))
			}
			found = append(found, a)
		}
		sort(found, func(a, b query.Alternate) int {
			return cmp.Or(cmp.Compare(a.Group, b.Group), project.LocaleNumber(a.Locale)-project.LocaleNumber(b.Locale))
		})
		return found, nil
	})
}

func (s entries) GroupCollections(ctx context.Context, projectID int64, groups []int64) (map[int64]string, error) {
	return view(ctx, s.conn, func(st *state) (map[int64]string, error) {
		found := map[int64]string{}
		for _, group := range groups {
			if slug, past := st.pastGroups.get(pastGroup{projectID, group}); past {
				found[group] = slug
			}
		}
		for _, e := range st.entries.each {
			if e.ProjectID == projectID && slices.Contains(groups, e.Group) {
				found[e.Group] = st.slugOf(e.CollectionID)
			}
		}
		return found, nil
	})
}

// rows returns the matching entries of the Project that are visible in the state seen,
// unordered. match must accept or reject whole translation groups.
func (st *state) rows(project *core.Project, seen core.State, match func(core.Entry) bool) []core.Row {
	groups := map[int64][]core.Row{}
	for _, e := range st.entries.each {
		if e.ProjectID == project.ID && seen.Admits(&e) != nil && match(e) {
			groups[e.Group] = append(groups[e.Group], e.Row(seen))
		}
	}
	var rows []core.Row
	for _, members := range groups {
		locales := make([]string, len(members))
		for i, row := range members {
			locales[i] = row.Locale
		}
		for i, mask := range project.Serves(locales) {
			members[i].Serves = mask
		}
		rows = append(rows, members...)
	}
	return rows
}

// selected returns all rows of sel, unordered.
func (st *state) selected(sel query.Selection) []core.Row {
	rows := st.rows(sel.Schema.Project, sel.State, func(e core.Entry) bool {
		return e.CollectionID == sel.Schema.Collection.ID
	})
	m := newMatcher(st, sel)
	return slices.DeleteFunc(rows, func(row core.Row) bool {
		return !serves(sel.Schema.Project, row, sel.Locale) || !m.matches(row)
	})
}

// serves reports whether row is the result of the fallback chain of locale.
func serves(project *core.Project, row core.Row, locale string) bool {
	if locale == query.AllLocales {
		return true
	}
	return row.Serves&project.LocaleMask(locale) != 0
}

// positionOf returns the values of row for the keys of sel, which end with the id.
func positionOf(sel query.Selection, row core.Row) query.Position {
	at := query.Position{Values: make([]*core.Value, len(sel.Sort)-1), ID: row.ID}
	for i := range at.Values {
		switch f := sel.Sort[i].Field; f {
		case query.RankField:
			at.Values[i] = &core.Value{Num: sel.Schema.Collection.Rank(sel.Search, row.Document)}
			continue
		case query.MomentField:
			at.Values[i] = &core.Value{Num: float64(query.Moment(row.PublishedAt, row.CreatedAt))}
			continue
		}
		if values, _ := rowValues(sel.Sort[i].Field, row); len(values) > 0 {
			at.Values[i] = &values[0]
		}
	}
	return at
}

// comparePositions orders positions by keys, nulls last.
func comparePositions(keys []query.SortKey, a, b query.Position) int {
	for i, x := range a.Values {
		y := b.Values[i]
		switch {
		case x == nil && y == nil:
			continue
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		if order := directed(keys[i], core.CompareValues(keys[i].Field.Kind(), *x, *y)); order != 0 {
			return order
		}
	}
	return directed(keys[len(keys)-1], cmp.Compare(a.ID, b.ID))
}

func directed(key query.SortKey, order int) int {
	if key.Desc {
		return -order
	}
	return order
}

// PublicPlaces implements ports.PublicEntries.
func (s entries) PublicPlaces(
	ctx context.Context, project *core.Project, collections []int64, locale string, after core.PublicPlace, limit int,
) ([]core.PublicPlace, error) {
	return view(ctx, s.conn, func(st *state) (places []core.PublicPlace, err error) {
		for _, e := range st.entries.each {
			place := core.PublicPlace{CollectionID: e.CollectionID, Locale: slices.Index(project.Locales, e.Locale), ID: e.ID}
			if e.ProjectID == project.ID && slices.Contains(collections, e.CollectionID) && core.StatePublished.Admits(&e) != nil &&
				(locale == "" || e.Locale == locale) && place.Compare(after) > 0 {
				places = append(places, place)
			}
		}
		sort(places, core.PublicPlace.Compare)
		return first(places, limit), nil
	})
}

// PublicVersions implements ports.PublicEntries.
func (s entries) PublicVersions(ctx context.Context, projectID int64, ids []int64, documents bool) ([]core.PublicVersion, error) {
	return view(ctx, s.conn, func(st *state) (versions []core.PublicVersion, err error) {
		for _, id := range core.Distinct(slices.Clone(ids)) {
			e, ok := st.entries.get(id)
			if !ok || e.ProjectID != projectID || core.StatePublished.Admits(&e) == nil {
				continue
			}
			v := core.PublicVersion{Row: e.Row(core.StatePublished), ContentHash: e.PublishedHash, Size: len(e.Published) + len(e.PublishedMedia)}
			if !documents {
				v.Document, v.Media = nil, nil
			}
			versions = append(versions, v)
		}
		return versions, nil
	})
}

func (s entries) Referrers(ctx context.Context, project *core.Project, q query.ReferrersQuery) ([]query.Referrers, error) {
	return see(ctx, s, project.ID, func(st *state) ([]query.Referrers, error) {
		rows := st.rows(project, core.StatePublished, func(core.Entry) bool { return true })
		sort(rows, by(func(r core.Row) int64 { return -r.ID }))
		found := make([]query.Referrers, len(q.To))
		for i, to := range q.To {
			found[i].To = to
			for _, row := range rows {
				if row.Serves&(1<<to.Locale) == 0 || q.Before > 0 && row.ID >= q.Before || !refers(row, q.Fields, to.Group) {
					continue
				}
				if len(found[i].Entries) < q.Limit {
					found[i].Entries = append(found[i].Entries, query.Referring{ID: row.ID, Group: row.Group})
				}
				if q.Counts {
					found[i].Total = min(found[i].Total+1, query.MaxReferrersCounted+1)
				}
			}
		}
		return found, nil
	})
}

// refers reports whether row refers to the group in one of the fields.
func refers(row core.Row, fields []query.FieldOf, group int64) bool {
	return slices.ContainsFunc(fields, func(of query.FieldOf) (refers bool) {
		if of.Collection.ID != row.CollectionID {
			return false
		}
		if of.Field.RefersInside() {
			of.Field.EachReference(row.Document.Value(of.Field.Name), func(r core.Reference) {
				refers = refers || r.Target == core.ToGroup && r.ID == group
			})
			return refers
		}
		values, _ := rowValues(of.Field, row)
		return slices.Contains(values, core.Value{Num: float64(group)})
	})
}

// Seeing returns entries whose reads note how many releases of the Project they see.
func (s entries) Seeing(seen *release.Seen) ports.EntryReader {
	s.seen = seen
	return s
}

// see is view for a read that notes the releases of a Project.
func see[T any](ctx context.Context, s entries, projectID int64, read func(*state) (T, error)) (T, error) {
	return view(ctx, s.conn, func(st *state) (T, error) {
		if s.seen != nil {
			published, _ := st.releaseCounts.get(projectID)
			s.seen.Saw(published)
		}
		return read(st)
	})
}

func (s entries) ReleasesPublished(ctx context.Context, projectIDs ...int64) (int64, error) {
	return view(ctx, s.conn, func(st *state) (n int64, err error) {
		for _, id := range projectIDs {
			published, _ := st.releaseCounts.get(id)
			n += published
		}
		return n, nil
	})
}
