package contract

import "imprimatur/core"

func text(v string) core.Value { return core.Value{Text: v} }

func num[N int | int64 | float64](v N) core.Value { return core.Value{Num: float64(v)} }

// clause compares a field of the shelf.
func clause(s *shelf, field string, op core.Op, values ...core.Value) core.Clause {
	f := s.schema.Collection.Queryable(field)
	if f == nil {
		panic("no field " + field)
	}
	return core.Clause{Field: f, Op: op, Values: values}
}

// is asks for equality.
func is(s *shelf, field string, v core.Value) core.Clause { return clause(s, field, core.OpEqual, v) }

// like asks for a part of a text; part is not yet folded.
func like(s *shelf, field, part string) core.Clause {
	return clause(s, field, core.OpLike, text(core.Fold(part)))
}

// away compares a field one relation away.
func away(s *shelf, relation, field string, op core.Op, values ...core.Value) core.Clause {
	r := s.schema.Collection.Queryable(relation)
	target := s.schema.Target(r)
	f := target.Queryable(field)
	if f == nil {
		panic("no field " + relation + "." + field)
	}
	return core.Clause{Relation: r, Target: target, Field: f, Op: op, Values: values}
}
