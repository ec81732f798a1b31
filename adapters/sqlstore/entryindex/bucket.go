package entryindex

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Bucket is the key of one count of entry_buckets: the number of published rows of one scope and
// mask whose id or time is in one range. A page at a large offset finds the bucket in which it
// begins and skips only rows of that bucket. In Postgres, an offset of 50,000 rows takes 7 ms
// without buckets and 0.5 ms with them ("Deep pages" in app/docs/data-model.md). Drafts have no
// buckets.
//
// Buckets are stored: a change of the columns or sizes below needs a migration.
type Bucket struct {
	Scope  int64
	Place  int   // index into BucketPlaces
	Bucket int64 // id or time, shifted right by BucketBits
	Serves uint64
}

// BucketPlaces are the columns with buckets. A place is an index into it.
var BucketPlaces = [...]string{"entry_id", "created_at", "published_at", "released_at", "d1", "d2", "d3", "d4"}

// BucketBits returns the size of the buckets of a place, in ids or milliseconds, as an exponent
// of 2. Small buckets have few rows to skip; large buckets are few to sum up.
func BucketBits(place int) int {
	const ids, milliseconds = 12, 30 // 2^30 milliseconds are 12 days
	if place == 0 {
		return ids
	}
	return milliseconds
}

// Compare orders buckets. All transactions change buckets in this order, which prevents
// deadlocks.
func (b Bucket) Compare(o Bucket) int {
	return cmp.Or(cmp.Compare(b.Scope, o.Scope), cmp.Compare(b.Place, o.Place), cmp.Compare(b.Bucket, o.Bucket), cmp.Compare(b.Serves, o.Serves))
}

// bucketColumns are the indexes in Columns of BucketPlaces.
var bucketColumns = func() (at [len(BucketPlaces)]int) {
	for place, name := range BucketPlaces {
		at[place] = slices.IndexFunc(Columns, func(column string) bool { return strings.HasPrefix(column, name+" ") })
	}
	return at
}()

// bucket adds n to each bucket of each member.
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

// BucketRows returns a SELECT of the buckets of the rows of entry_index that meet where. Its
// columns are project_id, scope, place, bucket, serves and entries.
func BucketRows(where string) string {
	selects := make([]string, len(BucketPlaces))
	for place, column := range BucketPlaces {
		selects[place] = "SELECT project_id, scope, " + strconv.Itoa(place) + " AS place, " + column + " >> " + strconv.Itoa(BucketBits(place)) +
			" AS bucket, serves, count(*) AS entries FROM entry_index WHERE shelf = 0 AND " + column + " IS NOT NULL AND " + where +
			" GROUP BY project_id, scope, " + column + " >> " + strconv.Itoa(BucketBits(place)) + ", serves"
	}
	return strings.Join(selects, " UNION ALL ")
}
