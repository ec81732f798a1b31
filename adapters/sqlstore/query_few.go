package sqlstore

import "imprimatur/core"

// A condition that few rows meet is best answered by its own index, and one that
// many rows meet by walking in the order until the window is full. The planner can
// not tell which is which before it sees the value, and its plan is made once per
// text. So the statement finds out itself: it draws a sample of the rows that meet
// one of its conditions, as "few", and goes on by it when that is all of them.

// The most rows that are taken as few: where the alternative is to read text after
// text, to look target after target up, or to go by signatures.
const (
	fewFound    = 4000
	fewPointing = 2500
	fewEqual    = 200
)

// few is the sample that a page begins with.
type few struct {
	clause *core.Clause
	most   int64
}

// few returns the sample to draw, or nil when no index but the one that orders can
// help.
func (q *compiler) few(keys []sortKey) *few {
	var best *few
	for i := range q.sel.Where {
		c := &q.sel.Where[i]
		slotted := c.Field.Slot != "" && c.Field.SlotReady
		switch {
		case c.Field.System():
		case q.plentiful(c):
			q.walking = true
		case c.Relation == nil && q.searches(c):
			return &few{c, fewFound}
		case best != nil || c.Op != core.OpEqual && c.Op != core.OpIn:
		case c.Relation != nil && (c.Target == nil || !slotted):
		case c.Relation != nil:
			best = &few{c, fewPointing}
		case c.Field.Listed():
			best = &few{c, fewEqual}
		case !slotted || c.Field == keys[0].field:
		// An index by this field has its rows of one value in the order of ids.
		case c.Op == core.OpIn || keys[0].field != core.SystemID:
			best = &few{c, fewEqual}
		}
	}
	return best
}

// plentiful reports whether a sample of c was not all there is a short time ago.
func (q *compiler) plentiful(c *core.Clause) bool {
	v, ok := oneValue(q.sel, c)
	return ok && q.hints.plenty.has(v)
}

// searches reports whether the trigram index answers c.
func (q *compiler) searches(c *core.Clause) bool {
	if c.Op != core.OpLike || !c.Field.Searchable {
		return false
	}
	_, ok := q.dialect.SearchPattern(c.Values[0].Text)
	return ok
}

// sample compiles f: ids, one more than are few when there are more.
func (q *compiler) sample(f *few, branches []branch) string {
	return "WITH few AS MATERIALIZED (" + q.sampled(f.clause, branches) + " LIMIT " + number(f.most+1) + ") "
}

func (q *compiler) sampled(c *core.Clause, branches []branch) string {
	r := row{alias: "i", collection: collectionArg, state: q.sel.State, locale: -1}
	for _, b := range branches {
		r.among = append(r.among, b.locale)
	}
	r.served, _ = q.served()
	switch {
	case c.Relation != nil:
		return q.pointing(r, c)
	case c.Op == core.OpLike:
		return q.finding(r, c)
	case c.Field.Listed():
		return q.holding(r, c)
	}
	return "SELECT i.entry_id FROM entry_index i WHERE i.project_id = " + projectArg + " AND i.scope IN (" + join(r.among, r.scopeIn) + ") AND " + q.clause(r, c)
}

// holding selects the ids of the entries in r's locales that hold one of the values
// that c looks for.
func (q *compiler) holding(r row, c *core.Clause) string {
	r.alias = "v"
	return "SELECT v.entry_id FROM entry_values v WHERE " +
		and(q.values("v", r, c.Field), r.here("v"), q.passesListed(r, c.Field, test{core.OpIn, c.Values}))
}

// finding is found, of what c looks for.
func (q *compiler) finding(r row, c *core.Clause) string {
	return q.found(r, c.Field, &c.Values[0])
}

// pointing selects the ids of the entries in r's locales whose relation points to one
// that c looks for, in the locale that r is served in or, where that may be any, in any.
// It begins with what is pointed to.
func (q *compiler) pointing(r row, c *core.Clause) string {
	target := row{alias: "r", collection: q.bind(c.Target, 0, c.Target.ID), state: q.sel.State.Related(), locale: -1, away: true}
	locales := make([]int, len(q.sel.Schema.Project.Locales))
	for n := range locales {
		locales[n] = n
	}
	shown := always
	if r.served != 0 {
		shown = meets("r.serves", r.served)
	}
	targets := "(SELECT r.group_id FROM entry_index r WHERE r.project_id = " + projectArg +
		" AND r.scope IN (" + join(locales, target.scopeIn) + ") AND " + and(q.some(target, c.Field, test{core.OpIn, c.Values}), shown) + ") g"
	return "SELECT v.entry_id FROM " + q.dialect.ForEach(targets, "entry_values", "v", and(q.values("v", r, c.Relation), r.here("v"), "v.ref = g.group_id"))
}

const sampleSize = "(SELECT count(*) FROM few)"

// notAll is a condition, which speaks of no table, that the sample is not all there is.
func (f *few) notAll() string { return sampleSize + " > " + number(f.most) }

// all is a condition, which speaks of no table, that it is.
func (f *few) all() string { return sampleSize + " <= " + number(f.most) }

// fewPart is the whole page, from the sample. Where the sample is the whole selection, and
// its order that of the ids, no more than limit of them need be looked up.
func (q *compiler) fewPart(f *few, keys []sortKey, branches []branch, limit string) part {
	ids := "SELECT entry_id FROM few"
	if keys[0].field == core.SystemID && q.alone(f.clause, branches) {
		ids = "SELECT DISTINCT entry_id FROM few ORDER BY " + pageOrder([]sortKey{{name: "entry_id", desc: keys[0].desc}}) + " LIMIT " + limit
	}
	sampled := q.dialect.AmongRows("i.entry_id", ids)
	met := f.clause
	if _, one := q.served(); met.Relation != nil && !one {
		met = nil // it still has to be asked in the locale that is served
	}
	return part{
		where:      func(r row) string { return q.where(r, met) },
		conditions: func(branch) string { return sampled },
		sort:       keys,
	}
}

// alone reports whether the ids that a sample of c draws are those of the selection.
func (q *compiler) alone(c *core.Clause, branches []branch) bool {
	_, one := q.served()
	return one && q.single() && c == &q.sel.Where[0] && len(branches) == 1 && q.sel.State != core.StateOnlyDraft
}
