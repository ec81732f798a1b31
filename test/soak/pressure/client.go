package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// idle is a stack of idle clients, so that the most recently used connection is used first.
type idle struct {
	mu      sync.Mutex
	clients []*client
}

func (i *idle) take(address string) *client {
	i.mu.Lock()
	defer i.mu.Unlock()
	last := len(i.clients) - 1
	if last < 0 {
		return &client{address: address}
	}
	c := i.clients[last]
	i.clients = i.clients[:last]
	return c
}

func (i *idle) put(c *client) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.clients = append(i.clients, c)
}

func (i *idle) close() {
	for _, c := range i.clients {
		c.close()
	}
}

// client is one keep-alive connection. It parses as little of a response as possible, so
// that it uses little processor time next to the program.
type client struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
	until   time.Time // the connection's deadline
}

// response holds the parsed parts of a response.
type response struct {
	status  int
	later   bool // has Retry-After
	elapsed time.Duration

	length int64 // of the body, or chunked
	last   bool  // the connection is closed after it
}

const (
	chunked = -1
	// responseTimeout exceeds the time of every response.
	responseTimeout = 30 * time.Second
)

// do sends a request and reads its response.
func (c *client) do(request []byte) (a response, err error) {
	start := time.Now()
	if c.conn == nil {
		if c.conn, err = net.DialTimeout("tcp", c.address, responseTimeout); err != nil {
			return a, err
		}
		c.reader, c.until = bufio.NewReader(c.conn), time.Time{}
	}
	if start.Add(responseTimeout).After(c.until) {
		c.until = start.Add(2 * responseTimeout)
		err = c.conn.SetDeadline(c.until)
	}
	if err == nil {
		if _, err = c.conn.Write(request); err == nil {
			a, err = c.read()
		}
	}
	if err != nil || a.last {
		c.close()
	}
	a.elapsed = time.Since(start)
	return a, err
}

func (c *client) read() (response, error) {
	a, err := c.readHead()
	switch {
	case err != nil:
	case a.length == chunked:
		err = c.discardChunks()
	default:
		_, err = c.reader.Discard(int(a.length))
	}
	return a, err
}

var errNoResponse = errors.New("malformed response")

func (c *client) readHead() (a response, err error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return a, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return a, errNoResponse
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, errNoResponse
	}
	for {
		if line, err = c.reader.ReadSlice('\n'); err != nil {
			return a, err
		}
		name, value, more := bytes.Cut(bytes.TrimSpace(line), []byte(": "))
		if !more {
			return a, nil
		}
		switch string(name) {
		case "Content-Length":
			if a.length, err = strconv.ParseInt(string(value), 10, 64); err != nil {
				return a, errNoResponse
			}
		case "Transfer-Encoding":
			a.length = chunked
		case "Retry-After":
			a.later = true
		case "Connection":
			a.last = string(value) == "close"
		}
	}
}

func (c *client) discardChunks() error {
	for {
		line, err := c.reader.ReadSlice('\n')
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 64)
		if err != nil {
			return fmt.Errorf("%w: %w", errNoResponse, err)
		}
		if _, err := c.reader.Discard(int(size) + len("\r\n")); err != nil || size == 0 {
			return err
		}
	}
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close() // the connection is not used again
		c.conn = nil
	}
}
