package reading_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// selections is a store that captures selections.
type selections struct {
	ports.EntryReader
	last query.Selection
}

// Seeing implements ports.EntryReader. It notes nothing.
func (s *selections) Seeing(*release.Seen) ports.EntryReader { return s }

func (s *selections) List(_ context.Context, sel query.Selection, _ bool) ([]core.Row, int64, error) {
	s.last = sel
	return nil, 0, nil
}

// selection returns the store's selection for q.
func (l *readerFixture) selection(q query.Query) (query.Selection, error) {
	store := &selections{}
	listing, err := reading.NewReader(store, l.schemas, l.stores.Media, "").Prepare(context.Background(), l.project, true, q)
	if err != nil {
		return query.Selection{}, err
	}
	_, err = listing.Page(context.Background())
	return store.last, err
}

func one(field, op string, items ...any) query.Filter {
	return query.Filter{Field: field, Op: op, Operand: query.Operand{Items: items}, Location: "where[0]"}
}

func many(field, op string, items ...any) query.Filter {
	c := one(field, op, items...)
	c.Operand.Listed = true
	return c
}

func text(values ...string) []core.Value {
	out := make([]core.Value, len(values))
	for i, v := range values {
		out[i].Text = v
	}
	return out
}

func num(values ...float64) []core.Value {
	out := make([]core.Value, len(values))
	for i, v := range values {
		out[i].Num = v
	}
	return out
}

func TestConditionValuesByFieldType(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for _, c := range []struct {
		condition query.Filter
		values    []core.Value
	}{
		{one("title", "", "Ünï, x"), text("Ünï, x")},
		{one("title", "", ""), text("")},
		{one("title", "like", "STRASSE ẞ%_"), text("strasse ss%_")},
		{one("body", "like", "x"), text("x")},
		{one("title", "in", "a,b,,c"), text("a", "b", "", "c")},
		{many("title", "in", "a,b", ""), text("a,b", "")},
		{one("title", "between", "a,b"), text("a", "b")},
		{many("title", "not_between", "a", "b"), text("a", "b")},
		{one("locale", "", "en"), text("en")},
		{one("tags", "lt", "m"), text("m")},
		{one("views", "", json.Number("1.5e3")), num(1500)},
		{one("views", "lt", "-0.5"), num(-0.5)},
		{one("views", "in", json.Number("7")), num(7)},
		{many("views", "not_in", json.Number("7"), "8"), num(7, 8)},
		{one("views", "", "9007199254740991"), num(1<<53 - 1)},
		{one("id", "gte", "12"), num(12)},
		{one("featured", "", true), num(1)},
		{one("featured", "not", "false"), num(0)},
		{one("featured", "in", "true,false"), num(1, 0)},
		{one("on", "", "1970-01-02"), num(86400000)},
		{one("opens", "lte", "00:01"), num(60000)},
		{one("at", "gt", "1970-01-01T01:00:00.001+01:00"), num(1)},
		{one("at", "lt", "1970-01-01T00:00:00.0001Z"), num(0.5)},
		{one("at", "gt", "1969-12-31T23:59:59.9999Z"), num(-0.5)},
		{one("publishedAt", "between", "1970-01-01T00:00:00Z,1970-01-01T00:00:01Z"), num(0, 1000)},
		{one("createdAt", "null"), nil},
		{one("country", "", "12"), num(12)},
		{one("country", "in", "12,13"), num(12, 13)},
		{one("cover", "not", json.Number("3")), num(3)},
		{one("meta", "null"), nil},
		{one("meta", "not_null", ""), nil},
		{one("title", "null", "true"), nil},
		{one("title", "null", true), nil},
		{one("title", "null", nil), nil},
	} {
		t.Run(fmt.Sprint(c.condition), func(t *testing.T) {
			t.Parallel()
			sel, err := l.selection(query.Query{Collection: "articles", Where: []query.Filter{c.condition}, Or: [][]query.Filter{{c.condition}}})
			require.NoError(t, err)
			require.Len(t, sel.Where, 1)
			clause := sel.Where[0]
			require.Equal(t, c.condition.Field, clause.Field.Name)
			require.Equal(t, query.Op(c.condition.Op), clause.Op)
			require.Equal(t, c.values, clause.Values)
			require.Nil(t, clause.Relation)
			require.Equal(t, [][]query.Predicate{{clause}}, sel.Or)
		})
	}
}

