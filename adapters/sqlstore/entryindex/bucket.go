package entryindex

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A bucket counts the rows on Published of one scope and mask whose id or time falls into one
// stretch of the order. A deep page finds by them where it begins, and passes over what comes
// before it in its own bucket alone: 50,000 rows take 7 ms to pass over in Postgres, and 0.5
// ms by their buckets ("Deep pages" in app/docs/data-model.md). Drafts have no buckets.
//
// Buckets are stored, so what makes them stays as it is.

// BucketPlaces are the columns that have buckets; a place is an index of it.
var BucketPlaces = [...]string{"entry_id", "created_at", "published_at", "released_at", "d1", "d2", "d3", "d4"}

// BucketBits says of how many ids or milliseconds a bucket of a place is, as a power of two:
// short enough to pass over row by row, and long enough for a list of all to be short.
func BucketBits(place int) int {
	const ids, milliseconds = 12, 30 // 2^30 milliseconds are twelve days
	if place == 0 {
		return ids
	}
	return milliseconds
}

// Bucket names one count of entry_buckets.
type Bucket struct {
	Scope  int64
	Place  int
	Bucket int64
	Serves uint64
}

// Compare is the order in which all transactions change buckets, so that no two of them each
// wait for the other.
func (b Bucket) Compare(o Bucket) int {
	return cmp.Or(cmp.Compare(b.Scope, o.Scope), cmp.Compare(b.Place, o.Place), cmp.Compare(b.Bucket, o.Bucket), cmp.Compare(b.Serves, o.Serves))
}

// bucketColumns are the places of BucketPlaces in a row of Columns.
var bucketColumns = func() (at [len(BucketPlaces)]int) {
	for place, name := range BucketPlaces {
		at[place] = slices.IndexFunc(Columns, func(column string) bool { return strings.HasPrefix(column, name+" ") })
	}
	return at
}()

// bucket adds n for every bucket that a row of the collection is in.
func (p *Placement) bucket(members []Member, n int64) {
	if p.Buckets == nil {
		p.Buckets = map[Bucket]int64{}
	}
	for _, m := range members {
		if m.Shelf != Published {
			continue
		}
		scope := m.Row[1].(int64) //nolint:errcheck,forcetypeassert // as Columns has it
		for place, at := range bucketColumns {
			if value, ok := m.Row[at].(int64); ok {
				p.Buckets[Bucket{scope, place, value >> BucketBits(place), m.Serves}] += n
			}
		}
	}
}

// BucketRows compiles a SELECT of the buckets of rows of entry_index, with the columns
// project_id, scope, place, bucket, serves, entries. where is a condition on the rows.
func BucketRows(where string) string {
	selects := make([]string, len(BucketPlaces))
	for place, column := range BucketPlaces {
		selects[place] = "SELECT project_id, scope, " + strconv.Itoa(place) + " AS place, " + column + " >> " + strconv.Itoa(BucketBits(place)) +
			" AS bucket, serves, count(*) AS entries FROM entry_index WHERE shelf = 0 AND " + column + " IS NOT NULL AND " + where +
			" GROUP BY project_id, scope, " + column + " >> " + strconv.Itoa(BucketBits(place)) + ", serves"
	}
	return strings.Join(selects, " UNION ALL ")
}
