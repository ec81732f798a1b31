package transfer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/query"
	"imprimatur/core/transfer"
)

func lines(l ...string) io.Reader { return strings.NewReader(strings.Join(l, "\n")) }

var alps = []string{
	`{"key":"CHE","published":true,"fields":{"name":"Switzerland","area":41284},"relations":{"borders":["DEU","FRA"]},"translations":{"de":{"name":"Schweiz"},"pt-BR":{"name":"Suíça","area":null}}}`,
	``,
	`{"published":true,"fields":{"code":"DEU","name":"Germany"},"relations":{"borders":["CHE","FRA"]},"translations":{"DE":{"name":"Deutschland"}}}`,
	`{"key":"FRA","fields":{"name":"France"},"relations":{"borders":["CHE","DEU"]}}`,
}

func TestImportWritesLinesWithTheirTranslationsAndRelations(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)

	report := d.load(t, c, lines(alps...), transfer.ImportOptions{})

	require.Equal(t, transfer.ImportReport{Lines: 4, Created: 6}, report)
	var found []string
	entries, err := d.stores.Entries.Walk(t.Context(), d.project.ID, c.ID, 0, 10)
	require.NoError(t, err)
	for _, e := range entries {
		found = append(found, fmt.Sprintf("%d %s %d %t %s", e.ID, e.Locale, e.Group, e.Published != nil, e.Draft))
	}
	require.Equal(t, []string{
		`1 en 1 true {"area":41284,"borders":[4,6],"code":"CHE","name":"Switzerland"}`,
		`2 de 1 true {"area":41284,"borders":[4,6],"code":"CHE","name":"Schweiz"}`,
		`3 pt-BR 1 true {"borders":[4,6],"code":"CHE","name":"Suíça"}`,
		`4 en 4 true {"borders":[1,6],"code":"DEU","name":"Germany"}`,
		`5 de 4 true {"borders":[1,6],"code":"DEU","name":"Deutschland"}`,
		`6 en 6 false {"borders":[1,4],"code":"FRA","name":"France"}`,
	}, found)
	require.Equal(t, string(entries[0].Draft), string(entries[0].Published), "later relations are published, too")
}

func TestImportOfTheSameFileChangesNothing(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	d.load(t, c, lines(alps...), transfer.ImportOptions{})
	before, err := d.stores.Entries.Walk(t.Context(), d.project.ID, c.ID, 0, 10)
	require.NoError(t, err)

	report := d.load(t, c, lines(alps...), transfer.ImportOptions{KeyField: "code"})

	require.Equal(t, transfer.ImportReport{Lines: 4, Unchanged: 6}, report)
	after, err := d.stores.Entries.Walk(t.Context(), d.project.ID, c.ID, 0, 10)
	require.NoError(t, err)
	require.Equal(t, before, after)

	report = d.load(t, c, lines(`{"key":"CHE","fields":{"area":41285},"translations":{"de":{"name":"Die Schweiz"}}}`), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 1, Updated: 2}, report)
	require.Equal(t, `{"area":41285,"borders":[4,6],"code":"CHE","name":"Die Schweiz"}`, d.draft(t, 2))
}

func TestImportOfTheSamePasswordsChangesNothing(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.collection(t, "doors", definition.FieldInput{Name: "name", Type: core.TypeText, Unique: true}, definition.FieldInput{Name: "pin", Type: core.TypePassword})
	doors := []string{
		`{"fields":{"name":"North","pin":"12345678"},"translations":{"de":{"name":"Nord"}}}`,
		`{"published":true,"fields":{"name":"South","pin":"12345678"},"publishedVersion":{"fields":{"name":"Old","pin":"87654321"}}}`,
	}
	require.Equal(t, transfer.ImportReport{Lines: 2, Created: 3}, d.load(t, c, lines(doors...), transfer.ImportOptions{KeyField: "name"}))
	before := d.everything(t, c)
	require.Equal(t, transfer.ImportReport{Lines: 2, Unchanged: 3}, d.load(t, c, lines(doors...), transfer.ImportOptions{KeyField: "name"}))
	require.Equal(t, before, d.everything(t, c))
	doors[0] = strings.Replace(doors[0], "12345678", "12345679", 1)
	require.Equal(t, transfer.ImportReport{Lines: 2, Updated: 2, Unchanged: 1}, d.load(t, c, lines(doors...), transfer.ImportOptions{KeyField: "name"}))
}

