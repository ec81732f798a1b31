package identity

import (
	"context"
	"sync"
	"time"

	"imprimatur/core"
)

// An attempt from an address with many failures is delayed by delayStep for each further failure,
// at most maxDelay. At most maxDelayedHere attempts from one address and maxDelayed in all wait at
// once, so that they take little memory.
const (
	delayStep      = 200 * time.Millisecond
	maxDelay       = 2 * time.Second
	maxDelayedHere = 20
	maxDelayed     = 200
)

// delays delays attempts before their password is checked. The zero value is ready for use.
type delays struct {
	mu        sync.Mutex
	all       int
	byAddress map[string]int
}

// wait waits for the delay of an address that has so many failures beyond those without delay. It
// returns the error of ctx when ctx ends before, and core.KindTooManyRequests when too many
// attempts wait.
func (d *delays) wait(ctx context.Context, address string, failures int) error {
	if !d.enter(address) {
		return tooManyFailures(maxDelay)
	}
	defer d.leave(address)
	timer := time.NewTimer(min(maxDelay, time.Duration(failures+1)*delayStep))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return &core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "the request was cancelled", Err: ctx.Err()}
	}
}

func (d *delays) enter(address string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all >= maxDelayed || d.byAddress[address] >= maxDelayedHere {
		return false
	}
	if d.byAddress == nil {
		d.byAddress = map[string]int{}
	}
	d.all++
	d.byAddress[address]++
	return true
}

func (d *delays) leave(address string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all--
	if d.byAddress[address]--; d.byAddress[address] == 0 {
		delete(d.byAddress, address)
	}
}
