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

// idle are the clients that wait for something to ask: the last to come is the first to
// go, as it is with clients that keep their connections.
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

// client is one connection that is kept. It looks at no more of an answer than it
// needs, so that it costs little beside the program it presses.
type client struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
	until   time.Time // the connection's deadline
}

// answer is what is looked at of an answer.
type answer struct {
	status  int
	later   bool // it says when to come back
	elapsed time.Duration

	length int64 // of the body; chunked when it comes in chunks
	last   bool  // the connection ends with it
}

const (
	chunked = -1
	// answerTime is longer than any answer takes.
	answerTime = 30 * time.Second
)

// do sends a request and reads its answer.
func (c *client) do(request []byte) (a answer, err error) {
	start := time.Now()
	if c.conn == nil {
		if c.conn, err = net.DialTimeout("tcp", c.address, answerTime); err != nil {
			return a, err
		}
		c.reader, c.until = bufio.NewReader(c.conn), time.Time{}
	}
	if start.Add(answerTime).After(c.until) {
		c.until = start.Add(2 * answerTime)
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

func (c *client) read() (answer, error) {
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

var errNoAnswer = errors.New("what came is no answer")

func (c *client) readHead() (a answer, err error) {
	line, err := c.reader.ReadSlice('\n')
	if err != nil {
		return a, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return a, errNoAnswer
	}
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return a, errNoAnswer
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
				return a, errNoAnswer
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
			return fmt.Errorf("%w: %w", errNoAnswer, err)
		}
		if _, err := c.reader.Discard(int(size) + len("\r\n")); err != nil || size == 0 {
			return err
		}
	}
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing more is expected of it
		c.conn = nil
	}
}
