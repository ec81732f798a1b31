package changefeed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"imprimatur/ports"
)

// Bus carries messages between the processes of one installation.
type Bus interface {
	// Send hands message to every process that listens, this one included.
	Send(ctx context.Context, message string) error
	// Listen calls received with each message, one after the other and in the order
	// in which they were sent, until ctx ends or the bus is lost, and then says why.
	// From the first message on, none is missed.
	Listen(ctx context.Context, received func(message string)) error
	// Close frees what Send used, after the last Send.
	Close() error
}

// Witness is a Bus that sees which processes are there, on it or not.
type Witness interface {
	// Self is what this process is called by the others.
	Self() string
	// Present returns which of the named processes can change anything. It is called by
	// the goroutine that sends.
	Present(ctx context.Context, names []string) ([]string, error)
}

// Relay is the ports.Changes of one process among several on a bus.
//
// A bus may lose messages and a process may die between its commit and its message,
// so nothing rests on each message arriving. Every process sends a beat four times
// a second, which says how many changes it has announced. One that hears its own
// beat knows that the bus works both ways; one that hears a number which does not
// follow from the last has missed something; and one whose beats stay away without
// a word of leave has died or is cut off, with changes that nobody may have heard
// of. In the last two cases subscribers are told ChangeAll, within a second, and as long
// as the silent process may be there, nothing is live: what it changes is not heard of.
type Relay struct {
	local   *Local
	bus     Bus
	witness Witness // the bus, or nil
	log     *zap.Logger
	self    string
	started time.Time

	mu        sync.Mutex
	pending   map[ports.Change]struct{} // announced, not sent yet
	announced uint64                    // how many were sent
	peers     map[string]*peer          // the other processes, by name
	fault     error                     // why the bus was last lost

	wake    chan struct{}
	lease   atomic.Int64 // until when, after started, the bus is known to work
	silent  atomic.Int64 // how many peers stay away
	outage  outage
	stop    context.CancelFunc
	running sync.WaitGroup
}

// peer is what is known of another process.
type peer struct {
	announced uint64        // how many changes it had announced when last heard
	heard     time.Duration // when that was, after started
	silent    bool
	gone      bool // silent, and not there either
}

// message is what goes over the bus, as JSON.
type message struct {
	From      string                       `json:"from"`
	At        time.Duration                `json:"at"`        // when, on the sender's own clock
	Announced uint64                       `json:"announced"` // by the sender so far, Changes included
	Changes   map[ports.ChangeKind][]int64 `json:"changes,omitempty"`
	Leaves    bool                         `json:"leaves,omitempty"` // it is the sender's last
}

// How time goes by on a bus. What one process commits is seen by the others within
// a second, whichever of them dies or is cut off: a beat and a silence together are
// less than that, and so is the lease.
const (
	beat        = 250 * time.Millisecond
	silence     = 600 * time.Millisecond // after which a peer stays away
	leaseTime   = 750 * time.Millisecond // after the beat that came back
	sendTimeout = 500 * time.Millisecond
	reopenAfter = 2 * time.Second        // without a beat that came back
	reopenPause = 250 * time.Millisecond // between two attempts
	// absence is how long a peer that stays away is reckoned with: it may only be cut
	// off from the bus, and still change things.
	absence     = 10 * time.Minute
	lookTimeout = 250 * time.Millisecond
	// maxBatch is how many changes one message names, and it stays well below the
	// 8,000 bytes of a NOTIFY with them. More are told as ChangeAll.
	maxBatch = 300
)

// NewRelay returns a Relay on bus, which it closes in the end. It is not live before
// Start; log is told when it loses the bus and when it has it back.
func NewRelay(bus Bus, log *zap.Logger) *Relay {
	self := rand.Text()[:12]
	witness, ok := bus.(Witness)
	if ok {
		self = witness.Self()
	}
	return &Relay{
		local: NewLocal(), bus: bus, witness: witness, log: log, self: self, started: time.Now(),
		pending: map[ports.Change]struct{}{}, peers: map[string]*peer{}, wake: make(chan struct{}, 1),
	}
}

// Start introduces this process to the others and begins to listen. A bus that is
// away is waited for in the background.
func (r *Relay) Start(ctx context.Context) {
	r.send(ctx, message{})
	ctx, r.stop = context.WithCancel(context.WithoutCancel(ctx))
	r.running.Go(func() { r.listen(ctx) })
	r.running.Go(func() { r.keepBeat(ctx) })
}

// Stop sends what is still to be sent, takes leave of the others and closes the bus.
func (r *Relay) Stop(ctx context.Context) error {
	if r.stop != nil {
		r.stop()
		r.running.Wait()
		r.lease.Store(0)
		r.send(ctx, message{Leaves: true})
	}
	return r.bus.Close()
}

// Announce is described at ports.Changes. The other processes are told in the
// background, a few changes at once.
func (r *Relay) Announce(ctx context.Context, changes ...ports.Change) {
	r.local.Announce(ctx, changes...)
	r.mu.Lock()
	for _, change := range changes {
		r.pending[change] = struct{}{}
	}
	if len(r.pending) > maxBatch {
		r.pending = map[ports.Change]struct{}{{Kind: ports.ChangeAll}: {}}
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default: // it is awake
	}
}

// Subscribe is described at ports.Changes.
func (r *Relay) Subscribe(told func(ports.Change)) (stop func()) { return r.local.Subscribe(told) }

