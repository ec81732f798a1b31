package live

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/core/reading"
	"imprimatur/ports"
)

const (
	// MaxListeners is the number of listeners of one Project in a process.
	MaxListeners = 1000
	// DefaultLimit is the number of listeners of a process, unless the operator sets another.
	DefaultLimit = 10_000
	// MaxNames is the number of changes that a message names.
	MaxNames = 32
	// Pace is the least time between two messages to a listener, and between two reads of the changes of a Project.
	Pace = time.Second
	// retryAfter is the time after which a refused client should come back.
	retryAfter = 30 * time.Second
	// maxCatchUps is the number of positions from which a channel keeps what listeners missed.
	maxCatchUps = 256
	// readTimeout bounds one read of changes.
	readTimeout = 10 * time.Second
)

// Source reads the changes of Projects. Its methods are those of reading.Changes.
type Source interface {
	// Now returns the cursor of the present.
	Now(ctx context.Context, project *core.Project) (string, error)
	// Names returns what has changed since a cursor.
	Names(ctx context.Context, project *core.Project, since string, limit int) (reading.ChangeNames, error)
}

// Projects finds Projects.
type Projects interface {
	ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error)
}

// Message names what has changed between two positions.
type Message struct {
	Reset  bool // copies of a collection, or of everything, have to be read again
	Items  []reading.PublicChange
	More   bool   // more has changed than Items names
	Cursor string // the position after the changes
}

// join adds the changes of a later message.
func (m *Message) join(later Message) {
	m.Reset, m.More, m.Cursor = m.Reset || later.Reset, m.More || later.More, later.Cursor
	items := slices.Clone(m.Items) // other listeners share it
	for _, item := range later.Items {
		same := func(o reading.PublicChange) bool {
			return o.ID == item.ID && (o.Op == reading.ChangePut || o.Op == reading.ChangeDelete) == (item.Op == reading.ChangePut || item.Op == reading.ChangeDelete) && o.Collection == item.Collection
		}
		if i := slices.IndexFunc(items, same); i >= 0 {
			items[i] = item
			continue
		}
		items = append(items, item)
	}
	if len(items) > MaxNames {
		items, m.More = items[:MaxNames], true
	}
	m.Items = items
}

// End is why a listener was ended.
type End string

// The reasons.
const (
	EndToken    End = "token"    // its credential is no longer valid
	EndProject  End = "project"  // the Project no longer exists
	EndStopping End = "stopping" // the process stops
)

// Hub has the listeners of a process. It is safe for concurrent use.
type Hub struct {
	source   Source
	projects Projects
	limit    int

	mu        sync.Mutex
	channels  map[int64]*channel // by Project
	listeners int
	closed    bool

	doubted     chan struct{}   // credentials may have changed
	context     context.Context //nolint:containedctx // of the goroutines, until Close
	cancel      context.CancelFunc
	unsubscribe func()
	running     sync.WaitGroup
}

// New returns a Hub for up to limit listeners, woken by changes. Close ends it.
func New(source Source, projects Projects, changes ports.Changes, limit int) *Hub {
	ctx, cancel := context.WithCancel(context.Background())
	h := &Hub{
		source: source, projects: projects, limit: limit, channels: map[int64]*channel{}, doubted: make(chan struct{}, 1), context: ctx, cancel: cancel,
	}
	h.unsubscribe = changes.Subscribe(h.changed)
	h.running.Go(h.checkCredentials)
	return h
}

// Listeners returns the number of listeners.
func (h *Hub) Listeners() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listeners
}

// Close ends all listeners and accepts no more.
func (h *Hub) Close() {
	h.unsubscribe()
	h.mu.Lock()
	h.closed = true
	for _, c := range h.channels {
		c.end(EndStopping, func(*Listener) bool { return true })
	}
	h.mu.Unlock()
	h.cancel()
	h.running.Wait()
}

// changed wakes the channels that a change concerns. It is called before the transaction returns to its caller.
func (h *Hub) changed(change ports.Change) {
	switch change.Kind {
	case ports.ChangeContent:
		h.mu.Lock()
		defer h.mu.Unlock()
		if c := h.channels[change.ID]; c != nil {
			wake(c.dirty)
		}
	case ports.ChangeToken, ports.ChangeAccount:
		wake(h.doubted)
	default: // of a Project, or anything
		wake(h.doubted)
		h.mu.Lock()
		defer h.mu.Unlock()
		for id, c := range h.channels {
			if change.Kind == ports.ChangeAll || id == change.ID {
				wake(c.dirty)
			}
		}
	}
}

