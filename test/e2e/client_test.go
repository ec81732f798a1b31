// Package e2e tests the real program over HTTP.
package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// response is an HTTP response, read whole.
type response struct {
	status int
	header http.Header
	body   []byte
}

// call sends one request; header lines are "Name: value".
func call(t *testing.T, method, url, body string, header ...string) response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Add(name, value)
	}
	return do(t, request)
}

// do sends a request and reads the whole response.
func do(t *testing.T, request *http.Request) response {
	t.Helper()
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, text}
}

// decode decodes the JSON body.
func decode[T any](t *testing.T, a response) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(a.body, &value); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return value
}

// outcome is the result of a request to a service that may be stopping.
type outcome int

const (
	whole   outcome = iota // the whole response arrived
	broken                 // the connection was accepted and then closed
	refused                // no connection was made
)

// tryGet sends one request on a new connection.
func tryGet(t *testing.T, url, token string) outcome {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return broken
	}
	request.Header.Set("Authorization", "Bearer "+token)
	began := time.Now()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(request)
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return refused
	}
	if err != nil {
		t.Logf("no response after %s: %v", time.Since(began), err)
		return broken
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Logf("response %d, then %v", resp.StatusCode, err)
		return broken
	}
	return whole
}
