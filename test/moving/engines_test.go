package moving

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/test/importtest"
	"imprimatur/test/postgrestest"
)

// ownSite is a directory of our own files.
var ownSite = map[string]string{
	"schema.yaml": `format: 1
components: []
collections:
  - key: authors
    name: Authors
    fields:
      - name: name
        type: text
        unique: true
      - name: best
        type: relation
        collection: articles
  - key: articles
    name: Articles
    fields:
      - name: title
        type: text
        required: true
      - name: slug
        type: slug
        source: title
        unique: true
      - name: author
        type: relation
        collection: authors
      - name: cover
        type: media
`,
	"authors.jsonl":  `{"fields":{"name":"Ada"},"relations":{"best":"engines"},"published":true}` + "\n",
	"articles.jsonl": `{"key":"engines","fields":{"title":"Engines"},"relations":{"author":"Ada"},"media":{"cover":{"file":"a.png"}},"published":true}` + "\n",
	"media.jsonl":    `{"file":"a.png","alt":"A square"}` + "\n",
}

// TestEngines imports from each system into SQLite and Postgres: the content is the same, also after a second run.
func TestEngines(t *testing.T) {
	t.Parallel()
	own := t.TempDir()
	ownSite["media/a.png"] = string(importtest.Picture(t, 1))
	for name, content := range ownSite {
		file := filepath.Join(own, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
	}
	files := t.TempDir()
	for i, name := range []string{"pier.png", "mole.png"} {
		require.NoError(t, os.WriteFile(filepath.Join(files, name), importtest.Picture(t, i+1), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(files, "paper.txt"), []byte("Some words"), 0o600))
	testdata := func(system, name string) string {
		file, err := filepath.Abs(filepath.Join("..", "..", "app", "importing", system, "testdata", name))
		require.NoError(t, err)
		return file
	}
	for system, test := range map[string]struct {
		args []string
		has  []string
		fail string // what has no place, which makes the exit code 1; empty: nothing
	}{
		"directory":  {[]string{own}, []string{`slug="engines"`, `name="Ada"`}, ""},
		"contentful": {[]string{"--media", files, testdata("contentful", "export.json")}, []string{`slug="engines"`}, "have no place"},
		"wordpress":  {[]string{"--media", files, testdata("wordpress", "site.xml")}, []string{`slug="tugs"`}, "have no place"},
	} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			var dumps []string
			for _, database := range []string{"sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db"), postgrestest.Migrated(t)} {
				into := newTarget(t, database)
				for range 2 {
					err := into.imports(t, t.Context(), system, test.args...)
					if test.fail == "" {
						require.NoError(t, err)
					} else {
						require.ErrorContains(t, err, test.fail)
					}
					dumps = append(dumps, into.dump(t))
				}
			}
			for _, want := range test.has {
				require.Contains(t, dumps[0], want)
			}
			for _, dump := range dumps {
				require.Equal(t, strings.Split(dumps[0], "\n"), strings.Split(dump, "\n"))
			}
		})
	}
}
