package httpx_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// talk returns a connection to the handler as it is served.
func talk(t *testing.T, handler http.HandlerFunc) net.Conn {
	t.Helper()
	return conversation(t, httpx.Wrap(handler, httpx.Options{Logger: zap.NewNop()}).ServeHTTP)
}

// dribble sends a few bytes after each pause until the server closes the connection.
func dribble(t *testing.T, conn net.Conn, bytes int, pause time.Duration) {
	go func() {
		for err := error(nil); err == nil; _, err = conn.Write(make([]byte, bytes)) {
			select {
			case <-time.After(pause):
			case <-t.Context().Done():
				return
			}
		}
	}()
}

// TestSlowBodies checks the time limits of bodies that the handler reads and of those that
// it does not read.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	read := func(w http.ResponseWriter, r *http.Request) {
		if _, err := httpx.ReadBody(w, r, 1<<20); err != nil {
			httpx.WriteProblem(w, r, err)
		}
	}
	refuse := func(w http.ResponseWriter, r *http.Request) { httpx.WriteProblem(w, r, core.Unauthenticated()) }
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		bytes   int
		pause   time.Duration
		status  int
		cut     time.Duration
	}{
		"silence":             {read, 1, time.Hour, 400, 10 * time.Second},
		"single bytes":        {read, 1, 3 * time.Second, 400, 10 * time.Second},
		"steady but too slow": {read, 2 << 10, 5 * time.Second, 400, 60 * time.Second},
		"not read":            {refuse, 1, 3 * time.Second, 401, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn, started := talk(t, c.handler), time.Now()
				_, err := fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
				require.NoError(t, err)
				dribble(t, conn, c.bytes, c.pause)
				status, _ := responseOn(t, conn)
				assert.Equal(t, c.status, status)
				_, err = io.Copy(io.Discard, conn)
				assert.NoError(t, err, "the connection is closed")
				assert.Equal(t, c.cut, time.Since(started).Truncate(time.Second))
			})
		})
	}
}

// TestSlowReaders checks that a response may take long, but not stall.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	const size = 2 << 20
	for name, c := range map[string]struct {
		chunk int
		pause time.Duration
		whole bool
		cut   time.Duration // time after which writing must end
	}{
		"steady":    {64 << 10, 9 * time.Second, true, 0},
		"in bursts": {512 << 10, 70 * time.Second, true, 0},
		"slow":      {1 << 10, 5 * time.Second, false, 10 * time.Second},
		"silent":    {1 << 10, time.Hour, false, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan time.Duration, 1)
				conn := talk(t, func(w http.ResponseWriter, _ *http.Request) {
					began := time.Now()
					_, _ = w.Write(make([]byte, size))
					ended <- time.Since(began)
				})
				_, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
				require.NoError(t, err)
				var taken int64
				for err == nil {
					var n int64
					n, err = io.CopyN(io.Discard, conn, int64(c.chunk))
					taken += n
					time.Sleep(c.pause)
				}
				assert.Equal(t, c.whole, taken > size, "%d bytes: %v", taken, err)
				if !c.whole {
					assert.InDelta(t, c.cut.Seconds(), (<-ended).Seconds(), 1)
				}
			})
		})
	}
}
