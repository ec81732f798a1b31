package transfer

import "time"

// pace decides how many entries the next transaction of an import writes. The publications of a
// transaction have one time, which the store takes before it writes them, so that readers see them a
// little later. Other writers of the entries wait as long, and on an engine with one writer all others.
type pace struct {
	entries int  // of the next transaction; 0: it is the first
	shared  bool // others write at the same time
}

const (
	// firstEntries is the size of the first transaction, before its speed is known.
	firstEntries = 10
	// longest is how long a transaction should take. The part after the time of its publications is
	// about the half.
	longest = 100 * time.Millisecond
	// longestShared is the same while others wait for the only writer: a save beside an import then waits for
	// one such transaction, and the import takes up to three times its time.
	longestShared = 12 * time.Millisecond
)

// next returns how many entries the next transaction may write, at most most.
func (p *pace) next(most int) int {
	if p.entries == 0 {
		p.entries = firstEntries
	}
	return min(p.entries, most)
}

// share reports whether others write at the same time.
func (p *pace) share(others bool) {
	if others && !p.shared {
		p.entries = max(1, p.entries*int(longestShared)/int(longest))
	}
	p.shared = others
}

// took reports how long a transaction of that many entries took. Transactions become longer slowly
// and shorter at once. A transaction that was smaller than it could be, and short, changes nothing:
// much of its time was that of any transaction.
func (p *pace) took(entries int, d time.Duration) {
	limit := longest
	if p.shared {
		limit = longestShared
	}
	if entries < p.entries && d <= limit {
		return
	}
	fitting := int(int64(entries) * int64(limit) / max(1, int64(d)))
	p.entries = max(1, min(fitting, 2*max(entries, firstEntries)))
}