// TestTextsThatAreNotCompared checks the operators and orders of long texts and URLs.
func TestTextsThatAreNotCompared(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.collection(t, "sites", &core.Field{Name: "url", Type: core.TypeURL}, &core.Field{Name: "long", Type: core.TypeLongText},
		&core.Field{Name: "rich", Type: core.TypeRichText}, &core.Field{Name: "many", Type: core.TypeLongText, Multiple: true})
	l.collection(t, "links", &core.Field{Name: "site", Type: core.TypeRelation, Collection: "sites"})
	const long = " takes only like, null and not_null"
	compared := map[query.Op]string{}
	for _, operator := range query.Operators {
		switch op := operator.Op; op {
		case query.OpLike, query.OpNull, query.OpNotNull:
		case query.OpEqual, query.OpIn, query.OpNot, query.OpNotIn:
			compared[op] = ""
		default:
			compared[op] = " cannot be compared with " + string(op)
		}
	}
	for _, operator := range query.Operators {
		op := operator.Op
		for field, fault := range map[string]string{
			"url": compared[op], "long": long, "rich": long, "many": long,
		} {
			if _, named := compared[op]; !named {
				fault = ""
			}
			items := make([]any, min(operator.MostValues, 2))
			for i := range items {
				items[i] = "x"
			}
			condition := one(field, string(op), items...)
			condition.Operand.Listed = len(items) > 1
			_, err := l.selection(query.Query{Collection: "sites", Where: []query.Filter{condition}})
			expectFault(t, err, fault, field, op)
			condition.Field = "site." + field
			_, err = l.selection(query.Query{Collection: "links", Or: [][]query.Filter{{condition}}})
			expectFault(t, err, fault, field, op)
		}
	}
	for _, field := range []string{"url", "long", "rich", "many"} {
		_, err := l.selection(query.Query{Collection: "sites", Sort: field + ":desc"})
		expectFault(t, err, `cannot be sorted by "`+field+`"`, field, "sort")
	}
}

// expectFault checks that err is a bad request with the fault; an empty fault means no error.
func expectFault(t *testing.T, err error, fault string, about ...any) {
	t.Helper()
	if fault == "" {
		require.NoError(t, err, about...)
		return
	}
	require.Equal(t, core.KindBadRequest, core.KindOf(err), about...)
	require.ErrorContains(t, err, fault, about...)
}

func TestColorsAreComparedInStoredForm(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	l.collection(t, "paints", &core.Field{Name: "tint", Type: core.TypeColor})
	for _, c := range []struct {
		condition query.Filter
		values    []core.Value
	}{
		{one("tint", "", "#ABCDEF"), text("#abcdef")},
		{one("tint", "in", "#ABCDEF,#00ff00"), text("#abcdef", "#00ff00")},
		{one("tint", "gte", "#A00000"), text("#a00000")},
		{one("tint", "like", "AB"), text("ab")},
	} {
		sel, err := l.selection(query.Query{Collection: "paints", Where: []query.Filter{c.condition}})
		require.NoError(t, err)
		require.Equal(t, c.values, sel.Where[0].Values)
	}
}

func TestConditionsOverOneRelation(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	sel, err := l.selection(query.Query{Collection: "articles", Where: []query.Filter{
		one("country.name", "like", "P"), one("country.borders", "", "4"), one("related.publishedAt", "null"),
	}})
	require.NoError(t, err)
	got := make([]string, len(sel.Where))
	for i, c := range sel.Where {
		got[i] = c.Relation.Name + " in " + c.Target.Slug + ": " + c.Field.Name
	}
	require.Equal(t, []string{"country in countries: name", "country in countries: borders", "related in articles: publishedAt"}, got)
}

