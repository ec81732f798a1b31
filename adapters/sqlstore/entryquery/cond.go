package entryquery

import "slices"

// Cond is a condition on rows: a tree of the types below.
type Cond interface {
	// nullable reports whether the condition can be null in SQL, neither true nor false.
	nullable() bool
}

type (
	// Constant is TRUE or FALSE. It is also an Expr.
	Constant bool
	// And is true if all of its conditions are true.
	And []Cond
	// Or is true if one of its conditions is true.
	Or []Cond
	// Not is true if its condition is false or null.
	Not struct{ Cond Cond }
	// Compare compares two expressions. Op is =, <>, <, <=, > or >=.
	Compare struct {
		Left  Expr
		Op    string
		Right Expr
	}
	// Among is true if Of equals one of the values.
	Among struct {
		Of     Expr
		Values *List
	}
	// Between is true if Of is from First to Last, both included.
	Between struct {
		Of          Expr
		First, Last Expr
	}
	// NotNull is true if its expression is not null.
	NotNull struct{ Of Expr }
	// Overlap is true if Of and Mask share a bit.
	Overlap struct {
		Of   Expr
		Mask uint64
	}
	// SignatureIn is true if the bits of Of under Mask equal one of the values. Of is a
	// signature.
	SignatureIn struct {
		Of     Expr
		Mask   uint64
		Values *List
	}
	// SignatureProves is true if Scan is long, Index has few values in the shelf and the locale of
	// Scan, and no value meets Other. Other is the condition that a value f.value is not the wanted
	// one, but its signature f.signature has the same bits. Every row with these bits then has the
	// wanted value.
	SignatureProves struct {
		Scan  IndexScan
		Index string
		Other Cond
	}
	// Substring is true if Text contains Part exactly.
	Substring struct{ Text, Part Expr }
	// Exists is true if a row of From meets Where. If OneByOne is set, the engine runs the
	// subquery for each outer row. Otherwise the engine may turn it into a join.
	Exists struct {
		From     Table
		Where    Cond
		OneByOne bool
	}
	// In is true if Of is an id of the set.
	In struct {
		Of  Expr
		Set Set
		// Small is set if the set is small enough to look up each of its ids.
		Small bool
	}
	// ServesOthers is true if a mask has several locales.
	ServesOthers struct{ Mask Column }
	// HasWords is true if the row of entry_index with the id has the words of a search.
	HasWords struct {
		ID    Expr
		Rows  Rows
		Words *Arg // a WordsQuery
		// AtOnce is set if the engine should read all rows with the words at once, instead of looking up
		// each row: they are few, or a look-up reads as much.
		AtOnce bool
	}
	// IsTrue is true if its expression is true.
	IsTrue struct{ Of Expr }
)

func (Constant) nullable() bool        { return false }
func (c And) nullable() bool           { return slices.ContainsFunc(c, Cond.nullable) }
func (c Or) nullable() bool            { return slices.ContainsFunc(c, Cond.nullable) }
func (Not) nullable() bool             { return false }
func (c Compare) nullable() bool       { return c.Left.null() || c.Right.null() }
func (c Among) nullable() bool         { return c.Of.null() }
func (c Between) nullable() bool       { return c.Of.null() }
func (NotNull) nullable() bool         { return false }
func (c Overlap) nullable() bool       { return c.Of.null() }
func (c SignatureIn) nullable() bool   { return c.Of.null() }
func (c Substring) nullable() bool     { return c.Text.null() || c.Part.null() }
func (SignatureProves) nullable() bool { return false }
func (Exists) nullable() bool          { return false }
func (c In) nullable() bool            { return c.Of.null() }
func (ServesOthers) nullable() bool    { return false }
func (HasWords) nullable() bool        { return false }
func (c IsTrue) nullable() bool        { return c.Of.null() }

const (
	always = Constant(true)
	never  = Constant(false)
)

