package sqlstore

import (
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"imprimatur/core"
)

// hints are what earlier reads have shown of the content, for a while. They decide
// by which way a page is read, never what is on it.
type hints struct {
	// plenty are values that a sample found more than few rows of: pages under them
	// need no sample.
	plenty recall[fieldValue]
	// shared are values whose signature others have, too: it alone tells too little.
	shared recall[fieldValue]
	// short are listings whose rows with a value of the first sort key did not fill a
	// page: those without one are read at once.
	short recall[listing]
}

const (
	hintAge   = time.Minute
	hintCount = 4096 // of each kind
	hintText  = 64   // longest text that is remembered as it is, in bytes
)

// recall remembers keys for hintAge. Its zero value is ready.
type recall[K comparable] struct {
	mu    sync.RWMutex
	keys  map[K]struct{}
	since time.Time
}

func (r *recall[K]) has(key K) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, ok := r.keys[key]
	return ok && time.Since(r.since) < hintAge
}

// add remembers key. All is forgotten at once, when it is old or there is too much.
func (r *recall[K]) add(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) >= hintCount || time.Since(r.since) >= hintAge {
		r.keys, r.since = map[K]struct{}{}, time.Now()
	}
	r.keys[key] = struct{}{}
}

// fieldValue is one value of a field, or of one a relation away, or a part of such
// values, among the rows of a listing.
type fieldValue struct {
	collection int64
	state      core.State
	locale     string
	relation   int // 0: none
	field      int
	part       bool
	value      core.Value // a long text hashed
}

// oneValue returns the value, or the part of values, that a clause looks for; false
// when it is not one.
func oneValue(sel core.Selection, c *core.Clause) (fieldValue, bool) {
	if c.Op != core.OpEqual && c.Op != core.OpIn && c.Op != core.OpLike || len(c.Values) != 1 {
		return fieldValue{}, false
	}
	relation := 0
	if c.Relation != nil {
		relation = c.Relation.ID
	}
	value := c.Values[0]
	if len(value.Text) > hintText {
		hash := xxh3.HashString128(value.Text).Bytes()
		value.Text = string(hash[:])
	}
	return fieldValue{sel.Schema.Collection.ID, sel.State, sel.Locale, relation, c.Field.ID, c.Op == core.OpLike, value}, true
}

// listing is what pages have in common that begin alike.
type listing struct {
	collection int64
	state      core.State
	locale     string
	head       int // field of the first sort key
	filtered   bool
}

func listingOf(sel core.Selection, head *core.Field) listing {
	return listing{sel.Schema.Collection.ID, sel.State, sel.Locale, head.ID, len(sel.Where)+len(sel.Or) > 0}
}
