package service

import (
	"errors"
	"net"
	"testing"
	"time"
)

// TestBoundedListener checks that the listener accepts the maximum of connections, accepts
// another one when one is closed, and does not block after Close.
func TestBoundedListener(t *testing.T) {
	t.Parallel()
	inner, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newBoundedListener(inner, 2)
	accepted := make(chan error)
	go func() {
		for {
			conn, err := l.Accept()
			accepted <- err
			if err != nil {
				return
			}
			defer conn.Close()
		}
	}()
	for range 3 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	for range 2 {
		if err := <-accepted; err != nil {
			t.Fatal(err)
		}
	}
	if !l.crowded() {
		t.Error("connections that use all slots are kept open")
	}
	select {
	case err := <-accepted:
		t.Errorf("a connection beyond the limit was accepted: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	l.release()
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; !errors.Is(err, net.ErrClosed) {
		t.Errorf("after closing: %v", err)
	}
}

func TestCrowded(t *testing.T) {
	t.Parallel()
	l := newBoundedListener(nil, 100)
	closed := func(open int) (n int) {
		for len(l.slots) < open {
			l.slots <- struct{}{}
		}
		for range 1000 {
			if l.crowded() {
				n++
			}
		}
		return n
	}
	if n := closed(50); n != 0 {
		t.Errorf("%d of 1000 responses close their connection while half of the slots are in use", n)
	}
	if n := closed(75); n < 300 || n > 700 {
		t.Errorf("%d of 1000 responses close their connection while three quarters of the slots are in use", n)
	}
	if n := closed(100); n != 1000 {
		t.Errorf("%d of 1000 responses close their connection while all slots are in use", n)
	}
}