func wake(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default: // it is awake
	}
}

// Credential is what entitles a listener to listen.
type Credential struct {
	Key     string    // the same for all listeners with this credential
	Expires time.Time // zero: never
	// Check returns an error if the credential is no longer valid, with a kind that says so.
	Check func(ctx context.Context) error
}

// Listen adds a listener to the changes of a Project. since is a cursor of reading.Changes without parameters; empty: from now. The
// caller must call Listener.Close. Its errors are those of Source for the cursor, core.KindTooManyRequests for too many
// listeners of the Project and core.KindUnavailable for too many of the process.
func (h *Hub) Listen(ctx context.Context, project *core.Project, since string, credential Credential) (*Listener, error) {
	l := &Listener{credential: credential, ready: make(chan struct{}, 1), ended: make(chan struct{})}
	c, err := h.enter(project, l)
	if err != nil {
		return nil, err
	}
	l.leave = func() { h.leave(c, l) }
	if err := c.admit(ctx, h, l, project, since); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// enter counts a listener and returns its channel, which does not yet give it messages.
func (h *Hub) enter(project *core.Project, l *Listener) (*channel, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.channels[project.ID]
	switch {
	case h.closed:
		return nil, &core.Error{Kind: core.KindUnavailable, Code: "busy", Message: "the server is stopping, retry later", RetryAfter: time.Second}
	case h.listeners >= h.limit:
		return nil, &core.Error{Kind: core.KindUnavailable, Code: "busy", Message: "too many connections listen to this server, retry later", RetryAfter: later()}
	case c != nil && len(c.listeners) >= MaxListeners:
		return nil, &core.Error{Kind: core.KindTooManyRequests, Code: "rate_limited", Message: "too many connections listen to this Project, retry later", RetryAfter: later()}
	case c == nil:
		c = &channel{uuid: project.UUID, listeners: map[*Listener]bool{}, dirty: make(chan struct{}, 1), left: make(chan struct{}), missed: map[string]*missed{}}
		h.channels[project.ID] = c
		h.running.Go(func() { c.run(h) })
	}
	c.listeners[l] = false
	h.listeners++
	return c, nil
}

// later returns a time to come back at, which differs from client to client.
func later() time.Duration { return retryAfter/2 + rand.N(retryAfter) } //nolint:gosec // no secret

func (h *Hub) leave(c *channel, l *Listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, in := c.listeners[l]; !in {
		return
	}
	delete(c.listeners, l)
	h.listeners--
	if len(c.listeners) > 0 {
		return
	}
	close(c.left)
	for id, other := range h.channels {
		if other == c {
			delete(h.channels, id)
		}
	}
}

// checkCredentials ends the listeners whose credentials are no longer valid.
func (h *Hub) checkCredentials() {
	for {
		select {
		case <-h.context.Done():
			return
		case <-h.doubted:
		}
		if !h.checkAll() {
			wake(h.doubted) // some could not be checked
		}
		if !pause(h.context, Pace/4) {
			return
		}
	}
}

// checkAll checks each credential once, and reports whether it could check all.
func (h *Hub) checkAll() (all bool) {
	checks := map[string]Credential{}
	h.mu.Lock()
	for _, c := range h.channels {
		for l := range c.listeners {
			checks[l.credential.Key] = l.credential
		}
	}
	h.mu.Unlock()
	all = true
	for key, credential := range checks {
		ctx, cancel := context.WithTimeout(h.context, readTimeout)
		err := credential.Check(ctx)
		cancel()
		reason := EndToken
		switch core.KindOf(err) {
		case core.KindUnauthenticated, core.KindForbidden:
		case core.KindNotFound:
			reason = EndProject
		default:
			all = all && err == nil
			continue
		}
		h.mu.Lock()
		for _, c := range h.channels {
			c.end(reason, func(l *Listener) bool { return l.credential.Key == key })
		}
		h.mu.Unlock()
	}
	return all
}

// pause waits, and reports whether ctx did not end meanwhile.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// isExpired reports whether a cursor is too old.
func isExpired(err error) bool { return core.KindOf(err) == core.KindGone }
