package service

import (
	"errors"
	"net"
	"testing"
	"time"
)

// TestBoundedListener accepts no more connections than may be, goes on when one is
// given back, and does not wait for a place once it is closed.
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
	if !l.halfFull() {
		t.Error("two of two is not more than half")
	}
	select {
	case err := <-accepted:
		t.Errorf("one too many was accepted: %v", err)
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
