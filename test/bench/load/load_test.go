package load

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestOnceReadsBothBodyEncodings(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789", 5000)
	for name, flush := range map[string]bool{"with a length": false, "chunked": true} {
		address := serve(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.Header.Get("Authorization") != "Bearer t" || string(body) != "{}" {
				w.WriteHeader(http.StatusBadRequest)
			}
			if !flush {
				w.Header().Set("Content-Length", "50000")
			}
			_, _ = io.WriteString(w, text)
		})
		status, body, err := Once(NewRequest(address, "POST", "/", "t", "{}"))
		if err != nil || status != http.StatusOK || string(body) != text {
			t.Errorf("%s: %d, %d bytes, %v", name, status, len(body), err)
		}
	}
}

func TestRunCountsResponses(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		served.Add(1)
		_, _ = io.WriteString(w, "good")
	})
	result, err := Run(NewRequest(address, "GET", "/", "", ""), 4, 50*time.Millisecond)
	if err != nil || result.Requests == 0 || result.Requests != served.Load() {
		t.Errorf("%+v of %d served, %v", result, served.Load(), err)
	}
}

func TestRunFailsOnFirstError(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if served.Add(1)%2 == 0 { // a refusal and a broken connection are errors of different types
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if result, err := Run(NewRequest(address, "GET", "/", "", ""), 16, time.Second); err == nil {
		t.Errorf("no error, %+v", result)
	}
}
