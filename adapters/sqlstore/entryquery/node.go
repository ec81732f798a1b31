package entryquery

import (
	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
	"imprimatur/core/query"
)

// Node is a step of a plan.
type Node interface {
	print(p *printer) // with the nodes below it
}

// Window is a Node that returns the rows of a page: ids, masks and sort keys, read from the
// index alone.
type Window interface {
	Node
	window()
}

// Count is a Node that returns one number. String prints it.
type Count interface {
	Node
	String() string
}

// Rows selects rows of entry_index: one shelf and one locale of the selection's collection.
type Rows struct {
	Shelf  entryindex.Shelf
	Locale int // locale number
	// Mask is the column with the locales that a row serves. If Serving is 0, a scan reads
	// all rows of the locale, otherwise the rows whose mask has a bit of Serving.
	Mask    string
	Serving uint64
}

// anyLocale is a Serving that excludes only rows with an empty mask.
const anyLocale = ^uint64(0)

// Key is a sort key of a scan.
type Key struct {
	Field *core.Field
	Name  string // alias of the selected column
	Of    Expr
	Desc  bool
	// Constant keys have the same value in all rows of the scan.
	Constant bool
	// Nullable keys may be null. Null sorts last in both directions.
	Nullable bool
}

// Read is the plan of a page. Run First, then Page if First.FillsPage is false. Page is planned when
// it is called, because most pages need one statement.
type Read struct {
	First *Fetch // nil if it would not help

	planner *planner
}

type (
	// Fetch reads the entries of a window by primary key, one at a time, in window order.
	Fetch struct {
		Window Window
		// Limit and Offset are those of the page. Fetch reads Limit+1 rows: the extra row
		// shows that a next page exists.
		Limit, Offset int64
		State         core.State
		Known         core.Row // values that all rows share; the statement does not read them
		Without       query.RowParts
		// Total is counted in the same statement. It is nil if the request has no total.
		Total Count
		// Confirm are clauses that the statement checks only by signature. The caller checks
		// them again on the documents.
		Confirm []*query.Predicate
	}
	// IndexScan reads rows of entry_index along one index, in index order.
	IndexScan struct {
		Rows  Rows
		Index string // the index column after the scope
		// Range are the conditions on the index key, Filter all other conditions.
		Range, Filter Cond
		Keys          []Key // the order of the scan
		Selected      []Key // all sort keys of the page; the rows include their values
	}
	// Merge merges sorted scans into one order and stops after Limit rows. It has one scan
	// per shelf and locale of the selection.
	Merge struct {
		Scans []IndexScan
		Limit int64
		// Sorts is set if the rows of each scan must be sorted. Each scan then stops at the limit.
		Sorts bool
	}
	// Parts reads windows one after the other until Limit rows are found.
	Parts struct {
		Parts []Window
		Limit int64
	}
	// Probe reads the first Rows rows of a scan, then filters them. It returns up to Limit
	// rows.
	Probe struct {
		Scan        IndexScan
		Rows, Limit int64
	}
	// Deep reads a page at a large offset. The bucket counts give the bucket in which the
	// page begins and the number of rows before it; First scans from there. If First does not
	// fill the page, Else reads it.
	Deep struct {
		Place         int // index into entryindex.BucketPlaces
		Desc          bool
		First         Merge
		Limit, Offset int64
		Else          Window
	}
	// Fallback reads Few if at most Most entries of the locales Others serve the locale Served, both as
	// masks, otherwise Else. Few looks up these entries instead of finding them among all of their locales.
	Fallback struct {
		Served, Others uint64
		Most           int64
		Few, Else      Window
	}
	// Sample reads up to Most+1 ids of a set. If the set has at most Most ids, All reads the
	// window from them, otherwise Else reads it.
	Sample struct {
		Of   Set
		Most int64
		All  Window
		Else Window
	}
)

