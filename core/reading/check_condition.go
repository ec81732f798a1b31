package reading

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// conditions checks the clauses of where and or. It reports too many clauses as one fault and
// then does not check them.
func (c *checker) conditions(q query.Query, locale string) ([]query.Predicate, [][]query.Predicate) {
	count := len(q.Where)
	for _, group := range q.Or {
		count += len(group)
	}
	if count > query.MaxConditions {
		c.fault("where", nil, "a query takes at most %d conditions", query.MaxConditions)
		return nil, nil
	}
	locales := c.localesRead(locale)
	if count*locales > query.MaxConditionsInLocales {
		c.fault("where", nil, "a query that reads %d locales takes at most %d conditions", locales, query.MaxConditionsInLocales/locales)
		return nil, nil
	}
	var or [][]query.Predicate
	for i, group := range q.Or {
		if len(group) == 0 {
			c.fault(fmt.Sprintf("or[%d]", i), nil, "needs a condition")
		}
		or = append(or, c.clauses(group))
	}
	where := c.clauses(q.Where)
	all := append([][]query.Predicate{where}, or...)
	if countHops(all)*locales > query.MaxConditionsInLocales {
		c.fault("where", nil, "a query that reads %d locales takes at most %d conditions, counted once for each collection that a relation leads to",
			locales, query.MaxConditionsInLocales/locales)
	}
	if countFar(all) > query.MaxFarConditions {
		c.fault("where", nil, "a query takes at most %d conditions on fields two relations away", query.MaxFarConditions)
	}
	if countValues(all) > query.MaxValues {
		c.fault("where", nil, "a query takes at most %d values in all", query.MaxValues)
	}
	return where, or
}

// member takes the condition on query.MemberField out of where, and returns its value; 0: none.
func (c *checker) member(where []query.Filter) (others []query.Filter, id int64) {
	named := func(f query.Filter) bool { return f.Field == query.MemberField }
	at := slices.IndexFunc(where, named)
	if at < 0 {
		return where, 0
	}
	cond := where[at]
	others = slices.DeleteFunc(slices.Clone(where), named)
	op, known := query.Op(cond.Op).Operator()
	switch {
	case !known || op.Op != query.OpEqual:
		c.fault(cond.Location, cond.Op, "%s takes only equality, with the id of an entry", quoted(cond.Field))
	case len(where)-len(others) > 1:
		c.fault(cond.Location, nil, "%s must not be repeated", quoted(cond.Field))
	default:
		values := c.values(cond, query.Predicate{Field: core.SystemID, Op: op.Op}, op)
		if len(values) == 1 {
			id = memberID(values[0].Num)
		}
	}
	return others, id
}

// memberID returns the id that a number is, or one that no entry has.
func memberID(n float64) int64 {
	if n < 1 || n > query.MaxOffset || n != math.Trunc(n) {
		return -1
	}
	return int64(n)
}

// localesRead returns the number of locales whose entries a query in locale may return.
func (c *checker) localesRead(locale string) int {
	if locale == query.AllLocales {
		return len(c.schema.Project.Locales)
	}
	return len(c.schema.Project.FallbackChain(locale))
}

// countHops returns the number of conditions, those beyond relations once for each of their collections.
func countHops(groups [][]query.Predicate) int {
	count := 0
	for _, group := range groups {
		for i := range group {
			count += max(1, len(group[i].Hops()))
		}
	}
	return count
}

// countFar returns the number of conditions two relations away.
func countFar(groups [][]query.Predicate) int {
	count := 0
	for _, group := range groups {
		for _, clause := range group {
			if clause.Second != nil {
				count++
			}
		}
	}
	return count
}

func countValues(groups [][]query.Predicate) int {
	count := 0
	for _, group := range groups {
		for _, clause := range group {
			count += len(clause.Values)
		}
	}
	return count
}

func (c *checker) clauses(conditions []query.Filter) []query.Predicate {
	if len(conditions) == 0 {
		return nil
	}
	clauses := make([]query.Predicate, len(conditions))
	for i, cond := range conditions {
		clauses[i] = c.clause(cond)
	}
	return clauses
}

// clause checks one condition. Its result is meaningful only when it added no fault.
func (c *checker) clause(cond query.Filter) query.Predicate {
	clause := c.named(cond.Field)
	clause.Op = query.Op(cond.Op)
	op, known := clause.Op.Operator()
	if !known {
		c.fault(cond.Location, cond.Op, "unknown operator %s", quoted(cond.Op))
	}
	unusable := cmp.Or(c.unusable(clause.Field, cond.Field), c.unindexed(clause.Relation), c.unindexed(clause.Second))
	for _, other := range clause.Others {
		unusable = cmp.Or(unusable, c.unusable(other.Field, cond.Field))
	}
	if unusable != "" {
		c.fault(cond.Location, cond.Field, "%s", unusable)
	}
	if !known || unusable != "" {
		return clause
	}
	if !op.Applies(clause.Field) {
		c.fault(cond.Location, cond.Field, "the field %q of type %s %s", cond.Field, clause.Field.Type, refusal(clause.Field, clause.Op))
		return clause
	}
	clause.Values = c.values(cond, clause, op)
	return c.shown(clause)
}

// shown rewrites a null test of a relation to a test of its visible target: a target that the
// reader may not see counts as null.
func (c *checker) shown(clause query.Predicate) query.Predicate {
	asksForNull := clause.Op == query.OpNull || clause.Op == query.OpNotNull
	if !asksForNull || clause.Relation != nil || clause.Field.Type != core.TypeRelation {
		return clause
	}
	related := c.through(clause.Field, core.SystemID.Name)
	related.Op = clause.Op
	return related
}

