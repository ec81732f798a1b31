package contentful_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/app/importing"
	"imprimatur/test/importtest"
)

// space is an export that is made by chance: pages in two locales that link to each other.
type space struct {
	random *rand.Rand
	pages  []map[string]map[string]any // the fields of each, by locale
}

func linkTo(kind, id string) map[string]any {
	return map[string]any{"sys": map[string]any{"type": "Link", "linkType": kind, "id": id}}
}

func newSpace(seed uint64, pages int) *space {
	s := &space{random: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // no secret
	for i := range pages {
		s.pages = append(s.pages, map[string]map[string]any{
			"title": {"en-US": fmt.Sprintf("Page %d", i), "de": fmt.Sprintf("Seite %d", i)},
			"slug":  {"en-US": fmt.Sprintf("page-%d", i)},
			"next":  {"en-US": linkTo("Entry", fmt.Sprintf("p%d", s.random.IntN(pages)))},
		})
	}
	return s
}

// export writes the space as a file.
func (s *space) export(t *testing.T) string {
	t.Helper()
	field := func(id, kind string, localized bool) map[string]any {
		return map[string]any{"id": id, "name": id, "type": kind, "localized": localized}
	}
	next := field("next", "Link", false)
	next["linkType"], next["validations"] = "Entry", []any{map[string]any{"linkContentType": []string{"page"}}}
	var entries []any
	for i, fields := range s.pages {
		entries = append(entries, map[string]any{"sys": map[string]any{
			"id": fmt.Sprintf("p%d", i), "contentType": linkTo("ContentType", "page"), "version": 2, "publishedVersion": 1, "publishedAt": "2020-01-02T03:04:05Z",
		}, "fields": fields})
	}
	content, err := json.Marshal(map[string]any{
		"contentTypes": []any{map[string]any{
			"sys": map[string]any{"id": "page"}, "name": "Page", "displayField": "title",
			"fields": []any{field("title", "Symbol", true), field("slug", "Symbol", false), next},
		}},
		"locales": []any{map[string]any{"code": "en-US", "default": true}, map[string]any{"code": "de", "fallbackCode": "en-US"}},
		"entries": entries,
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "export.json")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	return file
}

// TestLaterExports changes some entries in the source, each in one locale: exactly these change here.
func TestLaterExports(t *testing.T) {
	t.Parallel()
	space, s := newSpace(3, 100), importtest.New(t)
	opts := importing.Options{Publish: true}
	s.Import(t, open(t, s, space.export(t), ""), opts)
	versions := map[int64]int64{}
	for _, e := range s.Entries(t, "page") {
		versions[e.ID] = e.Version
	}
	require.Len(t, versions, 200)
	changed := map[string]bool{}
	for _, i := range space.random.Perm(100)[:30] {
		locale := []string{"en-US", "de"}[space.random.IntN(2)]
		space.pages[i]["title"][locale] = fmt.Sprintf("Changed %d", i)
		changed[fmt.Sprintf("%q", space.pages[i]["title"][locale])] = true
	}
	report, _ := s.Import(t, open(t, s, space.export(t), ""), opts)
	require.EqualValues(t, 30, report.Collections["page"].Updated)
	for _, e := range s.Entries(t, "page") {
		require.Equal(t, changed[string(e.Draft.Value("title"))], e.Version != versions[e.ID], string(e.Draft))
	}
}

// TestKilledImports stops an import at random moments, and begins again.
func TestKilledImports(t *testing.T) {
	t.Parallel()
	space, whole := newSpace(5, 40), importtest.New(t)
	file, steps, stopped := space.export(t), 0, 0
	count := func() bool { steps++; return false }
	whole.Import(t, open(t, whole, file, ""), importing.Options{Publish: true, Between: count, Progress: func(int64, int64, string) { count() }})
	for range 20 {
		s, left := importtest.New(t), space.random.IntN(steps)
		ctx, cancel := context.WithCancel(t.Context())
		stop := func() bool {
			if left--; left < 0 {
				cancel()
			}
			return false
		}
		_, _, err := s.Try(ctx, open(t, s, file, ""), importing.Options{Publish: true, Between: stop, Progress: func(int64, int64, string) { stop() }})
		cancel()
		if err != nil { // the number of steps depends on the time that transactions take
			stopped++
		}
		s.Import(t, open(t, s, file, ""), importing.Options{Publish: true})
		require.Equal(t, whole.Dump(t), s.Dump(t))
	}
	require.Positive(t, stopped)
}

// TestRepeatedElements imports an export in which the ids of an entry, a content type and an asset occur twice: the first
// counts.
func TestRepeatedElements(t *testing.T) {
	t.Parallel()
	kind := `{"sys":{"id":"page"},"name":"%s","displayField":"title","fields":[{"id":"title","name":"Title","type":"Symbol"}]}`
	entry := `{"sys":{"id":"one","version":1,"contentType":{"sys":{"id":"page"}}},"fields":{"title":{"en-US":"%s"}}}`
	file := filepath.Join(t.TempDir(), "export.json")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `{"contentTypes":[`+kind+","+kind+`],"entries":[`+entry+","+entry+`],"assets":[{"sys":{"id":"a"},"fields":{}},{"sys":{"id":"a"},"fields":{}}]}`,
		"Page", "Other", "First", "Second"), 0o600))
	s := importtest.New(t)
	report, rows := s.Import(t, open(t, s, file, ""), importing.Options{})
	require.Equal(t, &importing.Counts{In: 2, Out: 1, Listed: 1}, report.Kinds["page"])
	require.Equal(t, `"First"`, string(s.Entries(t, "page")[0].Draft.Value("title")))
	require.Contains(t, listed(rows), "another")
	require.Equal(t, importing.Counts{In: 2, Listed: 2}, report.Files)
	require.Contains(t, listed(rows), "asset a file : another asset of the export has the same id")
}
