package archive

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// receiver gets the messages of webhooks. It never gets two messages with one id.
type receiver struct {
	*httptest.Server
	down atomic.Bool // answers 503

	mu     sync.Mutex
	got    map[string]string // bodies by webhook-id
	faults []string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: map[string]string{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	id := request.Header.Get("webhook-id")
	r.mu.Lock()
	defer r.mu.Unlock()
	if before, known := r.got[id]; known && before != string(body) {
		r.faults = append(r.faults, fmt.Sprintf("the message %s was\n%s\nand is\n%s", id, before, body))
	}
	r.got[id] = string(body)
	if r.down.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// ids returns the ids of the messages that contain a text.
func (r *receiver) ids(text string) (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, body := range r.got {
		if strings.Contains(body, text) {
			ids = append(ids, id)
		}
	}
	return ids
}

// address is the host and port of the receiver.
func (r *receiver) address() string { return r.Listener.Addr().String() }

// messages returns the messages of the deliveries of a database by webhook, the newest first.
func (p place) messages(t *testing.T, status string) map[int64][]string {
	t.Helper()
	found := map[int64][]string{}
	for line := range strings.Lines(run(t, "deliveries", "list", "--json", "--status", status, "--database-url", p.database)) {
		var d struct {
			WebhookID int64
			MessageID string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &d))
		found[d.WebhookID] = append(found[d.WebhookID], d.MessageID)
	}
	return found
}

// TestMessagesAfterARestore restores an archive with deliveries that wait and that gather events. What waited
// keeps its message, what gathered gets another one, and no message means two things.
func TestMessagesAfterARestore(t *testing.T) {
	t.Parallel()
	source, facts := demoPlace(t)
	archive := source.backup(t, "--blobs", "none")
	for engine, deliveries := range map[string]string{"sqlite": "send", "postgres": "park"} {
		r := newReceiver(t)
		p := newPlace(t, engine, source.key)
		p.resumed(t, archive)
		allowed := []string{"--webhook-allow", r.address()}
		s := p.serve(t, allowed...)
		admin := s.signIn(t, facts, "tenantAdmin")
		hook := func(settings string) int64 {
			return idOf(t, s.call(t, "POST", fmt.Sprintf("/api/projects/%d/webhooks", facts.Projects.Blog.ID),
				`{"name":"Site","url":"`+r.URL+`/hook","events":["entry.created"]`+settings+`}`, admin...))
		}
		single, several := hook(""), hook(`,"coalesce":{"quiet":600,"most":3600}`)
		create := func(s server, admin []string) string {
			t.Helper()
			return fmt.Sprintf(`"entryId":%d,`, idOf(t, s.call(t, "POST", blogOf(facts).posts, `{"fields":{"title":"Another"}}`, admin...)))
		}
		r.down.Store(true)
		before := create(s, admin)
		s.Await(t, "the first attempt", func() bool { return len(r.ids(before)) == 1 && len(p.messages(t, "gathering")[several]) == 1 })
		s.Stop(t)
		waiting, gathering := p.messages(t, "waiting")[single], p.messages(t, "gathering")[several]
		require.Equal(t, r.ids(before), waiting)
		file := p.backup(t, "--blobs", "none")

		s = p.serve(t, allowed...)
		admin[3] = s.base // the origin
		r.down.Store(false)
		run(t, "deliveries", "retry", "--database-url", p.database, "--webhook", fmt.Sprint(single), "--status", "waiting")
		s.Await(t, "the delivery", func() bool { return len(p.messages(t, "delivered")[single]) == 1 })
		lost := create(s, admin)
		s.Await(t, "a lost message", func() bool { return len(r.ids(lost)) == 1 })
		s.Stop(t)

		q := newPlace(t, engine, source.key)
		q.restore(t, file)
		require.Equal(t, waiting, q.messages(t, "waiting")[single])
		require.NotEqual(t, gathering, q.messages(t, "gathering")[several])
		s = q.serve(t, allowed...)
		admin = s.signIn(t, facts, "tenantAdmin")
		after := create(s, admin)
		run(t, "resume", "--due", "skip", "--deliveries", deliveries, "--tokens", "keep", "--database-url", q.database)
		s.Await(t, "what happened during the pause", func() bool { return len(r.ids(after)) == 1 })
		if deliveries == "send" {
			s.Await(t, "what waited", func() bool { return len(q.messages(t, "delivered")[single]) == 2 })
		} else {
			require.Equal(t, waiting, q.messages(t, "parked")[single])
		}
		require.Equal(t, waiting, r.ids(before), "what waited was sent as another message")
		require.Empty(t, r.faults)
		s.Stop(t)
	}
}