func TestImportReportsBadLinesAndKeepsTheGoodOnes(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	report := d.load(t, c, lines(
		`{"key":"AAA","fields":{"name":"A"},"relations":{"borders":["DDD","ZZZ","CCC"]}}`,
		`{"key":"BBB","fields":{"name":5,"size":1},"translations":{"xx":{"name":"B"}}}`,
		`not JSON`,
		`{"key":"CCC","fields":{"name":"C"},"translations":{"de":{"name":7}}}`,
		`{"key":"DDD","fields":{"name":"D"}}`,
		`{"key":"EEE","fields":{"name":"E","code":"XXX"}}`,
		`{"key":5,"colour":1,"relations":{"area":["A"]}}`,
		`{"key":"FFF","key":"GGG"}`,
		`[1]`,
		`{"key":"HHH","locale":7}`,
		`{"key":"III","fields":{"name":"I","borders":[]},"relations":{"borders":[]}}`,
		`{"key":"JJJ","fields":{"name":"J","code":7}}`,
		`{"key":"KKK","translations":{"en":{"name":"K"},"de":{"name":"K"},"DE":{"name":"K"}}}`,
		`{"key":"LLL","locale":null,"published":null,"relations":null,"group":null}`,
	), transfer.ImportOptions{})

	require.Equal(t, int64(14), report.Lines)
	require.Equal(t, int64(1), report.Created)
	failed := map[int64]map[string]string{}
	for _, f := range report.Failed {
		failed[f.Line] = locations(f.Err)
	}
	require.Equal(t, map[int64]map[string]string{
		1:  {"relations.borders[1]": "no entry of countries has this key", "relations.borders[2]": "no entry of countries has this key: line 4 was refused"},
		2:  {"fields.name": "must be a string", "fields.size": "no such field", "translations.xx": "must be a locale of the project"},
		3:  {},
		4:  {"translations.de.name": "must be a string"},
		6:  {"key": "is not the value of code"},
		7:  {"colour": "no such member", "key": "must be a string", "relations.area": "no such relation"},
		8:  {},
		9:  {},
		10: {"locale": "must be a string"},
		11: {"relations.borders": "is among the fields, too"},
		12: {"fields.code": "must be a string"},
		13: {"translations.en": "is the locale of another entry of the line", "translations.de": "is the locale of another entry of the line"},
		14: {"locale": "must not be null", "published": "must not be null", "relations": "must not be null", "group": "must not be null"},
	}, failed)
	all := d.everything(t, c)
	require.Len(t, all, 1)
	require.Equal(t, `{"borders":[],"code":"DDD","name":"D"}`, string(all[0].Draft))
	require.Contains(t, report.Failed[1].Err.Message, "not valid")
}

func TestImportResumes(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	broken := errors.New("disk failure")
	in := io.MultiReader(lines(alps[0], alps[2], ""), failing{broken})

	report, err := d.importer.Import(t.Context(), d.actor, d.project, c.ID, in, transfer.ImportOptions{})
	require.ErrorIs(t, err, broken)
	require.Equal(t, transfer.ImportReport{Lines: 0}, report, "a batch is written as a whole")

	report = d.load(t, c, lines(alps[0], alps[2]), transfer.ImportOptions{})
	require.Len(t, report.Failed, 2, "the lines they refer to are not imported yet")
	var reported [][2]int64
	report = d.load(t, c, lines(alps[0], alps[2], alps[3]), transfer.ImportOptions{
		From: 3, Progress: func(lines, bytes int64) { reported = append(reported, [2]int64{lines, bytes}) },
	})
	require.Equal(t, transfer.ImportReport{Lines: 3, Created: 6}, report, "lines before From that point to later lines are written")
	require.Equal(t, [][2]int64{{3, int64(len(alps[0]) + len(alps[2]) + len(alps[3]) + 2)}}, reported)
	for _, e := range d.everything(t, c) {
		require.Len(t, core.ReferenceIDs(e.Draft.Value("borders")), 2)
	}
}

