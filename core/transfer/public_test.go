package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/transfer"
)

// setupBosses creates people, each of whom requires a boss, with drafts of those with these names.
func setupBosses(t *testing.T, drafts ...string) people {
	t.Helper()
	d := setup(t)
	p := people{d, d.collection(t, "people",
		definition.FieldInput{Name: "name", Type: core.TypeText, Unique: true},
		definition.FieldInput{Name: "boss", Type: core.TypeRelation, Collection: "people", Required: true},
	)}
	for _, name := range drafts {
		d.create(t, p.c, fmt.Sprintf(`{"name":%q}`, name), func(w *core.EntryWrite) { w.AllowIncomplete = true })
	}
	return p
}

func person(name, boss string, published bool) string {
	return fmt.Sprintf(`{"key":%q,"published":%v,"relations":{"boss":%q}}`, name, published, boss)
}

// Whether the targets of what a file publishes are public is judged at its end.
func TestTargetsMayBePublishedByTheSameFile(t *testing.T) {
	t.Parallel()
	const unpublished = `is not published yet: "%s" (entry %d)`
	for _, c := range []struct {
		name   string
		drafts []string
		lines  []string
		failed map[string]string // by key
	}{
		{name: "a draft that a later line publishes", drafts: []string{"a", "b"}, lines: []string{person("a", "b", true), person("b", "b", true)}},
		{name: "a chain of drafts", drafts: []string{"a", "b", "c"}, lines: []string{person("a", "b", true), person("b", "c", true), person("c", "c", true)}},
		{name: "a ring of drafts", drafts: []string{"a", "b", "c"}, lines: []string{person("a", "b", true), person("b", "c", true), person("c", "a", true)}},
		{name: "a ring of new entries", lines: []string{person("a", "b", true), person("b", "c", true), person("c", "a", true)}},
		{name: "a ring of both", drafts: []string{"b"}, lines: []string{person("a", "b", true), person("b", "c", true), person("c", "a", true)}},
		{
			name: "a draft that no line publishes", drafts: []string{"a", "b"}, lines: []string{person("a", "b", true), person("b", "b", false)},
			failed: map[string]string{"a": fmt.Sprintf(unpublished, "b", 2)},
		},
		{name: "a draft that stands in no line", drafts: []string{"z"}, lines: []string{person("a", "z", true)}, failed: map[string]string{"a": fmt.Sprintf(unpublished, "z", 1)}},
		{
			name: "a draft whose line is refused", drafts: []string{"a", "b"},
			lines:  []string{person("a", "b", true), `{"key":"b","published":true,"relations":{"boss":"missing"}}`},
			failed: map[string]string{"a": fmt.Sprintf(unpublished, "b", 2), "b": "no entry of people has this key"},
		},
		{
			name: "a ring with a draft that stays one", lines: []string{person("a", "b", true), person("b", "a", false)},
			failed: map[string]string{"a": "is not published yet", "b": "no entry of people has this key: line 1 was refused"},
		},
	} {
		for _, portion := range []int{1, 2, 1000} {
			t.Run(fmt.Sprint(c.name, " in portions of ", portion), func(t *testing.T) {
				t.Parallel()
				p := setupBosses(t, c.drafts...)
				report := p.load(t, p.c, lines(c.lines...), transfer.ImportOptions{Portion: portion})
				failed := map[string]string{}
				for _, f := range report.Failed {
					failed[strings.Trim(string(f.Key), `"`)] = f.Err.Fields[0].Message
				}
				if len(c.failed) == 0 {
					c.failed = map[string]string{}
				}
				require.Equal(t, c.failed, failed)
				for _, e := range p.everything(t, p.c) {
					if name := strings.Trim(string(e.Draft.Value("name")), `"`); failed[name] == "" && strings.Contains(strings.Join(c.lines, ""), fmt.Sprintf(`"key":%q,"published":true`, name)) {
						require.NotNil(t, e.Published, name)
					}
				}
			})
		}
	}
}
