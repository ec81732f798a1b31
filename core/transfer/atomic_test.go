package transfer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/transfer"
	"imprimatur/ports"
)

// setupCircle returns a fixture whose collection has everything for which a line can be refused, with
// an entry that the lines change.
func setupCircle(t testing.TB) people {
	t.Helper()
	d := setup(t)
	d.medium(t, "aa", "cover.jpg")
	p := people{d, d.collection(t, "people",
		definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true},
		definition.FieldInput{Name: "title", Type: core.TypeText, Required: true},
		definition.FieldInput{Name: "email", Type: core.TypeEmail, Unique: true},
		definition.FieldInput{Name: "cover", Type: core.TypeMedia},
		definition.FieldInput{Name: "boss", Type: core.TypeRelation, Collection: "people", Required: true},
		definition.FieldInput{Name: "friends", Type: core.TypeRelation, Collection: "people", Multiple: true},
	)}
	incomplete := func(w *core.EntryWrite) { w.AllowIncomplete = true }
	first := d.create(t, p.c, `{"code":"old","title":"Old"}`, incomplete)
	d.update(t, first, fmt.Sprintf(`{"boss":%d,"email":"old@x.org"}`, first.ID), published(true))
	return p
}

// faultyLines draws lines that point to each other, and some of which are refused.
func faultyLines(rt *rapid.T) (all []string) {
	keys := []string{"old", "a", "b", "c", "d", "e", "f", "g", "h"}
	draw := func(name string, values ...string) string { return rapid.SampledFrom(values).Draw(rt, name) }
	target := func() string {
		return draw("target", append(keys, "a", "b", "c", `missing`)...)
	}
	for n := range rapid.IntRange(1, 14).Draw(rt, "lines") {
		key := draw("key", keys...)
		name := fmt.Sprintf(`"key":%q`, key)
		switch draw("name", "key", "key", "group", "both") {
		case "group":
			name = fmt.Sprintf(`"group":%q`, "g-"+key)
		case "both":
			name += fmt.Sprintf(`,"group":%q`, "g-"+key)
		}
		friends := []string{}
		for range rapid.IntRange(0, 2).Draw(rt, "friends") {
			friend := fmt.Sprintf("%q", target())
			if draw("by", "key", "group") == "group" {
				friend = fmt.Sprintf(`{"group":%q,"key":%s}`, "g-"+strings.Trim(friend, `"`), friend)
			}
			if !slices.Contains(friends, friend) {
				friends = append(friends, friend)
			}
		}
		all = append(all, fmt.Sprintf(`{%s,"locale":%s,"published":%s%s,"fields":{"title":%s,"email":%s},"relations":{"boss":%q,"friends":[%s]}%s%s}`,
			name, draw("locale", `"en"`, `"en"`, `"en"`, `"de"`, `"xx"`), draw("published", `true`, `true`, `false`),
			draw("time", ``, ``, ``, ``, ``, `,"publishedAt":"2999-01-01T00:00:00Z"`),
			draw("title", fmt.Sprintf(`"Title %d"`, n), fmt.Sprintf(`"Title %d"`, n), fmt.Sprintf(`"Title %d"`, n), `null`, `7`),
			draw("email", `null`, `null`, `"a@x.org"`, `"b@x.org"`, `"old@x.org"`), target(), strings.Join(friends, ","),
			draw("media", ``, ``, `,"media":{"cover":{"hash":"aa"}}`, `,"media":{"cover":{"hash":"bb"}}`),
			draw("translations", ``, ``, ``, `,"translations":{"de":{"title":"Titel"}}`, `,"translations":{"de":{"email":7}}`)))
	}
	return all
}

