package live

import (
	"context"
	"sync"
	"time"

	"imprimatur/core"
	"imprimatur/core/reading"
)

// channel has the listeners of one Project.
type channel struct {
	uuid  string
	dirty chan struct{} // something may have changed
	left  chan struct{} // closed when the last listener has left

	// Guarded by Hub.mu:
	listeners map[*Listener]bool // whether they get messages

	mu     sync.Mutex // taken before Hub.mu
	cursor string     // the position after the last message; empty: not known yet
	missed map[string]*missed
}

// missed is what has changed since a position, for the listeners that come with it.
type missed struct {
	once    sync.Once
	message *Message // nil: nothing
	err     error
}

// admit makes the listener get messages: first what it missed.
func (c *channel) admit(ctx context.Context, h *Hub, l *Listener, project *core.Project, since string) error {
	c.mu.Lock()
	if c.cursor == "" {
		now, err := h.source.Now(ctx, project)
		if err != nil {
			c.mu.Unlock()
			return err
		}
		c.cursor = now
	}
	l.Cursor = c.cursor
	var m *missed
	if since != "" {
		l.Cursor = since
	}
	if l.Cursor != c.cursor {
		if m = c.missed[since]; m == nil {
			if len(c.missed) >= maxCatchUps {
				clear(c.missed)
			}
			m = &missed{}
			c.missed[since] = m
		}
	}
	h.mu.Lock()
	if _, in := c.listeners[l]; in {
		c.listeners[l] = true
	}
	h.mu.Unlock()
	c.mu.Unlock()
	if m == nil {
		return nil
	}
	m.once.Do(func() { m.message, m.err = h.read(context.WithoutCancel(ctx), project, since) })
	if m.err != nil {
		c.mu.Lock()
		if c.missed[since] == m { // the next listener tries again
			delete(c.missed, since)
		}
		c.mu.Unlock()
		return m.err
	}
	if m.message != nil {
		l.give(*m.message, true)
	}
	return nil
}

// read returns what has changed since a position; nil for nothing. After a position that is too old everything has to be read again.
func (h *Hub) read(ctx context.Context, project *core.Project, since string) (*Message, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	names, err := h.source.Names(ctx, project, since, MaxNames)
	if isExpired(err) {
		now, err := h.source.Now(ctx, project)
		return &Message{Reset: true, Items: []reading.PublicChange{{Op: reading.ChangeReset}}, Cursor: now}, err
	}
	if err != nil {
		return nil, err
	}
	m := &Message{Items: names.Changes, More: names.More, Cursor: names.Next}
	for i := range m.Items {
		m.Reset = m.Reset || m.Items[i].Op == reading.ChangeReset
	}
	if len(m.Items) == 0 && !m.More {
		return nil, nil //nolint:nilnil // nothing has changed
	}
	return m, nil
}

// run gives messages to the listeners until the last one has left.
func (c *channel) run(h *Hub) {
	for {
		select {
		case <-h.context.Done():
			return
		case <-c.left:
			return
		case <-c.dirty:
		}
		if !c.tell(h) {
			wake(c.dirty) // try again
		}
		timer := time.NewTimer(Pace)
		select {
		case <-h.context.Done():
		case <-c.left:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// tell reads what has changed and gives it to the listeners. It reports whether it could read.
func (c *channel) tell(h *Hub) bool {
	project, err := h.projects.ProjectByUUID(h.context, c.uuid)
	if core.KindOf(err) == core.KindNotFound {
		h.mu.Lock()
		c.end(EndProject, func(*Listener) bool { return true })
		h.mu.Unlock()
		return true
	}
	c.mu.Lock()
	since := c.cursor
	c.mu.Unlock()
	if err != nil || since == "" {
		return err == nil // without a position no listener waits for a message
	}
	m, err := h.read(h.context, project, since)
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.missed)
	if m == nil {
		return true
	}
	c.cursor = m.Cursor
	h.mu.Lock()
	defer h.mu.Unlock()
	for l, listens := range c.listeners {
		if listens {
			l.give(*m, false)
		}
	}
	return true
}

// end ends the listeners that match. The caller holds Hub.mu.
func (c *channel) end(reason End, match func(*Listener) bool) {
	for l := range c.listeners {
		if match(l) {
			l.end(reason)
		}
	}
}
