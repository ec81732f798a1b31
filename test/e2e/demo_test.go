package e2e

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/app/demo"
	"imprimatur/test/program"
)

type list struct {
	Data []map[string]any
	Meta struct {
		Offset, Limit int
		HasMore       bool
		Total         int
	}
}

// TestDemoCountries reads the demo countries, some of which lack translations, with locale
// fallback.
func TestDemoCountries(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	entries := facts.BaseURL + "/public/v2/projects/" + facts.Projects.WorldDesk.UUID + "/collections/countries/entries?count=true&"
	token := "Authorization: Bearer " + facts.Tokens.WorldDesk.ReadOnly
	for name, c := range map[string]struct {
		query string
		total int
		first map[string]any // of the first entry
	}{
		"all":                        {"limit=500", 250, nil},
		"every locale":               {"locale=*", 250 + 53 + 112 + 50 + 56, nil},
		"each country once":          {"locale=fr", 250, nil},
		"French if translated":       {"locale=fr&where[code]=DEU", 1, map[string]any{"name": "Allemagne", "locale": "fr"}},
		"English if not translated":  {"locale=fr&where[code]=JPN", 1, map[string]any{"name": "Japan", "locale": "en"}},
		"filter by the shown locale": {"locale=fr&where[name]=Allemagne", 1, map[string]any{"code": "DEU"}},
		"not by the replaced locale": {"locale=fr&where[name]=Germany", 0, nil},
		"sort by the shown locale":   {"locale=de&sort=name:desc&limit=1", 250, map[string]any{"name": "Zypern"}},
		"a subtag is dropped":        {"locale=fr-CA&where[code]=FRA", 1, map[string]any{"locale": "fr"}},
		"multiple values":            {"where[languages]=German&where[landlocked]=true", 2, nil},
		"one hop":                    {"where[borders.code]=CHE", 5, nil},
		"or":                         {"or[0][region]=Oceania&or[1][region]=Antarctic", 32, nil},
		"like":                       {"where[name][like]=" + url.QueryEscape("CÔTE"), 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := call(t, "GET", entries+c.query, "", token)
			if a.status != 200 {
				t.Fatalf("answered %d: %s", a.status, a.body)
			}
			got := decode[list](t, a)
			if got.Meta.Total != c.total {
				t.Errorf("total %d, want %d", got.Meta.Total, c.total)
			}
			for field, want := range c.first {
				if len(got.Data) == 0 || got.Data[0][field] != want {
					t.Errorf("the first entry has %s = %v, want %v", field, got.Data[0][field], want)
				}
			}
		})
	}
}

// TestDemoFacts checks tokens, users, drafts and media of the demo.
func TestDemoFacts(t *testing.T) {
	t.Parallel()
	p, facts := program.Demo(t)
	world := facts.BaseURL + "/public/v2/projects/" + facts.Projects.WorldDesk.UUID
	for secret, want := range map[string]int{
		facts.Tokens.WorldDesk.Full: 200, facts.Tokens.WorldDesk.ReadOnly: 200, facts.Tokens.WorldDesk.Drafts: 200,
		facts.Tokens.WorldDesk.NoRead: 403, facts.Tokens.Blog.Full: 404, facts.Tokens.Blog.ReadOnly: 404,
	} {
		if a := call(t, "GET", world+"/collections/articles/entries", "", "Authorization: Bearer "+secret); a.status != want {
			t.Errorf("token answered %d, want %d: %s", a.status, want, a.body)
		}
	}
	for key, account := range facts.Users {
		body := `{"email":"` + account.Email + `","password":"` + account.Password + `"}`
		if a := call(t, "POST", facts.BaseURL+"/api/session", body); a.status != 200 || a.header.Get("Set-Cookie") == "" {
			t.Errorf("%s signing in: %d %s", key, a.status, a.body)
		}
	}
	drafts := decode[list](t, call(t, "GET", world+"/collections/articles/entries?state=only_draft&count=true", "", "Authorization: Bearer "+facts.Tokens.WorldDesk.Drafts))
	if drafts.Meta.Total == 0 {
		t.Error("no drafts among the articles")
	}
	for kind, want := range map[string]int{"": 16, "&type=image": 14, "&type=audio": 1, "&type=document": 1} {
		if library := decode[list](t, call(t, "GET", world+"/media?perPage=100"+kind, "", "Authorization: Bearer "+facts.Tokens.WorldDesk.ReadOnly)); library.Meta.Total != want {
			t.Errorf("%d media of %q, want %d", library.Meta.Total, kind, want)
		}
	}
	covered := decode[list](t, call(t, "GET", world+"/collections/articles/entries?where[cover][not_null]=true&count=true", "", "Authorization: Bearer "+facts.Tokens.WorldDesk.ReadOnly))
	if covered.Meta.Total == 0 {
		t.Error("no article has a cover")
	}
	for _, article := range covered.Data {
		cover, _ := article["cover"].(map[string]any)
		if a := call(t, "GET", fmt.Sprint(cover["thumbUrl"]), ""); a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "image/") {
			t.Errorf("the cover of %v answered %d", article["title"], a.status)
		}
	}
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		if a := call(t, "GET", facts.OpsURL+path, ""); a.status != 200 {
			t.Errorf("%s answered %d", path, a.status)
		}
	}
	for _, secret := range []string{facts.Tokens.WorldDesk.Full, facts.Users["superAdmin"].Password} {
		if log := p.Output(); strings.Count(log, secret) > 2 { // the greeting prints each at most twice
			t.Errorf("the log contains a secret: %s", log)
		}
	}
}

