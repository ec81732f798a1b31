package changefeed

import (
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// position is how far a process has followed the events. Ids are drawn before the commit,
// so that an event may become visible after one with a higher id. Ids that were passed
// over are remembered until the transaction that drew them must have ended: they were
// drawn before a later id became visible, so by a transaction that had begun by then.
type position struct {
	last    int64           // the highest id that is known
	missing map[int64]int64 // an id below last that is not visible: the Next of when it was missed
	known   map[int64]bool  // ids over last, or missing, that this process has committed itself
}

// longestGap bounds the ids that are remembered at once. A wider gap is not one of
// transactions under way: the database has skipped ids, as it does after a crash.
const longestGap = 10_000

// next returns what to look for; see ports.EventLog.
func (p *position) next() (after int64, missing []int64) {
	return p.last, slices.Sorted(maps.Keys(p.missing))
}

// own remembers the events whose changes subscribers have already received.
func (p *position) own(events []core.Event) {
	for _, e := range events {
		if _, missed := p.missing[e.ID]; missed || e.ID > p.last {
			if p.known == nil {
				p.known = map[int64]bool{}
			}
			p.known[e.ID] = true
		}
	}
}

// advance takes what a look has found, and returns what is new in it.
func (p *position) advance(found ports.EventSnapshot) []core.Event {
	if p.missing == nil {
		p.missing = map[int64]int64{}
	}
	first := p.last < 0
	var fresh []core.Event
	for _, e := range found.Events {
		if _, missed := p.missing[e.ID]; !missed && e.ID <= p.last {
			continue
		}
		delete(p.missing, e.ID)
		if p.known[e.ID] {
			delete(p.known, e.ID)
		} else {
			fresh = append(fresh, e)
		}
		if first {
			p.last, first = e.ID, false
		}
		p.pass(e.ID, found.Next)
	}
	p.last = max(p.last, 0)
	maps.DeleteFunc(p.missing, func(_, next int64) bool { return next <= found.Oldest })
	return fresh
}

// pass moves on to id, and remembers the ids in between as missing.
func (p *position) pass(id, next int64) {
	for missed := max(p.last+1, id-longestGap); missed < id; missed++ {
		p.missing[missed] = next
	}
	p.last = max(p.last, id)
}
