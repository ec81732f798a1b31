package sqlstore

import (
	"sync"
	"time"

	"imprimatur/core"
)

// plenty remembers for a while which values a sample found more than few rows of:
// pages under them need no sample. It decides by which way a page is read, never
// what is on it.
type plenty struct {
	mu     sync.RWMutex
	values map[plentyValue]struct{}
	since  time.Time
}

const (
	plentyAge   = time.Minute
	plentyCount = 4096
	plentyText  = 64 // longest text that is remembered, in bytes
)

// plentyValue is one value of a field among the rows that a sample is drawn from.
type plentyValue struct {
	collection int64
	state      core.State
	locale     string
	field      int
	value      core.Value
}

// plentyOf returns what to remember of a clause that looks for one value; false for
// any other.
func plentyOf(sel core.Selection, c *core.Clause) (plentyValue, bool) {
	if c.Op != core.OpEqual && c.Op != core.OpIn || len(c.Values) != 1 || len(c.Values[0].Text) > plentyText {
		return plentyValue{}, false
	}
	return plentyValue{sel.Schema.Collection.ID, sel.State, sel.Locale, c.Field.ID, c.Values[0]}, true
}

func (p *plenty) has(v plentyValue) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	_, ok := p.values[v]
	return ok && time.Since(p.since) < plentyAge
}

// add remembers v. All is forgotten at once, when it is old or there is too much.
func (p *plenty) add(v plentyValue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.values) >= plentyCount || time.Since(p.since) >= plentyAge {
		p.values, p.since = map[plentyValue]struct{}{}, time.Now()
	}
	p.values[v] = struct{}{}
}
