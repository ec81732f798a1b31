package changefeed

import (
	"maps"
	"slices"

	"imprimatur/ports"
)

// position is the progress of a process through the events. Ids are assigned before the
// commit, so an event can become visible after events with higher ids. An id below last that
// is not visible is kept in missing. A transaction took it before the poll that missed it, so
// it is dropped when all transactions that began before a later poll have ended.
type position struct {
	last    int64           // the highest visible id; -1 before the first poll
	missing map[int64]int64 // the first known EventSnapshot.Next since the id was missed, by id; 0: none yet
	skipped map[int64]bool  // ids of this process that polls have not returned yet
}

func newPosition() position {
	return position{last: -1, missing: map[int64]int64{}, skipped: map[int64]bool{}}
}

// maxGap limits the number of missing ids. A wider gap is not caused by running
// transactions: the database has skipped ids, as it does after a crash.
const maxGap = 10_000

// next returns the arguments of the next poll; see ports.EventLog.
func (p *position) next() (after int64, missing []int64) {
	return p.last, slices.Sorted(maps.Keys(p.missing))
}

// skip excludes events, whose changes are already delivered, from later polls.
func (p *position) skip(events []ports.EventHead) {
	for _, e := range events {
		if _, missed := p.missing[e.ID]; missed || e.ID > p.last {
			p.skipped[e.ID] = true
		}
	}
}

// advance records the result of a poll and returns its new events.
func (p *position) advance(found ports.EventSnapshot) []ports.EventHead {
	for id, next := range p.missing {
		if next == 0 {
			p.missing[id] = found.Next
		}
	}
	first := p.last < 0
	var added []ports.EventHead
	for _, e := range found.Events {
		if _, missed := p.missing[e.ID]; !missed && e.ID <= p.last {
			continue
		}
		delete(p.missing, e.ID)
		if p.skipped[e.ID] {
			delete(p.skipped, e.ID)
		} else {
			added = append(added, e)
		}
		if first {
			p.last, first = e.ID, false
		}
		p.advanceTo(e.ID, found.Next)
	}
	p.last = max(p.last, 0)
	maps.DeleteFunc(p.missing, func(_, next int64) bool { return next > 0 && next <= found.Oldest })
	return added
}

// advanceTo moves to id and records the ids in between as missing.
func (p *position) advanceTo(id, next int64) {
	for missed := max(p.last+1, id-maxGap); missed < id; missed++ {
		p.missing[missed] = next
	}
	p.last = max(p.last, id)
}