// TestResumedImportPublishesOnlyItsLines resumes behind a line that was refused. Its entry has a
// draft of an editor.
func TestResumedImportPublishesOnlyItsLines(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	d.create(t, c, `{"code":"AAA","name":"An editor's draft"}`)
	file := []string{
		`{"key":"AAA","published":true,"fields":{"name":7},"relations":{"borders":["BBB"]}}`,
		`{"key":"BBB","fields":{"name":"B"}}`,
	}
	for _, from := range []int64{1, 2} {
		report := d.load(t, c, lines(file...), transfer.ImportOptions{From: from})
		require.Len(t, report.Failed, 1)
		require.Equal(t, map[string]string{"fields.name": "must be a string"}, locations(report.Failed[0].Err))
		e := d.entry(t, 1)
		require.Equal(t, `{"borders":[],"code":"AAA","name":"An editor's draft"}`, string(e.Draft))
		require.Nil(t, e.Published)
	}
}

// TestTranslationsReplaceReferences has translations with references of their own, some of which
// point to a later line.
func TestTranslationsReplaceReferences(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	other := d.create(t, c, `{"code":"OTH","name":"Other"}`)
	report := d.load(t, c, lines(
		fmt.Sprintf(`{"key":"AAA","published":true,"fields":{"name":"A"},"relations":{"borders":["BBB"]},"translations":{"de":{"borders":[%d]},"pt-BR":{"borders":null}}}`, other.ID),
		`{"key":"BBB","fields":{"name":"B"}}`,
		fmt.Sprintf(`{"key":"CCC","fields":{"name":"C"},"relations":{"borders":["BBB"]},"translations":{"de":{"borders":[%d]}}}`, other.ID),
	), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 3, Created: 6}, report)
	var found []string
	for _, e := range d.everything(t, c)[1:] {
		found = append(found, e.Locale+" "+string(e.Draft.Value("code"))+" "+string(e.Draft.Value("borders")))
	}
	require.Equal(t, []string{`en "AAA" [5]`, `de "AAA" [1]`, `pt-BR "AAA" []`, `en "BBB" []`, `en "CCC" [5]`, `de "CCC" [1]`}, found)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestImportOfManyLinesTakesManyTransactions(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	var all []string
	for i := range 1010 {
		all = append(all, fmt.Sprintf(`{"key":"%03d","fields":{"name":"N"},"relations":{"borders":["%03d"]}}`, i, max(i-1, 0)))
	}
	all[230] = `{"key":"230","fields":{"name":null}}`
	var reported []int64
	report := d.load(t, c, lines(all...), transfer.ImportOptions{
		Publish: new(true), Progress: func(lines, _ int64) { reported = append(reported, lines) },
	})
	require.Equal(t, int64(230), report.Created)
	require.Equal(t, []int64{1000, 1010}, reported)
	require.Len(t, report.Failed, 780)
	require.Equal(t, map[string]string{"fields.name": "is required"}, locations(report.Failed[0].Err))
	require.Equal(t, map[string]string{"relations.borders[0]": "no entry of countries has this key: line 1009 was refused"}, locations(report.Failed[779].Err))
	listed, err := d.stores.Entries.Count(t.Context(), query.Selection{
		Schema: core.Schema{Project: d.project, Collection: c, Collections: []*core.Collection{c}},
		Locale: "en", State: core.StatePublished,
	})
	require.NoError(t, err)
	require.Equal(t, int64(230), listed)
}

func TestImportLimitsBatchBytes(t *testing.T) {
	t.Parallel()
	d := setup(t)
	long := `{"fields":{"name":"` + strings.Repeat("x", 3<<19) + `"}}`
	var reported []int64
	report := d.load(t, d.countries(t), lines(long, long, long, long, long), transfer.ImportOptions{
		Progress: func(lines, _ int64) { reported = append(reported, lines) },
	})
	require.Len(t, report.Failed, 5)
	require.Equal(t, []int64{3, 5}, reported, "lines of 1.5 MB")
}

func TestImportEndsWhileWaitingForALine(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	in, out := io.Pipe()
	defer out.Close() //nolint:errcheck // no buffered data
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = io.WriteString(out, `{"key":"CHE","fields":{}}`+"\n") // fails if the import has ended
		cancel()
	}()
	report, err := d.importer.Import(ctx, core.Actor{System: true}, d.project, c.ID, in, transfer.ImportOptions{})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, report.Lines)
}

