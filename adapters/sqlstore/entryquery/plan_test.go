package entryquery

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/entrystatus"
	"imprimatur/core/query"
	"imprimatur/core/words"
)

// The collection of these tests: texts, a number, a boolean and a date with slots, a list, a
// relation, and a field without a slot.
var (
	title    = &core.Field{ID: 1, Name: "title", Type: core.TypeText, Searchable: true, SearchReady: true, Slot: "t1", SlotReady: true}
	category = &core.Field{ID: 2, Name: "category", Type: core.TypeText, Slot: "t2", SlotReady: true}
	region   = &core.Field{ID: 3, Name: "region", Type: core.TypeText, Slot: "t3", SlotReady: true}
	views    = &core.Field{ID: 4, Name: "views", Type: core.TypeNumber, Slot: "n1", SlotReady: true}
	featured = &core.Field{ID: 5, Name: "featured", Type: core.TypeBoolean, Slot: "n2", SlotReady: true}
	day      = &core.Field{ID: 6, Name: "day", Type: core.TypeDate, Slot: "d1", SlotReady: true}
	tags     = &core.Field{ID: 7, Name: "tags", Type: core.TypeText, Multiple: true}
	rank     = &core.Field{ID: 8, Name: "rank", Type: core.TypeNumber}
	motto    = &core.Field{ID: 11, Name: "motto", Type: core.TypeText}
	desk     = &core.Field{ID: 2, Name: "desk", Type: core.TypeRelation, Collection: "desks"}
	author   = &core.Field{ID: 9, Name: "author", Type: core.TypeRelation, Collection: "authors"}
	about    = &core.Field{ID: 12, Name: "about", Type: core.TypeRelation, Collections: []string{"authors", "articles"}}
	name     = &core.Field{ID: 1, Name: "name", Type: core.TypeText, Slot: "t1", SlotReady: true}

	authors  = &core.Collection{ID: 8, ProjectID: 3, Slug: "authors", Fields: []*core.Field{name, desk}}
	desks    = &core.Collection{ID: 10, ProjectID: 3, Slug: "desks", Fields: []*core.Field{name}}
	articles = &core.Collection{ID: 7, ProjectID: 3, Slug: "articles", Fields: []*core.Field{title, category, region, views, featured, day, tags, rank, motto, author}}
	// illustrated has pictures, and a removed field.
	illustrated = &core.Collection{
		ID: 9, ProjectID: 3, Slug: "illustrated", Fields: []*core.Field{title, day, {ID: 10, Name: "cover", Type: core.TypeMedia}}, Removed: []*core.Field{rank},
	}
	project = &core.Project{ID: 3, DefaultLocale: "en", Locales: []string{"en", "de"}}
)

func text(f *core.Field, op query.Op, values ...string) query.Predicate {
	c := query.Predicate{Field: f, Op: op}
	for _, v := range values {
		c.Values = append(c.Values, core.Value{Text: v})
	}
	return c
}

func number(f *core.Field, op query.Op, values ...float64) query.Predicate {
	c := query.Predicate{Field: f, Op: op}
	for _, v := range values {
		c.Values = append(c.Values, core.Value{Num: v})
	}
	return c
}

// ofDesk returns the condition that the author's desk has a name.
func ofDesk() query.Predicate {
	c := text(name, query.OpEqual, "world")
	c.Relation, c.Target, c.Second, c.SecondTarget = author, authors, desk, desks
	return c
}

// selection returns the first page of published articles in English, 20 per page, newest first,
// as modified by change.
func selection(change func(*query.Selection)) query.Selection {
	sel := query.Selection{
		Schema: core.Schema{Project: project, Collection: articles, Collections: []*core.Collection{articles, authors}},
		Locale: "en", Limit: 20, Sort: by(core.SystemID, true),
	}
	change(&sel)
	return sel
}

func by(f *core.Field, desc bool) []query.SortKey {
	if f == core.SystemID {
		return []query.SortKey{{Field: f, Desc: desc}}
	}
	return []query.SortKey{{Field: f, Desc: desc}, {Field: core.SystemID, Desc: desc}}
}