// TestDemoIsDefinedByFiles checks that the schema files of the demo are what schema pull writes of its Projects, to the byte.
func TestDemoIsDefinedByFiles(t *testing.T) {
	t.Parallel()
	p, facts := program.Demo(t)
	database := "sqlite:" + filepath.Join(p.Dir, "var", "demo", "imprimatur.db")
	for file, project := range map[string]demo.ProjectRef{
		"world-desk": facts.Projects.WorldDesk, "blog": facts.Projects.Blog, "investor-relations": facts.Projects.InvestorRelations, "archive": facts.Projects.Archive,
	} {
		want, err := demo.SchemaFile(file)
		ok(t, err)
		pulled, diagnostics, err := program.Run(t, "", "schema", "pull", "--database-url", database, "--log-level", "error", "--project", project.UUID)
		if err != nil || pulled != string(want) {
			t.Errorf("%s: %v: %s%s\nwant\n%s", file, err, diagnostics, pulled, want)
		}
	}
}

// TestDemoFillsInLittleMemory creates the organisation of the demo on SQLite.
func TestDemoFillsInLittleMemory(t *testing.T) {
	t.Parallel()
	const most = 150 << 20
	// The peak varies with the moments of collections, so that the lowest of a few counts.
	lowest := int64(math.MaxInt64)
	for range 3 {
		p, _ := program.FreshDemo(t)
		peak, err := p.PeakMemory()
		ok(t, err)
		p.Stop(t)
		if lowest = min(lowest, peak); lowest <= most {
			return
		}
	}
	t.Errorf("the demo had at least %d MB in memory", lowest>>20)
}

