//go:build linux

package service

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
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

// TestClosingUnderConnections closes a listener while clients connect to it: each that
// has a connection has an answer, and the others are refused.
func TestClosingUnderConnections(t *testing.T) {
	t.Parallel()
	for range 20 {
		inner, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		l := newDrainingListener(inner)
		var all sync.WaitGroup
		all.Go(func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = conn.Write([]byte("x"))
				_ = conn.Close()
			}
		})
		first := make(chan struct{}, 8)
		for range 8 {
			all.Go(func() {
				for n := 0; ; n++ {
					err := greeted(l.Addr().String())
					if errors.Is(err, syscall.ECONNREFUSED) {
						return
					}
					if err != nil {
						t.Errorf("a connection was made and lost: %v", err)
					}
					if n == 5 {
						first <- struct{}{}
					}
				}
			})
		}
		<-first
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		all.Wait()
	}
}

// greeted connects to address and waits for what its listener sends.
func greeted(address string) error {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Read(make([]byte, 1))
	return err
}