// after begins the page after an entry with these values of the sort keys; nil is null.
func after(change func(*query.Selection), values ...any) func(*query.Selection) {
	return func(sel *query.Selection) {
		change(sel)
		sel.After = &query.Position{ID: 4711}
		for _, value := range values {
			var v *core.Value
			switch value := value.(type) {
			case string:
				v = &core.Value{Text: value}
			case int:
				v = &core.Value{Num: float64(value)}
			}
			sel.After.Values = append(sel.After.Values, v)
		}
	}
}

func where(clauses ...query.Predicate) func(*query.Selection) {
	return func(sel *query.Selection) { sel.Where = clauses }
}

func ordered(by []query.SortKey, clauses ...query.Predicate) func(*query.Selection) {
	return func(sel *query.Selection) { sel.Sort, sel.Where = by, clauses }
}

// TestPlans compares plans with the files in testdata, one request per file. UPDATE_PLANS=1 writes
// the files.
func TestPlans(t *testing.T) {
	t.Parallel()
	byName := query.Predicate{Relation: author, Target: authors, Field: name, Values: []core.Value{{Text: "Ada"}}}
	byNameOrTitle := query.Predicate{Relation: about, Target: authors, Field: name, Others: []query.Hop{{Target: articles, Field: title}}, Values: byName.Values}
	byNameOrMotto := byNameOrTitle
	byNameOrMotto.Others = []query.Hop{{Target: articles, Field: motto}}
	pages := map[string]func(*query.Selection){
		"newest":                                  where(),
		"newest by day":                           ordered(by(day, true)),
		"newest by publication":                   ordered(by(core.SystemPublishedAt, true)),
		"by a field without a slot":               ordered(by(rank, false)),
		"by a text without a slot":                ordered(by(motto, false), text(motto, query.OpGreater, "m")),
		"filter by category":                      where(text(category, query.OpEqual, "news")),
		"filter by category, sort by views":       ordered(by(views, true), text(category, query.OpEqual, "news")),
		"filter by category and range, by range":  ordered(by(views, true), text(category, query.OpEqual, "news"), number(views, query.OpGreater, 500)),
		"filter by range, sort by day":            ordered(by(day, true), number(views, query.OpGreater, 500)),
		"filter by list, sort by day":             ordered(by(day, true), text(tags, query.OpEqual, "a")),
		"filter by author's name, sort by day":    ordered(by(day, true), byName),
		"filter by a field of several, by day":    ordered(by(day, true), byNameOrTitle),
		"filter by a field of several, slotless":  ordered(by(day, true), byNameOrMotto),
		"filter by a target of several, by day":   ordered(by(day, true), number(about, query.OpEqual, 5)),
		"title contains a word, sort by day":      ordered(by(day, true), text(title, query.OpLike, "word")),
		"title contains two letters, sort by day": ordered(by(day, true), text(title, query.OpLike, "wo")),
		"not a category, sort by day":             ordered(by(day, true), text(category, query.OpNot, "news")),
		"one category or another, sort by day": func(sel *query.Selection) {
			sel.Sort = by(day, true)
			sel.Or = [][]query.Predicate{{text(category, query.OpEqual, "news")}, {text(region, query.OpEqual, "north")}}
		},
		"German with fallback, sort by day": func(sel *query.Selection) { sel.Locale, sel.Sort = "de", by(day, true) },
		"drafts, sort by day":               func(sel *query.Selection) { sel.State, sel.Sort = core.StateWithDraft, by(day, true) },
		"in review, sort by day": func(sel *query.Selection) {
			sel.State, sel.Status, sel.Sort = core.StateWithDraft, entrystatus.InReview, by(day, true)
		},
		"changed, sort by day": func(sel *query.Selection) {
			sel.Schema.Collection = illustrated
			sel.State, sel.Status, sel.Sort = core.StateWithDraft, entrystatus.Changed, by(day, true)
		},
		"edited by one user, sort by day": func(sel *query.Selection) {
			sel.State, sel.EditedBy, sel.Sort = core.StateWithDraft, 7, by(day, true)
		},
		"outdated in German, sort by day": func(sel *query.Selection) {
			sel.State, sel.Outdated, sel.Sort = core.StateWithDraft, "de", by(day, true)
		},
		"two relations away": func(sel *query.Selection) { sel.Where = []query.Predicate{ofDesk()} },
		"two relations away in every locale": func(sel *query.Selection) {
			sel.Where, sel.Locale = []query.Predicate{ofDesk()}, query.AllLocales
		},
		"translations of an entry": func(sel *query.Selection) { sel.Member = 7 },
		"translations of an entry in every locale, by day": func(sel *query.Selection) {
			sel.Member, sel.Locale, sel.Sort = 7, query.AllLocales, by(day, true)
			sel.Where = []query.Predicate{text(category, query.OpEqual, "news")}
		},
		"only drafts":        func(sel *query.Selection) { sel.State = core.StateOnlyDraft },
		"every locale":       func(sel *query.Selection) { sel.Locale = query.AllLocales },
		"a deep page by day": func(sel *query.Selection) { sel.Sort, sel.Offset = by(day, true), 50_000 },
	}
	maps.Copy(pages, pagesAfter())
	maps.Copy(pages, searches())
	totals := map[string]func(*query.Selection){
		"total":                               where(),
		"total of a category":                 where(text(category, query.OpEqual, "news")),
		"total of a category and a range":     where(text(category, query.OpEqual, "news"), number(views, query.OpGreater, 500)),
		"total of a category and a region":    where(text(category, query.OpEqual, "news"), text(region, query.OpEqual, "north")),
		"total of featured and a range":       where(number(featured, query.OpEqual, 1), number(views, query.OpGreater, 500)),
		"total without a category":            where(text(category, query.OpNot, "news")),
		"total without a category in a range": where(text(category, query.OpNot, "news"), number(views, query.OpGreater, 500)),
		"total of a list":                     where(text(tags, query.OpEqual, "a")),
		"total of an author's name":           where(byName),
		"total of a field of several":         where(byNameOrTitle),
		"total in review":                     func(sel *query.Selection) { sel.State, sel.Status = core.StateWithDraft, entrystatus.InReview },
		"total of changed": func(sel *query.Selection) {
			sel.Schema.Collection = illustrated
			sel.State, sel.Status = core.StateWithDraft, entrystatus.Changed
		},
		"total edited by one user in all languages": func(sel *query.Selection) {
			sel.State, sel.EditedBy, sel.Locale = core.StateWithDraft, 7, query.AllLocales
		},
		"total edited by one user":              func(sel *query.Selection) { sel.State, sel.EditedBy = core.StateWithDraft, 7 },
		"total outdated in German":              func(sel *query.Selection) { sel.State, sel.Outdated = core.StateWithDraft, "de" },
		"total two relations away":              func(sel *query.Selection) { sel.Where = []query.Predicate{ofDesk()} },
		"total of the translations of an entry": func(sel *query.Selection) { sel.Member = 7 },
		"total of a word":                       where(text(title, query.OpLike, "word")),
		"total of a search":                     searching("old harbour"),
		"total of a search in a category": func(sel *query.Selection) {
			searching("harbour")(sel)
			sel.Where = []query.Predicate{text(category, query.OpEqual, "news")}
		},
	}
	for name, of := range tallies() {
		expect(t, name, PlanTally(selection(of.change), of.tally))
	}
	for name, change := range pages {
		expect(t, name, Plan(selection(change), false))
	}
	for name, change := range totals {
		expect(t, name, Total(selection(change)))
	}
}

