package transfer_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/definition"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
)

func TestExportIsReadByImport(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	d.load(t, c, lines(alps...), transfer.ImportOptions{})
	secret := d.create(t, c, `{"code":"SEC","name":"<Sec>","secret":"hush"}`)
	gone := d.create(t, c, `{"code":"OLD","name":"Old"}`)
	d.update(t, secret, fmt.Sprintf(`{"borders":[%d]}`, gone.ID))
	trash(t, d, gone)

	exported := d.export(t, c)

	const (
		che = `{"group":"P/1","key":"CHE"}`
		deu = `{"group":"P/4","key":"DEU"}`
		fra = `{"group":"P/6","key":"FRA"}`
	)
	const (
		created   = `"createdAt":"2026-03-03T12:00:00.000Z"`
		published = `"published":true,"publishedAt":"2026-03-03T12:00:00.000Z",` + created
	)
	require.Equal(t, []string{
		`{"group":"P/1","locale":"en",` + published + `,"fields":{"code":"CHE","name":"Switzerland","area":41284},"relations":{"borders":[` + deu + `,` + fra + `]}}`,
		`{"group":"P/1","locale":"de",` + published + `,"fields":{"code":"CHE","name":"Schweiz","area":41284},"relations":{"borders":[` + deu + `,` + fra + `]}}`,
		`{"group":"P/1","locale":"pt-BR",` + published + `,"fields":{"code":"CHE","name":"Suíça","area":null},"relations":{"borders":[` + deu + `,` + fra + `]}}`,
		`{"group":"P/4","locale":"en",` + published + `,"fields":{"code":"DEU","name":"Germany","area":null},"relations":{"borders":[` + che + `,` + fra + `]}}`,
		`{"group":"P/4","locale":"de",` + published + `,"fields":{"code":"DEU","name":"Deutschland","area":null},"relations":{"borders":[` + che + `,` + fra + `]}}`,
		`{"group":"P/6","locale":"en","published":false,` + created + `,"fields":{"code":"FRA","name":"France","area":null},"relations":{"borders":[` + che + `,` + deu + `]}}`,
		`{"group":"P/7","locale":"en","published":false,` + created + `,"fields":{"code":"SEC","name":"<Sec>","area":null},"relations":{"borders":[]}}`,
		``,
	}, strings.Split(strings.ReplaceAll(exported, d.project.UUID, "P"), "\n"))

	other := setup(t)
	copied := other.countries(t)
	report := other.load(t, copied, strings.NewReader(exported), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 7, Created: 7}, report)
	require.Equal(t, exported, other.export(t, copied))
	report = d.load(t, c, strings.NewReader(exported), transfer.ImportOptions{})
	require.Zero(t, report.Created)
	require.Equal(t, `"hush"`, shown(t, []byte(d.draft(t, secret.ID)), "secret")["secret"])
}

func TestExportWithHiddenFields(t *testing.T) {
	t.Parallel()
	fields := []definition.FieldInput{
		{Name: "title", Type: core.TypeText, Unique: true},
		{Name: "note", Type: core.TypeText, Hidden: true, Required: true},
		{Name: "cover", Type: core.TypeMedia, Hidden: true},
		{Name: "pin", Type: core.TypePassword},
		{Name: "code", Type: core.TypePassword, Hidden: true},
	}
	d := setup(t)
	c := d.collection(t, "vault", fields...)
	d.medium(t, "aa", "cover.jpg")
	first := d.create(t, c, `{"title":"A","note":"public","cover":1,"pin":"12345678","code":"12345678"}`, published(true))
	d.setWorkflow(t)
	d.update(t, first, `{"note":"draft","cover":null}`)
	export := func(d *fixture, c *core.Collection, hidden bool) string {
		var out bytes.Buffer
		report, err := d.exporter.Export(t.Context(), d.project, c.ID, &out, transfer.ExportOptions{Hidden: hidden})
		require.NoError(t, err)
		want := transfer.ExportReport{Entries: 1, Hidden: []string{"note", "cover"}, Passwords: []string{"pin", "code"}}
		if hidden {
			want.Hidden = nil
		}
		require.Equal(t, want, report)
		return out.String()
	}
	require.NotContains(t, export(d, c, false), "note")
	exported := export(d, c, true)
	require.NotContains(t, exported, "12345678")
	require.Contains(t, exported, `"fields":{"title":"A","note":"draft"},"media":{"cover":null}`)
	require.Contains(t, exported, `"publishedVersion":{"fields":{"title":"A","note":"public"},"media":{"cover":{"hash":"aa","fileName":"cover.jpg"}}}`)

	other := setup(t)
	copied := other.collection(t, "vault", fields...)
	other.medium(t, "aa", "cover.jpg")
	report := other.load(t, copied, strings.NewReader(exported), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 1, Created: 1}, report)
	require.Equal(t, exported, export(other, copied, true))
	report = d.load(t, c, strings.NewReader(export(d, c, false)), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 1, Unchanged: 1}, report, "what an export leaves out stays")
}

