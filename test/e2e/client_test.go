// Package e2e talks to the real program over HTTP, as its users would.
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

// answer is an HTTP answer, read whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call makes one request; header lines are "Name: value".
func call(t *testing.T, method, url, body string, header ...string) answer {
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

// do sends a request and reads the answer.
func do(t *testing.T, request *http.Request) answer {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, text}
}

// decode reads the answer as JSON into a T.
func decode[T any](t *testing.T, a answer) T {
	t.Helper()
	var value T
	if err := json.Unmarshal(a.body, &value); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
	return value
}

// outcome is what became of a request to a service that may be stopping.
type outcome int

const (
	whole   outcome = iota // answered, to the last byte
	broken                 // taken and then cut
	refused                // not taken: no connection was made
)

// tryGet makes one request on a connection of its own.
func tryGet(t *testing.T, url, token string) outcome {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Error(err)
		return broken
	}
	request.Header.Set("Authorization", "Bearer "+token)
	began := time.Now()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	var dial *net.OpError
	if errors.As(err, &dial) && dial.Op == "dial" {
		return refused
	}
	if err != nil {
		t.Logf("no answer after %s: %v", time.Since(began), err)
		return broken
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		t.Logf("answer %d, then %v", response.StatusCode, err)
		return broken
	}
	return whole
}
