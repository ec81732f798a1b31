package memory

import (
	"bytes"
	"context"
	"slices"

	"imprimatur/core"
)

func (s entries) List(ctx context.Context, sel core.Selection) ([]core.Row, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Row, error) {
		rows := st.selected(sel)
		slices.SortFunc(rows, func(a, b core.Row) int { return compareRows(sel.Sort, a, b) })
		return copyRows(window(rows, sel.Offset, sel.Limit)), nil
	})
}

func (s entries) Count(ctx context.Context, sel core.Selection) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) { return int64(len(st.selected(sel))), nil })
}

func (s entries) Published(ctx context.Context, projectID, collectionID, id int64) (core.Row, error) {
	return view(ctx, s.conn, func(st *state) (core.Row, error) {
		e, err := st.entry(projectID, id)
		if err != nil {
			return core.Row{}, err
		}
		project, err := st.project(projectID)
		if err != nil {
			return core.Row{}, err
		}
		for _, row := range st.rows(project, core.StatePublished, func(o core.Entry) bool {
			return o.CollectionID == collectionID && o.Group == e.Group
		}) {
			if row.ID == id {
				return copyRow(row), nil
			}
		}
		return core.Row{}, core.NotFound("entry")
	})
}

func (s entries) Serving(
	ctx context.Context, projectID int64, seen core.State, groups []int64, mask uint64, documents bool,
) ([]core.Row, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Row, error) {
		project, err := st.project(projectID)
		if err != nil {
			return nil, nil
		}
		var serving []core.Row
		for _, row := range st.rows(project, seen, func(e core.Entry) bool { return slices.Contains(groups, e.Group) }) {
			if row.Serves&mask == 0 {
				continue
			}
			if !documents {
				row.Document = nil
			}
			serving = append(serving, copyRow(row))
		}
		return serving, nil
	})
}

// rows returns what state sees of the Project's matching entries, in no order.
// match must take translation groups as a whole.
func (st *state) rows(project *core.Project, seen core.State, match func(core.Entry) bool) []core.Row {
	groups := map[int64][]core.Row{}
	for _, e := range st.entries.rows {
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

// selected returns all rows of sel, in no order.
func (st *state) selected(sel core.Selection) []core.Row {
	rows := st.rows(sel.Schema.Project, sel.State, func(e core.Entry) bool {
		return e.CollectionID == sel.Schema.Collection.ID
	})
	m := newMatcher(st, sel)
	return slices.DeleteFunc(rows, func(row core.Row) bool {
		return !serves(sel.Schema.Project, row, sel.Locale) || !m.matches(row)
	})
}

// serves reports whether row is the answer for locale.
func serves(project *core.Project, row core.Row, locale string) bool {
	if locale == core.AllLocales {
		return true
	}
	n := project.LocaleNumber(locale)
	return n >= 0 && row.Serves&(1<<n) != 0
}

// compareRows orders by keys, nulls last.
func compareRows(keys []core.SortKey, a, b core.Row) int {
	for _, key := range keys {
		x, xNull := sortValue(key.Field, a)
		y, yNull := sortValue(key.Field, b)
		switch {
		case xNull && yNull:
			continue
		case xNull:
			return 1
		case yNull:
			return -1
		}
		if order := core.CompareValues(key.Field.Kind(), x, y); order != 0 {
			if key.Desc {
				return -order
			}
			return order
		}
	}
	return 0
}

func sortValue(f *core.Field, row core.Row) (v core.Value, null bool) {
	values, _ := rowValues(f, row)
	if len(values) == 0 {
		return v, true
	}
	return values[0], false
}

func copyRows(rows []core.Row) []core.Row {
	copies := make([]core.Row, len(rows))
	for i, row := range rows {
		copies[i] = copyRow(row)
	}
	return copies
}

func copyRow(row core.Row) core.Row {
	row.Document = bytes.Clone(row.Document)
	return row
}
