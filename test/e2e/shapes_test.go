package e2e

import (
	"strings"
	"testing"
)

// TestShapes reads lists and single entries with fields and depth.
func TestShapes(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			s.createEntry(t, "epsilon", `{"published":true,"fields":{"title":"Epsilon","next":{beta},"many":[{beta},{draft}]}}`)
			for query, want := range map[string]string{
				"fields=title":                           `{"id":{epsilon},"locale":"en","title":"Epsilon"}`,
				"fields=num,title":                       `{"id":{epsilon},"locale":"en","title":"Epsilon","num":null}`,
				"fields=many&depth=0":                    `{"id":{epsilon},"locale":"en","many":[{"id":{beta},"collection":"pages"}]}`,
				"fields=next.title,many.num":             `{"id":{epsilon},"locale":"en","next":{"id":{beta},"locale":"en","title":"Beta"},"many":[{"id":{beta},"locale":"en","num":2.5}]}`,
				"fields=next.next":                       `{"id":{epsilon},"locale":"en","next":{"id":{beta},"locale":"en","next":{"id":{alpha},"collection":"pages"}}}`,
				"fields=next.next.next&depth=2":          `{"id":{epsilon},"locale":"en","next":{"id":{beta},"locale":"en","next":{"id":{alpha},"locale":"en","next":null}}}`,
				"fields=next.next.title,next.id&depth=3": `{"id":{epsilon},"locale":"en","next":{"id":{beta},"locale":"en","next":{"id":{alpha},"locale":"en","title":"Alpha"}}}`,
			} {
				for range 2 { // the second response comes from the cache
					s.wantBody(t, "{pages}/{epsilon}?"+query, want)
					s.wantBody(t, "{pages}?limit=1&where[title]=Epsilon&"+query, `{"data":[`+want+`],"meta":{"offset":0,"limit":1,"hasMore":false}}`)
				}
			}
			whole := string(s.send(t, "read", "GET", "{pages}/{epsilon}", "").body)
			for _, same := range []string{"fields=*", "depth=1", "depth=1&fields=*", "fields=*,next.*,many,title"} {
				s.wantBody(t, "{pages}/{epsilon}?"+same, whole)
			}
			deep := string(s.send(t, "read", "GET", "{pages}/{epsilon}?depth=2", "").body)
			beta := string(s.send(t, "read", "GET", "{pages}/{beta}", "").body)
			if strings.Count(deep, beta) != 2 {
				t.Errorf("with a depth of 2, relations are not whole: %s", deep)
			}

			for query, fault := range map[string]string{
				"fields=":                "fields",
				"fields=titel":           "titel",
				"fields=secret":          "secret",
				"fields=pass":            "pass",
				"fields=next.secret":     "next.secret",
				"fields=title.x":         "title",
				"fields=next.next.title": "next.next.title",
				"fields=title&fields=id": "fields",
				"fields[]=title":         "fields[]",
				"depth=4":                "depth",
				"depth=-1":               "depth",
				"depth=1.0":              "depth",
				"depth=":                 "depth",
			} {
				for _, path := range []string{"{pages}/{epsilon}?", "{pages}?", "{pages}?state=with_draft&"} {
					a := s.send(t, "full", "GET", path+query, "")
					wantProblem(t, a, 400)
					if !strings.Contains(string(a.body), fault) || strings.Contains(string(a.body), "canary") {
						t.Errorf("%s%s: %s", path, query, a.body)
					}
				}
			}
			wantProblem(t, call(t, "GET", s.base+s.fill("{content}?fields=nothing"), "", s.session...), 400)
		})
	}
}

// wantBody requires that a token reads exactly this body.
func (s *site) wantBody(t *testing.T, path, want string) {
	t.Helper()
	a := s.send(t, "read", "GET", path, "")
	if got := strings.TrimSpace(string(a.body)); a.status != 200 || got != s.fill(want) {
		t.Errorf("%s: status %d\n got %s\nwant %s", path, a.status, got, s.fill(want))
	}
}
