package entryquery

import (
	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// Node is a step of a plan. String prints it with the steps below, for operators and tests.
type Node interface {
	String() string
	print(p *printer)
}

// Window is a Node that gives the rows of a page: ids, masks and sort keys from the index alone.
type Window interface {
	Node
	window()
}

// Count is a Node that gives one number.
type Count interface {
	Node
	count()
}

// Rows says which rows of entry_index a scan reads: those of one shelf and locale of the
// selection's collection.
type Rows struct {
	Shelf  entryindex.Shelf
	Locale int // number
	// Mask is the column that says whom the rows answer for. With Serving 0 all rows of the
	// locale are read, else those whose mask has one of its bits.
	Mask    string
	Serving uint64
}

// anyLocale is a Serving that leaves out only the rows whose mask is empty.
const anyLocale = ^uint64(0)

// Key is one key of the order as a scan has it.
type Key struct {
	Field *core.Field
	Name  string // of its column among those selected
	Of    Expr
	Desc  bool
	// Constant keys are the same in all rows of one scan.
	Constant bool
	// Nullable keys may be null, which comes last in both directions.
	Nullable bool
}

// Read is how a page is read: by First if that settles it, otherwise by Page, and again by
// Whole where long texts, of which an index holds a part, might be in another order. Page and
// Whole are planned when they are called, because most pages need one statement.
type Read struct {
	First *Fetch // nil where it would not help

	planner   *planner
	branches  []branch
	withTotal bool
	cut       []*core.Field // the text fields that the page is ordered by
}

type (
	// Fetch reads the entries of a window by their primary key, one by one and in its order.
	Fetch struct {
		Window Window
		// Limit and Offset are the page's; one row more than Limit says that there are more.
		Limit, Offset int64
		State         core.State
		Known         core.Row // what all rows share, and the statement need not read
		Without       core.RowParts
		// Total is read beside the rows; nil when it was not asked for.
		Total Count
		// Confirm are clauses of which the statement has only asked the signature: the
		// documents tell whether rows meet them.
		Confirm []*core.Clause
	}
	// IndexScan reads rows of entry_index along one index, in its order.
	IndexScan struct {
		Rows  Rows
		Index string // the column that orders the index after the scope
		// Range is what the index's own key decides, Filter everything else.
		Range, Filter Cond
		Keys          []Key // the order wanted
		Selected      []Key // the keys of the whole order, whose values the rows have
	}
	// Merge reads scans in step, one per shelf and locale that may answer, in one order, and
	// ends after Limit rows.
	Merge struct {
		Scans []IndexScan
		Limit int64
	}
	// Parts are stretches of the order, one after the other, until Limit rows are found.
	Parts struct {
		Parts []Window
		Limit int64
	}
	// Probe is the first Limit of the first Rows rows of a scan that pass its filter.
	Probe struct {
		Scan        IndexScan
		Rows, Limit int64
	}
	// Deep reads a page from far down the order. Buckets tell in which of them the page begins
	// and how many rows come before that one, so that First begins there. When that does not
	// fill the page, Else gives it.
	Deep struct {
		Place         int // of the buckets
		Desc          bool
		First         Merge
		Limit, Offset int64
		Else          Window
	}
	// Sample takes the ids of a set, up to Most. When that is the whole set, All gives the
	// window from it; otherwise Else gives it.
	Sample struct {
		Of   Set
		Most int64
		All  Window
		Else Window
	}
)

type (
	// CountAll reads a total that is kept in counters.
	CountAll struct {
		State   core.State
		Serving uint64 // 0: every locale by itself
	}
	// CountScan counts the rows of a scan.
	CountScan struct{ Scan IndexScan }
	// CountSet counts the ids of a set. Distinct says that an id may be in it more than once.
	CountSet struct {
		Set      Set
		Distinct bool
	}
	// Sum adds counts.
	Sum []Count
	// Difference is what All has and Without has not.
	Difference struct{ All, Without Count }
	// Fewest is the first of several ways to the same count if its scan has no more rows to
	// look at than each other way's, each looked at up to Most rows; else what Else gives.
	Fewest struct {
		First  CountScan
		Others []CountScan
		Most   int64
		Else   Count
	}
)

func (Merge) window()  {}
func (Parts) window()  {}
func (Probe) window()  {}
func (Sample) window() {}
func (Deep) window()   {}

func (CountAll) count()   {}
func (CountScan) count()  {}
func (CountSet) count()   {}
func (Sum) count()        {}
func (Difference) count() {}
func (Fewest) count()     {}

// Set is a set of ids.
type Set interface {
	set()
	describe() string
}

type (
	// SlotSet has the entries that a scan of an index of entry_index finds.
	SlotSet struct {
		Locales []Rows // one after the other
		Index   string
		Field   *core.Field
		Where   Cond
	}
	// ValueSet has the entries with a row of entry_values, as v, that meets Where.
	ValueSet struct {
		Field *core.Field
		Where Cond
	}
	// TargetSet has the entries whose relation points to a target. Targets are the rows of
	// entry_index, as r, that meet Where; Links says which rows of entry_values, as v,
	// point to its group, g.group_id.
	TargetSet struct {
		Relation *core.Field
		Where    Cond
		Links    Cond
	}
	// TextSet has the entries in whose texts Pattern is found. The trigram index finds it in
	// every collection of the Project. So where there is little to read, the collection's own
	// texts are read instead.
	TextSet struct {
		Field      *core.Field
		Collection Expr
		Texts      Cond // which rows of entry_texts, as t, are looked at
		Own        Cond // which of them are of the collection and the field
		Pattern    *Arg // folded
		Search     *Arg // Pattern as the trigram index takes it
	}
	// EntryGroups has the translation groups of the entries that meet Where, with each entry
	// as g and its row of entry_index as s.
	EntryGroups struct{ Where, Join Cond }
	// SampleSet has the ids of the sample that encloses it: the first Limit by id, unless
	// that is 0.
	SampleSet struct {
		Limit int64
		Desc  bool
	}
)

func (SlotSet) set()     {}
func (ValueSet) set()    {}
func (TargetSet) set()   {}
func (TextSet) set()     {}
func (EntryGroups) set() {}
func (SampleSet) set()   {}