// Incomplete drafts are exported as they are, and imported where the check allows it.
func TestIncompleteDraftsAreExportedAndImported(t *testing.T) {
	t.Parallel()
	incomplete := func(w *core.EntryWrite) { w.AllowIncomplete = true }
	drafts := func(d *fixture) *core.Collection {
		minimum, two := 3.0, 2.0
		return d.collection(t, "drafts",
			definition.FieldInput{Name: "title", Type: core.TypeText, Required: true, Min: &minimum},
			definition.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true, Required: true},
			definition.FieldInput{Name: "see", Type: core.TypeRelation, Collection: "drafts", Multiple: true, Min: &two},
			definition.FieldInput{Name: "note", Type: core.TypeText, Pattern: "[A-Z].*"},
		)
	}
	d := setup(t)
	c := drafts(d)
	first := d.create(t, c, `{}`, incomplete)
	second := d.create(t, c, fmt.Sprintf(`{"title":"B","note":"low","see":[%d]}`, first.ID), incomplete)
	d.update(t, first, fmt.Sprintf(`{"see":[%d]}`, second.ID), incomplete)
	public := d.create(t, c, fmt.Sprintf(`{"title":"Peace","see":[%d,%d]}`, first.ID, second.ID), published(true))
	d.setWorkflow(t) // only the draft changes
	d.update(t, public, `{"title":"","note":"low"}`, incomplete)
	exported := d.export(t, c)

	other := setup(t)
	copied := drafts(other)
	report := other.load(t, copied, strings.NewReader(exported), transfer.ImportOptions{})
	require.Len(t, report.Failed, 3)
	require.Zero(t, report.Created)
	report = other.load(t, copied, strings.NewReader(exported), transfer.ImportOptions{AllowIncomplete: true})
	require.Equal(t, transfer.ImportReport{Lines: 3, Created: 3}, report)
	require.Equal(t, exported, other.export(t, copied))
	report = other.load(t, copied, strings.NewReader(exported), transfer.ImportOptions{AllowIncomplete: true})
	require.Equal(t, transfer.ImportReport{Lines: 3, Unchanged: 3}, report)
	require.Equal(t, exported, other.export(t, copied))

	// What a line publishes is complete.
	report = other.load(t, copied, lines(`{"published":true,"fields":{"title":"A"}}`,
		`{"published":true,"fields":{"title":""},"publishedVersion":{"fields":{"title":"C"}}}`), transfer.ImportOptions{AllowIncomplete: true})
	require.Len(t, report.Failed, 2)
	require.Equal(t, map[string]string{"fields.title": "must have at least 3 characters"}, locations(report.Failed[0].Err))
	require.Contains(t, locations(report.Failed[1].Err), "publishedVersion.fields.title")
}

