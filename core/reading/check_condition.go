package reading

import (
	"cmp"
	"fmt"
	"strings"

	"imprimatur/core"
)

// conditions checks the clauses of where and or. It reports too many clauses as one fault and
// then does not check them.
func (c *checker) conditions(q core.Query, locale string) ([]core.Predicate, [][]core.Predicate) {
	count := len(q.Where)
	for _, group := range q.Or {
		count += len(group)
	}
	if count > core.MaxConditions {
		c.fault("where", nil, "a query takes at most %d conditions", core.MaxConditions)
		return nil, nil
	}
	if locales := c.localesRead(locale); count*locales > core.MaxConditionsInLocales {
		c.fault("where", nil, "a query that reads %d locales takes at most %d conditions", locales, core.MaxConditionsInLocales/locales)
		return nil, nil
	}
	var or [][]core.Predicate
	for i, group := range q.Or {
		if len(group) == 0 {
			c.fault(fmt.Sprintf("or[%d]", i), nil, "needs a condition")
		}
		or = append(or, c.clauses(group))
	}
	where := c.clauses(q.Where)
	if countValues(append(or, where)) > core.MaxValues {
		c.fault("where", nil, "a query takes at most %d values in all", core.MaxValues)
	}
	return where, or
}

// localesRead returns the number of locales whose entries a query in locale may return.
func (c *checker) localesRead(locale string) int {
	if locale == core.AllLocales {
		return len(c.schema.Project.Locales)
	}
	return len(c.schema.Project.FallbackChain(locale))
}

func countValues(groups [][]core.Predicate) int {
	count := 0
	for _, group := range groups {
		for _, clause := range group {
			count += len(clause.Values)
		}
	}
	return count
}

func (c *checker) clauses(conditions []core.Filter) []core.Predicate {
	if len(conditions) == 0 {
		return nil
	}
	clauses := make([]core.Predicate, len(conditions))
	for i, cond := range conditions {
		clauses[i] = c.clause(cond)
	}
	return clauses
}

// clause checks one condition. Its result is meaningful only when it added no fault.
func (c *checker) clause(cond core.Filter) core.Predicate {
	clause := c.named(cond.Field)
	clause.Op = core.Op(cond.Op)
	op, known := clause.Op.Operator()
	if !known {
		c.fault(cond.Location, cond.Op, "unknown operator %s", quoted(cond.Op))
	}
	unusable := cmp.Or(c.unusable(clause.Field, cond.Field), c.unindexed(clause.Relation))
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
func (c *checker) shown(clause core.Predicate) core.Predicate {
	asksForNull := clause.Op == core.OpNull || clause.Op == core.OpNotNull
	if !asksForNull || clause.Relation != nil || clause.Field.Type != core.TypeRelation {
		return clause
	}
	return core.Predicate{Relation: clause.Field, Target: c.schema.Target(clause.Field), Field: core.SystemID, Op: clause.Op}
}

// named finds the field of that name, at most one relation away. It returns a clause without
// Field for every name that a query may not use.
func (c *checker) named(name string) core.Predicate {
	if field := c.schema.Collection.Queryable(name); field != nil {
		return core.Predicate{Field: field}
	}
	for i := range len(name) {
		if name[i] != '.' {
			continue
		}
		field := c.schema.Collection.Queryable(name[:i])
		if field == nil || field.Type != core.TypeRelation {
			continue
		}
		if target := c.schema.Target(field); target != nil {
			return core.Predicate{Relation: field, Target: target, Field: target.Queryable(name[i+1:])}
		}
	}
	return core.Predicate{}
}

// unusable returns why a query may not use f, which has that name in it, or "".
func (c *checker) unusable(f *core.Field, name string) string {
	switch {
	case f == nil && c.insideItems(name):
		return "cannot name " + quoted(name) + ": only fields that their component marks filterable, in the items of the field itself"
	case f == nil:
		return "unknown field " + quoted(name)
	case f.IsLeaf() && !f.SlotReady:
		return quoted(name) + " is being indexed: try again in a moment"
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
func refusal(f *core.Field, op core.Op) string {
	switch {
	case f.Kind() == core.ValueText && !f.Comparable():
		return "takes only like, null and not_null"
	case op == core.OpEqual:
		return "cannot be compared for equality"
	default:
		return "cannot be compared with " + string(op)
	}
}
