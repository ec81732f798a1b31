package core

import "imprimatur/core/fieldtype"

// Operator is what one operator of a condition means to those who check, plan and evaluate
// it. A new operator is a row of Operators, a case in the memory adapter's evaluation and
// one in the conditions of entryquery.
type Operator struct {
	// Applies reports whether the values of a field can be compared so.
	Applies func(*Field) bool
	// LeastValues and MostValues are how many values it takes.
	LeastValues, MostValues int
	// MatchesNull says that a field without a value meets it.
	MatchesNull bool
	// Indexable says that the rows that meet it are a few stretches of an index by the field.
	Indexable bool
}

// Operators are all operators that a condition may have.
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

// TakesList reports whether a single string stands for a list, joined by commas.
func (o Operator) TakesList() bool { return o.MostValues > 1 }

func anything(*Field) bool    { return true }
func equatable(f *Field) bool { return f.Kind() != ValueOpaque }
func textual(f *Field) bool   { return f.Kind() == ValueText }

// ordered reports whether a field's values have an order that users compare by.
func ordered(f *Field) bool { return equatable(f) && !fieldtype.Of(f.Type).Unordered }
