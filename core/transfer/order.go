package transfer

import (
	"container/heap"
	"encoding/json"
	"hash/maphash"
	"slices"
)

// identity is the hash of something by which a relation finds an entry of the imported collection:
// the reference of a group, or a key. 0: nothing. Of ten million identities, two are equal with a
// probability of about 3 in a million.
type identity uint64

var identitySeed = maphash.MakeSeed()

func identityOf(kind byte, text string) identity {
	if text == "" {
		return 0
	}
	return identity(maphash.Comparable(identitySeed, struct {
		kind byte
		text string
	}{kind, text}))
}

func groupIdentity(reference string) identity  { return identityOf('g', reference) }
func keyIdentity(key json.RawMessage) identity { return identityOf('k', string(key)) }

// need is the target of a relation that does not exist yet: an entry with that group, or else an
// entry with that key.
type need struct{ group, key identity }

// queued is a line in the order of the import.
type queued struct {
	number  int64
	entries int
	key     json.RawMessage // of the line, for errors; nil: none
	group   string          // of the line, for errors; empty: none
	claims  []identity      // of its entries
	needs   []need
	follows bool    // an earlier line with one of its claims waits
	ids     []int64 // for its entries, as far as they are new; nil: any
	line    *line   // nil: in the spool
	at      int64   // offset in the spool
	size    int     // of its text in bytes
	spooled bool
	refused bool
	waits   bool // for the lines after it
	awaited bool // it has waited for targets that were not published
	written bool // and published
}

// bundle is the lines that are written as a whole: one line, or the lines of a cycle of relations,
// in ascending order.
type bundle []*queued

func (b bundle) entries() (n int) {
	for _, q := range b {
		n += q.entries
	}
	return n
}

func entriesOf(bundles []bundle) (n int) {
	for _, b := range bundles {
		n += b.entries()
	}
	return n
}

// arrange returns the lines in an order in which the targets of a bundle come before it, and which
// is otherwise that of their numbers, so that it does not depend on lines that are refused. Lines
// with the same group or key stay in the order of their numbers. lines are ascending. If last, no
// more lines follow, and targets that no line has are ignored. Otherwise the lines that need such a
// target or follow a line that waits, and the lines that need those, are the rest.
func arrange(lines []*queued, last bool) (order []bundle, rest []*queued) {
	if !slices.ContainsFunc(lines, func(q *queued) bool { return q.follows || len(q.needs) > 0 }) {
		for i := range lines {
			order = append(order, lines[i:i+1:i+1])
		}
		return order, nil
	}
	targets, open := targetsOf(lines, last)
	of, count := components(targets)
	bundles, waiting := make([]bundle, count), make([]int, count) // waiting: the number of unmet targets
	dependents := make([][]int, count)
	for i, q := range lines {
		c := of[i]
		bundles[c] = append(bundles[c], q)
		for _, t := range targets[i] {
			if of[t] != c {
				dependents[of[t]] = append(dependents[of[t]], c)
				waiting[c]++
			}
		}
		if open[i] && !last {
			waiting[c]++ // for ever
		}
	}
	ready := &bundleHeap{}
	for c, n := range waiting {
		if n == 0 {
			heap.Push(ready, ranked{bundles[c][0].number, c})
		}
	}
	for ready.Len() > 0 {
		c := heap.Pop(ready).(ranked).component //nolint:errcheck // the only type in the heap
		order = append(order, bundles[c])
		bundles[c] = nil
		for _, d := range dependents[c] {
			if waiting[d]--; waiting[d] == 0 {
				heap.Push(ready, ranked{bundles[d][0].number, d})
			}
		}
	}
	for i, q := range lines {
		if bundles[of[i]] != nil {
			rest = append(rest, q)
		}
	}
	return order, rest
}

// targetsOf returns, for each line, the indexes of the lines that it needs, and of the line before
// it with the same group or key. open has the lines that need something that no line has. The key of
// a target with a group counts only if last.
func targetsOf(lines []*queued, last bool) (targets [][]int, open []bool) {
	claimed := map[identity][]int{}
	for i, q := range lines {
		for _, id := range q.claims {
			claimed[id] = append(claimed[id], i)
		}
	}
	targets, open = make([][]int, len(lines)), make([]bool, len(lines))
	for _, same := range claimed {
		for n, i := range same[1:] {
			targets[i] = append(targets[i], same[n])
		}
	}
	for i, q := range lines {
		open[i] = q.follows
		for _, n := range q.needs {
			found := claimed[n.group]
			if len(found) == 0 && (last || n.group == 0) {
				found = claimed[n.key]
			}
			open[i] = open[i] || len(found) == 0
			targets[i] = append(targets[i], found...)
		}
	}
	return targets, open
}

// components numbers the strongly connected components of a graph and returns the component of
// each node, by Tarjan's algorithm without recursion: a cycle can have any length.
func components(edges [][]int) (of []int, count int) {
	type frame struct{ node, next int }
	of = make([]int, len(edges))
	index, low := make([]int, len(edges)), make([]int, len(edges)) // index 0: not visited
	var calls []frame
	var stack []int
	visited := 0
	for root := range edges {
		if index[root] == 0 {
			calls = append(calls, frame{node: root})
		}
		for len(calls) > 0 {
			top := &calls[len(calls)-1]
			node := top.node
			if top.next == 0 {
				visited++
				index[node], low[node], of[node] = visited, visited, -1
				stack = append(stack, node)
			}
			if top.next < len(edges[node]) {
				next := edges[node][top.next]
				top.next++
				switch {
				case index[next] == 0:
					calls = append(calls, frame{node: next})
				case of[next] < 0: // on the stack
					low[node] = min(low[node], index[next])
				}
				continue
			}
			if calls = calls[:len(calls)-1]; len(calls) > 0 {
				caller := calls[len(calls)-1].node
				low[caller] = min(low[caller], low[node])
			}
			if low[node] < index[node] {
				continue
			}
			for of[node] < 0 {
				of[stack[len(stack)-1]] = count
				stack = stack[:len(stack)-1]
			}
			count++
		}
	}
	return of, count
}

// ranked is a component with the number of its first line.
type ranked struct {
	number    int64
	component int
}

// bundleHeap implements heap.Interface, by number.
type bundleHeap []ranked

func (h bundleHeap) Len() int           { return len(h) }
func (h bundleHeap) Less(i, j int) bool { return h[i].number < h[j].number }
func (h bundleHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *bundleHeap) Push(x any)        { *h = append(*h, x.(ranked)) } //nolint:errcheck // the only type in the heap
func (h *bundleHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
