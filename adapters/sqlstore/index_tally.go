package sqlstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"imprimatur/core"
)

// A tally says how many published rows of the index there are of a scope and of those who
// serve the same locales whose value, at one place, falls into one bucket. Totals of a
// value, and how many rows a deep page passes over, are sums of a few of them, however
// many rows there are. Drafts have none: they are counted and passed over one by one.
//
// At places of texts and numbers, equal values fall into the same of bucketsOfEqual
// buckets. As long as all rows of such a bucket have one value, the tally says which: it
// is exact for that value, and for any other of the bucket, of which there is none. At
// places of times and ids, buckets are stretches of the order.
//
// Tallies are what makes them stored, so what makes the buckets stays as it is.

// The places of a row are those of its slots, and after them:
const (
	placeID = len(slotNames) + iota
	placeCreatedAt
	placePublishedAt
	places
)

const (
	bucketsOfEqual = 256
	// A bucket is of 4096 ids, or of twelve days: a walk within one is short, and so is
	// the list of all.
	idsPerBucket, timePerBucket = 12, 30 // powers of two
	// maxTallied is the longest text that a tally names, in bytes.
	maxTallied = 64
)

// valued are the values of a row by place: nil, string, float64 or int64.
type valued [places]any

// valuedColumns are those of entry_index that hold them, in their order.
var valuedColumns = append(slices.Clone(slotNames[:]), "entry_id", "created_at", "published_at")

// valuesOf returns what the row of e in state holds.
func valuesOf(e *core.Entry, state core.State, typed *slots) *valued {
	seen, values := e.Row(state), new(valued)
	copy(values[:], typed[:])
	values[placeID], values[placeCreatedAt], values[placePublishedAt] = e.ID, milliseconds(seen.CreatedAt), milliseconds(seen.PublishedAt)
	return values
}

// bucketBits returns of how many times or ids a bucket is at a place, as a power of two;
// 0 where buckets are of equal values.
func bucketBits(place int) int {
	switch {
	case place == placeID:
		return idsPerBucket
	case place < textSlots+numberSlots:
		return 0
	default:
		return timePerBucket
	}
}

// bucketOf returns the bucket of a value.
func bucketOf(place int, value any) int64 {
	if n, ok := value.(int64); ok {
		return n >> bucketBits(place)
	}
	return TallyBucket(value)
}

// TallyBucket returns the bucket of a string or float64. It is tally_bucket of SQLite, and
// what Postgres has from its migrations returns the same.
func TallyBucket(value any) int64 {
	switch v := value.(type) {
	case string:
		return int64(sha256.Sum256([]byte(v))[0])
	case float64:
		return int64(math.Mod(math.Floor(math.Abs(v)), bucketsOfEqual))
	default:
		return 0
	}
}

type tally struct {
	scope  int64
	place  int
	bucket int64
	serves uint64
}

func (t tally) compare(o tally) int {
	return cmp.Or(cmp.Compare(t.scope, o.scope), cmp.Compare(t.place, o.place), cmp.Compare(t.bucket, o.bucket), cmp.Compare(t.serves, o.serves))
}

// tallies are by how much the rows of each value become more or fewer. Where buckets are
// stretches, the value is nil.
type tallies map[tally]map[any]int64

func (t tallies) add(collectionID int64, members []member, n int64) {
	for _, m := range members {
		if m.values == nil {
			continue
		}
		scope := indexScope(collectionID, m.state, m.locale)
		for place, value := range m.values {
			if value == nil {
				continue
			}
			key := tally{scope, place, bucketOf(place, value), m.serves}
			if bucketBits(place) > 0 {
				value = nil
			}
			if t[key] == nil {
				t[key] = map[any]int64{}
			}
			t[key][value] += n
		}
	}
}

// tally brings the tallies up to date, in the same order always, as count does.
func (s entryStore) tally(ctx context.Context, project *core.Project, changes tallies) error {
	var rows [][]any
	for _, key := range slices.SortedFunc(maps.Keys(changes), tally.compare) {
		values := changes[key]
		maps.DeleteFunc(values, func(_ any, n int64) bool { return n == 0 })
		if len(values) == 0 {
			continue
		}
		row := []any{project.ID, key.scope, int64(key.place), key.bucket, int64(key.serves), int64(0), nil, nil}
		for value, n := range values {
			row[5] = row[5].(int64) + n //nolint:errcheck,forcetypeassert // it is one
			switch v := value.(type) {
			case string:
				if len(values) == 1 && len(v) <= maxTallied {
					row[6] = v
				}
			case float64:
				if len(values) == 1 {
					row[7] = v
				}
			}
		}
		rows = append(rows, row)
	}
	_, err := s.add(ctx, tallyTable, rows, addToTally)
	return err
}

var tallyTable = newTable("entry_tallies",
	"project_id bigint", "scope bigint", "place smallint", "bucket bigint", "serves bigint", "entries bigint", "text text", "num double precision")

// addToTally names a value only where the rows that were there have it, and those that
// come or go have it, too.
const addToTally = " ON CONFLICT (project_id, scope, place, bucket, serves) DO UPDATE SET entries = entry_tallies.entries + excluded.entries," +
	" text = CASE WHEN entry_tallies.entries = 0 OR entry_tallies.text = excluded.text THEN excluded.text END," +
	" num = CASE WHEN entry_tallies.entries = 0 OR entry_tallies.num = excluded.num THEN excluded.num END"

// Recounts returns the statements that make the counters and tallies of rows of
// entry_index for which there are none. where is a condition on its rows.
func Recounts(where string) []string {
	counters := "INSERT INTO entry_counters (project_id, collection_id, state, serves, entries)" +
		" SELECT project_id, collection_id, state, serves, count(*) FROM entry_index WHERE " + where +
		" GROUP BY project_id, collection_id, state, serves"
	selects := make([]string, places)
	for place, column := range valuedColumns {
		text, num, bucket := "CAST(NULL AS text)", "CAST(NULL AS double precision)", fmt.Sprintf("%s >> %d", column, bucketBits(place))
		if bucketBits(place) == 0 {
			bucket = "tally_bucket(" + column + ")"
			only := "CASE WHEN min(" + column + ") = max(" + column + ") THEN min(" + column + ") END"
			if place < textSlots {
				text = fmt.Sprintf("CASE WHEN octet_length(min(%s)) <= %d THEN %s END", column, maxTallied, only)
			} else {
				num = only
			}
		}
		selects[place] = fmt.Sprintf("SELECT project_id, scope, %d AS place, %s AS bucket, serves, count(*), %s, %s FROM entry_index"+
			" WHERE %s AND state = %d AND %s IS NOT NULL GROUP BY project_id, scope, %[2]s, serves",
			place, bucket, text, num, where, core.StatePublished, column)
	}
	return []string{counters, "INSERT INTO entry_tallies (" + strings.Join(tallyTable.columns, ", ") + ") " + strings.Join(selects, " UNION ALL ")}
}
