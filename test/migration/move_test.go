package migration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"imprimatur/test/postgrestest"
	"imprimatur/test/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }

// export is the export of another system.
type export interface {
	locales() []string // the default one first
	definitions() (components, collections []definition)
	files() []file
	batches(t *testing.T) []batch // in the order of the import
	// read returns the content of a project in the shape of the export.
	read(t *testing.T, p *project) any
}

// batch has the lines of the entries of one collection. Of two collections that refer to each other, one
// comes first without its relations, and again after the other.
type batch struct {
	collection string
	lines      []line
	bare       bool // without relations
	again      bool
}

// line is a line of an import.
type line struct {
	Group        string            `json:"group,omitempty"`
	Key          any               `json:"key,omitempty"`
	Locale       string            `json:"locale,omitempty"`
	Published    bool              `json:"published"`
	PublishedAt  any               `json:"publishedAt,omitempty"`
	CreatedAt    any               `json:"createdAt,omitempty"`
	Fields       object            `json:"fields"`
	Relations    object            `json:"relations,omitempty"`
	Media        object            `json:"media,omitempty"`
	Links        *links            `json:"links,omitempty"`
	Translations map[string]object `json:"translations,omitempty"`
}

// links gives numbers to the targets of a line. They are no ids of the project: the member "links" of
// the line says what they mean.
type links struct {
	Media   map[int]object `json:"media,omitempty"`
	Entries map[int]object `json:"entries,omitempty"`
	numbers map[string]int
}

func newLinks() *links {
	return &links{Media: map[int]object{}, Entries: map[int]object{}, numbers: map[string]int{}}
}

func (l *links) file(id string, named object) int {
	n := l.number("file " + id)
	l.Media[n] = named
	return n
}

func (l *links) entry(id string, target object) int {
	n := l.number("entry " + id)
	l.Entries[n] = target
	return n
}

func (l *links) number(of string) int {
	if l.numbers[of] == 0 {
		l.numbers[of] = len(l.numbers) + 1
	}
	return l.numbers[of]
}

// TestMigrations loads exports of other systems and reads them back in their shape: nothing differs, also
// after a second import, and in another project after an export.
func TestMigrations(t *testing.T) {
	t.Parallel()
	for engine, database := range map[string]string{
		"SQLite":   "sqlite:" + filepath.Join(t.TempDir(), "imprimatur.db"),
		"Postgres": postgrestest.New(t),
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := launch(t, database)
			for name, parsed := range map[string]export{"contentful": &contentful{}, "directus": &directus{}, "strapi": &strapi{}} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					text, err := os.ReadFile("testdata/" + name + ".json")
					ok(t, err)
					ok(t, json.Unmarshal(text, parsed))
					move(t, s, name, parsed, text)
				})
			}
		})
	}
}

func move(t *testing.T, s *site, name string, e export, text []byte) {
	t.Helper()
	first := s.newProject(t, name, e.locales()...)
	first.prepare(t, e)
	second := s.newProject(t, name+" again", e.locales()...)
	second.prepare(t, e)
	batches := e.batches(t)
	for _, b := range batches {
		first.take(t, b, joined(t, b.lines))
	}
	for _, b := range batches {
		second.take(t, b, first.run(t, "", "export", b.collection))
	}
	for _, p := range []*project{first, second} {
		read, err := json.Marshal(e.read(t, p))
		ok(t, err)
		if difference := cmp.Diff(arranged(t, text), arranged(t, read)); difference != "" {
			t.Errorf("what was read back is not the export (-export +read):\n%s", difference)
		}
	}
}

// take imports the lines of a batch twice. The second import changes nothing.
func (p *project) take(t *testing.T, b batch, lines string) {
	t.Helper()
	if b.bare {
		lines = withoutRelations(t, lines)
	}
	changed := "0 updated, 0 unchanged"
	if b.again {
		changed = "0 created"
	}
	for _, outcome := range []string{changed, "0 created, 0 updated"} {
		out := p.run(t, lines, "import", b.collection, "-")
		if !strings.Contains(out, outcome) || !strings.Contains(out, " 0 lines refused") || strings.Contains(out, "removed") {
			t.Errorf("import of %s, wanted %s: %s", b.collection, outcome, out)
		}
	}
}

func withoutRelations(t *testing.T, lines string) string {
	t.Helper()
	var all strings.Builder
	for text := range strings.Lines(lines) {
		var members map[string]json.RawMessage
		ok(t, json.Unmarshal([]byte(text), &members))
		delete(members, "relations")
		bare, err := json.Marshal(members)
		ok(t, err)
		fmt.Fprintln(&all, string(bare))
	}
	return all.String()
}

func joined(t *testing.T, lines []line) string {
	t.Helper()
	var all strings.Builder
	for _, l := range lines {
		if l.Links != nil && len(l.Links.numbers) == 0 {
			l.Links = nil
		}
		text, err := json.Marshal(l)
		ok(t, err)
		fmt.Fprintln(&all, string(text))
	}
	return all.String()
}

// arranged returns the lines of a JSON text with sorted members.
func arranged(t *testing.T, text []byte) []string {
	t.Helper()
	var value any
	ok(t, json.Unmarshal(text, &value))
	text, err := json.MarshalIndent(value, "", " ")
	ok(t, err)
	return strings.Split(string(text), "\n")
}