// through returns a clause on the field of that name of the targets of a relation. It has no Field
// unless each collection that the relation admits has such a field, all of one type.
func (c *checker) through(relation *core.Field, name string) query.Predicate {
	targets := c.schema.Targets(relation)
	clause := query.Predicate{Relation: relation}
	for i, target := range targets {
		f := target.Queryable(name)
		switch {
		case i == 0:
			clause.Target, clause.Field = target, f
		case f == nil || clause.Field == nil || f.Type != clause.Field.Type:
			return query.Predicate{}
		default:
			clause.Others = append(clause.Others, query.Hop{Target: target, Field: f})
		}
	}
	return clause
}

// notShared returns why the collections that a relation admits have no field in common that name, such as
// "related.title", finds; "" if name does not begin with a relation to several collections.
func (c *checker) notShared(name string) string {
	relation, rest := c.relationIn(name)
	if relation == nil || !relation.ToSeveral() {
		return ""
	}
	var first *core.Field
	for _, target := range c.schema.Targets(relation) {
		f := target.Queryable(rest)
		switch {
		case f == nil:
			return quoted(name) + " is not in all collections of " + quoted(relation.Name) + ": " + target.Slug + " has no field " + quoted(rest)
		case first == nil:
			first = f
		case f.Type != first.Type:
			return quoted(name) + " is not of one type in all collections of " + quoted(relation.Name) + ": it is " + string(first.Type) + ", but " + string(f.Type) + " in " + target.Slug
		}
	}
	return ""
}

// named finds the field of that name, at most two relations away. It returns a clause without
// Field for every name that a query may not use.
func (c *checker) named(name string) query.Predicate {
	if field := c.schema.Collection.Queryable(name); field != nil {
		return query.Predicate{Field: field}
	}
	relation, rest := c.relationIn(name)
	if relation == nil {
		return query.Predicate{}
	}
	clause := c.through(relation, rest)
	if second, rest := c.second(name); clause.Field == nil && second != nil && !relation.ToSeveral() && !second.ToSeveral() {
		clause.Second, clause.SecondTarget = second, c.schema.Target(second)
		clause.Field = clause.SecondTarget.Queryable(rest)
	}
	return clause
}

// second returns the second relation in name, and the rest of name after its dot; nil if name has no two
// relations.
func (c *checker) second(name string) (relation *core.Field, rest string) {
	first, rest := c.relationIn(name)
	if first == nil {
		return nil, ""
	}
	return c.relationOf(c.schema.Targets(first)[0], rest)
}

// relationIn returns the relation that name begins with, and the rest of name after its dot; nil without
// such a relation.
func (c *checker) relationIn(name string) (relation *core.Field, rest string) {
	return c.relationOf(c.schema.Collection, name)
}

// relationOf is relationIn for a field of a collection.
func (c *checker) relationOf(of *core.Collection, name string) (relation *core.Field, rest string) {
	for i := range len(name) {
		if name[i] != '.' {
			continue
		}
		f := of.Queryable(name[:i])
		if f != nil && f.Type == core.TypeRelation && len(c.schema.Targets(f)) > 0 {
			return f, name[i+1:]
		}
	}
	return nil, ""
}

// unusable returns why a query may not use f, which has that name in it, or "".
func (c *checker) unusable(f *core.Field, name string) string {
	switch {
	case f == nil && name == query.MemberField:
		return quoted(name) + " is only a condition of where"
	case f == nil && c.tooFar(name) != "":
		return c.tooFar(name)
	case f == nil && c.notShared(name) != "":
		return c.notShared(name)
	case f == nil && c.insideItems(name):
		return "cannot name " + quoted(name) + ": only fields that their component marks filterable, in the items of the field itself"
	case f == nil:
		return "unknown field " + quoted(name)
	case f.IsLeaf() && !f.SlotReady:
		return quoted(name) + " is being indexed: try again in a moment"
	}
	return ""
}

// tooFar returns why a query may not follow the relations in name, or "".
func (c *checker) tooFar(name string) string {
	second, rest := c.second(name)
	if second == nil {
		return ""
	}
	first, _ := c.relationIn(name)
	switch {
	case first.ToSeveral():
		return quoted(name) + " leads through " + quoted(first.Name) + ", a relation to several collections: a condition may name its fields, but none beyond them"
	case second.ToSeveral():
		return quoted(name) + " leads through " + quoted(second.Name) + ", a relation to several collections: a condition two relations away needs relations to one collection each"
	}
	if third, _ := c.relationOf(c.schema.Target(second), rest); third != nil {
		return quoted(name) + " is more than two relations away"
	}
	return ""
}

// unindexed returns why a query may not follow a relation, or "".
func (c *checker) unindexed(relation *core.Field) string {
	if relation == nil {
		return ""
	}
	return c.unusable(relation, relation.Name)
}

// insideItems reports whether name begins with a field that has items.
func (c *checker) insideItems(name string) bool {
	near, _, _ := strings.Cut(name, ".")
	f := c.schema.Collection.Queryable(near)
	return f != nil && f.Structured() && near != name
}

// refusal says in a message that an operator does not apply to a field.
func refusal(f *core.Field, op query.Op) string {
	switch {
	case f.Kind() == fieldtype.Text && !f.Comparable():
		return "takes only like, null and not_null"
	case op == query.OpEqual:
		return "cannot be compared for equality"
	default:
		return "cannot be compared with " + string(op)
	}
}
