package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// request is one HTTP/1.1 request, as it goes over the wire.
type request struct {
	address string // host:port
	bytes   []byte
}

func newRequest(address, method, path, token, body string) request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, address)
	if token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", token)
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return request{address, b.Bytes()}
}

// connection sends requests one after another and reads just enough of each answer
// to find its end, so that the loader costs little beside the server it loads.
type connection struct {
	net.Conn
	reader *bufio.Reader
}

func dial(address string) (*connection, error) {
	c, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &connection{c, bufio.NewReaderSize(c, 64<<10)}, nil
}

// do sends r and returns the answer's status; the body goes to keep.
func (c *connection) do(r request, keep io.Writer) (status int, err error) {
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return 0, err
	}
	if _, err := c.Write(r.bytes); err != nil {
		return 0, err
	}
	line, err := c.reader.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return 0, fmt.Errorf("no answer: %w", err)
	}
	status, err = strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0, err
	}
	length := int64(-1)
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		name, value, _ := strings.Cut(string(line), ":")
		if strings.EqualFold(name, "Content-Length") {
			length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, fmt.Errorf("an answer without Content-Length")
	}
	_, err = io.CopyN(keep, c.reader, length)
	return status, err
}

// loadResult is what a load did.
type loadResult struct {
	requests int64
	seconds  float64
}

func (r loadResult) rate() float64 { return float64(r.requests) / r.seconds }

// load sends r over clients connections for a duration. Any answer but 200 ends it.
func load(r request, clients int, duration time.Duration) (loadResult, error) {
	var done atomic.Int64
	var failed atomic.Value
	var running sync.WaitGroup
	start := time.Now()
	for range clients {
		running.Go(func() {
			if err := loadOne(r, start.Add(duration), &done); err != nil {
				failed.Store(err)
			}
		})
	}
	running.Wait()
	if err, ok := failed.Load().(error); ok {
		return loadResult{}, err
	}
	return loadResult{done.Load(), time.Since(start).Seconds()}, nil
}

func loadOne(r request, until time.Time, done *atomic.Int64) error {
	c, err := dial(r.address)
	if err != nil {
		return err
	}
	defer c.Close()
	for time.Now().Before(until) {
		status, err := c.do(r, io.Discard)
		if err != nil {
			return err
		}
		if status != 200 {
			return fmt.Errorf("answered %d", status)
		}
		done.Add(1)
	}
	return nil
}
