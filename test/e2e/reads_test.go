package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestOwnWritesAreSeenAtOnce reads through both transports until the responses are cached,
// writes, and reads again: the next response shows the write.
func TestOwnWritesAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			s.process.Await(t, "the change feed", func() bool { return s.metric(t, "imprimatur_change_feed_live") == 1 })
			s.create(t, fmt.Sprintf("/projects/%d/collections", s.project), `{"slug":"shots","name":"Shots","fields":[
				{"name":"title","type":"text"},{"name":"photo","type":"media"},{"name":"page","type":"relation","collection":"pages"}]}`)
			photo := decode[mediaItem](t, s.upload(t, "photo.png", pngOf(4, 4))).ID
			s.ids["photo"] = photo
			s.createEntry(t, "linked", `{"published":true,"fields":{"title":"a page"}}`)
			a := s.send(t, "full", "POST", "{P}/collections/shots/entries", `{"published":true,"fields":{"title":"one","photo":{photo},"page":{linked}}}`)
			s.ids["shot"] = int(decode[map[string]any](t, a)["id"].(float64))

			for _, c := range ownWrites {
				s.wantSeen(t, c)
			}
			if hits := s.metric(t, "imprimatur_read_cache_hits_total"); hits < float64(len(ownWrites)) {
				t.Errorf("only %v cache hits: the reads were not cached", hits)
			}
		})
	}
}

// ownWrite is a write and the texts that show its effect.
type ownWrite struct {
	name               string
	method, path, body string
	byToken            bool   // otherwise by the session
	before, after      string // texts in responses only before and only after the write
}

const (
	shots     = "{P}/collections/shots/entries"
	dashboard = "/api/projects/{project id}"
)

// ownWrites run in order.
var ownWrites = []ownWrite{
	{"an entry is changed", "PATCH", shots + "/{shot}", `{"fields":{"title":"two"}}`, true, `"title":"one"`, `"title":"two"`},
	{"a caption is changed", "PATCH", "{P}/media/{photo}", `{"caption":"A caption"}`, true, `"caption":null`, `"caption":"A caption"`},
	{"the target of a relation is changed", "PATCH", "{pages}/{linked}", `{"fields":{"title":"another page"}}`, true, `"title":"a page"`, `"title":"another page"`},
	{"the target of a relation is unpublished", "PATCH", "{pages}/{linked}", `{"published":false}`, true, `"title":"another page"`, `"page":null`},
	{"a field is added", "POST", dashboard + "/collections/{shots}/fields", `{"name":"more","type":"text"}`, false, `}`, `"more":null`},
	{"a field is hidden", "PATCH", dashboard + "/collections/{shots}/fields/title", `{"hidden":true}`, false, `"title":"two"`, `"more":null`},
	{"a field is shown again", "PATCH", dashboard + "/collections/{shots}/fields/title", `{"hidden":false}`, false, `"more":null`, `"title":"two"`},
	{"the default locale is changed", "PATCH", dashboard, `{"defaultLocale":"de"}`, false, `"locale":"en"`, `"data":[]`},
	{"and changed back", "PATCH", dashboard, `{"defaultLocale":"en"}`, false, `"data":[]`, `"locale":"en"`},
	{"an entry is unpublished", "PATCH", shots + "/{shot}", `{"published":false}`, true, `"locale":"en"`, `"data":[]`},
	{"and published", "PATCH", shots + "/{shot}", `{"published":true}`, true, `"data":[]`, `"locale":"en"`},
	{"an entry is trashed", "DELETE", shots + "/{shot}", "", true, `"locale":"en"`, `"data":[]`},
}

// wantSeen applies one write and checks both transports before and after it.
func (s *site) wantSeen(t *testing.T, c ownWrite) {
	t.Helper()
	rest := func() string { return string(s.send(t, "read", "GET", shots+"?count=true", "").body) }
	graph := func() string {
		return string(s.query(t, "read", `{ entries(collection: "shots") { totalCount items { data } } }`, nil).body)
	}
	for transport, read := range map[string]func() string{"REST": rest, "GraphQL": graph} {
		for range 2 {
			if got := read(); !strings.Contains(got, s.inTerms(transport, c.before)) {
				t.Fatalf("before %s, %s does not show %s: %s", c.name, transport, c.before, got)
			}
		}
	}
	var header []string
	if c.byToken {
		header = []string{"Authorization: Bearer " + s.tokens["full"]}
	} else {
		header = s.session
	}
	if a := call(t, c.method, s.base+s.fill(s.place(t, c.path)), s.fill(c.body), header...); a.status >= 300 {
		t.Fatalf("%s: answered %d: %s", c.name, a.status, a.body)
	}
	for transport, read := range map[string]func() string{"REST": rest, "GraphQL": graph} {
		if got := read(); !strings.Contains(got, s.inTerms(transport, c.after)) {
			t.Errorf("right after %s, %s does not show %s: %s", c.name, transport, c.after, got)
		}
	}
}

// inTerms returns the form that text has in responses of a transport.
func (*site) inTerms(transport, text string) string {
	if transport == "GraphQL" && text == `"data":[]` {
		return `"items":[]`
	}
	return text
}

// place fills in the ids of the Project and of the collection shots.
func (s *site) place(t *testing.T, path string) string {
	t.Helper()
	path = strings.ReplaceAll(path, "{project id}", strconv.Itoa(s.project))
	if !strings.Contains(path, "{shots}") {
		return path
	}
	all := decode[struct {
		Data []struct {
			ID   int
			Slug string
		}
	}](t, call(t, "GET", fmt.Sprintf("%s/api/projects/%d/collections", s.base, s.project), "", s.session...))
	for _, c := range all.Data {
		if c.Slug == "shots" {
			return strings.ReplaceAll(path, "{shots}", strconv.Itoa(c.ID))
		}
	}
	t.Fatal("the collection shots does not exist")
	return ""
}

// upload sends a file to the Project's library.
func (s *site) upload(t *testing.T, name string, content []byte) response {
	t.Helper()
	a := post(t, s.base+s.fill("{P}/media/upload"), newForm().file(name, content).end(), "Authorization: Bearer "+s.tokens["full"])
	if a.status != 201 {
		t.Fatalf("upload answered %d: %s", a.status, a.body)
	}
	return a
}

// metric returns the value of a metric of the operations listener.
func (s *site) metric(t *testing.T, name string) float64 {
	t.Helper()
	a := call(t, "GET", s.ops+"/metrics", "")
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(a.body)
	if found == nil {
		t.Fatalf("unknown metric %s", name)
	}
	value, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
