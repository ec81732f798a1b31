package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/core/query"
)

// The limits of counts by value.
const (
	MaxCounts       = 200    // values of a response
	MaxCountedTexts = 1000   // different values of a text
	maxPeriods      = 12_000 // from the first time to the last
	maxCounting     = 2 * time.Second
)

// ValueCount is a value and the number of entries that have it.
type ValueCount struct {
	// Value is a text, a boolean, an EntryValue, or a period: "2026" or "2026-03".
	Value any
	Count int64
}

// EntryValue is the entry to which a relation leads.
type EntryValue struct {
	ID         int64
	Collection string // slug
}

// errSlow is the fault of counts that take longer than maxCounting.
var errSlow = &core.Error{Kind: core.KindUnavailable, Code: "too_slow", Message: "the entries cannot be counted in time: add conditions that leave fewer of them"}

// Counts counts the entries of q by the values of the field q.By, whatever the sort and the window of q: the values
// with the most entries first, then in the order of the values, at most MaxCounts. Errors are those of Prepare, and
// core.KindUnavailable with the code too_slow. It makes one store call, and for periods two more.
func (r *Reader) Counts(ctx context.Context, project *core.Project, drafts bool, q query.Query) (counts []ValueCount, err error) {
	schema, err := r.schema(ctx, project, q.Collection)
	if err != nil {
		return nil, err
	}
	sel, shown, err := r.check(schema, drafts, q)
	if err != nil {
		return nil, err
	}
	c := checker{schema: schema}
	by := c.countedBy(q.By, q.Zone)
	if err := c.err(); err != nil {
		return nil, err
	}
	if shown.dependsOn(&sel) != nil && by.field.Type == core.TypeRelation {
		for _, slug := range by.field.TargetSlugs() {
			shown.depends.List(slug)
		}
	}
	limited, cancel := context.WithTimeout(ctx, maxCounting)
	defer cancel()
	err = r.Whole(limited, project, func(r *Reader) error {
		counts, err = r.counts(limited, sel, by)
		return err
	})
	if err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		err = errSlow
	}
	return counts, err
}

// counted is a field by whose values entries are counted.
type counted struct {
	field   *core.Field
	monthly bool // of a time: by month, otherwise by year
	zone    *time.Location
}

// countedBy reads "country" or "publishedOn:month", and the name of a time zone; "": UTC.
func (c *checker) countedBy(text, zone string) counted {
	name, period, hasPeriod := strings.Cut(text, ":")
	by := counted{field: c.schema.Collection.Queryable(name), monthly: period == "month", zone: time.UTC}
	if unusable := c.unusable(by.field, name); unusable != "" {
		c.fault("by", text, "%s", unusable)
		return by
	}
	isTime := by.field.Type == core.TypeDate || by.field.Type == core.TypeDateTime
	switch {
	case by.field.Kind() == fieldtype.Number && by.field.Type != core.TypeBoolean, by.field.Type == core.TypeTime, by.field.Type == core.TypeMedia, !by.field.Comparable():
		c.fault("by", text, "entries cannot be counted by %q of type %s", name, by.field.Type)
	case isTime && by.field.Multiple:
		c.fault("by", text, "entries cannot be counted by %q: it has several times", name)
	case !by.field.Tallied():
		c.fault("by", text, "entries cannot be counted by %q: it has no index", name)
	case isTime && period != "month" && period != "year":
		c.fault("by", text, "a time is counted by year or by month: %s:year or %s:month", name, name)
	case !isTime && hasPeriod:
		c.fault("by", text, "only times are counted by year or by month, and %q is of type %s", name, by.field.Type)
	case !isTime && zone != "":
		c.fault("zone", zone, "applies only to times")
	}
	if zone != "" {
		var err error
		if by.zone, err = time.LoadLocation(zone); err != nil || zone == "Local" {
			c.fault("zone", zone, "unknown time zone %s", quoted(zone))
		}
	}
	if by.field.Type == core.TypeDate {
		by.zone = time.UTC // a date is the same date everywhere
	}
	return by
}

