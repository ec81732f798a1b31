package contract

import (
	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

func text(v string) core.Value { return core.Value{Text: v} }

func num[N int | int64 | float64](v N) core.Value { return core.Value{Num: float64(v)} }

// clause returns a condition on a field of the collection.
func clause(s *testCollection, field string, op query.Op, values ...core.Value) query.Predicate {
	f := s.schema.Collection.Queryable(field)
	if f == nil {
		panic("no field " + field)
	}
	return query.Predicate{Field: f, Op: op, Values: values}
}

// equals returns an equality condition.
func equals(s *testCollection, field string, v core.Value) query.Predicate {
	return clause(s, field, query.OpEqual, v)
}

// like returns a substring condition; part is not yet in its caseless form.
func like(s *testCollection, field, part string) query.Predicate {
	return clause(s, field, query.OpLike, text(words.Caseless(part)))
}

// beyond returns a condition on a field two relations to one collection each away.
func beyond(s *testCollection, relation, second, field string, op query.Op, values ...core.Value) query.Predicate {
	r := s.schema.Collection.Queryable(relation)
	target := s.schema.Target(r)
	further := target.Queryable(second)
	last := s.schema.Target(further)
	return query.Predicate{Relation: r, Target: target, Second: further, SecondTarget: last, Field: last.Queryable(field), Op: op, Values: values}
}

// related returns a condition on a field of the targets of a relation.
func related(s *testCollection, relation, field string, op query.Op, values ...core.Value) query.Predicate {
	r := s.schema.Collection.Queryable(relation)
	related := query.Predicate{Relation: r, Op: op, Values: values}
	for i, target := range s.schema.Targets(r) {
		f := target.Queryable(field)
		switch {
		case f == nil:
			panic("no field " + relation + "." + field + " in " + target.Slug)
		case i == 0:
			related.Target, related.Field = target, f
		default:
			related.Others = append(related.Others, query.Hop{Target: target, Field: f})
		}
	}
	return related
}