func TestRefusedConditions(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	long := strings.Repeat("x", query.MaxValueLength+1)
	numbers := strings.TrimSuffix(strings.Repeat("1,", query.MaxInValues+1), ",")
	for _, c := range []struct {
		condition query.Filter
		says      string
	}{
		{one("nope", "", "x"), `unknown field "nope"`},
		{one("", "", "x"), `unknown field ""`},
		{one("Title", "", "x"), `unknown field "Title"`},
		{one("secretNote", "like", "x"), `unknown field "secretNote"`},
		{one("pin", "null"), `unknown field "pin"`},
		{one("country.code", "", "x"), `unknown field "country.code"`},
		{one("country.nope", "", "x"), `unknown field "country.nope"`},
		{one("secretLink.name", "", "x"), `unknown field "secretLink.name"`},
		{one("country.borders.code", "", "x"), `unknown field "country.borders.code"`},
		{one("country.borders.borders.name", "", "x"), `"country.borders.borders.name" is more than two relations away`},
		{one("lost.name", "", "x"), `unknown field "lost.name"`},
		{one("title.name", "", "x"), `unknown field "title.name"`},
		{one("country.", "", "x"), `unknown field "country."`},
		{one("title", "eq", "x"), `unknown operator "eq"`},
		{one("title", "LIKE", "x"), `unknown operator "LIKE"`},
		{one("views", "like", "1"), `cannot be compared with like`},
		{one("featured", "lt", "true"), `cannot be compared with lt`},
		{one("featured", "between", "true,false"), `cannot be compared with between`},
		{one("country", "gt", "1"), `cannot be compared with gt`},
		{one("cover", "like", "1"), `cannot be compared with like`},
		{one("meta", "", "x"), `cannot be compared for equality`},
		{one("meta", "in", "x"), `cannot be compared with in`},
		{one("title", ""), `takes one value, not 0`},
		{one("title", "", "a", "b"), `takes one value, not 2`},
		{many("title", "", "a"), `takes one value, not a list`},
		{one("title", "", nil), `"title" takes a string`},
		{one("title", "", true), `"title" takes a string`},
		{one("title", "", json.Number("1")), `"title" takes a string`},
		{one("title", "", []any{"a"}), `"title" takes a string`},
		{one("title", "", map[string]any{"a": "b"}), `"title" takes a string`},
		{one("title", "", "a\x00b"), `without U+0000`},
		{one("title", "", "\xed\xa0\x80"), `valid UTF-8`},
		{one("title", "", long), `at most 4096 bytes`},
		{many("title", "in", "a", long), `at most 4096 bytes`},
		{one("title", "in", ""), `takes 1 to 500 values, not 0`},
		{many("title", "in"), `takes 1 to 500 values, not 0`},
		{one("views", "in", numbers), `takes 1 to 500 values, not 501`},
		{one("views", "between", "1"), `takes two values, not 1`},
		{many("views", "between", "1", "2", "3"), `takes two values, not 3`},
		{one("views", "between", "1,2,3,4"), `takes two values, not 3`},
		{one("views", "in", "1,x"), `"views" takes a number`},
		{one("views", "", "x"), `"views" takes a number`},
		{one("views", "", ""), `"views" takes a number`},
		{one("views", "", " 1"), `"views" takes a number`},
		{one("views", "", "1 "), `"views" takes a number`},
		{one("views", "", "+1"), `"views" takes a number`},
		{one("views", "", "0x10"), `"views" takes a number`},
		{one("views", "", "Inf"), `"views" takes a number`},
		{one("views", "", "NaN"), `"views" takes a number`},
		{one("views", "", true), `"views" takes a number`},
		{one("views", "", "1e400"), `"views" takes a number that is exact`},
		{one("views", "", "9007199254740993"), `"views" takes a number that is exact`},
		{one("views", "", "1e-400"), `"views" takes a number that is exact`},
		{one("views", "", "123456789123456.12345"), `"views" takes a number that is exact`},
		{one("id", "", json.Number("9007199254740995")), `"id" takes a number that is exact`},
		{one("featured", "", "1"), `"featured" takes true or false`},
		{one("featured", "", json.Number("1")), `"featured" takes true or false`},
		{one("on", "", "2026-02-30"), `"on" takes a date`},
		{one("on", "", json.Number("5")), `"on" takes a date`},
		{one("opens", "", "24:00"), `"opens" takes a time`},
		{one("at", "", "2026-01-01"), `"at" takes a date and time`},
		{one("at", "", "10000-01-01T00:00:00Z"), `"at" takes a date and time`},
		{one("country", "", "0"), `"country" takes an id`},
		{one("country", "", "1.5"), `"country" takes an id`},
		{one("cover", "", "x"), `"cover" takes an id`},
		{one("title", "null", "false"), `null takes no value, or true`},
		{one("title", "not_null", false), `not_null takes no value, or true`},
		{one("title", "null", json.Number("1")), `null takes no value, or true`},
		{many("title", "null", "true"), `null takes no value, or true`},
	} {
		t.Run(c.says+" "+fmt.Sprint(c.condition), func(t *testing.T) {
			t.Parallel()
			for where, q := range map[string]query.Query{
				"where": {Where: []query.Filter{c.condition}}, "or": {Or: [][]query.Filter{{c.condition}}},
			} {
				q.Collection = "articles"
				_, err := l.selection(q)
				require.Error(t, err, where)
				require.Equal(t, core.KindBadRequest, core.KindOf(err), where)
				require.Contains(t, err.Error(), "where[0]: ", where)
				require.Contains(t, err.Error(), c.says, where)
			}
		})
	}
}