// state returns what an import has left in p: the entries and their publications, with groups
// numbered by first appearance.
func (p people) state(t testing.TB) string {
	t.Helper()
	found := relabelled(p.export(t, p.c))
	for _, e := range p.everything(t, p.c) {
		publications, err := p.stores.Publications.Publications(context.Background(), p.project.ID, p.c.ID, e.ID, 0, 10)
		require.NoError(t, err)
		found += fmt.Sprintf("%s %s %d %d %d\n", e.Draft.Value("code"), e.Locale, len(core.ReferenceIDs(e.Draft.Value("friends"))), len(publications), e.Version)
	}
	return found
}

// TestRefusedLinesLeaveNothingBehind compares an import with an import of the lines that were not
// refused, with many lines in a transaction and with few.
func TestRefusedLinesLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		opts := transfer.ImportOptions{Portion: rapid.SampledFrom([]int{1, 2, 3, 1000}).Draw(rt, "portion")}
		opts.AllowIncomplete = rapid.Bool().Draw(rt, "incomplete")
		all := faultyLines(rt)
		whole, good := setupCircle(t), setupCircle(t)
		report := whole.load(t, whole.c, lines(all...), opts)
		var left []string
		for n, line := range all {
			if !slices.ContainsFunc(report.Failed, func(f transfer.LineError) bool { return f.Line == int64(n+1) }) {
				left = append(left, line)
			}
		}
		require.Len(t, left, len(all)-len(report.Failed), "a line is reported once")
		wanted := good.load(t, good.c, lines(left...), opts)
		require.Empty(t, wanted.Failed, "%s\n\nwithout refused:\n%s\n%v", strings.Join(all, "\n"), strings.Join(left, "\n"), report.Failed)
		require.Equal(t, []int64{wanted.Created, wanted.Updated, wanted.Unchanged}, []int64{report.Created, report.Updated, report.Unchanged})
		require.Equal(t, good.state(t), whole.state(t))
	})
}

// TestLargeCyclesAreWrittenAsAWhole imports a ring of lines in transactions of a few lines.
func TestLargeCyclesAreWrittenAsAWhole(t *testing.T) {
	t.Parallel()
	const count = 50
	d := setup(t)
	c := d.countries(t)
	ring := func(fault int) []string {
		var all []string
		for n := range count {
			line := fmt.Sprintf(`{"key":"%02d","published":true,"publishedAt":"2025-01-01T00:00:00Z","fields":{"name":"N"},"relations":{"borders":["%02d"]},"translations":{"de":{"name":"M"}}}`, n, (n+1)%count)
			if n == fault {
				line = strings.Replace(line, `"N"`, `null`, 1)
			}
			all = append(all, line)
		}
		return all
	}
	opts := transfer.ImportOptions{Portion: 7}
	report := d.load(t, c, lines(ring(20)...), opts)
	require.Len(t, report.Failed, count)
	require.Zero(t, report.Created)
	require.Equal(t, map[string]string{"fields.name": "is required"}, locations(report.Failed[20].Err))
	require.Equal(t, map[string]string{"relations.borders[0]": "no entry of countries has this key: line 21 was refused"}, locations(report.Failed[19].Err))
	require.Empty(t, d.everything(t, c))
	events, err := d.stores.Events.Events(t.Context(), ports.EventQuery{Limit: 1000})
	require.NoError(t, err)
	for _, e := range events {
		require.Zero(t, e.EntryID, "a rehearsal leaves no events")
	}

	report = d.load(t, c, lines(ring(-1)...), opts)
	require.Equal(t, transfer.ImportReport{Lines: count, Created: 2 * count}, report)
	all := d.everything(t, c)
	require.Len(t, all, 2*count)
	for n, e := range all {
		require.Equal(t, string(e.Draft), string(e.Published))
		require.Equal(t, []int64{all[(n/2+1)%count*2].Group}, core.ReferenceIDs(e.Published.Value("borders")))
		require.Equal(t, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), e.PublishedAt)
	}
	require.Equal(t, transfer.ImportReport{Lines: count, Unchanged: 2 * count}, d.load(t, c, lines(ring(-1)...), opts))
}