// and joins conditions with AND and omits TRUE. It keeps the other conditions beside a FALSE:
// engines need them to prove that a partial index applies.
func and(conditions ...Cond) Cond {
	var kept And
	for _, c := range conditions {
		if joined, ok := c.(And); ok {
			kept = append(kept, joined...)
		} else if c != Cond(always) {
			kept = append(kept, c)
		}
	}
	return unlessFew(kept, always)
}

// unlessFew returns conditions, or the only one of them, or none.
func unlessFew[C interface {
	~[]Cond
	Cond
}](conditions C, none Constant) Cond {
	switch len(conditions) {
	case 0:
		return none
	case 1:
		return conditions[0]
	default:
		return conditions
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
	return unlessFew(kept, never)
}

func not(c Cond) Cond {
	if constant, ok := c.(Constant); ok {
		return !constant
	}
	return Not{c}
}

// Expr is a value of a row or of the request.
type Expr interface {
	null() bool // reports whether the value can be null
}

type (
	// Column is a column of the table with the alias.
	Column struct {
		Alias, Name string
		Nullable    bool
		// Computed renders the column as an expression, so that the engine's planner does not
		// choose an index on the column.
		Computed bool
	}
	// Arg is a value of the request. Each Arg is one argument of the statement, however often
	// it is used.
	Arg struct{ Value any }
	// BucketBound is the boundary, in the sort order, of the bucket in which a deep page begins.
	BucketBound struct{}
	// Number is an integer that is written into the SQL text: a field id, a state, a mask.
	Number int64
	// Word is a text that is written into the SQL text: a status.
	Word string
	// OtherFields is whether the draft and the published version of the row e of entries differ
	// in fields other than those of Removed, names joined by commas.
	OtherFields struct{ Removed *Arg }
	// FixedArg is the number of an argument that every statement has.
	FixedArg int
	// ScopeOf is the scope of a collection, a shelf and a locale; see entryindex.Scope.
	ScopeOf struct {
		Collection Expr
		Number     int64 // scope of the shelf and the locale in collection 0
	}
	// Pair is a row of two values. Pairs compare by the first values, then by the second.
	Pair [2]Expr
	// Call is a call of a SQL function.
	Call struct {
		Name string
		Args []Expr
	}
	// OfCollection is Value if the document belongs to the collection, otherwise null. Engines
	// may evaluate conditions in any order, and a field of the same name may have another type
	// in another collection.
	OfCollection struct {
		Collection Expr
		Value      Expr
	}
	// TextKey is the sort key of a text in a document: of the row t of entry_texts that meets Texts,
	// and of Text, an expression on the row e of entries with the id.
	TextKey struct {
		Texts Cond
		ID    Expr
		Text  Expr
	}
	// Document is an expression on the row e of entries with the id.
	Document struct {
		ID    Expr
		Value Expr
	}
)

// column returns a column that is never null.
func column(alias, name string) Column { return Column{Alias: alias, Name: name} }

// equals returns the condition that a column, which is never null, equals x.
func equals(alias, name string, x Expr) Compare { return Compare{column(alias, name), "=", x} }

// inProject returns the condition that a row belongs to the Project of the selection.
func inProject(alias string) Compare { return equals(alias, "project_id", projectArg) }

func (Constant) null() bool     { return false }
func (c Column) null() bool     { return c.Nullable }
func (*Arg) null() bool         { return false }
func (BucketBound) null() bool  { return true }
func (Number) null() bool       { return false }
func (Word) null() bool         { return false }
func (OtherFields) null() bool  { return true }
func (FixedArg) null() bool     { return false }
func (ScopeOf) null() bool      { return false }
func (x Pair) null() bool       { return x[0].null() || x[1].null() }
func (Call) null() bool         { return true }
func (OfCollection) null() bool { return true }
func (TextKey) null() bool      { return true }
func (Document) null() bool     { return true }

// The first arguments of every statement.
const (
	projectArg    = FixedArg(1)
	collectionArg = FixedArg(2)
)

// List is one or more values of the request. All are string, all int64 or all float64.
type List struct{ Values []any }

// Table is a table of a subquery.
type Table struct {
	Name, Alias string
	By          string // the index to use, for engines without statistics; may be empty
}