// news creates a collection with everything that an export contains: keys that differ
// between locales, relations without keys, media and both versions.
func (d *fixture) news(t testing.TB) *core.Collection {
	t.Helper()
	d.collection(t, "places", definition.FieldInput{Name: "name", Type: core.TypeText})
	return d.collection(t, "news",
		definition.FieldInput{Name: "title", Type: core.TypeText, Required: true},
		definition.FieldInput{Name: "slug", Type: core.TypeSlug, Source: "title", Unique: true},
		definition.FieldInput{Name: "views", Type: core.TypeNumber, Default: []byte("10")},
		definition.FieldInput{Name: "related", Type: core.TypeRelation, Collection: "news", Multiple: true},
		definition.FieldInput{Name: "place", Type: core.TypeRelation, Collection: "places"},
		definition.FieldInput{Name: "cover", Type: core.TypeMedia},
		definition.FieldInput{Name: "shots", Type: core.TypeMedia, Multiple: true},
	)
}

func (d *fixture) places(t testing.TB) *core.Collection {
	t.Helper()
	all, err := d.collections.List(t.Context(), d.project)
	require.NoError(t, err)
	for _, c := range all {
		if c.Slug == "places" {
			return c
		}
	}
	return nil
}

// written returns a fixture with news in every state that an export contains.
func written(t *testing.T) (*fixture, *core.Collection) {
	t.Helper()
	d := setup(t)
	c := d.news(t)
	cover, twin, shot := d.medium(t, "aa", "cover.jpg"), d.medium(t, "aa", "twin.jpg"), d.medium(t, "bb", "shot.jpg")
	place := d.create(t, d.places(t), `{"name":"Zürich"}`)

	english := d.create(t, c, `{"title":"Good morning"}`, published(true), until(day.Add(96*time.Hour)))
	german := d.create(t, c, `{"title":"Guten Morgen"}`, in("de"), of(english.ID), published(true))
	d.create(t, c, `{"title":"Good morning"}`, in("de"))
	d.clock.now = d.clock.now.Add(time.Hour)
	edited := d.create(t, c, fmt.Sprintf(`{"title":"As it is","cover":%d,"shots":[%d,%d,%d],"place":%d,"related":[%d]}`,
		cover.ID, twin.ID, shot.ID, cover.ID, place.ID, german.ID), published(true))
	d.create(t, c, fmt.Sprintf(`{"title":"To come","related":[%d]}`, edited.ID), published(true), at(day.Add(48*time.Hour)))
	// A scheduled edit of a published entry is not public.
	d.update(t, edited, fmt.Sprintf(`{"title":"As it will be","views":null,"shots":[%d]}`, shot.ID), published(true), at(day.Add(72*time.Hour)), until(day.Add(97*time.Hour)))
	last := d.create(t, c, `{"title":"Last","slug":null}`)
	d.update(t, english, fmt.Sprintf(`{"related":[%d,%d]}`, last.ID, edited.ID))
	return d, c
}

// TestExportsOfCopiesAreEqual exports, imports into an empty project, and exports again.
func TestExportsOfCopiesAreEqual(t *testing.T) {
	t.Parallel()
	d, c := written(t)
	places, news := d.export(t, d.places(t)), d.export(t, c)
	other := setup(t)
	other.clock.now = d.clock.now.Add(time.Minute)
	copied := other.news(t)
	for _, m := range [][2]string{{"cc", "other.jpg"}, {"bb", "shot.jpg"}, {"aa", "cover.jpg"}, {"aa", "twin.jpg"}} {
		other.medium(t, m[0], m[1])
	}
	other.create(t, other.places(t), `{"name":"Elsewhere"}`)
	trash(t, other, other.create(t, copied, `{"title":"In the way"}`))

	require.Equal(t, transfer.ImportReport{Lines: 1, Created: 1}, other.load(t, other.places(t), strings.NewReader(places), transfer.ImportOptions{}))
	require.Equal(t, transfer.ImportReport{Lines: 6, Created: 6}, other.load(t, copied, strings.NewReader(news), transfer.ImportOptions{}))
	require.Equal(t, news, other.export(t, copied))
	require.Contains(t, other.export(t, other.places(t)), places)
	english := other.everything(t, copied)[1]
	require.Equal(t, "Good morning", shownText(t, english.Draft, "title"))
	require.Equal(t, day, english.PublishedAt, "publishedAt is imported")

	for range 2 {
		before := other.everything(t, copied)
		other.clock.now = other.clock.now.Add(time.Minute)
		report := other.load(t, copied, strings.NewReader(news), transfer.ImportOptions{})
		require.Equal(t, transfer.ImportReport{Lines: 6, Unchanged: 6}, report)
		require.Equal(t, before, other.everything(t, copied), "importing a file again changes nothing")
		require.Equal(t, news, other.export(t, copied))
	}
	before := d.everything(t, c)
	require.Equal(t, transfer.ImportReport{Lines: 6, Unchanged: 6}, d.load(t, c, strings.NewReader(news), transfer.ImportOptions{}))
	require.Equal(t, before, d.everything(t, c), "importing into the source changes nothing")
}

