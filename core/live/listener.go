package live

import (
	"sync"
	"time"
)

// Listener is one connection. Its methods may be called from one goroutine.
type Listener struct {
	// Cursor is the position from which on the listener gets messages.
	Cursor string

	credential Credential
	leave      func()
	ready      chan struct{}

	mu      sync.Mutex
	pending *Message // nil: none
	reason  End
	ended   chan struct{} // closed with reason
}

// Expires is when the credential of the listener expires; zero: never.
func (l *Listener) Expires() time.Time { return l.credential.Expires }

// Ready is sent when Take may have a message.
func (l *Listener) Ready() <-chan struct{} { return l.ready }

// Ended is closed when the listener was ended, for Reason.
func (l *Listener) Ended() <-chan struct{} { return l.ended }

// Reason returns why the listener was ended.
func (l *Listener) Reason() End {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reason
}

// Take returns all that was given since the last call as one message. ok is false for nothing.
func (l *Listener) Take() (m Message, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending == nil {
		return Message{}, false
	}
	m, l.pending = *l.pending, nil
	return m, true
}

// Close removes the listener.
func (l *Listener) Close() { l.leave() }

// give adds a message to what the listener takes next: before everything else if it came first.
func (l *Listener) give(m Message, first bool) {
	l.mu.Lock()
	switch {
	case l.pending == nil:
		l.pending = &m
	case first:
		later := *l.pending
		m.join(later)
		l.pending = &m
	default:
		joined := *l.pending
		joined.join(m)
		l.pending = &joined
	}
	l.mu.Unlock()
	wake(l.ready)
}

func (l *Listener) end(reason End) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reason == "" {
		l.reason = reason
		close(l.ended)
	}
}
