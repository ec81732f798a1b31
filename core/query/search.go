package query

import (
	"cmp"
	"math"
	"slices"
	"time"

	"imprimatur/core"
)

// Moment returns the time by which a search orders entries, in seconds since 1970: that of the publication,
// or of the creation of an entry that is not published. It is from 0 to 2^32-1: an index has 32 bits for it.
func Moment(publishedAt, createdAt time.Time) int64 {
	t := publishedAt
	if t.IsZero() {
		t = createdAt
	}
	return max(0, min(t.Unix(), math.MaxUint32))
}

// NewestMoment orders entries by their Moment, the latest first, and then by their ids, the highest first.
func NewestMoment(a, b core.Entry) int {
	return cmp.Or(cmp.Compare(Moment(b.PublishedAt, b.CreatedAt), Moment(a.PublishedAt, a.CreatedAt)), cmp.Compare(b.ID, a.ID))
}

// Matches reports whether the draft of an entry of one of the collections of q has all terms.
func (q *WordsQuery) Matches(e *core.Entry) bool {
	i := slices.IndexFunc(q.Schemas, func(s core.Schema) bool { return s.Collection.ID == e.CollectionID })
	if i < 0 {
		return false
	}
	found := q.Schemas[i].Collection.Words(e.Draft)
	if q.Titles {
		return q.Search.In(&found.Title)
	}
	return q.Search.In(&found.All)
}

// The keys by which the entries of a search are ordered, see Selection.Ranked. No query can name them.
var (
	// RankField is 1 for an entry whose title has all terms of the search, otherwise 0.
	RankField = &core.Field{Name: "rank", Type: core.TypeNumber}
	// MomentField is the Moment of an entry.
	MomentField = &core.Field{Name: "moment", Type: core.TypeNumber}
)