func TestPublishedScheduleIsNotReverted(t *testing.T) {
	t.Parallel()
	d, c := written(t)
	news := d.export(t, c)
	d.clock.now = day.Add(96 * time.Hour)
	d.load(t, c, strings.NewReader(news), transfer.ImportOptions{})
	before := d.everything(t, c)
	for _, e := range before {
		if e.Published != nil {
			require.False(t, e.HasTwoDocuments(), "%s", e.Draft)
		}
	}
	d.load(t, c, strings.NewReader(news), transfer.ImportOptions{})
	require.Equal(t, before, d.everything(t, c))
}

func TestExportCarriesBothVersions(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	m := d.create(t, c, `{"code":"AAA","name":"Reviewed"}`, published(true))
	d.setWorkflow(t)
	d.update(t, m, `{"name":"Not reviewed"}`)
	exported := d.export(t, c)
	require.Equal(t, `{"group":"P/1","locale":"en","published":true,"publishedAt":"2026-03-03T12:00:00.000Z","createdAt":"2026-03-03T12:00:00.000Z",`+
		`"fields":{"code":"AAA","name":"Not reviewed","area":null},"relations":{"borders":[]},`+
		`"publishedVersion":{"fields":{"code":"AAA","name":"Reviewed","area":null},"relations":{"borders":[]}}}`+"\n", d.exported(t, c))

	other := setup(t)
	copied := other.countries(t)
	other.load(t, copied, strings.NewReader(exported), transfer.ImportOptions{})
	require.Equal(t, exported, other.export(t, copied))
	require.Contains(t, string(other.entry(t, 1).Published), `"Reviewed"`)
}

// TestGovernedImportSubmitsThePublishedVersion checks that the published version is
// submitted for review and not public before.
func TestGovernedImportSubmitsThePublishedVersion(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.setWorkflow(t)
	c := d.countries(t)
	const file = `{"group":"g","published":true,"publishAt":"2027-01-01T00:00:00Z","publishedAt":"2025-01-01T00:00:00Z",` +
		`"fields":{"code":"AAA","name":"Draft"},"publishedVersion":{"fields":{"code":"AAA","name":"Seen"}}}` + "\n" +
		`{"group":"h","published":true,"publishAt":"2027-01-01T00:00:00Z","fields":{"code":"BBB","name":"Later"},"relations":{"borders":[{"group":"i"}]}}` + "\n" +
		`{"group":"i","published":true,"fields":{"code":"CCC","name":"Now"}}`
	for range 2 {
		report := d.load(t, c, strings.NewReader(file), transfer.ImportOptions{})
		require.Empty(t, report.Failed)
		for _, e := range d.everything(t, c) {
			require.Nil(t, e.Published, "%s", e.Draft)
			requests, err := d.stores.Requests.EntryRequests(t.Context(), d.project.ID, e.ID, 9)
			require.NoError(t, err)
			require.Len(t, requests, 1)
			want := map[int64]string{1: "Seen", 2: "Later", 3: "Now"}[e.ID]
			require.Equal(t, want, shownText(t, requests[0].Item().Fields(), "name"))
			require.Equal(t, e.ID == 2, !requests[0].ScheduledAt.IsZero())
		}
	}
	require.Contains(t, d.draft(t, 1), `"Draft"`)
	require.Len(t, d.everything(t, c), 3)
}

