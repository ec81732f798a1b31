package admission

import "sync/atomic"

// Throttle turns visits away before anything is done for them, while a gate is full. It
// cannot know which of them will come to the gate at all: some are answered from a
// cache. So it lets them all on for as long as enough of them are served; where most
// are turned away by the gate, which costs more than to turn them away here, it does.
type Throttle struct {
	gate    *Gate
	credit  atomic.Int64 // what has been earned by who was served, and not yet spent
	refused atomic.Int64 // by the gate, of which the credit knows
}

const (
	// wasted is how many the gate may turn away for each that is served.
	wasted = 2
	// mostCredit is what an overload begins with.
	mostCredit = 100 * wasted
)

// NewThrottle returns the Throttle before a gate.
func NewThrottle(gate *Gate) *Throttle {
	t := &Throttle{gate: gate}
	t.credit.Store(mostCredit)
	return t
}

// Admit reports whether a visit may go on. That is counted as if it were served, until
// the gate turns it away.
func (t *Throttle) Admit() bool {
	if t.gate.Full() && t.settled() <= 0 {
		return false
	}
	if t.credit.Load() < mostCredit {
		t.credit.Add(wasted)
	}
	return true
}

// settled returns the credit once those that the gate turned away are taken off. There
// are no debts: they would outlast their cause.
func (t *Throttle) settled() int64 {
	refused := t.gate.refused.Load()
	lost := refused - t.refused.Swap(refused)
	credit := t.credit.Add(-lost * (wasted + 1))
	if credit < 0 && t.credit.CompareAndSwap(credit, 0) {
		return 0
	}
	return credit
}
