package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// liveEvent is a server-sent event.
type liveEvent struct {
	name, id, text string
	data           struct {
		Items []struct {
			Op, Collection, Locale string
			ID, Group              int
		}
		More   bool
		Reason string
	}
}

// stream is an open connection to the changes of a site.
type stream struct {
	t      *testing.T
	events chan liveEvent // closed at the end of the response
	close  context.CancelFunc
}

// listen connects to a process of the site.
func (s *site) listen(t *testing.T, base, token, query string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/public/v2/projects/"+s.uuid+"/changes/live"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range append(header, "Authorization: Bearer "+token) {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request) //nolint:bodyclose // below, when the stream ends
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream" || response.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s %v", response.Status, response.Header)
	}
	l := &stream{t: t, events: make(chan liveEvent, 100), close: cancel}
	go func() {
		defer close(l.events)
		defer response.Body.Close()
		e := liveEvent{}
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				e.text = value
			case "":
				if e.text != "" {
					_ = json.Unmarshal([]byte(e.text), &e.data) // a wrong one lacks what the test wants
					l.events <- e
				}
				e = liveEvent{}
			}
		}
	}()
	return l
}

// next returns the next event.
func (l *stream) next() liveEvent {
	l.t.Helper()
	e, open := <-l.events
	if !open {
		l.t.Fatal("the connection ended")
	}
	if strings.Contains(e.text, "canary") {
		l.t.Errorf("an event has content: %s", e.text)
	}
	return e
}

// until returns the events up to one that names all the entries, and its id.
func (l *stream) until(entries ...int) (id string) {
	l.t.Helper()
	for {
		e := l.next()
		for _, item := range e.data.Items {
			if e.name != "" || item.Op != "put" || item.Collection != "pages" || item.Locale != "en" || item.Group == 0 || !slices.Contains(entries, item.ID) {
				l.t.Errorf("want %v: %s %s", entries, e.name, e.text)
			}
			entries = slices.DeleteFunc(entries, func(id int) bool { return id == item.ID })
		}
		if len(entries) == 0 {
			return e.id
		}
	}
}

func (l *stream) hello() (id string) {
	l.t.Helper()
	e := l.next()
	if e.name != "hello" || e.id == "" {
		l.t.Fatalf("the first event is %+v", e)
	}
	return e.id
}

// bye wants the end of the connection, after messages.
func (l *stream) bye(reason string) {
	l.t.Helper()
	for {
		e := l.next()
		if e.name != "bye" {
			continue
		}
		if e.data.Reason != reason {
			l.t.Errorf("the connection ends because of %q, want %q", e.data.Reason, reason)
		}
		if e, open := <-l.events; open {
			l.t.Errorf("after the end: %+v", e)
		}
		return
	}
}

// hear reads the first event of the stream of an operation, from now and from a cursor.
func (h *exampleHouse) hear(t *testing.T, o documented) {
	t.Helper()
	s := h.prepare(t, o)
	page, header := call(t, "GET", s.base+strings.TrimSuffix(s.fill(o.path), "/live"), "", s.header...), strings.SplitN(s.header[0], ": ", 2)
	next := decode[changesPage](t, page).Meta.Next
	for _, query := range []string{"", "?since=" + url.QueryEscape(next)} {
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, o.method, s.base+s.fill(o.path)+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set(header[0], header[1])
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, len("event: hello\nid: "))
		if _, err := io.ReadFull(response.Body, text); err != nil || response.StatusCode != 200 || string(text) != "event: hello\nid: " {
			t.Errorf("%s%s answered %s: %s (%v)", o.path, query, response.Status, text, err)
		}
		cancel()
		_ = response.Body.Close() // the request was cancelled
	}
	media := o.Responses.Value("200").Value.Content["text/event-stream"]
	if example, _ := media.Example.(string); !strings.HasPrefix(example, "event: hello\nid: ") {
		t.Errorf("the example is %v", media.Example)
	}
	h.compared.mu.Lock()
	defer h.compared.mu.Unlock()
	h.compared.names[o.OperationID+" 200"] = true
}

