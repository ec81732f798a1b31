package query

import "imprimatur/core"

// MaxReferrersCounted is the largest exact number of Referrers.Total.
const MaxReferrersCounted = 1000

// ReferrersMember is the member of an entry with the entries that refer to it.
const ReferrersMember = "_referrers"

// ReferrersQuery asks which published entries refer to translation groups.
type ReferrersQuery struct {
	Fields []FieldOf // where they refer, see core.Schema.Refers
	To     []GroupIn // each once
	Before int64     // only entries with a smaller id; 0: all
	Limit  int       // the largest number of entries for each of To
	Counts bool      // fills Referrers.Total
}

// FieldOf is a field of a collection.
type FieldOf struct {
	Collection *core.Collection
	Field      *core.Field
}

// GroupIn is a translation group in a locale, as the number of its bit: see core.Project.LocaleBit.
type GroupIn struct {
	Group  int64
	Locale int
}

// Referrers are the published entries that refer to a translation group and serve a locale.
type Referrers struct {
	To      GroupIn
	Entries []Referring // the highest ids first
	// Total is the number of all of them, or MaxReferrersCounted+1 if they are more than MaxReferrersCounted.
	Total int
}

// Referring is an entry that refers to another.
type Referring struct{ ID, Group int64 }
