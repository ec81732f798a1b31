package web_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"imprimatur/adapters/web"
)

// gathering starts a server that answers as many bytes as the path says, after saying so
// when the query is "sized".
func gathering(t testing.TB) *httptest.Server {
	t.Helper()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, err := strconv.Atoi(r.URL.Path[1:])
		assert.NoError(t, err)
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.RawQuery == "sized" {
			w.Header().Set("Content-Length", strconv.Itoa(size))
		}
		body := filler(size)
		_, err = w.Write(body)
		assert.NoError(t, err)
		clear(body) // it is the handler's again
	})
	server := httptest.NewUnstartedServer(web.Wrap(handler, web.Options{Logger: zap.NewNop()}))
	server.Listener = web.Gather(server.Listener)
	server.Config.ConnContext = web.ConnContext
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func filler(size int) []byte {
	body := make([]byte, size)
	for i := range body {
		body[i] = byte('a' + i%26)
	}
	return body
}

func TestGatheredAnswersAreWhole(t *testing.T) {
	t.Parallel()
	server := gathering(t)
	sizes := []int{0, 1, 2047, 2048, 2049, 15 << 10, 64<<10 - 1, 64 << 10, 64<<10 + 1, 64<<10 + 2048, 64<<10 + 4000, 300_000}
	for size := 3000; size < 4200; size += 10 { // about where net/http's buffer ends
		sizes = append(sizes, size)
	}
	for _, form := range []string{"sized", ""} {
		for _, size := range sizes {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				request, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("%s/%d?%s", server.URL, size, form), nil)
				require.NoError(t, err)
				answer, err := server.Client().Do(request)
				require.NoError(t, err)
				body, err := io.ReadAll(answer.Body)
				require.NoError(t, err, "%s %d %s", method, size, form)
				require.NoError(t, answer.Body.Close())
				want := filler(size)
				if method == http.MethodHead {
					want = nil
				}
				require.True(t, bytes.Equal(want, body), "%s %d %s", method, size, form)
			}
		}
	}
}

// BenchmarkAnswer measures an answer of a page of entries, with both ends of the
// connection.
func BenchmarkAnswer(b *testing.B) {
	server := gathering(b)
	client, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(b, err)
	defer client.Close()
	for _, size := range []int{700, 15 << 10} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.ReportAllocs()
			request := fmt.Appendf(nil, "GET /%d?sized HTTP/1.1\r\nHost: cms.test\r\n\r\n", size)
			piece := make([]byte, 64<<10)
			for b.Loop() {
				_, _ = client.Write(request)
				for got := 0; got < size; {
					n, err := client.Read(piece)
					if err != nil {
						b.Fatal(err)
					}
					got += n
				}
			}
		})
	}
}
