package contentful_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/app/importing"
	"imprimatur/test/importtest"
)

// TestManyLocales imports an entry that has a version in each of 60 locales, one of which the project does not have.
func TestManyLocales(t *testing.T) {
	t.Parallel()
	var locales []map[string]any
	titles, own := map[string]string{}, []string{"en", "de"}
	for i := range 60 {
		code := fmt.Sprintf("%c%c", 'a'+i/26, 'a'+i%26)
		locales = append(locales, map[string]any{"code": code, "name": code, "default": i == 0, "fallbackCode": nil})
		titles[code] = "Title " + code
		if i < 59 {
			own = append(own, code)
		}
	}
	link := map[string]any{"sys": map[string]any{"type": "Link", "linkType": "ContentType", "id": "page"}}
	content, err := json.Marshal(map[string]any{
		"locales": locales,
		"contentTypes": []any{map[string]any{
			"sys": map[string]any{"id": "page", "type": "ContentType"}, "name": "Page", "displayField": "title",
			"fields": []any{map[string]any{"id": "title", "name": "Title", "type": "Symbol", "localized": true}},
		}},
		"entries": []any{map[string]any{
			"sys":    map[string]any{"id": "one", "type": "Entry", "contentType": link, "createdAt": "2019-05-01T08:00:00.000Z", "version": 1},
			"fields": map[string]any{"title": titles},
		}},
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "export.json")
	require.NoError(t, os.WriteFile(file, content, 0o600))
	s := importtest.New(t)
	s.Project.DefaultLocale, s.Project.Locales = "aa", own[2:]
	require.NoError(t, s.Stores.Projects.Update(t.Context(), s.Project))
	report, rows := s.Import(t, open(t, s, file, ""), importing.Options{})
	require.Equal(t, &importing.Counts{In: 60, Out: 59, Listed: 1}, report.Kinds["page"])
	require.Len(t, rows, 1)
	require.Equal(t, "the mapping leaves out the locale ch", rows[0].Reason)
	groups := map[int64]int{}
	for _, e := range s.Entries(t, "page") {
		groups[e.Group]++
		require.Equal(t, strconv.Quote("Title "+e.Locale), string(e.Draft.Value("title")))
	}
	require.Len(t, groups, 1)
	require.Len(t, s.Entries(t, "page"), 59)
	again, _ := s.Import(t, open(t, s, file, ""), importing.Options{})
	require.Zero(t, again.Collections["page"].Created+again.Collections["page"].Updated)
}
