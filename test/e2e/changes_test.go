package e2e

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// changesPage is the part of a page of changes that tests read.
type changesPage struct {
	Data []struct {
		Op string
		ID int
	}
	Meta struct{ Next string }
}

// A cursor that is older than the events that the running program keeps is 410. A younger one goes on.
// Events count as kept for a minute less than --event-retention, so that the transactions of then have
// ended.
func TestCursorsExpire(t *testing.T) {
	t.Parallel()
	const retention = 90 * time.Second
	changes := func(t *testing.T, s *site, since string) response {
		t.Helper()
		query := ""
		if since != "" {
			query = "?since=" + url.QueryEscape(since)
		}
		return s.send(t, "read", "GET", "{P}/changes"+query, "")
	}
	type copied struct {
		*site
		old string
	}
	var copies []copied
	for _, engine := range engines {
		s := newSite(t, engine)
		copies = append(copies, copied{s, decode[changesPage](t, changes(t, s, "")).Meta.Next})
		// An hour passes. By its last event a database is known: another one there is a restore.
		if _, err := openDatabase(t, s.database).ExecContext(t.Context(), "UPDATE events SET at = at - 3600000 WHERE id < (SELECT max(id) FROM events)"); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(retention - time.Minute + time.Second) // the cursors grow old
	for i, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			s, old := copies[i].site, copies[i].old
			young := decode[changesPage](t, changes(t, s, "")).Meta.Next
			s.send(t, "full", "PATCH", "{pages}/{alpha}", `{"fields":{"title":"Newer"}}`)
			s.process.Stop(t) // another address would be a change of all files
			s.process, s.base, s.ops = serve(t, s.database, "--rate-limit", "0", "--listen", strings.TrimPrefix(s.base, "http://"), "--event-retention", retention.String())
			var refused response
			s.process.Await(t, "the old events are deleted", func() bool { refused = changes(t, s, old); return refused.status != 200 })
			if refused.status != 410 || !strings.Contains(string(refused.body), "cursor_expired") {
				t.Errorf("an old cursor answered %d: %s", refused.status, refused.body)
			}
			a := changes(t, s, young)
			if page := decode[changesPage](t, a); a.status != 200 || len(page.Data) != 1 || page.Data[0].Op != "put" || page.Data[0].ID != s.ids["alpha"] || !strings.Contains(string(a.body), "Newer") {
				t.Errorf("a young cursor answered %d: %s", a.status, a.body)
			}
			if again := changes(t, s, ""); again.status != 200 {
				t.Errorf("without a cursor: %d: %s", again.status, again.body)
			}
		})
	}
}