// TestBatchImportEqualsLineImport checks that the lines of one transaction, however they
// depend on each other, have the same result as one line per transaction.
func TestBatchImportEqualsLineImport(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var all []string
		written := map[string]bool{}
		for range rapid.IntRange(1, 12).Draw(rt, "lines") {
			key := rapid.SampledFrom([]string{``, `"key":"a",`, `"key":"b",`, `"key":"c",`}).Draw(rt, "key")
			locale := rapid.SampledFrom([]string{`"en"`, `"en"`, `"de"`, `"xx"`}).Draw(rt, "locale")
			if key != `` && written[key+locale] {
				continue // a second line for the same entry is refused
			}
			written[key+locale] = true
			all = append(all, fmt.Sprintf(`{%s"published":%s,"locale":%s,"fields":{"title":%s,"email":%s%s}}`,
				key,
				rapid.SampledFrom([]string{`true`, `false`, `null`}).Draw(rt, "published"),
				locale,
				rapid.SampledFrom([]string{`"One title"`, `"One title"`, `"Another"`, `null`}).Draw(rt, "title"),
				rapid.SampledFrom([]string{`"a@x.org"`, `"b@x.org"`, `null`, `null`}).Draw(rt, "email"),
				rapid.SampledFrom([]string{``, ``, `,"slug":null`, `,"slug":"another"`}).Draw(rt, "slug")))
		}
		together, apart := setupPeople(t), setupPeople(t)
		want := transfer.ImportReport{Lines: int64(len(all))}
		for n, line := range all {
			report := apart.load(t, apart.c, lines(line), transfer.ImportOptions{})
			want.Created, want.Updated, want.Unchanged = want.Created+report.Created, want.Updated+report.Updated, want.Unchanged+report.Unchanged
			for _, f := range report.Failed {
				f.Line = int64(n + 1)
				want.Failed = append(want.Failed, f)
			}
		}
		require.Equal(t, want, together.load(t, together.c, lines(all...), transfer.ImportOptions{}))
		require.Equal(t, relabelled(apart.export(t, apart.c)), relabelled(together.export(t, together.c)))
	})
}

var groupLabel = regexp.MustCompile(`"group":"[^"]*"`)

// relabelled numbers the groups of an export by first appearance, because splitting a batch
// uses up ids.
func relabelled(exported string) string {
	numbers := map[string]string{}
	return groupLabel.ReplaceAllStringFunc(exported, func(label string) string {
		if numbers[label] == "" {
			numbers[label] = fmt.Sprintf(`"group":%d`, len(numbers)+1)
		}
		return numbers[label]
	})
}

// people is a fixture whose collection has every kind of conflict between lines of a batch.
type people struct {
	*fixture
	c *core.Collection
}

func setupPeople(t *testing.T) people {
	t.Helper()
	d := setup(t)
	return people{d, d.collection(t, "people",
		definition.FieldInput{Name: "code", Type: core.TypeText, Unique: true},
		definition.FieldInput{Name: "title", Type: core.TypeText, Required: true},
		definition.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true},
		definition.FieldInput{Name: "email", Type: core.TypeEmail, Unique: true},
	)}
}

func TestImportSetsRequiredRelationsLater(t *testing.T) {
	t.Parallel()
	d := setup(t)
	countries := d.countries(t)
	d.load(t, countries, lines(alps...), transfer.ImportOptions{})
	c := d.collection(t, "people",
		definition.FieldInput{Name: "email", Type: core.TypeEmail, Unique: true},
		definition.FieldInput{Name: "boss", Type: core.TypeRelation, Collection: "people", Required: true},
		definition.FieldInput{Name: "home", Type: core.TypeRelation, Collection: "countries"},
	)
	report := d.load(t, c, lines(
		`{"key":"a@x.org","published":true,"relations":{"boss":"b@x.org","home":"FRA"}}`,
		`{"key":"b@x.org","published":true,"relations":{"boss":"b@x.org","home":null}}`,
		`{"key":"c@x.org","published":true,"relations":{"boss":"unknown@x.org"}}`,
	), transfer.ImportOptions{})
	require.Equal(t, int64(2), report.Created)
	require.Len(t, report.Failed, 1)
	require.Equal(t, int64(3), report.Failed[0].Line)
	require.Equal(t, `{"boss":8,"email":"a@x.org","home":6}`, string(d.entry(t, 7).Published))
	require.Equal(t, `{"boss":8,"email":"b@x.org"}`, string(d.entry(t, 8).Published))
	require.Len(t, d.everything(t, c), 2)
}