// tallyOf is a selection that is counted by value.
type tallyOf struct {
	tally  query.Tally
	change func(*query.Selection)
}

// tallies are counts by value.
func tallies() map[string]tallyOf {
	of := func(f *core.Field, change func(*query.Selection)) tallyOf {
		return tallyOf{query.Tally{By: f, Periods: []int64{0, 1, 2}, Most: 200}, change}
	}
	german := func(sel *query.Selection) { sel.Locale = "de" }
	news, many := text(category, query.OpEqual, "news"), number(views, query.OpGreater, 500)
	return map[string]tallyOf{
		"by category":                          of(category, where()),
		"by category, of a category":           of(category, where(news)),
		"by region, of a category":             of(region, where(news)),
		"by region, of a range":                of(region, where(many)),
		"by region, in German with fallback":   of(region, german),
		"by region, of an author":              of(region, where(number(author, query.OpEqual, 5), many)),
		"by region, of a search":               of(region, searching("old harbour")),
		"by featured":                          of(featured, where()),
		"by tag":                               of(tags, where()),
		"by tag, of a category":                of(tags, where(news)),
		"by tag, of a word":                    of(tags, where(text(title, query.OpLike, "word"))),
		"by author":                            of(author, where()),
		"by author, in every locale":           of(author, func(sel *query.Selection) { sel.Locale = query.AllLocales }),
		"by author, of a range":                of(author, where(many)),
		"by day":                               of(day, where()),
		"by day, of a category":                of(day, where(news)),
		"by publication":                       of(core.SystemPublishedAt, where()),
		"by category, of drafts":               of(category, func(sel *query.Selection) { sel.State = core.StateWithDraft }),
		"by category, of translations":         of(category, func(sel *query.Selection) { sel.Member = 7 }),
		"by category, two relations away":      of(category, func(sel *query.Selection) { sel.Where = []query.Predicate{ofDesk()} }),
		"by region, without a category":        of(region, where(text(category, query.OpNot, "news"))),
		"by region, one category or another":   of(region, func(sel *query.Selection) { sel.Or = [][]query.Predicate{{news}, {many}} }),
		"by category, of a category and range": of(category, where(news, many)),
	}
}