// Live is described at ports.Changes.
func (r *Relay) Live() bool {
	return r.silent.Load() == 0 && r.uptime() < time.Duration(r.lease.Load())
}

func (r *Relay) uptime() time.Duration { return time.Since(r.started) }

// keepBeat sends at every beat, and what is announced at once.
func (r *Relay) keepBeat(ctx context.Context) {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		case <-ticker.C:
			r.missPeers()
			r.lookForSilent(ctx)
			r.outage.report(r)
		}
		r.send(ctx, message{})
	}
}

// send fills m with what is pending and sends it. What cannot be sent is not sent
// again: the others see by the next number that they missed it.
func (r *Relay) send(ctx context.Context, m message) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	m.From, m.At = r.self, r.uptime()
	m.Changes, m.Announced = r.takePending()
	text, err := json.Marshal(m)
	if err == nil {
		err = r.bus.Send(ctx, string(text))
	}
	if err != nil {
		r.note(err)
	}
}

func (r *Relay) takePending() (changes map[ports.ChangeKind][]int64, announced uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changes = map[ports.ChangeKind][]int64{}
	for change := range r.pending {
		changes[change.Kind] = append(changes[change.Kind], change.ID)
	}
	r.announced += uint64(len(r.pending))
	clear(r.pending)
	return changes, r.announced
}

// listen stays on the bus, and opens it anew when it is lost or silent.
func (r *Relay) listen(ctx context.Context) {
	for ctx.Err() == nil {
		attempt, giveUp := context.WithCancel(ctx)
		watchdog := time.AfterFunc(reopenAfter, giveUp)
		err := r.bus.Listen(attempt, func(text string) {
			if r.receive(ctx, text) {
				watchdog.Reset(reopenAfter)
			}
		})
		watchdog.Stop()
		giveUp()
		r.lease.Store(0)
		r.note(err)
		select {
		case <-ctx.Done():
		case <-time.After(reopenPause):
		}
	}
}

// receive reports whether the message was a beat of this process that came back.
func (r *Relay) receive(ctx context.Context, text string) bool {
	var m message
	switch err := json.Unmarshal([]byte(text), &m); {
	case err != nil || m.From == "":
		r.tellAll(ctx)
	case m.From == r.self:
		r.renew(ctx, m.At+leaseTime)
		return true
	case r.follows(m):
		for kind, ids := range m.Changes {
			for _, id := range ids {
				r.local.Announce(ctx, ports.Change{Kind: kind, ID: id})
			}
		}
		r.meet(m)
	default:
		r.tellAll(ctx)
		r.meet(m)
	}
	return false
}

// tellAll comes before whatever makes Live true again.
func (r *Relay) tellAll(ctx context.Context) {
	r.local.Announce(ctx, ports.Change{Kind: ports.ChangeAll})
}

// renew extends the lease of a bus that works.
func (r *Relay) renew(ctx context.Context, until time.Duration) {
	now := r.uptime()
	if until <= now {
		return // the beat took too long to come back
	}
	if time.Duration(r.lease.Load()) <= now {
		r.tellAll(ctx)
	}
	r.lease.Store(int64(until))
}

// follows reports whether nothing was missed of the sender of m.
func (r *Relay) follows(m message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := m.Announced
	for _, ids := range m.Changes {
		before -= uint64(len(ids))
	}
	sender := r.peers[m.From]
	if sender == nil {
		return before == 0
	}
	return !sender.silent && sender.announced == before
}

// meet remembers what m says of its sender.
func (r *Relay) meet(m message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peers[m.From] = &peer{announced: m.Announced, heard: r.uptime()}
	if m.Leaves {
		delete(r.peers, m.From)
	}
	r.countSilent()
}

// missPeers finds those who stay away.
func (r *Relay) missPeers() {
	r.mu.Lock()
	missed := false
	for name, p := range r.peers {
		switch away := r.uptime() - p.heard; {
		case away > absence:
			delete(r.peers, name)
		case away > silence && !p.silent:
			p.silent, missed = true, true
		}
	}
	r.countSilent()
	r.mu.Unlock()
	if missed {
		r.tellAll(context.Background())
	}
}

// lookForSilent finds out which of those who stay away are still there. Whoever cannot be
// looked for may be. One that is gone may come back: it is looked for as long as it is
// reckoned with.
func (r *Relay) lookForSilent(ctx context.Context) {
	names := r.silentPeers()
	if r.witness == nil || len(names) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	present, err := r.witness.Present(ctx, names)
	if err != nil {
		r.note(err)
		present = names
	}
	if r.setGone(names, present) {
		r.tellAll(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.countSilent()
}

func (r *Relay) silentPeers() (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, p := range r.peers {
		if p.silent {
			names = append(names, name)
		}
	}
	return names
}

// setGone reports whether any of names went or came back: either way it may have changed
// something before.
func (r *Relay) setGone(names, present []string) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range names {
		p := r.peers[name]
		if p == nil || !p.silent {
			continue // it was heard meanwhile
		}
		gone := !slices.Contains(present, name)
		changed = changed || gone != p.gone
		p.gone = gone
	}
	return changed
}

// countSilent is called with mu held.
func (r *Relay) countSilent() {
	n := 0
	for _, p := range r.peers {
		if p.silent && !p.gone {
			n++
		}
	}
	r.silent.Store(int64(n))
}

func (r *Relay) note(fault error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fault = fault
}
