package entryquery

import "slices"

// Cond is a condition on rows: a tree of the types below.
type Cond interface {
	// nullable reports whether the condition can be null, which is neither true nor false.
	nullable() bool
}

type (
	// Constant is a condition that needs no row.
	Constant bool
	// And holds where all of its conditions do.
	And []Cond
	// Or holds where one of its conditions does.
	Or []Cond
	// Not holds where its condition is false or null.
	Not struct{ Cond Cond }
	// Compare puts an operator (=, <, <=, > or >=) between two expressions.
	Compare struct {
		Left  Expr
		Op    string
		Right Expr
	}
	// Among holds where Of equals one of the values.
	Among struct {
		Of     Expr
		Values *List
	}
	// Between holds where Of is one of the numbers from First to Last.
	Between struct {
		Of          Expr
		First, Last Expr
	}
	// NotNull holds where its expression has a value.
	NotNull struct{ Of Expr }
	// Overlap holds where the mask in Of has a bit of Mask.
	Overlap struct {
		Of   Expr
		Mask uint64
	}
	// Signed holds where a signature has the bits of one of the values.
	Signed struct {
		Of     Expr
		Mask   uint64
		Values *List
	}
	// Substring holds where Text contains Part to the letter.
	Substring struct{ Text, Part Expr }
	// Exists holds where one of the rows of From meets Where. Each row of the outer table is
	// looked up by itself where OneByOne is set; otherwise the engine may join.
	Exists struct {
		From     Table
		Where    Cond
		OneByOne bool
	}
	// In holds where Of is one of the ids that a set has.
	In struct {
		Of  Expr
		Set Set
		// Few says that the set is small enough to look up each of its ids.
		Few bool
	}
	// Truth holds where an expression is true.
	Truth struct{ Of Expr }
)

func (Constant) nullable() bool  { return false }
func (c And) nullable() bool     { return slices.ContainsFunc(c, Cond.nullable) }
func (c Or) nullable() bool      { return slices.ContainsFunc(c, Cond.nullable) }
func (Not) nullable() bool       { return false }
func (c Compare) nullable() bool { return c.Left.null() || c.Right.null() }
func (c Among) nullable() bool   { return c.Of.null() }
func (c Between) nullable() bool { return c.Of.null() }
func (NotNull) nullable() bool   { return false }
func (c Overlap) nullable() bool { return c.Of.null() }
func (c Signed) nullable() bool  { return c.Of.null() }
func (c Substring) nullable() bool {
	return c.Text.null() || c.Part.null()
}
func (Exists) nullable() bool  { return false }
func (c In) nullable() bool    { return c.Of.null() }
func (c Truth) nullable() bool { return c.Of.null() }

const (
	always = Constant(true)
	never  = Constant(false)
)

// and joins conditions, and leaves out what always holds. What never holds stays among the
// others: engines prove from these that a partial index has all rows.
func and(conditions ...Cond) Cond {
	var kept And
	for _, c := range conditions {
		switch c := c.(type) {
		case And:
			kept = append(kept, c...)
		case Constant:
			if !c {
				kept = append(kept, c)
			}
		default:
			kept = append(kept, c)
		}
	}
	switch len(kept) {
	case 0:
		return always
	case 1:
		return kept[0]
	default:
		return kept
	}
}

func or(conditions ...Cond) Cond {
	var kept Or
	for _, c := range conditions {
		switch c {
		case always:
			return always
		case never:
		default:
			kept = append(kept, c)
		}
	}
	switch len(kept) {
	case 0:
		return never
	case 1:
		return kept[0]
	default:
		return kept
	}
}

func not(c Cond) Cond {
	if constant, ok := c.(Constant); ok {
		return !constant
	}
	return Not{c}
}

// Expr is a value of a row or of the request.
type Expr interface {
	null() bool // whether it can be null
}

type (
	// Column is a column of the table with that alias.
	Column struct {
		Alias, Name string
		Nullable    bool
		// Computed keeps the planner of an engine from choosing an index of this column.
		Computed bool
	}
	// Arg is a value of the request. Where the same Arg stands twice, one argument serves both.
	Arg struct{ Value any }
	// Mark is where the bucket ends, or begins, that a deep page begins in.
	Mark struct{}
	// Null is no value, as an argument of a function.
	Null struct{}
	// Number is a number of our own, which is written out: a field, a state, a mask.
	Number int64
	// Given is an argument that every statement has.
	Given int
	// ScopeOf is the scope of a collection, a shelf and a locale.
	ScopeOf struct {
		Collection Expr
		Number     int64 // of the shelf and the locale
	}
	// Call is a function of the engine.
	Call struct {
		Name string
		Args []Expr
	}
	// OfCollection is Value in documents of the collection and null in others: engines are
	// free in the order of conditions, and a field of the same name may have another type there.
	OfCollection struct {
		Collection Expr
		Value      Expr
	}
	// LongText is the whole text of a slot whose text may be cut, and null for any other.
	LongText struct {
		Slot  Column
		Whole Expr
	}
	// Document is an expression on the row of entries, as e, with the id.
	Document struct {
		ID    Expr
		Value Expr
	}
)

func (c Column) null() bool     { return c.Nullable }
func (*Arg) null() bool         { return false }
func (Mark) null() bool         { return true }
func (Null) null() bool         { return true }
func (Number) null() bool       { return false }
func (Given) null() bool        { return false }
func (ScopeOf) null() bool      { return false }
func (Call) null() bool         { return true }
func (OfCollection) null() bool { return true }
func (LongText) null() bool     { return true }
func (Document) null() bool     { return true }

// The arguments that every statement has first.
const (
	projectArg    = Given(1)
	collectionArg = Given(2)
)

// List is several values of the request of one type, at least one: string, int64 or float64.
type List struct{ Values []any }

// Table is what follows FROM in a condition.
type Table struct {
	Name, Alias string
	By          string // the index that finds the rows, where engines may have to be told
}