// Errors for a secret field must equal those for a field that does not exist.
func TestSecretFieldsAreUnknownFields(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	refusal := func(secret, name string) string {
		var all []string
		for _, operator := range append(slices.Clone(query.Operators), query.Operator{Op: "bogus"}) {
			op := operator.Op
			for _, q := range []query.Query{
				{Where: []query.Filter{one(name, string(op), "x")}},
				{Where: []query.Filter{one("related."+name, string(op), "x")}},
				{Or: [][]query.Filter{{one(name, string(op), "x")}}},
				{Sort: name + ":desc"},
			} {
				q.Collection = "articles"
				_, err := l.selection(q)
				require.Error(t, err)
				encoded, err := json.Marshal(err)
				require.NoError(t, err)
				all = append(all, strings.ReplaceAll(string(encoded), name, secret))
			}
		}
		return strings.Join(all, "\n")
	}
	for _, name := range []string{"secretNote", "pin", "secretLink"} {
		require.Equal(t, refusal("?", "doesNotExist"), refusal("?", name))
	}
}

func TestSort(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for sort, want := range map[string]string{
		"":                                  "id desc",
		"title":                             "title asc, id asc",
		"title:desc":                        "title desc, id desc",
		"title:asc,views:desc":              "title asc, views desc, id desc",
		"title,views:desc,createdAt":        "title asc, views desc, createdAt asc, id asc",
		"id":                                "id asc",
		"views:desc,id:asc":                 "views desc, id asc",
		"id:asc,title":                      "id asc",
		"featured,on:desc,opens":            "featured asc, on desc, opens asc, id asc",
		"nope":                              `! unknown field "nope"`,
		"secretNote":                        `! unknown field "secretNote"`,
		"pin:desc":                          `! unknown field "pin"`,
		"country.name":                      `! unknown field "country.name"`,
		"title:DESC":                        `! unknown direction "DESC"`,
		"title:":                            `! unknown direction ""`,
		"title:asc:desc":                    `! unknown direction "asc:desc"`,
		"id;--":                             `! unknown field "id;--"`,
		"title, views":                      `! unknown field " views"`,
		"title,":                            `! unknown field ""`,
		"title,title:desc":                  `! names "title" twice`,
		"title,views,on,at":                 "! takes at most 3 keys",
		strings.Repeat(",", 70000):          "! takes at most 3 keys",
		"meta":                              `! cannot be sorted by "meta"`,
		"tags":                              `! cannot be sorted by "tags"`,
		"country":                           `! cannot be sorted by "country"`,
		"cover:desc":                        `! cannot be sorted by "cover"`,
		"nope,title:up":                     `! unknown direction "up"`,
		"\"title\"":                         `! unknown field`,
		strings.Repeat("x", 100) + "\xff\n": "! unknown field",
	} {
		t.Run(fmt.Sprintf("%.40q", sort), func(t *testing.T) {
			t.Parallel()
			sel, err := l.selection(query.Query{Collection: "articles", Sort: sort})
			if refusal, refused := strings.CutPrefix(want, "! "); refused {
				require.Equal(t, core.KindBadRequest, core.KindOf(err))
				require.ErrorContains(t, err, refusal)
				return
			}
			require.NoError(t, err)
			keys := make([]string, len(sel.Sort))
			for i, key := range sel.Sort {
				keys[i] = key.Field.Name + map[bool]string{true: " desc", false: " asc"}[key.Desc]
			}
			require.Equal(t, want, strings.Join(keys, ", "))
		})
	}
}

