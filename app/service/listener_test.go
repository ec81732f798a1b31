//go:build linux

package service

import (
	"errors"
	"io"
	"net"
	"testing"
)

// TestDrainingListener closes a listener nobody has accepted from: the connections
// that clients already have are still handed out, and then no more.
func TestDrainingListener(t *testing.T) {
	t.Parallel()
	inner, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	l := newDrainingListener(inner)
	const clients = 5
	for range clients {
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if _, err := client.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range clients {
		conn, err := l.Accept()
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
			t.Errorf("connection %d: %v", i, err)
		}
		_ = conn.Close() // all was read
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after the last: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}