// TestDemoReviews checks the inbox counts of each user, and that pending content is not
// public.
func TestDemoReviews(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	get := func(user, path string) response {
		t.Helper()
		a := call(t, "GET", facts.BaseURL+"/api"+path, "", signIn(t, facts.BaseURL, facts.Users[user].Email, facts.Users[user].Password))
		if a.status != 200 {
			t.Fatalf("%s on %s answered %d: %s", user, path, a.status, a.body)
		}
		return a
	}
	type summary struct{ Pending, SubmittedByMe, Scheduled int }
	for user, want := range map[string]summary{
		"projectAdmin":    {Pending: 4, Scheduled: 2},                   // the first step
		"legal":           {Pending: 1, Scheduled: 2},                   // the step of Legal
		"departmentAdmin": {Pending: 5, SubmittedByMe: 1, Scheduled: 2}, // the first and the last step
		"tenantAdmin":     {Pending: 6, Scheduled: 2},                   // and the step in Investor Relations
		"superAdmin":      {Pending: 6, Scheduled: 2},                   // but not the step of Legal
		"editor":          {SubmittedByMe: 8, Scheduled: 2},
		"outsider":        {},
	} {
		if got := decode[summary](t, get(user, "/approvals/summary")); got != want {
			t.Errorf("%s: %+v, want %+v", user, got, want)
		}
	}
	for project, want := range map[int64]string{
		facts.Projects.WorldDesk.ID: "department", facts.Projects.InvestorRelations.ID: "project",
		facts.Projects.Blog.ID: "none", facts.Projects.Archive.ID: "none",
	} {
		effective := decode[struct{ Source string }](t, get("superAdmin", fmt.Sprintf("/projects/%d/approval-workflow/effective", project)))
		if effective.Source != want {
			t.Errorf("project %d is governed by %q, want %q", project, effective.Source, want)
		}
	}
	waiting := decode[struct {
		Data []struct {
			EntryID, CollectionID, ProjectID int64
		}
	}](t, get("superAdmin", "/approvals/pending"))
	slugs := map[int64]string{facts.Collections.Articles: "articles", facts.Collections.Pages: "pages"}
	public := 0
	for _, request := range waiting.Data {
		if request.ProjectID != facts.Projects.WorldDesk.ID || request.EntryID == 0 {
			continue // elsewhere, or a release
		}
		entry := fmt.Sprintf("%s/public/v2/projects/%s/collections/%s/entries/%d", facts.BaseURL, facts.Projects.WorldDesk.UUID, slugs[request.CollectionID], request.EntryID)
		seen := call(t, "GET", entry, "", "Authorization: Bearer "+facts.Tokens.WorldDesk.ReadOnly)
		if seen.status == 404 {
			continue
		}
		public++ // an earlier version, with a pending one
		if text := string(seen.body); strings.Contains(text, "Forty streets") || strings.Contains(text, "Forty-three correspondents") {
			t.Errorf("pending content is public: %s", seen.body)
		}
	}
	if public != 2 {
		t.Errorf("%d entries with a pending version are public, want an article and a page", public)
	}
}

// TestDemoReleases checks that the demo has a release in each state, with what readers see of them.
func TestDemoReleases(t *testing.T) {
	t.Parallel()
	_, facts := program.Demo(t)
	editor := signIn(t, facts.BaseURL, facts.Users["editor"].Email, facts.Users["editor"].Password)
	found := decode[struct {
		Data []struct {
			ID, RevertOf int64
			State        string
		}
	}](t, call(t, "GET", fmt.Sprintf("%s/api/projects/%d/releases", facts.BaseURL, facts.Projects.WorldDesk.ID), "", editor))
	states, revertOf := map[int64]string{}, int64(0)
	for _, r := range found.Data {
		states[r.ID] = r.State
		if r.RevertOf != 0 {
			revertOf = r.RevertOf
			delete(states, r.ID)
		}
	}
	named := facts.Releases
	want := map[int64]string{named.InReview: "pending", named.Scheduled: "approved", named.Published: "published", named.Reverted: "published"}
	if !maps.Equal(states, want) || revertOf != named.Reverted {
		t.Errorf("releases %v and a revert of %d, want %v", states, revertOf, want)
	}
	entries := facts.BaseURL + "/public/v2/projects/" + facts.Projects.WorldDesk.UUID + "/collections/countries/entries?"
	for query, total := range map[string]int{
		"where[code]=TON&where[area]=748.5":       1, // published
		"where[code]=TLS&where[name]=Timor-Leste": 1, // taken back
		"where[code]=CPV&where[name]=Cabo Verde":  0, // in review
		"where[code]=PLW&where[capital]=Koror":    0, // scheduled
	} {
		query = strings.ReplaceAll(query, " ", "%20")
		if got := decode[list](t, call(t, "GET", entries+"count=true&"+query, "", "Authorization: Bearer "+facts.Tokens.WorldDesk.ReadOnly)); got.Meta.Total != total {
			t.Errorf("%s: %d countries, want %d", query, got.Meta.Total, total)
		}
	}
}