func TestWindowLocaleAndState(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for name, c := range map[string]struct {
		q    query.Query
		want query.Selection
		says string // error text if refused
	}{
		"defaults":        {query.Query{}, query.Selection{Locale: "en", Limit: 25}, ""},
		"at the limits":   {query.Query{Limit: ptr(int64(500)), Offset: ptr(int64(1 << 53))}, query.Selection{Locale: "en", Limit: 500, Offset: 1 << 53}, ""},
		"limit 0":         {query.Query{Limit: ptr(int64(0))}, query.Selection{}, "limit: must be between 1 and 500"},
		"limit 501":       {query.Query{Limit: ptr(int64(501))}, query.Selection{}, "limit: must be between 1 and 500"},
		"offset -1":       {query.Query{Offset: ptr(int64(-1))}, query.Selection{}, "offset: must be between 0"},
		"offset too far":  {query.Query{Offset: ptr(int64(1<<53 + 1))}, query.Selection{}, "offset: must be between 0"},
		"all locales":     {query.Query{Locale: "*"}, query.Selection{Locale: "*", Limit: 25}, ""},
		"any case":        {query.Query{Locale: "FR-ca"}, query.Selection{Locale: "fr-CA", Limit: 25}, ""},
		"longer tag":      {query.Query{Locale: "de-AT-1996"}, query.Selection{Locale: "de", Limit: 25}, ""},
		"unknown locale":  {query.Query{Locale: "ja"}, query.Selection{}, `locale: unknown locale "ja"`},
		"prefix of a tag": {query.Query{Locale: "f"}, query.Selection{}, `unknown locale "f"`},
		"malformed tag":   {query.Query{Locale: "de-"}, query.Selection{}, `unknown locale "de-"`},
		"injected tag":    {query.Query{Locale: "de-' OR 1=1"}, query.Selection{}, `unknown locale`},
		"long subtag":     {query.Query{Locale: "de-abcdefghi"}, query.Selection{}, `unknown locale`},
		"drafts":          {query.Query{State: "with_draft"}, query.Selection{Locale: "en", Limit: 25, State: core.StateWithDraft}, ""},
		"only drafts":     {query.Query{State: "only_draft"}, query.Selection{Locale: "en", Limit: 25, State: core.StateOnlyDraft}, ""},
		"unknown status":  {query.Query{Status: "trashed"}, query.Selection{}, `status: unknown status "trashed": one of failed, in_review, scheduled, sent_back, rejected, changed, draft, published`},
		"unknown state":   {query.Query{State: "draft"}, query.Selection{}, `state: unknown state "draft"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.q.Collection = "articles"
			sel, err := l.selection(c.q)
			if c.says != "" {
				require.Equal(t, core.KindBadRequest, core.KindOf(err))
				require.ErrorContains(t, err, c.says)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, query.Selection{Locale: sel.Locale, Limit: sel.Limit, Offset: sel.Offset, State: sel.State})
		})
	}
}

func TestFaultsHaveLocations(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	_, err := l.selection(query.Query{
		Collection: "articles", Locale: "xx", State: "all", Sort: "nope", Limit: ptr(int64(0)), Offset: ptr(int64(-1)),
		Where: []query.Filter{{Field: "a", Location: "where[a]"}, {Field: "views", Op: "in", Location: "where[views][in]",
			Operand: query.Operand{Items: []any{"1", "x", nil, strings.Repeat("9", 200)}, Listed: true}}},
		Or: [][]query.Filter{{{Field: "b", Op: "?", Location: "or[0][b][?]"}}, {}},
	})
	var fault *core.Error
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "invalid_query", fault.Code)
	type place struct {
		location string
		value    any
	}
	var got []place
	for _, f := range fault.Fields {
		got = append(got, place{f.Location, f.Value})
		require.Contains(t, fault.Message, f.Location+": "+f.Message)
	}
	require.ElementsMatch(t, []place{
		{"locale", "xx"}, {"state", "all"}, {"sort", "nope"}, {"limit", int64(0)}, {"offset", int64(-1)},
		{"where[a]", "a"}, {"where[views][in]", "x"}, {"where[views][in]", nil}, {"where[views][in]", nil},
		{"or[0][b][?]", "?"}, {"or[0][b][?]", "b"}, {"or[1]", nil},
	}, got)
}

func TestTooManyConditions(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	conditions := make([]query.Filter, query.MaxConditions)
	for i := range conditions {
		conditions[i] = one("title", "", "x")
	}
	_, err := l.selection(query.Query{Collection: "articles", Where: conditions[:25], Or: [][]query.Filter{conditions[:20], conditions[:5]}})
	require.NoError(t, err)
	_, err = l.selection(query.Query{Collection: "articles", Where: conditions[:25], Or: [][]query.Filter{conditions[:20], conditions[:6]}})
	require.Equal(t, core.KindBadRequest, core.KindOf(err))
	require.ErrorContains(t, err, "at most 50 conditions")
}

// TestTooManyConditionsInLocales reads all of 60 locales, and one whose fallbacks are all others.
func TestTooManyConditionsInLocales(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for n := len(l.project.Locales); n < core.MaxLocales; n++ {
		l.project.Locales = append(l.project.Locales, fmt.Sprintf("x%02d", n))
	}
	l.project.Fallbacks = map[string][]string{"en": l.project.Locales}
	conditions := slices.Repeat([]query.Filter{one("title", "", "x")}, 9)
	for _, locale := range []string{query.AllLocales, "en"} {
		_, err := l.selection(query.Query{Collection: "articles", Locale: locale, Where: conditions[:8]})
		require.NoError(t, err)
		_, err = l.selection(query.Query{Collection: "articles", Locale: locale, Where: conditions[:5], Or: [][]query.Filter{conditions[5:]}})
		require.ErrorContains(t, err, "a query that reads 60 locales takes at most 8 conditions")
	}
	_, err := l.selection(query.Query{Collection: "articles", Locale: "x59", Where: conditions})
	require.NoError(t, err)
}

func TestDraftsNeedPermission(t *testing.T) {
	t.Parallel()
	l := setupReader(t)
	for state, kind := range map[string]core.Kind{
		"only_draft": core.KindForbidden, "with_draft": core.KindForbidden, "other": core.KindBadRequest,
	} {
		_, err := l.reader.Prepare(context.Background(), l.project, false, query.Query{Collection: "articles", State: state, Sort: "nope"})
		require.Equal(t, kind, core.KindOf(err), state)
	}
	_, err := l.reader.Prepare(context.Background(), l.project, false, query.Query{Collection: "articles", State: "published"})
	require.NoError(t, err)
	_, err = l.reader.Prepare(context.Background(), l.project, false, query.Query{Collection: "nowhere", State: "with_draft"})
	require.ErrorIs(t, err, core.ErrNotFound)
}