// TestLive listens to one process while another one changes content.
func TestLive(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			const filesAt = "https://files.example" // another address would be a change of all files
			s := newSite(t, engine, "--media-base-url", filesAt)
			_, elsewhere, _ := serve(t, s.database, "--rate-limit", "0", "--media-base-url", filesAt)
			made := decode[struct {
				ID     int
				Secret string
			}](t, call(t, "POST", s.base+fmt.Sprintf("/api/projects/%d/tokens", s.project), `{"name":"live","abilities":["read"]}`, s.session...))
			l := s.listen(t, s.base, made.Secret, "")
			start := l.hello()
			// Drafts, hidden fields and other Projects say nothing.
			s.createEntry(t, "unseen", `{"fields":{"title":"canary draft"}}`)
			s.send(t, "other", "POST", "{theirs}", `{"published":true,"fields":{"title":"canary foreign"}}`)
			here := s.base
			s.base = elsewhere
			s.createEntry(t, "first", `{"published":true,"fields":{"title":"canary First"}}`)
			s.base = here
			last := l.until(s.ids["first"])
			l.close()
			if a := s.send(t, "read", "GET", "{P}/changes?since="+url.QueryEscape(start), ""); a.status != 200 || strings.Count(string(a.body), `"op":`) != 1 {
				t.Errorf("the cursor of hello answered %d: %s", a.status, a.body)
			}
			if a := s.send(t, "read", "GET", "{P}/changes?since="+url.QueryEscape(last), ""); a.status != 200 || strings.Contains(string(a.body), `"op":`) {
				t.Errorf("the cursor of an event answered %d: %s", a.status, a.body)
			}

			s.createEntry(t, "second", `{"published":true,"fields":{"title":"Second"}}`)
			s.createEntry(t, "third", `{"published":true,"fields":{"title":"Third"}}`)
			for _, base := range []string{here, elsewhere} {
				missed := s.listen(t, base, made.Secret, "?since="+url.QueryEscape(start), "Last-Event-ID: "+last)
				if id := missed.hello(); id != last {
					t.Errorf("hello has %s, want %s", id, last)
				}
				missed.until(s.ids["second"], s.ids["third"])
				missed.close()
			}
			far := s.listen(t, elsewhere, made.Secret, "?since="+url.QueryEscape(last))
			far.hello()
			far.until(s.ids["second"], s.ids["third"])
			field := fmt.Sprintf("/api/projects/%d/collections/%d/fields", s.project, s.pages)
			if a := call(t, "POST", s.base+field, `{"name":"added","type":"text"}`, s.session...); a.status != 201 {
				t.Fatalf("%d: %s", a.status, a.body)
			}
			if e := far.next(); e.name != "reset" || e.data.Items[0].Op != "reset" || e.data.Items[0].Collection != "pages" {
				t.Errorf("a change of a definition: %s %s", e.name, e.text)
			}

			for _, test := range []struct {
				token, path string
				status      int
			}{
				{"", "{P}/changes/live", 401}, {"create", "{P}/changes/live", 403}, {"other", "{P}/changes/live", 404},
				{"read", "{P}/changes/live?since=", 400}, {"read", "{P}/changes/live?since=x", 400}, {"read", "{P}/changes/live?x=1", 400}, {"read", "{P}/changes/live?collection=pages", 400},
			} {
				wantProblem(t, s.send(t, test.token, "GET", test.path, ""), test.status)
			}
			if a := s.send(t, "read", "HEAD", "{P}/changes/live", ""); a.status != 200 {
				t.Errorf("HEAD answered %d", a.status)
			}

			if a := call(t, "DELETE", s.base+fmt.Sprintf("/api/projects/%d/tokens/%d", s.project, made.ID), "", s.session...); a.status != 204 {
				t.Fatalf("%d: %s", a.status, a.body)
			}
			far.bye("token")
			kept := s.listen(t, s.base, s.tokens["read"], "")
			kept.hello()
			s.process.Stop(t)
			kept.bye("stopping")
		})
	}
}

// TestLiveLimit allows few connections.
func TestLiveLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t, "SQLite", "--live-limit", "1")
	l := s.listen(t, s.base, s.tokens["read"], "")
	l.hello()
	if a := call(t, "GET", s.base+"/public/v2/projects/"+s.uuid+"/changes/live", "", "Authorization: Bearer "+s.tokens["read"]); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("one more connection answered %d %v: %s", a.status, a.header, a.body)
	}
	if a := s.send(t, "read", "GET", "{pages}", ""); a.status != 200 {
		t.Errorf("a list answered %d", a.status)
	}
	l.close()
	s.process.Await(t, "the place of the other connection", func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		request, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/public/v2/projects/"+s.uuid+"/changes/live", nil)
		request.Header.Set("Authorization", "Bearer "+s.tokens["read"])
		response, err := http.DefaultClient.Do(request)
		return err == nil && response.StatusCode == http.StatusOK && response.Body.Close() == nil
	})
}
