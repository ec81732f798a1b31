package core

// Query is a read as a transport parsed it. Its names and values are not checked yet.
type Query struct {
	Collection string // slug
	Where      []Condition
	Or         [][]Condition // groups: ANDed inside, ORed with each other, the whole ANDed with Where
	Sort       string        // "f:asc,g:desc"; empty is id:desc
	Locale     string        // tag, "*" for all, empty for the Project's default
	State      string        // empty is published
	Offset     *int64
	Limit      *int64
	Timestamps bool
	Total      bool // count all matching entries, not only the window
}

// Condition compares one field.
type Condition struct {
	Field   string // "title", or "country.region" one relation away
	Op      string // empty is equality
	Operand Operand
	// Location names the condition in the caller's terms, for errors:
	// "where[title][like]", "where[2]".
	Location string
}

// Operand is the value of a condition. Items are string, bool, json.Number or nil; no
// operator accepts another decoded JSON value. Listed reports that the caller sent a list. A
// single string for an operator that takes several values is split at its commas.
type Operand struct {
	Items  []any
	Listed bool
}

// Op is an operator.
type Op string

// The operators. OpEqual has no name on the wire.
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

// Ops lists the operators that have a name.
var Ops = []Op{
	OpLike, OpNot, OpIn, OpNotIn, OpLess, OpLessEq, OpGreater, OpGreaterEq, OpBetween, OpNotBetween, OpNull, OpNotNull,
}

// Limits of a query.
const (
	DefaultLimit   = 25
	MaxLimit       = 500
	MaxConditions  = 50
	MaxInValues    = 500
	MaxValues      = 5000 // of all conditions together
	MaxValueLength = 4096 // bytes
	MaxSortKeys    = 3
	MaxOffset      = 1 << 53
)

// AllLocales is the locale of a query that returns the entries of all locales, without
// fallback.
const AllLocales = "*"

// Selection is a checked Query, bound to the definitions that it names. Stores accept only
// Selections, so they never see an unknown field or a value of the wrong type.
type Selection struct {
	Schema Schema
	Where  []Clause
	Or     [][]Clause
	Sort   []SortKey // never empty; ends with the id
	// Locale is one of the Project's locales or AllLocales. With a locale, the result has the
	// rows that serve it: one per translation group. With AllLocales it has all rows, and
	// conditions on relations use the row's own locale.
	Locale string
	State  State
	Offset int64
	Limit  int64
	// Without are the parts of the rows that the caller does not need. They are zero.
	Without RowParts
}

// Whole reports whether the selection has no conditions but its locale and state.
func (s *Selection) Whole() bool { return len(s.Where) == 0 && len(s.Or) == 0 }

// RowParts is a set of parts of a Row that not every reader needs.
type RowParts uint8

// The parts.
const (
	RowDates    RowParts = 1 << iota // CreatedAt and UpdatedAt
	RowGroup                         // Group and Serves
	RowDocument                      // Document
)

// Clause is a checked condition. With one value v and a field value x:
//
//	OpEqual x = v; OpNot not OpEqual (null included); OpLike Field.SearchedText(x) contains Fold(v);
//	OpIn x is one of the values; OpNotIn not OpIn (null included);
//	OpLess, OpLessEq, OpGreater, OpGreaterEq, OpBetween (ends included) by CompareValues;
//	OpNotBetween x is not null and not OpBetween; OpNull x is null; OpNotNull not OpNull.
//
// A null x meets only OpNull, OpNot and OpNotIn. On a multiple field a positive
// operator means that some value meets it, OpNot and OpNotIn that none is equal,
// OpNotBetween that there are values and none is between, OpNull that there are none.
// With Relation set the same holds over the rows that the relation shows: the
// targets of the row that exist in State.Related() and serve the locale looked at;
// no target is like null.
// A relation field of such a row is null unless it shows something in its turn.
type Clause struct {
	Relation *Field      // nil unless the clause looks one relation away
	Target   *Collection // of Relation, else nil
	Field    *Field      // of Target when Relation is set; never secret
	Op       Op
	// Values are of Field's kind: none for null and not_null, two for between and
	// not_between, one or more for in and not_in, one otherwise. For a relation
	// field they are entry ids, each standing for its translation group; an id
	// that is no entry of the target collection in State.Related() equals nothing.
	// For OpLike the text is already folded.
	Values []Value
}

// SortKey orders by one field that is neither multiple nor a reference nor opaque.
// Nulls come last in both directions.
type SortKey struct {
	Field *Field
	Desc  bool
}