func TestGroupsKeepUnrelatedEntriesApart(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.news(t)
	d.create(t, c, `{"title":"There","slug":"there"}`)
	report := d.load(t, c, lines(
		`{"group":"a","fields":{"title":"X","slug":"x"}}`,
		`{"group":"b","locale":"de","fields":{"title":"X","slug":"x"},"relations":{"related":[{"group":"a"},{"group":"c","key":"there"}]}}`,
		`{"group":"a","locale":"de","fields":{"title":"Y","slug":"y"}}`,
		`{"group":"c","fields":{"title":"Adopted","slug":"there"}}`,
		`{"group":"d","locale":"de","fields":{"title":"Not adopted","slug":"there"}}`,
	), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 5, Created: 4, Updated: 1}, report)
	groups := map[string][]int64{}
	for _, e := range d.everything(t, c) {
		slug := shownText(t, e.Draft, "slug")
		groups[slug] = append(groups[slug], e.Group)
	}
	require.Equal(t, map[string][]int64{"there": {1, 6}, "x": {2, 3}, "y": {2}}, groups)
	require.Equal(t, `[2,1]`, shown(t, []byte(d.draft(t, 3)), "related")["related"])
}

// TestLaterGroupsAreNotFoundByKey has two groups with one slug, in two locales. A line points to the
// second group before it exists.
func TestLaterGroupsAreNotFoundByKey(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.news(t)
	report := d.load(t, c, lines(
		`{"group":"a","fields":{"title":"A","slug":"same"}}`,
		`{"group":"b","fields":{"title":"B","slug":"b"},"relations":{"related":[{"group":"c","key":"same"}]}}`,
		`{"group":"c","locale":"de","fields":{"title":"C","slug":"same"}}`,
	), transfer.ImportOptions{})
	require.Equal(t, transfer.ImportReport{Lines: 3, Created: 3}, report)
	require.Equal(t, `[3]`, shown(t, []byte(d.draft(t, 2)), "related")["related"])
}

func TestImportRefusesInvalidReferences(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.news(t)
	report := d.load(t, c, lines(
		`{"fields":{"title":"A"},"relations":{"related":[null,{"group":"g","kee":"b"},{"Group":"g"}]},`+
			`"media":{"cover":{"hash":"aa","x":1},"shots":[null]}}`,
	), transfer.ImportOptions{})
	require.Equal(t, int64(0), report.Created)
	require.Equal(t, map[string]string{
		"relations.related[0]": "must not be null", "relations.related[1].kee": "no such member", "relations.related[2].Group": "no such member",
		"relations.related[2]": `must be a key or {"group": …, "key": …}`,
		"media.cover.x":        "no such member", "media.shots[0]": "must not be null",
	}, locations(report.Failed[0].Err))
}

// A relation to one collection may name it, as an export of relations to several does.
func TestTargetsOfOneCollectionMayNameIt(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.news(t)
	report := d.load(t, c, lines(
		`{"group":"a","fields":{"title":"A","slug":"a"}}`,
		`{"fields":{"title":"B","slug":"b"},"relations":{"related":[{"collection":"`+c.Slug+`","key":"a"}]}}`,
		`{"fields":{"title":"C","slug":"c"},"relations":{"related":[{"collection":"others","key":"a"}]}}`,
	), transfer.ImportOptions{})
	require.Equal(t, int64(2), report.Created)
	require.Equal(t, `[1]`, shown(t, []byte(d.draft(t, 2)), "related")["related"])
	require.Equal(t, []string{"relations.related[0]"}, slices.Collect(maps.Keys(locations(report.Failed[0].Err))))
}