// TestTalliesDependOnTheShapeAlone checks that the statements of counts have no values in their text.
func TestTalliesDependOnTheShapeAlone(t *testing.T) {
	t.Parallel()
	render := func(category string, periods ...int64) Statement {
		sel := selection(where(text(region, query.OpEqual, category)))
		return Tallied(plain{}, articles, PlanTally(sel, query.Tally{By: day, Periods: periods}))
	}
	if a, b := render("north", 1, 2, 3), render("south", 4, 5, 6, 7); a.Text != b.Text || len(a.Args) != len(b.Args) {
		t.Errorf("%s %v\nand\n%s %v", a.Text, a.Args, b.Text, b.Args)
	}
}

// pagesAfter are pages that begin after a position.
func pagesAfter() map[string]func(*query.Selection) {
	keys := func(sort ...query.SortKey) []query.SortKey { return append(sort, query.SortKey{Field: core.SystemID}) }
	byTitle := ordered(keys(query.SortKey{Field: title}))
	inGerman := func(change func(*query.Selection)) func(*query.Selection) {
		return func(sel *query.Selection) { change(sel); sel.Locale = "de" }
	}
	everywhere := func(sel *query.Selection) {
		sel.Locale, sel.Sort = query.AllLocales, keys(query.SortKey{Field: core.SystemLocale}, query.SortKey{Field: views})
	}
	mixed := ordered(keys(query.SortKey{Field: views, Desc: true}, query.SortKey{Field: day}))
	return map[string]func(*query.Selection){
		"after, newest":                                 after(where()),
		"after, newest by day":                          after(ordered(by(day, true)), 5),
		"after, newest by day, without a day":           after(ordered(by(day, true)), nil),
		"after, by day, ids in the other order":         after(ordered(keys(query.SortKey{Field: day, Desc: true})), 5),
		"after, by views and day":                       after(mixed, 3, 5),
		"after, by views and day, without a day":        after(mixed, 3, nil),
		"after, by views and day, without views":        after(mixed, nil, 5),
		"after, by views and day, without both":         after(mixed, nil, nil),
		"after, by a field without a slot":              after(ordered(by(rank, false)), 2),
		"after, by title":                               after(byTitle, "Title"),
		"after, by a text without a slot":               after(ordered(by(motto, false)), "Motto"),
		"after, filter by category":                     after(where(text(category, query.OpEqual, "news"))),
		"after, filter by category, sort by views":      after(ordered(by(views, true), text(category, query.OpEqual, "news")), 3),
		"after, title contains a word, sort by day":     after(ordered(by(day, true), text(title, query.OpLike, "word")), 5),
		"after, German with fallback, sort by day":      inGerman(after(ordered(by(day, true)), 5)),
		"after, drafts, sort by day":                    after(func(sel *query.Selection) { sel.State, sel.Sort = core.StateWithDraft, by(day, true) }, 5),
		"after, every locale, by locale and views":      after(everywhere, "en", 3),
		"after, every locale, by locale, without views": after(everywhere, "de", nil),
		"after, in review, sort by day": after(func(sel *query.Selection) {
			sel.State, sel.Status, sel.Sort = core.StateWithDraft, entrystatus.InReview, by(day, true)
		}, 5),
	}
}