func TestKeysNeedAUniqueField(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.collection(t, "notes",
		definition.FieldInput{Name: "text", Type: core.TypeText},
		definition.FieldInput{Name: "next", Type: core.TypeRelation, Collection: "notes"},
	)
	hidden := d.collection(t, "tokens", definition.FieldInput{Name: "token", Type: core.TypeText, Unique: true, Hidden: true})
	report := d.load(t, c, lines(
		`{"key":"one","fields":{"text":"one"}}`,
		`{"key":null,"group":"two","fields":{"text":"two"}}`,
		`{"group":"three","fields":{"text":"three"},"relations":{"next":"one"}}`,
		`{"group":"four","fields":{"text":"four"},"relations":{"next":{"group":"two"}}}`,
	), transfer.ImportOptions{})
	require.Equal(t, int64(2), report.Created)
	require.Equal(t, map[int64]map[string]string{
		1: {"key": "notes has no unique field to find entries by"},
		3: {"relations.next": "notes has no unique field to find entries by"},
	}, faultsByLine(report))
	report = d.load(t, hidden, lines(`{"key":"A"}`, `{"fields":{"token":"A"}}`), transfer.ImportOptions{})
	require.Equal(t, int64(1), report.Created)
	require.Equal(t, map[int64]map[string]string{1: {"key": "tokens has no unique field to find entries by: token is hidden"}}, faultsByLine(report))

	_, err := d.importer.Import(t.Context(), d.actor, d.project, c.ID, lines(), transfer.ImportOptions{KeyField: "text"})
	require.Contains(t, faultsOf(t, err), "keyField")
}

// TestKeysHaveTheTypeOfTheirField finds entries, and targets of relations, by numbers and dates.
func TestKeysHaveTheTypeOfTheirField(t *testing.T) {
	t.Parallel()
	d := setup(t)
	for _, test := range []struct {
		kind             core.FieldType
		key, same, wrong string
	}{
		{core.TypeNumber, `7`, `7.0`, `"7"`}, {core.TypeDate, `"2026-01-02"`, `"2026-01-02"`, `7`},
	} {
		c := d.collection(t, "keyed-by-"+string(test.kind),
			definition.FieldInput{Name: "code", Type: test.kind, Unique: true},
			definition.FieldInput{Name: "title", Type: core.TypeText},
			definition.FieldInput{Name: "next", Type: core.TypeRelation, Collection: "keyed-by-" + string(test.kind)},
		)
		file := []string{
			fmt.Sprintf(`{"group":"to-%s","fields":{"title":"Other"},"relations":{"next":%s}}`, test.kind, test.same),
			fmt.Sprintf(`{"key":%s,"fields":{"title":"Title"}}`, test.key),
		}
		require.Equal(t, transfer.ImportReport{Lines: 2, Created: 2}, d.load(t, c, lines(file...), transfer.ImportOptions{}))
		require.Equal(t, transfer.ImportReport{Lines: 2, Unchanged: 2}, d.load(t, c, lines(file...), transfer.ImportOptions{}))
		report := d.load(t, c, lines(fmt.Sprintf(`{"key":%s}`, test.wrong)), transfer.ImportOptions{})
		require.Len(t, report.Failed, 1)
		require.Equal(t, test.wrong, string(report.Failed[0].Key))
	}
}

func TestImportRefusesLongLines(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	long := `{"key":"AAA","fields":{"name":"` + strings.Repeat("a", 4<<20) + `"}}`
	report := d.load(t, c, lines(long, `{"key":"BBB","fields":{"name":"B"}}`), transfer.ImportOptions{})
	require.Equal(t, int64(1), report.Created)
	require.Len(t, report.Failed, 1)
	require.Equal(t, "line_too_long", report.Failed[0].Err.Code)
}