func TestImportRefusesInvalidGroups(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.news(t)
	place := d.create(t, d.places(t), `{"name":"P"}`)
	gone := d.create(t, c, `{"title":"Gone"}`)
	trash(t, d, gone)
	own := func(id int64) string { return fmt.Sprintf("%s/%d", d.project.UUID, id) }
	report := d.load(t, c, lines(
		`{"group":"","fields":{"title":"A"}}`,
		`{"group":"`+strings.Repeat("g", 201)+`","fields":{"title":"A"}}`,
		`{"group":7,"fields":{"title":"A"}}`,
		`{"group":"`+own(place.ID)+`","fields":{"title":"A"}}`,
		`{"group":"`+own(gone.ID)+`","fields":{"title":"A"}}`,
		`{"publishedVersion":{"fields":{"title":"A"}},"fields":{"title":"A"}}`,
		`{"published":true,"publishedVersion":{"fields":{"titel":"A","views":"many"},"colour":1},"fields":{"title":"A"}}`,
		`{"published":true,"publishedVersion":{"fields":{"title":null}},"fields":{"title":"A"}}`,
		`{"published":true,"publishedAt":"2999-01-01T00:00:00Z","fields":{"title":"A"}}`,
		`{"publishedAt":"2020-01-01T00:00:00Z","fields":{"title":"A"}}`,
		`{"published":true,"publishAt":"9999-12-31T23:59:59-05:00","fields":{"title":"A"}}`,
		`{"published":true,"publishAt":"2999-01-02T00:00:00Z","unpublishAt":"2999-01-01T00:00:00Z","fields":{"title":"A"}}`,
		`{"published":true,"unpublishAt":"2020-01-01T00:00:00Z","fields":{"title":"A"}}`,
		`{"unpublishAt":null,"fields":{"title":"A"}}`,
		`{"media":{"cover":7,"title":{"hash":"a"},"shots":{"hash":"a"}},"relations":{"related":[{"key":"a"}]},"fields":{"title":"A"}}`,
		`{"media":{"cover":{"hash":"a\u0000"}},"relations":{"related":[{"group":"a\u0000"}]},"fields":{"title":"A"}}`,
		`{"published":true,"publishedAt":"0001-01-01T00:00:00Z","fields":{"title":"A"}}`,
		`{"published":true,"unpublishAt":"0001-01-01T00:00:00Z","fields":{"title":"A"}}`,
		`{"createdAt":"2999-01-01T00:00:00Z","fields":{"title":"A"}}`,
		`{"createdAt":"0001-01-01T00:00:00Z","fields":{"title":"A"}}`,
		`{"createdAt":"soon","fields":{"title":"A"}}`,
		`{"createdAt":null,"fields":{"title":"A"}}`,
	), transfer.ImportOptions{})
	failed := map[int64]map[string]string{}
	for _, f := range report.Failed {
		failed[f.Line] = locations(f.Err)
	}
	const length = "must have 1 to 200 bytes, without U+0000"
	require.Equal(t, map[int64]map[string]string{
		1: {"group": length},
		2: {"group": length},
		3: {"group": "must be a string"},
		4: {"group": "is a group of another collection"},
		5: {"group": "is in the trash: restore or destroy its entries"},
		6: {"publishedVersion": `goes with "published": true`},
		7: {
			"publishedVersion.colour": "no such member", "publishedVersion.fields.titel": "no such field",
			"publishedVersion.fields.views": "must be a number", "publishedVersion.fields.title": "is required",
		},
		8:  {"publishedVersion.fields.title": "is required"},
		9:  {"publishedAt": "must not be in the future, and not before the year 1"},
		10: {"publishedAt": `goes with "published": true`},
		11: {"publishAt": "must be of the years 1 to 9999 in UTC"},
		12: {"unpublishAt": "must be later than publishAt"},
		13: {"unpublishAt": "must be later than now"},
		14: {"unpublishAt": `goes with "published": true`},
		15: {
			"media.cover": `must be {"hash": …, "fileName": …}`, "media.title": "no such media field", "media.shots": "must be a list",
			"relations.related[0]": `must be a key or {"group": …, "key": …}`,
		},
		16: {"media.cover": `must be {"hash": …, "fileName": …}`, "relations.related[0]": `must be a key or {"group": …, "key": …}`},
		17: {"publishedAt": "must be later than 0001-01-01T00:00:00.000Z"},
		18: {"unpublishAt": "must be later than now"},
		19: {"createdAt": "must not be in the future, and not before the year 1"},
		20: {"createdAt": "must be later than 0001-01-01T00:00:00.000Z"},
		21: {"createdAt": `must be a time such as "2020-01-31T09:00:00Z"`},
		22: {"createdAt": "must not be null"},
	}, failed)
	require.Zero(t, report.Created)
}

