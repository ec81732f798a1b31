package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"time"
)

// client is one connection that is kept.
type client struct {
	address string
	conn    net.Conn
	reader  *bufio.Reader
}

// answer is what is looked at of an answer.
type answer struct {
	status  int
	later   bool // it says when to come back
	elapsed time.Duration
}

// answerTime is longer than any answer takes.
const answerTime = 30 * time.Second

// do sends a request and reads its answer.
func (c *client) do(request []byte) (a answer, err error) {
	start := time.Now()
	if c.conn == nil {
		if c.conn, err = net.DialTimeout("tcp", c.address, answerTime); err != nil {
			return a, err
		}
		c.reader = bufio.NewReader(c.conn)
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if err := c.conn.SetDeadline(start.Add(answerTime)); err != nil {
		return a, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return a, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return a, err
	}
	defer response.Body.Close() //nolint:errcheck // it is read to its end
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return a, err
	}
	if response.Close {
		c.close()
	}
	return answer{response.StatusCode, response.Header.Get("Retry-After") != "", time.Since(start)}, nil
}

func (c *client) close() {
	if c.conn != nil {
		_ = c.conn.Close() // nothing more is expected of it
		c.conn = nil
	}
}
