package query

import "imprimatur/core"

// Tally is how the entries of a selection are counted by the values of a field.
type Tally struct {
	// By has an index: see core.Field.Tallied.
	By *core.Field
	// Periods are the beginnings of periods of a time, in ascending order, and the end of the last. Values
	// outside of them are not counted.
	Periods []int64
	// Most is the largest number of values. A time has no such limit.
	Most int
}

// Tallied is a value of a field, and the number of entries that have it.
type Tallied struct {
	Value core.Value // of a relation, the id of the entry to which it leads
	// CollectionID is that of the entry, of a relation; otherwise 0.
	CollectionID int64
	Count        int64
}

// CompareTallied orders values by the numbers of their entries, the greatest first, and then by the values.
func (t Tally) CompareTallied(a, b Tallied) int {
	switch {
	case a.Count != b.Count && a.Count > b.Count:
		return -1
	case a.Count != b.Count:
		return 1
	}
	return core.CompareValues(t.By.Kind(), a.Value, b.Value)
}

// Within reports whether a time is in one of the periods.
func (t Tally) Within(v core.Value) bool {
	return len(t.Periods) > 0 && v.Num >= float64(t.Periods[0]) && v.Num < float64(t.Periods[len(t.Periods)-1])
}
