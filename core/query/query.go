package query

import (
	"imprimatur/core"
	"imprimatur/core/cachetag"
	"imprimatur/core/entrystatus"
	"imprimatur/core/words"
)

// Query is a parsed but unchecked read: the transport does not check names and values.
type Query struct {
	Collection string // slug
	Where      []Filter
	Or         [][]Filter // groups: AND within a group, OR between groups, AND with Where
	Sort       string     // "f:asc,g:desc"; empty: id:desc
	Locale     string     // tag; "*": all locales; empty: the Project's default
	State      string     // a name of States; empty: published
	Status     string     // one of entrystatus.Listed; empty: all. Only the dashboard's lists set it
	Outdated   string     // tag of a locale; empty: all. Only the dashboard's lists set it
	EditedBy   int64      // id of the user that made the last change; 0: any. Only the dashboard's lists set it
	By         string     // a field, or a time and a period: "publishedOn:month". Only counts by value set it
	Zone       string     // the time zone of the periods; empty: UTC. Only counts by value set it
	Offset     *int64
	Limit      *int64
	Search     string // of words.ParseSearch; empty: no search
	After      string // the cursor of the page before; empty: the first page. It excludes Offset
	Cursor     bool   // compute the cursor of the next page
	Total      bool   // count all matching entries, not only the window
	Shape
}

// Shape selects what a response shows of each entry. The zero Shape is the default.
type Shape struct {
	Timestamps bool // createdAt and updatedAt
	// Fields are the shown members: paths joined by commas, such as "title,country.name" or "*".
	// Empty means all. The id and the locale are always shown.
	Fields string
	// Bare shows no fields, whatever Fields says: for a caller that only needs the other members of Shaped.
	Bare bool
	// Alternates shows the public translations of each entry: Alternate.
	Alternates bool
	// Referrers shows the published entries that refer to each entry: "articles.author:5,pages.body".
	Referrers string
	// Depth is the number of relations from a listed entry to the last entries that are shown whole;
	// nil: DefaultDepth, or 0 in a single read whose response would exceed a limit.
	Depth *int64
	// Bounded makes a response with more than MaxEntries entries an error.
	Bounded bool
	// Depends collects what the response depends on, if it shows published content; nil: nothing
	// collects it.
	Depends *cachetag.Dependencies
}

