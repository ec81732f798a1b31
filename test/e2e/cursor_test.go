package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// cursorPage is a page of a list, with its cursor.
type cursorPage struct {
	Data []struct{ ID int }
	Meta struct {
		Offset, Limit int
		HasMore       bool
		Next          *string
		Total         *int
	}
}

// list reads one page of pages with the token full.
func (s *site) list(t *testing.T, query string) cursorPage {
	t.Helper()
	a := s.send(t, "full", "GET", "{pages}?"+query, "")
	if a.status != 200 {
		t.Fatalf("%s answered %d: %s", query, a.status, a.body)
	}
	page := decode[cursorPage](t, a)
	if page.Meta.HasMore != (page.Meta.Next != nil) {
		t.Errorf("%s: %s", query, a.body)
	}
	return page
}

func TestPagesByCursor(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			for n := range 8 {
				s.createEntry(t, fmt.Sprint("page", n), fmt.Sprintf(`{"published":true,"fields":{"title":"Page","num":%d}}`, n%3))
			}
			for _, query := range []string{"", "sort=num:desc", "sort=title,num:desc", "sort=publishedAt", "sort=updatedAt:desc", "sort=day,code:desc&locale=de", "state=with_draft&sort=locale,num&locale=*", "where[num][gte]=1&sort=num"} {
				s.followsCursors(t, query)
			}
			s.survivesDeletion(t)
			s.refusesCursors(t)
		})
	}
}

// followsCursors compares pages of one to three entries with a page of all.
func (s *site) followsCursors(t *testing.T, query string) {
	t.Helper()
	want := s.list(t, query).Data
	for limit := 1; limit <= 3; limit++ {
		got := want[:0:0]
		for after := ""; ; {
			page := s.list(t, fmt.Sprintf("%s&count=true&timestamps=%t&limit=%d%s", query, limit == 2, limit, after))
			got = append(got, page.Data...)
			if page.Meta.Offset != 0 || *page.Meta.Total != len(want) {
				t.Errorf("%s: %+v", query, page.Meta)
			}
			if page.Meta.Next == nil || len(got) > len(want) {
				break
			}
			after = "&after=" + *page.Meta.Next
		}
		if len(want) < 6 || !slices.Equal(got, want) {
			t.Errorf("%s, limit %d: %v, want %v", query, limit, got, want)
		}
	}
}

// survivesDeletion deletes the last entry of a page before it reads the next one.
func (s *site) survivesDeletion(t *testing.T) {
	t.Helper()
	all := s.list(t, "sort=num").Data
	first := s.list(t, "sort=num&limit=3")
	if a := s.send(t, "full", "DELETE", fmt.Sprint("{pages}/", all[2].ID), ""); a.status != 204 {
		t.Fatalf("deleting answered %d: %s", a.status, a.body)
	}
	if rest := s.list(t, "sort=num&after="+*first.Meta.Next).Data; !slices.Equal(rest, all[3:]) {
		t.Errorf("after a deleted entry: %v, want %v", rest, all[3:])
	}
}

// refusesCursors sends cursors of other lists, damaged cursors, and cursors where none are known.
func (s *site) refusesCursors(t *testing.T) {
	t.Helper()
	next := *s.list(t, "sort=num&limit=1&where[title]=Page").Meta.Next
	const list = "sort=num&where[title]=Page"
	for query, location := range map[string]string{
		list + "&offset=0&after=" + next:                               "offset",
		list + "&after=" + next + "&after=" + next:                     "after",
		list + "&after=":                                               "after",
		list + "&after=" + next[1:]:                                    "after",
		list + "&after=" + next + "A":                                  "after",
		list + "&after=" + next + "%0A":                                "after",
		list + "&after=" + next + "==":                                 "after",
		list + "&after=" + strings.ToUpper(next):                       "after",
		list + "&after=" + strings.Repeat("A", 20_000):                 "after",
		list + "&after=too-long":                                       "after",
		list + "&after=" + url.QueryEscape("' OR 1=1"):                 "after",
		list + "&locale=de&after=" + next:                              "after",
		list + "&state=with_draft&after=" + next:                       "after",
		list + "&where[num][gte]=0&after=" + next:                      "after",
		list + "&or[0][num]=1&after=" + next:                           "after",
		"sort=num&after=" + next:                                       "after",
		"sort=num:desc&where[title]=Page&after=" + next:                "after",
		"sort=num,day&where[title]=Page&after=" + next:                 "after",
		"sort=num&where[title]=page&after=" + next:                     "after",
		"sort=nothing&where[title]=Page&after=" + next + "&count=true": "sort",
	} {
		p := wantProblem(t, s.send(t, "full", "GET", "{pages}?"+query, ""), 400)
		if len(p.Errors) != 1 || p.Errors[0].Location != location {
			t.Errorf("%.120s: %v, want %s", query, p.Errors, location)
		}
	}
	wantProblem(t, s.send(t, "full", "GET", "{values}?"+list+"&after="+next, ""), 400)
	wantProblem(t, s.send(t, "other", "GET", "{theirs}?"+list+"&after="+next, ""), 400)
	if p := wantProblem(t, call(t, "GET", s.base+s.fill("{content}?"+list+"&after="+next), "", s.session...), 400); p.Errors[0].Location != "after" {
		t.Errorf("the dashboard's list: %v", p.Errors)
	}
	if r := s.query(t, "full", `{entries(collection:"pages",after:"`+next+`"){totalCount}}`, nil); r.code() != "GRAPHQL_VALIDATION_FAILED" {
		t.Errorf("GraphQL: %s", r.body)
	}
	tagged := s.send(t, "full", "GET", "{pages}?"+list+"&after="+next, "")
	if again := s.send(t, "full", "GET", "{pages}?"+list+"&after="+next, "", "If-None-Match: "+tagged.header.Get("ETag")); again.status != 304 {
		t.Errorf("the same page answered %d", again.status)
	}
}
