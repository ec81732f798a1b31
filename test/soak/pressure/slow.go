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

// cutTime is within which a client that is too slow is cut off.
const cutTime = 10 * time.Second

// manner is a way to be slow.
type manner struct {
	name string
	open func(p *program) []byte // what is sent at once
	send []byte                  // and what then every second; nil: nothing
	take bool                    // takes a few bytes every second
}

var manners = []manner{
	{"slow headers", func(p *program) []byte {
		return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n", p.path, p.address)
	}, []byte("X-More: a\r\n"), false},
	{"slow bodies", func(p *program) []byte {
		return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{",
			p.path, p.address, p.token)
	}, []byte(" "), false},
	{"slow bodies of strangers", func(p *program) []byte {
		return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: 100000\r\n\r\n{", p.path, p.address)
	}, []byte(" "), false},
	// They ask for what all callers share, and more than the kernel's buffers hold: to
	// make it costs nothing, only to wait for them does.
	{"slow readers", func(p *program) []byte {
		return bytes.Repeat(fmt.Appendf(nil, "GET /docs/web-components.min.js HTTP/1.1\r\nHost: %s\r\n\r\n", p.address), 10)
	}, nil, true},
}

// slowClients has many clients be slow at once, in each manner, while a few others are
// served.
func slowClients(_ context.Context, p *program, o options) (findings []finding, err error) {
	healthy := func() []byte { return p.get("?limit=20&sort=publishedOn:desc") }
	const clients = 4
	p.closed(clients, 2*time.Second, healthy) // warm
	for _, m := range manners {
		alone := p.closed(clients, o.duration/2, healthy)
		var slowest time.Duration
		var uncut int
		var beside *tally
		before, most, err := p.memory(func() {
			var both sync.WaitGroup
			both.Go(func() { slowest, uncut = m.many(p, o.slow) })
			both.Go(func() { beside = p.closed(clients, max(o.duration, cutTime+2*time.Second), healthy) })
			both.Wait()
		})
		if err != nil {
			return nil, err
		}
		f := finding{what: fmt.Sprintf("%d %s", o.slow, m.name), saw: fmt.Sprintf(
			"all cut off within %.1f s; others p50 %v, p99 %v (without them %v, %v); %d MB, at most %d meanwhile",
			slowest.Seconds(), quantile(beside.served, 50), quantile(beside.served, 99), quantile(alone.served, 50), quantile(alone.served, 99), before, most)}
		if uncut > 0 || slowest > cutTime+2*time.Second {
			f.fault("%d were not cut off, the last after %v", uncut, slowest)
		}
		if quantile(beside.served, 99) > 2*quantile(alone.served, 99)+2*time.Millisecond {
			f.fault("others wait")
		}
		if most > before+50 {
			f.fault("%d MB more", most-before)
		}
		for how, times := range beside.broken {
			f.fault("%d times: %s", times, how)
		}
		fmt.Fprintf(os.Stderr, "%s: %s\n", f.what, f.saw)
		findings = append(findings, f)
	}
	return append(findings, steadyReaders(p)), nil
}

// steadyRates are what slow but honest readers take, in bytes per second.
var steadyRates = []int{100_000, 200_000, 400_000}

// steadyReaders takes a few megabytes at each rate, with the buffers that the kernel
// gives a connection.
func steadyReaders(p *program) finding {
	f := finding{what: "steady readers of 100, 200 and 400 kB/s"}
	var mu sync.Mutex
	var readers sync.WaitGroup
	for _, rate := range steadyRates {
		readers.Go(func() {
			taken, err := p.take(rate)
			mu.Lock()
			defer mu.Unlock()
			f.saw += fmt.Sprintf("%d kB/s: %d MB; ", rate/1000, taken/1_000_000)
			if err != nil {
				f.fault("cut off at %d kB/s after %d bytes: %v", rate/1000, taken, err)
			}
		})
	}
	readers.Wait()
	fmt.Fprintf(os.Stderr, "%s: %s\n", f.what, f.saw)
	return f
}

// take reads pages at a rate to the end of the last.
func (p *program) take(rate int) (taken int, err error) {
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		return 0, err
	}
	defer conn.Close() //nolint:errcheck // all was read
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

// many has clients be slow until they are cut off, and returns the longest time that
// took, and how many were not.
func (m manner) many(p *program, clients int) (slowest time.Duration, uncut int) {
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

// one is one slow client. A reader that takes a little at a time would find the reset
// behind all that its kernel has for it, and asks the kernel instead.
func (m manner) one(p *program) (lasted time.Duration, cut bool) {
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		return 0, false
	}
	defer conn.Close() //nolint:errcheck // the server has closed it
	if m.take {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // else the kernel takes more for it
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

// pending returns what has happened to a connection.
func pending(conn *net.TCPConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var number int
	var asked error
	if err := raw.Control(func(fd uintptr) { number, asked = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR) }); err != nil {
		return err
	}
	if asked == nil && number != 0 {
		return syscall.Errno(number)
	}
	return asked
}

// wait sends a little, and a second later reports whether the server has ended it.
func (m manner) wait(conn net.Conn) error {
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