func (r *Reader) counts(ctx context.Context, sel query.Selection, by counted) ([]ValueCount, error) {
	t := query.Tally{By: by.field, Most: MaxCounts}
	if by.field.Kind() == fieldtype.Text {
		t.Most = MaxCountedTexts + 1
	}
	var periods []string
	if by.field.Kind() == fieldtype.Time {
		first, last, err := r.ends(ctx, sel, by.field)
		if err != nil || first == nil {
			return nil, err
		}
		if t.Periods, periods = by.periods(first.Num, last.Num); periods == nil {
			return nil, badBy("the entries have more than %d months between the first and the last time: count by year, or add conditions", maxPeriods)
		}
	}
	found, err := r.entries.Tally(ctx, sel, t)
	if err != nil {
		return nil, err
	}
	found = summed(t, found)
	if by.field.Kind() == fieldtype.Text && len(found) > MaxCountedTexts {
		return nil, badBy("the entries have more than %d different values of %q: add conditions", MaxCountedTexts, by.field.Name)
	}
	counts := make([]ValueCount, 0, min(MaxCounts, len(found)))
	for _, one := range found[:min(MaxCounts, len(found))] {
		counts = append(counts, ValueCount{by.value(sel.Schema, one, periods), one.Count})
	}
	return counts, nil
}

func badBy(format string, args ...any) error {
	return core.BadParameter("by", nil, fmt.Sprintf(format, args...))
}

// ends returns the first and the last value of a time; nil: the selection has none.
func (r *Reader) ends(ctx context.Context, sel query.Selection, f *core.Field) (first, last *core.Value, err error) {
	sel.Where = append(slices.Clone(sel.Where), query.Predicate{Field: f, Op: query.OpNotNull})
	sel.After, sel.Offset, sel.Limit, sel.Without = nil, 0, 1, query.RowGroup
	for _, end := range []struct {
		value **core.Value
		desc  bool
	}{{&first, false}, {&last, true}} {
		sel.Sort = []query.SortKey{{Field: f, Desc: end.desc}, {Field: core.SystemID, Desc: end.desc}}
		rows, _, err := r.entries.List(ctx, sel, false)
		if err != nil || len(rows) == 0 {
			return nil, nil, err
		}
		*end.value = sortValue(&sel, f, &rows[0])
	}
	return first, last, nil
}

// periods returns the beginnings of the periods from that of the time first to that of last, then the end of the last
// one, and their names. It returns none if they are too many.
func (c counted) periods(first, last float64) (begins []int64, names []string) {
	begin := time.UnixMilli(int64(first)).In(c.zone)
	year, month := begin.Year(), time.January
	if c.monthly {
		month = begin.Month()
	}
	for {
		at := time.Date(year, month, 1, 0, 0, 0, 0, c.zone).UnixMilli()
		if begins = append(begins, at); float64(at) > last {
			return begins, names
		}
		if len(names) == maxPeriods {
			return nil, nil
		}
		if !c.monthly {
			names = append(names, fmt.Sprintf("%04d", year))
			year++
			continue
		}
		names = append(names, fmt.Sprintf("%04d-%02d", year, month))
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
}

// summed adds up the counts of one value, or of one period, whose value is then its place among the periods. The result
// is in the order of a response.
func summed(t query.Tally, found []query.Tallied) []query.Tallied {
	counts := map[query.Tallied]int64{}
	for _, one := range found {
		n := one.Count
		if one.Count = 0; t.By.Kind() == fieldtype.Time {
			after, _ := slices.BinarySearch(t.Periods, int64(one.Value.Num)+1)
			one.Value = core.Value{Num: float64(after - 1)}
		}
		counts[one] += n
	}
	found = found[:0]
	for one, n := range counts {
		one.Count = n
		found = append(found, one)
	}
	slices.SortFunc(found, t.CompareTallied)
	return found
}

// value returns the value of one as ValueCount has it.
func (c counted) value(schema core.Schema, one query.Tallied, periods []string) any {
	switch {
	case c.field.Type == core.TypeRelation:
		value := EntryValue{ID: int64(one.Value.Num)}
		if of := schema.ByID(one.CollectionID); of != nil {
			value.Collection = of.Slug
		}
		return value
	case c.field.Type == core.TypeBoolean:
		return one.Value.Num != 0
	case periods != nil:
		return periods[int(one.Value.Num)]
	default:
		return one.Value.Text
	}
}
