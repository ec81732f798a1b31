package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

type listedEvents struct {
	Data []struct {
		ID        int64
		Type      string
		At        time.Time
		Actor     struct{ Kind string }
		ProjectID int64
		EntryID   int
	}
	Meta struct {
		HasMore bool
		Next    *int64
	}
}

// TestEventLists reads the events of a project and a tenant with each parameter.
func TestEventLists(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			s.send(t, "full", "PATCH", "{pages}/{alpha}", `{"fields":{"title":"canary title"}}`)
			list := func(path string) listedEvents {
				t.Helper()
				a := call(t, "GET", s.base+s.fill(path), "", s.session...)
				if a.status != 200 || strings.Contains(string(a.body), "canary") || strings.Contains(string(a.body), s.tokens["full"]) {
					t.Fatalf("%s answered %d: %s", path, a.status, a.body)
				}
				return decode[listedEvents](t, a)
			}
			types := func(l listedEvents) string {
				var names []string
				for _, e := range l.Data {
					names = append(names, e.Type)
				}
				return strings.Join(names, " ")
			}
			all := list("{project}/events?limit=500")
			for i, e := range all.Data {
				if e.ProjectID != int64(s.project) || i > 0 && e.ID <= all.Data[i-1].ID || time.Since(e.At).Abs() > time.Hour {
					t.Errorf("event %d: %+v", i, e)
				}
			}
			if all.Meta.HasMore || all.Meta.Next != nil || len(all.Data) < 20 {
				t.Errorf("%d events, %+v", len(all.Data), all.Meta)
			}
			var paged listedEvents
			for after := ""; ; {
				page := list("{project}/events?limit=3" + after)
				paged.Data = append(paged.Data, page.Data...)
				if !page.Meta.HasMore {
					break
				}
				after = fmt.Sprint("&after=", *page.Meta.Next)
			}
			if fmt.Sprint(paged.Data) != fmt.Sprint(all.Data) {
				t.Error("pages differ from the whole list")
			}
			for query, want := range map[string]string{
				"entry={alpha}":                                   "entry.created entry.published entry.updated entry.published entry.updated entry.published",
				"entry={alpha}&type=entry.published":              "entry.published entry.published entry.published",
				"entry={alpha}&actor=system":                      "",
				"entry={trashed}&actor=user:1":                    "",
				"type=collection.created&actor=user:1":            "collection.created collection.created",
				"type=entry.trashed":                              "entry.trashed",
				"entry={alpha}&order=newest":                      "entry.published entry.updated entry.published entry.updated entry.published entry.created",
				"until=2020-01-01T00:00:00Z":                      "",
				"since=2999-01-01T00:00:00Z":                      "",
				"type=project.created&since=2020-01-01T00:00:00Z": "project.created",
			} {
				if got := types(list("{project}/events?limit=500&" + query)); got != want {
					t.Errorf("%s: %q, want %q", query, got, want)
				}
			}
			newest := list("{project}/events?limit=2&order=newest")
			older := list(fmt.Sprint("{project}/events?limit=500&order=newest&after=", *newest.Meta.Next))
			reversed := slices.Clone(all.Data)
			slices.Reverse(reversed)
			if fmt.Sprint(append(newest.Data, older.Data...)) != fmt.Sprint(reversed) {
				t.Error("the newest events are not those of the whole list, reversed")
			}
			tenant := list("{tenant}/events?limit=500")
			if names := types(tenant); !strings.HasPrefix(names, "tenant.created ") || strings.Count(names, "project.created") != 2 {
				t.Errorf("of the tenant: %s", names)
			}
			for query, fault := range map[string]string{
				"type=entry.read": "type", "type=": "type", "actor=root": "actor", "actor=user:0": "actor", "actor=user:x": "actor", "actor=system:1": "actor",
				"entry=0": "entry", "since=now": "since", "after=x": "after", "order=id": "order", "limit=501": "limit", "page=1": "page",
			} {
				a := call(t, "GET", s.base+s.fill("{project}/events?"+query), "", s.session...)
				wantProblem(t, a, 400)
				if !strings.Contains(string(a.body), `"location":"`+fault+`"`) {
					t.Errorf("%s: %s", query, a.body)
				}
			}
		})
	}
}
