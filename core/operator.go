package core

import "imprimatur/core/fieldtype"

// Operator has the properties of an operator that checking, planning and evaluation of
// conditions need. To add an operator, add a row to Operators, a case to the evaluation in
// adapters/memory and a case to the conditions in entryquery.
type Operator struct {
	// Applies reports whether the operator applies to the field.
	Applies func(*Field) bool
	// LeastValues and MostValues are the bounds of the number of values.
	LeastValues, MostValues int
	// MatchesNull reports that a field without a value satisfies the operator.
	MatchesNull bool
	// Indexable reports that the matching rows are a few ranges of an index on the field.
	Indexable bool
}

// Operators has all operators of conditions.
var Operators = map[Op]Operator{
	OpEqual:      {Applies: equatable, LeastValues: 1, MostValues: 1, Indexable: true},
	OpNot:        {Applies: equatable, LeastValues: 1, MostValues: 1, MatchesNull: true},
	OpLike:       {Applies: textual, LeastValues: 1, MostValues: 1},
	OpIn:         {Applies: equatable, LeastValues: 1, MostValues: MaxInValues, Indexable: true},
	OpNotIn:      {Applies: equatable, LeastValues: 1, MostValues: MaxInValues, MatchesNull: true},
	OpLess:       {Applies: ordered, LeastValues: 1, MostValues: 1, Indexable: true},
	OpLessEq:     {Applies: ordered, LeastValues: 1, MostValues: 1, Indexable: true},
	OpGreater:    {Applies: ordered, LeastValues: 1, MostValues: 1, Indexable: true},
	OpGreaterEq:  {Applies: ordered, LeastValues: 1, MostValues: 1, Indexable: true},
	OpBetween:    {Applies: ordered, LeastValues: 2, MostValues: 2, Indexable: true},
	OpNotBetween: {Applies: ordered, LeastValues: 2, MostValues: 2},
	OpNull:       {Applies: anything, MatchesNull: true},
	OpNotNull:    {Applies: anything, Indexable: true},
}

// TakesList reports whether the operator splits a single string at its commas.
func (o Operator) TakesList() bool { return o.MostValues > 1 }

func anything(*Field) bool    { return true }
func equatable(f *Field) bool { return f.Kind() != ValueOpaque }
func textual(f *Field) bool   { return f.Kind() == ValueText }

// ordered reports whether lt, gt, between and sorting apply to a field.
func ordered(f *Field) bool { return equatable(f) && !fieldtype.Of(f.Type).Unordered }
