package sqlstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"imprimatur/core"
)

// A tally says how many published rows of the index there are of a scope and of those who
// serve the same locales whose value, at one place, falls into one bucket. Totals, and how
// many rows a deep page passes over, are sums of some of them, however many rows there are.
// Drafts have none: they are counted and passed over one by one.
//
// Of texts a bucket is a part of those with one signature, and of anything else it is a
// stretch of the order. As long as all rows of a bucket have one text or number, the tally
// says which: it is exact for that value, and for any other of the bucket, of which there
// is none.
//
// Tallies are stored, so what makes the buckets stays as it is.

// The places of a row are those of its slots, and after them:
const (
	placeID = len(slotNames) + iota
	placeCreatedAt
	placePublishedAt
	places
)

// How much is in one bucket: short enough to be counted or passed over row by row, and long
// enough for a list of all to be short.
const (
	idBits     = 12 // 4096 ids
	timeBits   = 30 // 2^30 milliseconds, which are twelve days
	numberTail = 46 // bits of a double that do not count: a bucket is a 64th of a power of two
	// textParts is how many buckets there are of texts with one signature.
	textParts = 8
	// maxTallied is the longest text that a tally names, in bytes.
	maxTallied = 64
)

// valuedColumns are those of entry_index that hold the values of a row by place: nil,
// string, float64 or int64.
var valuedColumns = append(slices.Clone(slotNames[:]), "entry_id", "created_at", "published_at")

// valuedAt is where in a row of indexTable they are.
var valuedAt = func() (at [places]int) {
	for place, column := range valuedColumns {
		at[place] = slices.Index(indexTable.columns, column)
	}
	return at
}()

// bucketOf returns the bucket of a value.
func bucketOf(place int, value any) int64 {
	switch v := value.(type) {
	case string:
		mask := signatureMask(place)
		return int64(signatureBits(place, v)/(mask&-mask))*textParts + TextPart(v)
	case float64:
		return NumberBucket(v)
	case int64:
		return v >> wholeBits(place)
	default:
		return 0
	}
}

// boundOf returns the least value of a bucket of numbers, times or ids.
func boundOf(place int, bucket int64) any {
	if place < textSlots+numberSlots {
		key := bucket << numberTail
		return math.Float64frombits(uint64(key ^ key>>63&math.MaxInt64))
	}
	return bucket << wholeBits(place)
}

// wholeBits says of how many times or ids a bucket is, as a power of two.
func wholeBits(place int) int {
	if place == placeID {
		return idBits
	}
	return timeBits
}

// TextPart returns which part of those with its signature a text is of. It is tally_part of
// SQLite, and what Postgres has from its migrations returns the same.
func TextPart(text string) int64 { return int64(sha256.Sum256([]byte(text))[0]) % textParts }

// NumberBucket returns the bucket of a number. It is tally_bucket of SQLite, and what
// Postgres has from its migrations returns the same.
func NumberBucket(n float64) int64 {
	bucket := int64(math.Float64bits(math.Abs(n)) >> numberTail)
	if n < 0 {
		return -1 - bucket
	}
	return bucket
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

// tallies are by how much the rows of each value become more or fewer. Times and ids are
// not told apart: their value is nil.
type tallies map[tally]map[any]int64

func (t tallies) add(collectionID int64, members []member, n int64) {
	for _, m := range members {
		if m.state != core.StatePublished {
			continue
		}
		scope := indexScope(collectionID, m.state, m.locale)
		for place, at := range valuedAt {
			value := m.row[at]
			if value == nil {
				continue
			}
			key := tally{scope, place, bucketOf(place, value), m.serves}
			if place >= textSlots+numberSlots {
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
		n, text, num := tallyOf(values)
		rows = append(rows, []any{project.ID, key.scope, int64(key.place), key.bucket, int64(key.serves), n, text, num})
	}
	_, err := s.add(ctx, tallyTable, rows, addToTally)
	return err
}

// tallyOf returns by how much a tally changes, and the text or number that does, if it is
// but one.
func tallyOf(values map[any]int64) (n int64, text, num any) {
	for value, changed := range values {
		n += changed
		switch v := value.(type) {
		case string:
			if len(values) == 1 && len(v) <= maxTallied {
				text = v
			}
		case float64:
			if len(values) == 1 {
				num = v
			}
		}
	}
	return n, text, num
}

var tallyTable = newTable("entry_tallies",
	"project_id bigint", "scope bigint", "place smallint", "bucket bigint", "serves bigint", "entries integer", "text text", "num double precision")

// addToTally names a value only where the rows that were there have it, and those that
// come or go have it, too.
const addToTally = " ON CONFLICT (project_id, scope, place, bucket, serves) DO UPDATE SET entries = entry_tallies.entries + excluded.entries," +
	" text = CASE WHEN entry_tallies.entries = 0 OR entry_tallies.text = excluded.text THEN excluded.text END," +
	" num = CASE WHEN entry_tallies.entries = 0 OR entry_tallies.num = excluded.num THEN excluded.num END"

// Recounts returns the statements that make the counters and tallies of rows of
// entry_index for which there are none. where is a condition on its rows.
func Recounts(where string) []string {
	selects := make([]string, places)
	for place := range valuedColumns {
		selects[place] = selectTallies(place, where)
	}
	return []string{
		"INSERT INTO entry_counters (" + strings.Join(counterTable.columns, ", ") + ") " + selectCounters(where),
		"INSERT INTO entry_tallies (" + strings.Join(tallyTable.columns, ", ") + ") " + strings.Join(selects, " UNION ALL "),
	}
}

// selectCounters selects the columns of counterTable as rows of entry_index have them.
func selectCounters(where string) string {
	return "SELECT project_id, collection_id, state, serves, count(*) AS entries FROM entry_index WHERE " + where +
		" GROUP BY project_id, collection_id, state, serves"
}

// selectTallies selects the columns of tallyTable at one place, as rows of entry_index
// have them.
func selectTallies(place int, where string) string {
	column := valuedColumns[place]
	bucket, text, num := bucketColumns(place, column)
	return fmt.Sprintf("SELECT project_id, scope, %d AS place, %s AS bucket, serves, count(*) AS entries, %s AS text, %s AS num FROM entry_index"+
		" WHERE %s AND state = %d AND %s IS NOT NULL GROUP BY project_id, scope, %[2]s, serves",
		place, bucket, text, num, where, core.StatePublished, column)
}

// bucketColumns compiles the bucket of rows by the column at a place, and the only text or
// number in it.
func bucketColumns(place int, column string) (bucket, text, num string) {
	only := "CASE WHEN min(" + column + ") = max(" + column + ") THEN min(" + column + ") END"
	text, num = "CAST(NULL AS text)", "CAST(NULL AS double precision)"
	switch {
	case place < textSlots:
		mask := signatureMask(place)
		bucket = fmt.Sprintf("((signature >> %d) & %d) * %d + tally_part(%s)", bits.TrailingZeros64(mask), mask/(mask&-mask), textParts, column)
		text = fmt.Sprintf("CASE WHEN octet_length(min(%s)) <= %d THEN %s END", column, maxTallied, only)
	case place < textSlots+numberSlots:
		bucket, num = "tally_bucket("+column+")", only
	default:
		bucket = fmt.Sprintf("%s >> %d", column, wholeBits(place))
	}
	return bucket, text, num
}