type (
	// Ranked reads the rows that have the words of a search, by the moments of their entries and then by
	// their ids, the latest first. It has one scan per shelf and locale.
	Ranked struct {
		Scans []WordsScan
		Limit int64
		Part  WordsPart
		// Most is the largest number of rows that are read and sorted if the index of words has no order.
		Most int64
		// Newest means that the term is looked for among the newest entries first if the index has no
		// order. Several terms rarely fill a page with these.
		Newest bool
	}
	// WordsScan reads rows of entry_words, and looks up their rows of entry_index.
	WordsScan struct {
		// Among are the entries whose words are checked, a SampleSet or a ServingSet; nil: all.
		Among  Set
		Rows   Rows
		Words  *Arg // a WordsQuery
		Filter Cond
		// All and Title are the parts of OtherWords; nil for other parts.
		All, Title *Arg
		// Moment and ID are the position after which the rows come; nil: none.
		Moment, ID *Arg
	}
)

type (
	// CountAll reads a total from entry_counters.
	CountAll struct {
		State   core.State
		Serving uint64 // locale mask; 0: every entry in its own locale
	}
	// CountScan counts the rows of a scan.
	CountScan struct{ Scan IndexScan }
	// CountSet counts the ids of a set. Distinct is set if an id may occur more than once.
	CountSet struct {
		Set      Set
		Distinct bool
	}
	// Sum adds counts.
	Sum []Count
	// Difference is All minus Without.
	Difference struct{ All, Without Count }
	// Fewest chooses among scans that give the same count. It uses First if First reads no
	// more rows than each of Others, comparing up to Most rows of each, otherwise Else.
	Fewest struct {
		First  CountScan
		Others []CountScan
		Most   int64
		Else   Count
	}
)

func (Merge) window()    {}
func (Parts) window()    {}
func (Probe) window()    {}
func (Sample) window()   {}
func (Fallback) window() {}
func (Deep) window()     {}
func (Ranked) window()   {}

// Set is a set of ids.
type Set interface {
	describe() string
}

type (
	// SlotSet are the entries that a scan of an index of entry_index finds.
	SlotSet struct {
		Locales []Rows
		Index   string
		Field   *core.Field
		Where   Cond
	}
	// ValueSet are the entries with a row v of entry_values that meets Where.
	ValueSet struct {
		Field *core.Field
		Where Cond
	}
	// TargetSet are the entries whose relation points to a target. Targets are the rows r of
	// entry_index that meet Where. Links selects the rows v of entry_values that point to the
	// target's group, g.group_id.
	TargetSet struct {
		Relation *core.Field
		Where    Cond
		Links    Cond
	}
	// TextSet are the entries whose texts contain Pattern. The trigram index searches all
	// collections of the Project. If the collection has little text, the statement reads that
	// text instead of the index.
	TextSet struct {
		Field      *core.Field
		Collection Expr
		Texts      Cond // condition on the rows t of entry_texts
		Own        Cond // t belongs to the collection and the field
		Pattern    *Arg // in its caseless form
		Search     *Arg // Pattern in the form that the trigram index takes
	}
	// EntryGroups are the translation groups of the entries g that meet Where. Join connects
	// g with its row s of entry_index.
	EntryGroups struct{ Where, Join Cond }
	// RequestSet are the entries of the items q of approval requests that meet Where.
	RequestSet struct{ Where Cond }
	// ScheduleSet are the entries of the rows s of schedules that meet Where.
	ScheduleSet struct {
		Index string
		Where Cond
	}
	// RewordedSet are the entries of the collection whose sealed media differ from the library.
	// Fields selects the rows v of entry_values with media that readers see.
	RewordedSet struct{ Fields Cond }
	// MemberSet are the visible entries of Groups.
	MemberSet struct{ Groups EntryGroups }
	// EditedSet are the entries of the collection outside the trash whose last change the user By made, who is not 0.
	// Locale, unless it is nil, is theirs.
	EditedSet struct{ By, Locale *Arg }
	// WordsSet are the entries that have the words of a search.
	WordsSet []WordsScan
	// ServingSet are the entries of Rows that serve other locales than their own.
	ServingSet struct{ Rows Rows }
	// Union are the entries of several sets.
	Union []Set
	// SampleSet are the ids read by the enclosing Sample: the first Limit ids, or all if
	// Limit is 0.
	SampleSet struct {
		Limit int64
		Desc  bool
	}
)
