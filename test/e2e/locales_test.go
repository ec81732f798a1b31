package e2e

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"imprimatur/test/program"
)

// TestFallbacksCountWhenTheirIndexIsFull adds a locale to a Project with many entries. The view of the
// Project says which fallbacks do not count yet, and reads agree with it, over REST and GraphQL, until the
// program has indexed them, also after it was killed.
func TestFallbacksCountWhenTheirIndexIsFull(t *testing.T) {
	t.Parallel()
	type view struct {
		Locales          []string
		LocalesReady     bool
		PendingFallbacks map[string][]string
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, engine)
			var lines strings.Builder
			const many = 2500 // five portions
			for i := range many {
				fmt.Fprintf(&lines, `{"published":true,"fields":{"title":"Many %d","num":%d}}`+"\n", i, i)
			}
			out, diagnostics, err := program.Run(t, lines.String(), "import", "--database-url", s.database, "--project", s.uuid, "--collection", "pages", "-")
			if err != nil {
				t.Fatalf("%v: %s%s", err, out, diagnostics)
			}
			path := s.fill(fmt.Sprintf("/api/projects/%d", s.project))
			project := func() view { return decode[view](t, s.send(t, "", "GET", path, "", s.session...)) }
			// served returns the totals of the locale, by each transport.
			served := func() [2]int {
				var all [2]int
				all[0] = decode[struct{ Meta struct{ Total int } }](t, s.send(t, "read", "GET", "{pages}?count=true&limit=1&locale=de-AT", "")).Meta.Total
				body := `{"query":"{entries(collection:\"pages\",locale:\"de-AT\",limit:1){totalCount}}"}`
				all[1] = decode[struct {
					Data struct{ Entries struct{ TotalCount int } }
				}](t, s.send(t, "read", "POST", "/public/v2/graphql", body)).Data.Entries.TotalCount
				return all
			}
			if a := s.send(t, "", "PATCH", path, `{"locales":["en","de","de-AT"]}`, s.session...); a.status != 200 {
				t.Fatalf("adding a locale answered %d: %s", a.status, a.body)
			} else if v := decode[view](t, a); v.LocalesReady || !reflect.DeepEqual(v.PendingFallbacks, map[string][]string{"de-AT": {"de", "en"}}) {
				t.Errorf("the answer to the change: %s", a.body)
			}
			s.process.Kill(t)
			s.process, s.base, s.ops = serve(t, s.database, "--rate-limit", "0")
			s.session[1] = "Origin: " + s.base
			s.process.Await(t, "the fallbacks", func() bool {
				before := project()
				totals := served()
				after := project()
				switch want := (map[bool]int{false: 0, true: many + 4})[before.LocalesReady]; {
				case before.LocalesReady != after.LocalesReady:
				case totals[0] != want || totals[1] != want:
					t.Errorf("%d entries by REST and %d by GraphQL serve the locale, want %d: %+v", totals[0], totals[1], want, before)
				}
				return after.LocalesReady
			})
			if v := project(); len(v.PendingFallbacks) > 0 || len(v.Locales) != 3 {
				t.Errorf("afterwards %+v", v)
			}
			out, diagnostics, err = program.Run(t, "", "check", "--database-url", s.database, "--blob-url", "file:"+s.process.Dir+"/var/blobs")
			if err != nil {
				t.Errorf("check: %v: %s%s", err, out, diagnostics)
			}
		})
	}
}