// searching selects the entries with these words, in the order of the search.
func searching(text string, changes ...func(*query.Selection)) func(*query.Selection) {
	return func(sel *query.Selection) {
		search, fault := words.ParseSearch(text)
		if fault != "" {
			panic(fault)
		}
		sel.Search = search
		sel.Sort = []query.SortKey{{Field: query.RankField, Desc: true}, {Field: query.MomentField, Desc: true}, {Field: core.SystemID, Desc: true}}
		for _, change := range changes {
			change(sel)
		}
	}
}

// searches are pages of searches.
func searches() map[string]func(*query.Selection) {
	untitled := func(sel *query.Selection) { sel.Schema.Collection = authors }
	news := func(sel *query.Selection) { sel.Where = []query.Predicate{text(category, query.OpEqual, "news")} }
	german := func(sel *query.Selection) { sel.Locale = "de" }
	everywhere := func(sel *query.Selection) { sel.Locale = query.AllLocales }
	drafts := func(sel *query.Selection) { sel.State = core.StateWithDraft }
	byDay := func(sel *query.Selection) { sel.Sort = by(day, true) }
	return map[string]func(*query.Selection){
		"search":                              searching("old harbour"),
		"search of one word":                  searching("harbour"),
		"search without a title":              searching("harbour", untitled),
		"search with a filter":                searching("harbour", news),
		"search in German with fallback":      searching("hafen", german),
		"search in every locale":              searching("harbour", everywhere),
		"search of drafts":                    searching("harbour", drafts),
		"search, sort by day":                 searching("harbour", byDay),
		"search with a filter, sort by day":   searching("harbour", news, byDay),
		"after, search, in the titles":        after(searching("harbour"), 1, 1_700_000_000),
		"after, search, behind the titles":    after(searching("harbour"), 0, 1_700_000_000),
		"after, search with a filter, by day": after(searching("harbour", news, byDay), 5),
	}
}

var update = os.Getenv("UPDATE_PLANS") != ""

