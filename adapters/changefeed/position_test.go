package changefeed

import (
	"slices"
	"testing"

	"imprimatur/ports"
)

func snapshot(oldest, next int64, ids ...int64) ports.EventSnapshot {
	s := ports.EventSnapshot{Oldest: oldest, Next: next}
	for _, id := range ids {
		s.Events = append(s.Events, ports.EventHead{ID: id})
	}
	return s
}

func eventIDs(events []ports.EventHead) []int64 {
	var ids []int64
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestPosition(t *testing.T) {
	t.Parallel()
	type step struct {
		own     []int64 // committed by this process before the poll
		found   ports.EventSnapshot
		fresh   []int64
		last    int64
		missing []int64
	}
	for name, steps := range map[string][]step{
		"an empty table": {{found: snapshot(1, 1)}, {found: snapshot(1, 2, 1), fresh: []int64{1}, last: 1}},
		"starts at the oldest stored event": {
			{found: snapshot(9, 9, 70, 71), fresh: []int64{70, 71}, last: 71},
		},
		"a transaction that commits late": {
			{found: snapshot(5, 5, 1), fresh: []int64{1}, last: 1},
			{found: snapshot(5, 0, 3), fresh: []int64{3}, last: 3, missing: []int64{2}},
			{found: snapshot(5, 8, 4), fresh: []int64{4}, last: 4, missing: []int64{2}},
			{found: snapshot(8, 8, 2), fresh: []int64{2}, last: 4},
		},
		"a transaction that runs during the first poll": {
			{found: snapshot(5, 8, 1, 3), fresh: []int64{1, 3}, last: 3, missing: []int64{2}},
			{found: snapshot(7, 9), last: 3, missing: []int64{2}},
			{found: snapshot(9, 10, 2), fresh: []int64{2}, last: 3},
		},
		"a transaction that is rolled back": {
			{found: snapshot(5, 5, 1), fresh: []int64{1}, last: 1},
			{found: snapshot(7, 0, 4), fresh: []int64{4}, last: 4, missing: []int64{2, 3}},
			{found: snapshot(7, 9), last: 4, missing: []int64{2, 3}},
			{found: snapshot(8, 10), last: 4, missing: []int64{2, 3}},
			{found: snapshot(9, 11), last: 4},
		},
		"an older transaction that is still running": {
			{found: snapshot(3, 6, 2), fresh: []int64{2}, last: 2},
			{found: snapshot(3, 0, 5), fresh: []int64{5}, last: 5, missing: []int64{3, 4}},
			{found: snapshot(3, 9, 4, 6), fresh: []int64{4, 6}, last: 6, missing: []int64{3}},
			{found: snapshot(9, 10), last: 6},
		},
		"own changes": {
			{found: snapshot(5, 5, 1), fresh: []int64{1}, last: 1},
			{own: []int64{1, 2, 4}, found: snapshot(5, 5, 2, 3, 4), fresh: []int64{3}, last: 4},
			{own: []int64{6}, found: snapshot(5, 0, 6), last: 6, missing: []int64{5}},
			{own: []int64{5}, found: snapshot(8, 8, 5), last: 6},
		},
		"ids that the database has skipped": {
			{found: snapshot(5, 5, 1), fresh: []int64{1}, last: 1},
			{found: snapshot(6, 6, 1<<40), fresh: []int64{1 << 40}, last: 1 << 40},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPosition()
			for n, s := range steps {
				p.skip(snapshot(0, 0, s.own...).Events)
				fresh := eventIDs(p.advance(s.found))
				after, missing := p.next()
				if !slices.Equal(fresh, s.fresh) || after != s.last || !slices.Equal(missing, s.missing) {
					t.Fatalf("step %d: new %v, last %d, missing %v; want %v, %d, %v", n+1, fresh, after, missing, s.fresh, s.last, s.missing)
				}
			}
			if len(p.skipped) != 0 {
				t.Errorf("skipped ids are left over: %v", p.skipped)
			}
		})
	}
}