// FuzzImport checks that no line stops an import or writes an unreadable entry.
func FuzzImport(f *testing.F) {
	for _, line := range append(alps, `{"key":null}`, `{"fields":{"code":"A","name":"\u0000"}}`, `{"relations":{"borders":[null,1,[]]}}`, `{"translations":{"":null}}`) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		d := setup(t)
		c := d.countries(t)
		report := d.load(t, c, strings.NewReader(line), transfer.ImportOptions{})
		entries, err := d.stores.Entries.Walk(t.Context(), d.project.ID, c.ID, 0, 1000)
		require.NoError(t, err)
		require.Len(t, entries, int(report.Created))
		for _, e := range entries {
			require.True(t, json.Valid(e.Draft))
		}
	})
}

func TestImportStopsWhenItsCollectionIsDeleted(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	var many []string
	for n := range 1500 {
		many = append(many, fmt.Sprintf(`{"key":"C%d","fields":{"name":"A country"}}`, n))
	}
	report, err := d.importer.Import(t.Context(), d.actor, d.project, c.ID, lines(many...), transfer.ImportOptions{
		Progress: func(int64, int64) {
			_ = d.collections.Delete(context.Background(), definition.Change{Actor: d.actor, Project: d.project, CollectionID: c.ID})
		},
	})
	require.ErrorIs(t, err, core.ErrNotFound)
	require.Empty(t, report.Failed, "no line failed")
	require.Equal(t, int64(1000), report.Lines)
}

func TestImportSaysWhatIsWrongWithALine(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	const mark = "\uFEFF"
	report := d.load(t, c, lines(
		mark+`{"key":"AAA","fields":{"name":"A"}}`,
		`{"key":"BBB","fields":{"name":"B"`,
		`{"key":"CCC","fields":{"name":"C","na\u006de":"D"}}`,
		"{\"key\":\"DDD\",\"fields\":{\"name\":\"\xe9t\xe9\"}}",
		`{"key":"EEE" "fields":{}}`,
		`["FFF"]`,
		`{"key":"AAA","fields":{"name":"G"}}`,
		`{"key":"HHH","published":"yes","fields":{"name":"H","area":"big"}}`,
		`{"key":"III","group":"i","fields":{"name":"I"},"relations":{"borders":["ZZZ"]}}`,
		`{"key":"JJJ","fields":{"name":"J"},"translations":{"de":{"name":"K","code":"III"}}}`,
		`{"group":"i","locale":"de","fields":{"name":"L","code":"LLL"}}`,
		`{"group":"i","locale":"de","fields":{"name":"M","code":"MMM"}}`,
	), transfer.ImportOptions{})
	require.Equal(t, int64(4), report.Created)
	found := map[int64]string{}
	for _, f := range report.Failed {
		text := fmt.Sprintf("%s %s: %s", f.Key, f.Group, f.Err.Message)
		for _, e := range f.Err.Fields {
			value, err := json.Marshal(e.Value)
			require.NoError(t, err)
			text += fmt.Sprintf("; %s %s %s", e.Location, value, e.Message)
		}
		found[f.Line] = text
	}
	require.Equal(t, map[int64]string{
		2:  ` : the JSON object does not end on the line: the file is truncated, or an object spans several lines`,
		3:  ` : the line has the member "name" twice in one object`,
		4:  ` : the line is not UTF-8`,
		5:  ` : the line is not a JSON object: expected , or } (byte 14)`,
		6:  ` : the line is not a JSON object`,
		7:  `"AAA" : some values are not valid; key "AAA" line 1 has the same key in locale en and would be overwritten`,
		8:  `"HHH" : some values are not valid; published "yes" must be true or false; fields.area "big" must be a number`,
		9:  `"III" i: some values are not valid; relations.borders[0] "ZZZ" no entry of countries has this key`,
		12: `"MMM" i: some values are not valid; group "i" line 11 has the same group in locale de and would be overwritten`,
	}, found)

	for _, text := range []string{"\xff\xfe{\x00}\x00", "\xfe\xff\x00{\x00}", "{\x00}\x00"} {
		_, err := d.importer.Import(t.Context(), d.actor, d.project, c.ID, strings.NewReader(text), transfer.ImportOptions{})
		require.ErrorIs(t, err, core.BadRequest("not_utf8", "UTF-16"))
	}
}

