package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// cutTime is the time within which too slow clients must be disconnected.
const cutTime = 10 * time.Second

// slowKind is one kind of slow client.
type slowKind struct {
	name string
	open func(p *program) []byte // sent at the beginning
	send []byte                  // then sent every second; nil for nothing
	take bool                    // reads a few bytes every second
}

var slowKinds = []slowKind{
	{"slow headers", func(p *program) []byte {
		return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n", p.path, p.address)
	}, []byte("X-More: a\r\n"), false},
	{"slow bodies", func(p *program) []byte {
		return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{",
			p.path, p.address, p.token)
	}, []byte(" "), false},
	{"slow bodies without a token", func(p *program) []byte {
		return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 100000\r\n\r\n{", p.path, p.address)
	}, []byte(" "), false},
	// The responses are static and larger than the kernel buffers, so they cost the server
	// nothing except waiting for the reader.
	{"slow readers", func(p *program) []byte {
		return bytes.Repeat(fmt.Appendf(nil, "GET /docs/web-components.min.js HTTP/1.1\r\nHost: %s\r\n\r\n", p.address), 10)
	}, nil, true},
}

// slowClients runs many slow clients of each kind concurrently with a few normal ones.
func slowClients(_ context.Context, p *program, o options) (findings []finding, err error) {
	healthy := func() []byte { return p.get("?limit=20&sort=publishedOn:desc") }
	const clients = 4
	p.closed(clients, 2*time.Second, healthy) // warm
	for _, m := range slowKinds {
		alone := p.closed(clients, o.duration/2, healthy)
		var slowest time.Duration
		var uncut int
		var others *tally
		before, most, err := p.memory(func() {
			var both sync.WaitGroup
			both.Go(func() { slowest, uncut = m.many(p, o.slow) })
			both.Go(func() { others = p.closed(clients, max(o.duration, cutTime+2*time.Second), healthy) })
			both.Wait()
		})
		if err != nil {
			return nil, err
		}
		f := finding{what: fmt.Sprintf("%d %s", o.slow, m.name), result: fmt.Sprintf(
			"all disconnected within %.1f s; other clients p50 %v, p99 %v (without slow clients %v, %v); memory %d MB, at most %d MB",
			slowest.Seconds(), quantile(others.served, 50), quantile(others.served, 99), quantile(alone.served, 50), quantile(alone.served, 99), before, most)}
		if uncut > 0 || slowest > cutTime+2*time.Second {
			f.report("%d were not disconnected, the last after %v", uncut, slowest)
		}
		if quantile(others.served, 99) > 2*quantile(alone.served, 99)+2*time.Millisecond {
			f.report("other clients are slowed down")
		}
		if most > before+50 {
			f.report("%d MB more memory", most-before)
		}
		for how, times := range others.broken {
			f.report("%d times: %s", times, how)
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", f.what, f.result)
		findings = append(findings, f)
	}
	return append(findings, steadyReaders(p)), nil
}

// steadyRates are the rates of slow but legitimate readers, in bytes per second.
var steadyRates = []int{100_000, 200_000, 400_000}

// steadyReaders reads a few megabytes at each rate, with default kernel buffers.
func steadyReaders(p *program) finding {
	f := finding{what: "steady readers of 100, 200 and 400 kB/s"}
	var mu sync.Mutex
	var readers sync.WaitGroup
	for _, rate := range steadyRates {
		readers.Go(func() {
			taken, err := p.take(rate)
			mu.Lock()
			defer mu.Unlock()
			f.result += fmt.Sprintf("%d kB/s: %d MB; ", rate/1000, taken/1_000_000)
			if err != nil {
				f.report("disconnected at %d kB/s after %d bytes: %v", rate/1000, taken, err)
			}
		})
	}
	readers.Wait()
	fmt.Fprintf(os.Stderr, "%s: %s\n", f.what, f.result)
	return f
}

// take reads pages at a rate until the end of the last one.
func (p *program) take(rate int) (taken int, err error) {
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // read completely
	last := bytes.Replace(p.get("?limit=500"), []byte("\r\n"), []byte("\r\nConnection: close\r\n"), 1)
	if _, err := conn.Write(append(bytes.Repeat(p.get("?limit=500"), 30), last...)); err != nil {
		return 0, err
	}
	piece := make([]byte, 16<<10)
	for start := time.Now(); ; {
		n, err := conn.Read(piece)
		if taken += n; errors.Is(err, io.EOF) {
			return taken, nil
		}
		if err != nil {
			return taken, err
		}
		due := time.Duration(float64(taken) / float64(rate) * float64(time.Second))
		time.Sleep(due - time.Since(start))
	}
}

// many runs slow clients until they are disconnected. It returns the longest time until a
// disconnect, and the number of clients still connected.
func (m slowKind) many(p *program, clients int) (slowest time.Duration, uncut int) {
	var mu sync.Mutex
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			lasted, cut := m.one(p)
			mu.Lock()
			defer mu.Unlock()
			slowest = max(slowest, lasted)
			if !cut {
				uncut++
			}
		})
		time.Sleep(2 * time.Millisecond)
	}
	running.Wait()
	return slowest, uncut
}

// one runs one slow client. Buffered data would hide the reset from a slow reader, so it
// reads the socket error from the kernel.
func (m slowKind) one(p *program) (lasted time.Duration, cut bool) {
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		return 0, false
	}
	defer conn.Close() //nolint:errcheck // the server has closed it
	if m.take {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // limits buffering by the kernel
	}
	start := time.Now()
	if _, err := conn.Write(m.open(p)); err != nil {
		return 0, false
	}
	for time.Since(start) < 3*cutTime {
		if m.take {
			time.Sleep(time.Second)
			if _, err = io.CopyN(io.Discard, conn, 16); err == nil {
				err = pending(conn.(*net.TCPConn))
			}
		} else {
			err = m.wait(conn)
		}
		if err != nil {
			return time.Since(start), true
		}
	}
	return time.Since(start), false
}

// pending returns the pending socket error of a connection.
func pending(conn *net.TCPConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var number int
	var optErr error
	if err := raw.Control(func(fd uintptr) {
		number, optErr = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR)
	}); err != nil {
		return err
	}
	if optErr == nil && number != 0 {
		return syscall.Errno(number)
	}
	return optErr
}

// wait sends a few bytes and returns an error if the server closes the connection within a
// second.
func (m slowKind) wait(conn net.Conn) error {
	if _, err := conn.Write(m.send); err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, conn)
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		return nil
	}
	return io.EOF
}
