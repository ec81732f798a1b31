// Package load sends requests to servers as fast as they respond, and measures the
// processor time and memory of the servers' processes.
package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Request holds the bytes of one HTTP/1.1 request.
type Request struct {
	Address string // host:port
	bytes   []byte
}

// NewRequest returns a request with a bearer token and a JSON body; both may be empty.
func NewRequest(address, method, path, token, body string) Request {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, address)
	if token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", token)
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return Request{address, b.Bytes()}
}

// connection sends requests one after another and parses just enough of each response to
// find its end, so that the loader uses little processor time.
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

// do sends r and returns the status of the response; it copies the body to keep.
func (c *connection) do(r Request, keep io.Writer) (status int, err error) {
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return 0, err
	}
	if _, err := c.Write(r.bytes); err != nil {
		return 0, err
	}
	line, err := c.reader.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return 0, fmt.Errorf("malformed response: %w", err)
	}
	status, err = strconv.Atoi(string(line[9:12]))
	if err != nil {
		return 0, err
	}
	length, err := c.readHeader()
	if err != nil {
		return 0, err
	}
	if length == chunked {
		return status, c.copyChunks(keep)
	}
	_, err = io.CopyN(keep, c.reader, length)
	return status, err
}

// chunked marks a body with chunked transfer encoding.
const chunked = -1

// readHeader reads the header and returns the length of the body.
func (c *connection) readHeader() (length int64, err error) {
	length = -2
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64); err != nil {
				return 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			length = chunked
		}
	}
	if length < chunked {
		return 0, errors.New("response without a length")
	}
	return length, nil
}

func (c *connection) copyChunks(keep io.Writer) error {
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 64)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(keep, c.reader, size); err != nil {
			return err
		}
		if _, err := c.reader.Discard(len("\r\n")); err != nil {
			return err
		}
		if size == 0 {
			return nil
		}
	}
}

// Once sends r on a new connection and returns status and body.
func Once(r Request) (status int, body []byte, err error) {
	c, err := dial(r.Address)
	if err != nil {
		return 0, nil, err
	}
	defer c.Close() //nolint:errcheck // read completely
	var kept bytes.Buffer
	status, err = c.do(r, &kept)
	return status, kept.Bytes(), err
}

// Await waits up to limit for a server's first good response: status 200 and more than 100
// bytes.
func Await(r Request, limit time.Duration) error {
	var last error
	for until := time.Now().Add(limit); time.Now().Before(until); time.Sleep(100 * time.Millisecond) {
		status, body, err := Once(r)
		if err == nil && status == 200 && len(body) > 100 {
			return nil
		}
		if last = err; err == nil {
			last = fmt.Errorf("status %d: %.200s", status, body)
		}
	}
	return fmt.Errorf("%s does not respond: %w", r.Address, last)
}

// FreeAddress returns a free address on loopback.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed at once
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Result is the result of a load.
type Result struct {
	Requests int64
	Seconds  float64
}

// Rate returns requests per second.
func (r Result) Rate() float64 { return float64(r.Requests) / r.Seconds }

// Run sends r over clients connections for a duration. It fails on any status but 200.
func Run(r Request, clients int, duration time.Duration) (Result, error) {
	var done atomic.Int64
	failed := make(chan error, clients)
	var running sync.WaitGroup
	start := time.Now()
	for range clients {
		running.Go(func() {
			if err := send(r, start.Add(duration), &done); err != nil {
				failed <- err
			}
		})
	}
	running.Wait()
	select {
	case err := <-failed:
		return Result{}, err
	default:
	}
	return Result{done.Load(), time.Since(start).Seconds()}, nil
}

// RunAll sends each request once over clients connections. It fails at a response with another
// status.
func RunAll(requests []Request, clients, status int) (Result, error) {
	var next atomic.Int64
	failed := make(chan error, clients)
	var running sync.WaitGroup
	start := time.Now()
	for range clients {
		running.Go(func() {
			if err := sendAll(requests, &next, status); err != nil {
				failed <- err
			}
		})
	}
	running.Wait()
	select {
	case err := <-failed:
		return Result{}, err
	default:
	}
	return Result{int64(len(requests)), time.Since(start).Seconds()}, nil
}

// Latencies sends requests one after another over one connection and returns their durations in
// ascending order. It fails at a response with another status.
func Latencies(requests []Request, status int) ([]time.Duration, error) {
	c, err := dial(requests[0].Address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	took := make([]time.Duration, len(requests))
	for i, r := range requests {
		var body bytes.Buffer
		began := time.Now()
		got, err := c.do(r, &body)
		took[i] = time.Since(began)
		if err != nil {
			return nil, err
		}
		if got != status {
			return nil, fmt.Errorf("answered %d: %.300s", got, body.Bytes())
		}
	}
	slices.Sort(took)
	return took, nil
}

// sendAll sends the requests that no other client has sent, over one connection.
func sendAll(requests []Request, next *atomic.Int64, status int) error {
	c, err := dial(requests[0].Address)
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		i := next.Add(1) - 1
		if i >= int64(len(requests)) {
			return nil
		}
		var body bytes.Buffer
		got, err := c.do(requests[i], &body)
		if err != nil {
			return err
		}
		if got != status {
			return fmt.Errorf("answered %d: %.300s", got, body.Bytes())
		}
	}
}

func send(r Request, until time.Time, done *atomic.Int64) error {
	c, err := dial(r.Address)
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
