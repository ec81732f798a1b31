package memory

import (
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// matcher decides which rows match the conditions of a selection.
type matcher struct {
	st  *state
	sel query.Selection
	// related caches the rows of the target collections of relations, by collection and group.
	related map[int64]map[int64][]core.Row
	// latest is the open or latest request of each entry. library is the media items of the
	// Project. Both are nil unless the selection has a status.
	latest  map[int64]review.ApprovalSummary
	library []core.MediaItem
}

func newMatcher(st *state, sel query.Selection) *matcher {
	m := &matcher{st: st, sel: sel, related: map[int64]map[int64][]core.Row{}}
	if sel.Status != "" {
		project := sel.Schema.Project.ID
		m.latest = st.summaries(project, func(int64) bool { return true })
		m.library = st.media.of(project)
	}
	return m
}

func (m *matcher) matches(row core.Row) bool {
	meetsAll := func(clauses []query.Predicate) bool {
		return !slices.ContainsFunc(clauses, func(c query.Predicate) bool { return !m.meets(row, c) })
	}
	return meetsAll(m.sel.Where) && (len(m.sel.Or) == 0 || slices.ContainsFunc(m.sel.Or, meetsAll)) &&
		(m.sel.Search == nil || m.sel.Search.In(&m.sel.Schema.Collection.Words(row.Document).All)) &&
		(m.sel.Status == "" || m.sel.Status == m.status(row.ID)) &&
		(m.sel.EditedBy == 0 || m.sel.EditedBy == m.st.entry(row.ID).UpdatedBy) &&
		(m.sel.Outdated == "" || m.outdated(row.ID)) &&
		(m.sel.Member == 0 || slices.ContainsFunc(m.relatedRows(m.sel.Schema.Collection)[row.Group], func(o core.Row) bool { return o.ID == m.sel.Member }))
}

// outdated reports whether the translation of an entry into the locale of the selection is not newer than it.
func (m *matcher) outdated(id int64) bool {
	e := m.st.entry(id)
	if e.Locale == m.sel.Outdated {
		return false
	}
	for _, t := range m.st.entries.each {
		if t.ProjectID == e.ProjectID && t.Group == e.Group && t.Locale == m.sel.Outdated {
			return t.Trashed() || t.UpdatedAt.Before(e.UpdatedAt)
		}
	}
	return true
}

// status returns the status of an entry of the collection of the selection.
func (m *matcher) status(id int64) entrystatus.Status {
	e := m.st.entry(id)
	var scheduled *schedule.Schedule
	if p, ok := m.st.schedules.get(scheduleKey{e.ProjectID, id, 0, schedule.Publish}); ok {
		scheduled = &p
	}
	return entrystatus.FactsOf(m.sel.Schema.Collection, &e, m.library, m.latest[id].Status, scheduled).Status()
}

// meets reports whether row matches c.
func (m *matcher) meets(row core.Row, c query.Predicate) bool {
	values, present := m.values(row, c)
	operands := c.Values
	if c.Field.Type == core.TypeRelation {
		operands = m.groupsOf(row, c)
	}
	kind := c.Field.Kind()
	anyValue := func(meets func(x core.Value) bool) bool { return slices.ContainsFunc(values, meets) }
	equal := func(x core.Value) bool { return slices.Contains(operands, x) }
	between := func(x core.Value) bool {
		return core.CompareValues(kind, x, operands[0]) >= 0 && core.CompareValues(kind, x, operands[1]) <= 0
	}
	compared := func(accept func(order int) bool) bool {
		return anyValue(func(x core.Value) bool { return accept(core.CompareValues(kind, x, operands[0])) })
	}
	switch c.Op {
	case query.OpEqual, query.OpIn:
		return anyValue(equal)
	case query.OpNot, query.OpNotIn:
		return !anyValue(equal)
	case query.OpLike:
		return anyValue(func(x core.Value) bool { return strings.Contains(c.Field.SearchedText(x), operands[0].Text) })
	case query.OpLess:
		return compared(func(order int) bool { return order < 0 })
	case query.OpLessEq:
		return compared(func(order int) bool { return order <= 0 })
	case query.OpGreater:
		return compared(func(order int) bool { return order > 0 })
	case query.OpGreaterEq:
		return compared(func(order int) bool { return order >= 0 })
	case query.OpBetween:
		return anyValue(between)
	case query.OpNotBetween:
		return len(values) > 0 && !anyValue(between)
	case query.OpNull:
		return !present
	case query.OpNotNull:
		return present
	default:
		panic("memory: an unknown operator " + string(c.Op))
	}
}

// values returns the values of row that c compares, and whether any exist. For opaque fields
// values is nil. For a field of a relation's target, they are the values of all related rows.
func (m *matcher) values(row core.Row, c query.Predicate) (values []core.Value, present bool) {
	if c.Relation == nil {
		return m.rowValues(c.Field, row)
	}
	groups, _ := rowValues(c.Relation, row)
	hops := c.Hops()
	if c.Second != nil {
		var further []core.Value
		for _, target := range m.shown(c.Target, groups, m.locale(row)) {
			more, _ := rowValues(c.Second, target)
			further = append(further, more...)
		}
		groups, hops = further, hops[1:]
	}
	for _, hop := range hops {
		for _, target := range m.shown(hop.Target, groups, m.locale(row)) {
			more, some := m.rowValues(hop.Field, target)
			if hop.Field.Type == core.TypeRelation { // present only if it has related rows
				some = m.leads(hop.Field, more, m.locale(row))
				more = among(more, m.groups(hop.Field, c.Values, m.locale(row)))
			}
			values, present = append(values, more...), present || some
		}
	}
	return values, present
}

// leads reports whether relation f with these groups has related rows.
func (m *matcher) leads(f *core.Field, groups []core.Value, locale string) bool {
	return slices.ContainsFunc(m.sel.Schema.Targets(f), func(target *core.Collection) bool {
		return len(m.shown(target, groups, locale)) > 0
	})
}

// tallied returns the different values of row that t counts, without a count.
func (m *matcher) tallied(row core.Row, t query.Tally) (found []query.Tallied) {
	values, _ := rowValues(t.By, row)
	if t.By.Type == core.TypeRelation {
		for _, target := range m.sel.Schema.Targets(t.By) {
			for _, shown := range m.shown(target, distinct(values), m.locale(row)) {
				found = append(found, query.Tallied{Value: core.Value{Num: float64(shown.ID)}, CollectionID: shown.CollectionID})
			}
		}
		return found
	}
	for _, value := range distinct(values) {
		if t.By.Kind() != fieldtype.Time || t.Within(value) {
			found = append(found, query.Tallied{Value: value})
		}
	}
	return found
}

// distinct returns values without duplicates.
func distinct(values []core.Value) (all []core.Value) {
	for _, v := range values {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// rowValues returns the values of f in row without deleted media items.
func (m *matcher) rowValues(f *core.Field, row core.Row) (values []core.Value, present bool) {
	values, present = rowValues(f, row)
	if f.Type != core.TypeMedia {
		return values, present
	}
	values = slices.DeleteFunc(values, func(v core.Value) bool {
		_, err := m.st.media.in(m.sel.Schema.Project.ID, int64(v.Num))
		return err != nil
	})
	return values, len(values) > 0
}

// locale returns the locale in which the relations of row are resolved.
func (m *matcher) locale(row core.Row) string {
	if m.sel.Locale == query.AllLocales {
		return row.Locale
	}
	return m.sel.Locale
}

// shown returns the rows of target in these groups that serve locale.
func (m *matcher) shown(target *core.Collection, groups []core.Value, locale string) []core.Row {
	byGroup := m.relatedRows(target)
	var shown []core.Row
	for _, group := range groups {
		for _, row := range byGroup[int64(group.Num)] {
			if serves(m.sel.Schema.Project, row, locale) {
				shown = append(shown, row)
			}
		}
	}
	return shown
}

func (m *matcher) relatedRows(target *core.Collection) map[int64][]core.Row {
	byGroup, known := m.related[target.ID]
	if !known {
		byGroup = map[int64][]core.Row{}
		for _, row := range m.st.rows(m.sel.Schema.Project, m.sel.State.Related(), func(e core.Entry) bool {
			return e.CollectionID == target.ID
		}) {
			byGroup[row.Group] = append(byGroup[row.Group], row)
		}
		m.related[target.ID] = byGroup
	}
	return byGroup
}

// groupsOf returns the translation groups that the operands of c, a clause on a relation, name for row.
func (m *matcher) groupsOf(row core.Row, c query.Predicate) []core.Value {
	groups := m.groups(c.Field, c.Values, m.locale(row))
	for _, hop := range c.Others {
		groups = append(groups, m.groups(hop.Field, c.Values, m.locale(row))...)
	}
	return groups
}

// groups returns the translation groups of the entries with these ids, the operands of a clause on
// relation f. It omits entries that the reader may not see, entries of other
// collections, and groups without an entry that serves locale: the relation is null then.
func (m *matcher) groups(f *core.Field, ids []core.Value, locale string) []core.Value {
	var groups []core.Value
	for _, target := range m.sel.Schema.Targets(f) {
		for group, rows := range m.relatedRows(target) {
			named := func(row core.Row) bool { return slices.Contains(ids, core.Value{Num: float64(row.ID)}) }
			serving := func(row core.Row) bool { return serves(m.sel.Schema.Project, row, locale) }
			if slices.ContainsFunc(rows, named) && slices.ContainsFunc(rows, serving) {
				groups = append(groups, core.Value{Num: float64(group)})
			}
		}
	}
	return groups
}

// among returns the values that are in all.
func among(values, all []core.Value) []core.Value {
	return slices.DeleteFunc(values, func(v core.Value) bool { return !slices.Contains(all, v) })
}

// rowValues returns the values of f in row, and whether any exist.
func rowValues(f *core.Field, row core.Row) (values []core.Value, present bool) {
	switch f {
	case core.SystemID:
		return []core.Value{{Num: float64(row.ID)}}, true
	case core.SystemLocale:
		return []core.Value{{Text: row.Locale}}, true
	case core.SystemPublishedAt:
		return timeValues(row.PublishedAt)
	case core.SystemCreatedAt:
		return timeValues(row.CreatedAt)
	case core.SystemUpdatedAt:
		return timeValues(row.UpdatedAt)
	}
	return fieldValues(f, row.Document)
}

func timeValues(t time.Time) (values []core.Value, present bool) {
	if t.IsZero() {
		return nil, false
	}
	return []core.Value{{Num: float64(t.UnixMilli())}}, true
}

// fieldValues returns the values of f in doc, and whether any exist. For opaque fields
// values is nil.
func fieldValues(f *core.Field, doc core.Document) (values []core.Value, present bool) {
	if f.Kind() == fieldtype.Opaque {
		raw := doc.Value(f.Name)
		return nil, raw != nil && (!f.Multiple || string(raw) != "[]")
	}
	f.EachElement(doc, func(element []byte) {
		if v, ok := core.DecodeValue(f.Type, element); ok {
			values = append(values, v)
		}
	})
	return values, len(values) > 0
}