func TestImportReportsUnknownReferences(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.news(t)
	report := d.load(t, c, lines(
		`{"published":true,"fields":{"title":"A"},"relations":{"related":[{"group":"x"},{"group":"y","key":"y"}]},"media":{"shots":[{"hash":"cc"}]},`+
			`"publishedVersion":{"fields":{"title":"B"},"media":{"cover":{"hash":"dd"}}}}`,
	), transfer.ImportOptions{})
	require.Zero(t, report.Created)
	require.Len(t, report.Failed, 1)
	require.Equal(t, map[string]string{
		"relations.related[0]": "no entry of news has this group", "relations.related[1]": "no entry of news has this key",
		"media.shots[0]": "no media item has this hash", "publishedVersion.media.cover": "no media item has this hash",
	}, locations(report.Failed[0].Err))
	require.Empty(t, d.everything(t, c))
}

func TestDestroyedGroupIsCreatedAgain(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.news(t)
	m := d.create(t, c, `{"title":"A"}`)
	file := d.export(t, c)
	trash(t, d, m)
	require.NoError(t, d.writer.Destroy(t.Context(), d.actor, review.EntryRef{Project: d.project, CollectionID: c.ID, ID: m.ID}, nil, ""))
	require.Equal(t, transfer.ImportReport{Lines: 1, Created: 1}, d.load(t, c, strings.NewReader(file), transfer.ImportOptions{}))
	require.Equal(t, transfer.ImportReport{Lines: 1, Unchanged: 1}, d.load(t, c, strings.NewReader(file), transfer.ImportOptions{}))
	require.Equal(t, file, d.export(t, c))
}

func shownText(t testing.TB, doc core.Document, name string) string {
	t.Helper()
	text, _ := canonical.Unquote([]byte(shown(t, doc, name)[name]))
	return text
}

// TestImportKeepsTheTimeOfCreation imports entries that were created elsewhere: new ones and existing
// ones, with their translations, and in a draft.
func TestImportKeepsTheTimeOfCreation(t *testing.T) {
	t.Parallel()
	d := setup(t)
	c := d.countries(t)
	const first, second = "2019-05-04T09:00:00.000Z", "1969-12-31T23:59:59.999Z"
	load := func(d *fixture, c *core.Collection, file string) transfer.ImportReport {
		return d.load(t, c, strings.NewReader(file), transfer.ImportOptions{})
	}
	load(d, c, `{"key":"CHE","published":true,"createdAt":"`+first+`","fields":{"name":"Switzerland"},"translations":{"de":{"name":"Schweiz"}}}`+"\n"+
		`{"key":"FRA","fields":{"name":"France"}}`+"\n")
	times := func(d *fixture, c *core.Collection) (all []string) {
		for _, e := range d.everything(t, c) {
			all = append(all, core.FormatTime(e.CreatedAt))
		}
		return all
	}
	now := core.FormatTime(day)
	require.Equal(t, []string{first, first, now}, times(d, c))

	report := load(d, c, `{"key":"FRA","createdAt":"`+second+`"}`+"\n"+`{"key":"CHE","fields":{"area":1}}`+"\n")
	require.Equal(t, transfer.ImportReport{Lines: 2, Updated: 2}, report)
	require.Equal(t, []string{first, first, second}, times(d, c))
	require.Equal(t, transfer.ImportReport{Lines: 1, Unchanged: 1}, load(d, c, `{"key":"FRA","createdAt":"`+second+`"}`))

	other := setup(t)
	copied := other.countries(t)
	exported := d.export(t, c)
	load(other, copied, exported)
	require.Equal(t, times(d, c), times(other, copied))
	require.Zero(t, load(other, copied, exported).Updated)
	require.Equal(t, exported, other.export(t, copied))
}