// TestTranslationsInherit has a translation that starts from the line's fields, and one that does not.
func TestTranslationsInherit(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.news(t)
	d.medium(t, "aa", "cover.jpg")
	const rest = `"locale":"en","fields":{"title":"Hello","views":3},"media":{"cover":{"hash":"aa"}},"relations":{"related":[]},"translations":{"de":{"title":"Hallo"}}}`
	report := d.load(t, c, lines(`{"group":"a",`+rest, `{"group":"b","inherit":true,`+strings.ReplaceAll(rest, "Hello", "Good"), `{"group":"c","inherit":false,`+strings.ReplaceAll(rest, "Hello", "Bye")), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 3, Created: 6}, report)
	var found []string
	for _, e := range d.everything(t, c) {
		if e.Locale == "de" {
			found = append(found, fmt.Sprintf("%s %s", e.Draft.Value("views"), e.Draft.Value("cover")))
		}
	}
	require.Equal(t, []string{`3 1`, `3 1`, `10 `}, found)
}

// TestStoppedImportsNameTheirLastLine stops an import within a portion and resumes it.
func TestStoppedImportsNameTheirLastLine(t *testing.T) {
	t.Parallel()
	const count = 200
	d := setup(t)
	c := d.countries(t)
	var file []string
	for n := range count {
		relations := ""
		if n%2 == 0 {
			relations = fmt.Sprintf(`,"relations":{"borders":["%03d"]}`, (n+2)%count)
		}
		file = append(file, fmt.Sprintf(`{"key":"%03d","fields":{"name":"N"}%s}`, n, relations))
	}
	ctx, cancel := context.WithCancel(t.Context())
	transactions := 0
	report, err := d.importer.Import(ctx, d.actor, d.project, c.ID, lines(file...), transfer.ImportOptions{Between: func() bool {
		if transactions++; transactions == 3 {
			cancel()
		}
		return false
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.Positive(t, report.Lines)
	require.Less(t, report.Lines, int64(count))
	require.Empty(t, report.Failed)
	first := report.Created
	report = d.load(t, c, lines(file...), transfer.ImportOptions{From: report.Lines + 1})
	require.Empty(t, report.Failed)
	require.Equal(t, int64(count), first+report.Created)
	require.Len(t, d.everything(t, c), count)
}

// TestEncodingsAndLineEnds has files that are no JSON Lines in UTF-8.
func TestEncodingsAndLineEnds(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	for text, encoding := range map[string]string{
		"\xff\xfe\x00\x00{\x00\x00\x00": "UTF-32", "\x00\x00\xfe\xff\x00\x00\x00{": "UTF-32", "{\x00\x00\x00}\x00\x00\x00": "UTF-32", "\x00\x00\x00{": "UTF-32",
		"\xff\xfe{\x00": "UTF-16", "\x00{\x00}": "UTF-16",
	} {
		_, err := d.importer.Import(t.Context(), d.actor, d.project, c.ID, strings.NewReader(text), transfer.ImportOptions{})
		require.ErrorContains(t, err, "the file is in "+encoding+": convert it to UTF-8")
	}
	const one, two = `{"key":"A","fields":{"name":"A"}}`, `{"key":"B","fields":{"name":"B"}}`
	const joined = ", as in files that were joined: remove it"
	for text, message := range map[string]string{
		"\uFEFF" + one + "\n\uFEFF" + two: "the line has a byte order mark (byte 1)" + joined,
		one + "\uFEFF" + two:              "the line has a byte order mark (byte 34)" + joined,
		one + "\r" + two + "\r":           "the lines end with CR (U+000D): convert them to LF",
		strings.Repeat(one+"\r", 150_000): "the lines end with CR (U+000D): convert them to LF",
	} {
		report := d.load(t, c, strings.NewReader(text), transfer.ImportOptions{})
		require.Len(t, report.Failed, 1)
		require.Equal(t, message, report.Failed[0].Err.Message)
	}
	require.Empty(t, d.load(t, c, strings.NewReader(one+"\r\n"+two+"\r\n"), transfer.ImportOptions{}).Failed)
}
