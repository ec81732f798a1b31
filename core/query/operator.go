package query

import (
	"imprimatur/core"
	"imprimatur/core/fieldtype"
)

// Op is an operator.
type Op string

// The operators. OpEqual has no name in requests.
const (
	OpEqual      Op = ""
	OpLike       Op = "like"
	OpNot        Op = "not"
	OpIn         Op = "in"
	OpNotIn      Op = "not_in"
	OpLess       Op = "lt"
	OpLessEq     Op = "lte"
	OpGreater    Op = "gt"
	OpGreaterEq  Op = "gte"
	OpBetween    Op = "between"
	OpNotBetween Op = "not_between"
	OpNull       Op = "null"
	OpNotNull    Op = "not_null"
)

// Operator is an operator of conditions with the properties that checking, planning, evaluation and
// the documentation need. To add one, add a row to Operators, a case to the evaluation in
// adapters/memory, a case to the conditions in entryquery and a place in the menus of
// adapters/dashboard/gen.
type Operator struct {
	Op Op
	// Applies reports whether the operator applies to the field.
	Applies func(*core.Field) bool
	// LeastValues and MostValues are the bounds of the number of values.
	LeastValues, MostValues int
	// MatchesNull reports that a field without a value satisfies the operator.
	MatchesNull bool
	// Caseless reports that the operator compares caseless forms; see words.Caseless.
	Caseless bool
	// Indexable reports that the matching rows are a few ranges of an index on the field.
	Indexable bool
	// About explains the name in the documentation; "" where the name says it.
	About string
}

// Operators has all operators of conditions, in the order of the documentation.
var Operators = []Operator{
	{Op: OpEqual, Applies: (*core.Field).Comparable, LeastValues: 1, MostValues: 1, Indexable: true},
	{Op: OpLike, Applies: textual, LeastValues: 1, MostValues: 1, Caseless: true, About: "case-insensitive substring"},
	{Op: OpNot, Applies: (*core.Field).Comparable, LeastValues: 1, MostValues: 1, MatchesNull: true},
	{Op: OpIn, Applies: (*core.Field).Comparable, LeastValues: 1, MostValues: MaxInValues, Indexable: true},
	{Op: OpNotIn, Applies: (*core.Field).Comparable, LeastValues: 1, MostValues: MaxInValues, MatchesNull: true},
	{Op: OpLess, Applies: (*core.Field).Ordered, LeastValues: 1, MostValues: 1, Indexable: true},
	{Op: OpLessEq, Applies: (*core.Field).Ordered, LeastValues: 1, MostValues: 1, Indexable: true},
	{Op: OpGreater, Applies: (*core.Field).Ordered, LeastValues: 1, MostValues: 1, Indexable: true},
	{Op: OpGreaterEq, Applies: (*core.Field).Ordered, LeastValues: 1, MostValues: 1, Indexable: true},
	{Op: OpBetween, Applies: (*core.Field).Ordered, LeastValues: 2, MostValues: 2, Indexable: true},
	{Op: OpNotBetween, Applies: (*core.Field).Ordered, LeastValues: 2, MostValues: 2},
	{Op: OpNull, Applies: anything, MatchesNull: true},
	{Op: OpNotNull, Applies: anything, Indexable: true},
}

// operators has the elements of Operators by their names.
var operators = func() map[Op]Operator {
	byOp := make(map[Op]Operator, len(Operators))
	for _, o := range Operators {
		byOp[o.Op] = o
	}
	return byOp
}()

// Operator returns the element of Operators. known is false if there is none.
func (op Op) Operator() (o Operator, known bool) {
	o, known = operators[op]
	return o, known
}

// Indexable is that of the element of Operators.
func (op Op) Indexable() bool { return operators[op].Indexable }

// MatchesNull is that of the element of Operators.
func (op Op) MatchesNull() bool { return operators[op].MatchesNull }

// TakesList reports whether the operator splits a single string at its commas.
func (o Operator) TakesList() bool { return o.MostValues > 1 }

func anything(*core.Field) bool { return true }

func textual(f *core.Field) bool { return f.Kind() == fieldtype.Text }