// Filter is a condition on one field, as a caller wrote it. Predicate is the checked form.
type Filter struct {
	Field   string // "title", or "country.region" or "author.desk.name" for a field of a related entry
	Op      string // empty is equality
	Operand Operand
	// Location identifies the condition in errors, in the syntax of the transport:
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

// Limits of a query.
const (
	DefaultLimit  = 25
	MaxLimit      = 500
	MaxConditions = 50
	// MaxFarConditions bounds the conditions two relations away.
	MaxFarConditions = 2
	// MaxConditionsInLocales bounds the number of conditions times the number of locales that a
	// query reads: a statement checks each condition in each locale.
	MaxConditionsInLocales = 500
	MaxInValues            = 500
	MaxValues              = 5000 // of all conditions together
	MaxValueLength         = 4096 // bytes
	MaxSortKeys            = 3
	MaxOffset              = 1 << 53
	DefaultDepth           = 1
	MaxDepth               = 3
	MaxPaths               = 500  // of Shape.Fields
	MaxEntries             = 2000 // whole entries in one response, with those of relations
)

// AllLocales is the locale of a query that returns the entries of all locales, without
// fallback.
const AllLocales = "*"

// Selection is a checked Query, bound to the definitions that it names. Stores accept only
// Selections, so they never see an unknown field or a value of the wrong type.
type Selection struct {
	Schema core.Schema
	Where  []Predicate
	Or     [][]Predicate
	Sort   []SortKey // never empty; ends with the id
	// Locale is one of the Project's locales or AllLocales. With a locale, the result has the
	// rows that serve it: one per translation group. With AllLocales it has all rows, and
	// conditions on relations use the row's own locale.
	Locale string
	State  core.State
	// Status selects the entries for which entrystatus.Facts.Status returns it; "": all. It is the status
	// of the entry, not of the version that State selects.
	Status entrystatus.Status
	// EditedBy selects the entries with that core.Entry.UpdatedBy; 0: all.
	EditedBy int64
	// Outdated selects the entries in other locales than this one whose translation into it is missing, in the
	// trash, or was changed before them; "": all.
	Outdated string
	// Member selects the translations of the entry with this id, itself included, if that entry is in the
	// collection in core.State.Related(), otherwise none; 0: all.
	Member int64
	// Search selects the entries whose texts have all of its terms, see core.Collection.Words; nil: all.
	Search *words.Search
	// After restricts the window to the rows that come after a position in the order of Sort; nil:
	// all rows. Offset is then 0. Counts ignore After.
	After  *Position
	Offset int64
	Limit  int64
	// Without is the set of row parts that the caller does not need. They stay zero.
	Without RowParts
}

// Whole reports whether the selection has no conditions besides its locale and state.
func (s *Selection) Whole() bool {
	return len(s.Where) == 0 && len(s.Or) == 0 && s.Search == nil && !s.OfEntry()
}

// Ranked reports whether the selection is in the order of a search: RankField, MomentField and the id,
// all descending.
func (s *Selection) Ranked() bool { return s.Sort[0].Field == RankField }

// OfEntry reports whether the selection has a condition on the entry that does not depend on the
// version that State selects.
func (s *Selection) OfEntry() bool {
	return s.Status != "" || s.EditedBy != 0 || s.Outdated != "" || s.Member != 0
}

// Alternate is a public entry, as its translations name it.
type Alternate struct {
	ID, Group int64
	Locale    string
	Slug      string // of core.Collection.SlugField; empty: none
}

// AlternatesMember is the member of an entry with its Alternates.
const AlternatesMember = "_alternates"

// MemberField is the name of Selection.Member in conditions.
const MemberField = "_group"

// RowParts is a set of parts of a Row.
type RowParts uint8

// The parts.
const (
	RowDates    RowParts = 1 << iota // CreatedAt and UpdatedAt
	RowGroup                         // Group and Serves
	RowDocument                      // Document and Media
)

// Predicate is a checked Filter. With one value v and a field value x:
//
//	OpEqual x = v, texts by code point; OpNot not OpEqual (null included);
//	OpLike core.Field.SearchedText(x) contains words.Caseless(v);
//	OpIn x is one of the values; OpNotIn not OpIn (null included);
//	OpLess, OpLessEq, OpGreater, OpGreaterEq, OpBetween (ends included) by core.CompareValues;
//	OpNotBetween x is not null and not OpBetween; OpNull x is null; OpNotNull not OpNull.
//
// A null x satisfies only OpNull, OpNot and OpNotIn. On a multiple field,
//
//	OpNot and OpNotIn mean that no value is equal;
//	OpNotBetween means that the field has values and that none is between the ends;
//	OpNull means that the field has no values;
//	every other operator means that at least one value satisfies it.
//
// With Relation set, the same rules apply to the field values of the related rows: the targets
// of the relation that exist in core.State.Related() and serve the locale of the query. A relation
// without such a row is like null. A relation field of a related row is null unless it has
// such a row itself.
type Predicate struct {
	Relation *core.Field      // nil, or the relation to the rows with Field
	Target   *core.Collection // of Relation, else nil
	Field    *core.Field      // of Target when Relation is set, of SecondTarget when Second is set; never secret
	// Second is nil, or a relation of Target to the rows with Field. The related rows are then those of the
	// related rows, by the same rules. Both relations lead to one collection each.
	Second       *core.Field
	SecondTarget *core.Collection
	// Others are the further collections of a Relation to several. Each Field has the name and the type of
	// that of Target.
	Others []Hop
	Op     Op
	// Values have the kind of Field. Their number is 0 for null and not_null, 2 for between
	// and not_between, at least 1 for in and not_in, and 1 otherwise. For a relation field
	// they are entry ids, each of which means its whole translation group. The id of an entry
	// that does not exist in the target collection in core.State.Related() equals no value. For
	// OpLike the text is already in its caseless form.
	Values []core.Value
}

// Hop is a collection that a relation leads to, and the field of it that a condition is about.
type Hop struct {
	Target *core.Collection
	Field  *core.Field
}

// Hops returns the collections of the relations, each with the field in it; nil without a Target.
func (p *Predicate) Hops() []Hop {
	switch {
	case p.Target == nil:
		return nil
	case p.Second != nil:
		return []Hop{{p.Target, p.Second}, {p.SecondTarget, p.Field}}
	}
	return append([]Hop{{p.Target, p.Field}}, p.Others...)
}

// SortKey orders by one field, which is Sortable. Nulls come last in both directions.
type SortKey struct {
	Field *core.Field
	Desc  bool
}

// Position is a place in the order of a selection: the sort values and the id of a row, as they were
// when a page showed the row. The row itself may have changed or be deleted since.
type Position struct {
	Values []*core.Value // of the keys of Selection.Sort before the id; nil: null
	ID     int64
}

// TitleQuery selects entries by their titles.
type TitleQuery struct {
	Titles []TitleOf
	Text   string // in the form of words.Fold
	Limit  int
}

// WordsQuery selects entries by the words of their drafts.
type WordsQuery struct {
	Schemas []core.Schema // the collections, of any Projects
	Search  *words.Search
	Titles  bool // in the title only
	Limit   int
}

// TitleOf is the core.Collection.TitleField of a collection.
type TitleOf struct {
	ProjectID, CollectionID int64
	FieldID                 int
}