func expect(t *testing.T, name string, plan fmt.Stringer) {
	t.Helper()
	file := filepath.Join("testdata", strings.NewReplacer(" ", "_", ",", "", "'", "").Replace(name)+".txt")
	if update {
		if err := os.WriteFile(file, []byte(plan.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file) //nolint:gosec // a file of the test
	if err != nil || string(want) != plan.String() {
		t.Errorf("%s:\n%s\nwant\n%s%v", name, plan.String(), want, err)
	}
}

// TestNoPlanOfAnImpossibleStatus checks that no statement looks for drafts among published entries.
func TestNoPlanOfAnImpossibleStatus(t *testing.T) {
	t.Parallel()
	sel := selection(func(sel *query.Selection) { sel.Status = entrystatus.Draft })
	if plan, total := Plan(sel, false), Total(sel); plan != nil || total != nil {
		t.Errorf("%s\nand\n%s", plan, total)
	}
}

// TestPlansDependOnTheShapeAlone checks that requests that differ only in values share a statement.
func TestPlansDependOnTheShapeAlone(t *testing.T) {
	t.Parallel()
	one := Plan(selection(ordered(by(views, true), text(category, query.OpEqual, "news"), number(views, query.OpGreater, 500))), false).First
	other := Plan(selection(ordered(by(views, true), text(category, query.OpEqual, "sports"), number(views, query.OpGreater, 7))), false).First
	if a, b := Page(plain{}, articles, one), Page(plain{}, articles, other); a.Text != b.Text {
		t.Errorf("%s\nand\n%s", a.Text, b.Text)
	}
	mixed := append([]query.SortKey{{Field: views}}, by(day, true)...)
	one, other = Plan(selection(after(ordered(mixed), 1, 2)), false).First, Plan(selection(after(ordered(mixed), 30, 40)), false).First
	if a, b := Page(plain{}, articles, one), Page(plain{}, articles, other); a.Text != b.Text || len(a.Args) != 5 {
		t.Errorf("%s %v\nand\n%s %v", a.Text, a.Args, b.Text, b.Args)
	}
}

// TestSearchesAreBounded searches 50 words in one locale, then in many. A statement with more
// than maxSearches reads the texts of each row instead.
func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	many := *project
	for n := len(many.Locales); n < core.MaxLocales; n++ {
		many.Locales = append(many.Locales, fmt.Sprintf("x%02d", n))
	}
	searches := func(locale string) int {
		sel := selection(func(sel *query.Selection) {
			sel.Schema.Project, sel.Locale = &many, locale
			for range 50 {
				sel.Or = append(sel.Or, []query.Predicate{text(title, query.OpLike, "word")})
			}
		})
		return strings.Count(Total(sel).String(), TextSet{Field: title}.describe())
	}
	if one, all := searches("en"), searches(query.AllLocales); one != 50 || all != 0 {
		t.Errorf("%d searches in one locale, %d in all", one, all)
	}
}

// TestNotIsNeverNull checks the negation of nullable conditions.
func TestNotIsNeverNull(t *testing.T) {
	t.Parallel()
	r := newRenderer(plain{}, articles)
	column := Column{Alias: "i", Name: "n1", Nullable: true}
	for want, c := range map[string]Cond{
		"((i.n1 = 5) IS NOT TRUE)": Compare{column, "=", Number(5)},
		"i.n1 IS NULL":             NotNull{column},
		"NOT (i.entry_id = 5)":     Compare{Column{Alias: "i", Name: "entry_id"}, "=", Number(5)},
		"NOT EXISTS (SELECT 1 FROM media m WHERE m.id = 5 LIMIT 1)": Exists{
			From: Table{Name: "media", Alias: "m"}, Where: Compare{Column{Alias: "m", Name: "id"}, "=", Number(5)}, OneByOne: true,
		},
		"(((i.n1 = 5 OR i.n1 IS NOT NULL)) IS NOT TRUE)": Or{Compare{column, "=", Number(5)}, NotNull{column}},
	} {
		if got := r.condText(not(c)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// plain is a Syntax with simple SQL, for tests without a database.
type plain struct{ Syntax }

func (plain) By(string) string { return "" }
func (plain) OneByOne() string { return " LIMIT 1" }
func (plain) ForEach(table, alias, condition string) string {
	return " CROSS JOIN " + table + " " + alias + " WHERE " + condition
}
func (plain) LimitWhen(condition, limit string) (string, string) { return condition, limit }
func (plain) Integers(place int, values []any) (string, any) {
	return fmt.Sprintf("integers($%d) s", place), values
}
func (plain) AmongRows(column, ids string) string { return column + " IN (" + ids + ")" }

func BenchmarkPlan(b *testing.B) {
	sel := selection(ordered(by(views, true), text(category, query.OpEqual, "news"), number(views, query.OpGreater, 500)))
	b.ReportAllocs()
	for b.Loop() {
		Page(plain{}, articles, Plan(sel, false).First)
	}
}
