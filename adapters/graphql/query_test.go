package graphql_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
)

func TestRootFields(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, c := range map[string]struct{ query, data string }{
		"collection": {
			`{ collection(slug: "articles") { slug name description fields { name label type } } }`,
			`{"collection":{"slug":"articles","name":"Articles","description":"What we write","fields":[` +
				`{"name":"title","label":"Title","type":"text"},{"name":"views","label":"Views","type":"number"},` +
				`{"name":"featured","label":"Featured","type":"boolean"},{"name":"tags","label":"Tags","type":"text"}]}}`,
		},
		"unknown collection": {`{ collection(slug: "nowhere") { slug } }`, `{"collection":null}`},
		"collections": {
			`{ collections { slug description } }`,
			`{"collections":[{"slug":"articles","description":"What we write"},{"slug":"notes","description":null}]}`,
		},
		"entry": {
			`{ entry(collection: "articles", id: 2) { id locale createdAt updatedAt publishedAt } }`,
			`{"entry":{"id":"2","locale":"en","createdAt":null,"updatedAt":null,"publishedAt":"2026-01-02T03:04:05.006Z"}}`,
		},
		"entry with timestamps": {
			`{ entry(collection: "articles", id: 2, timestamps: true) { createdAt updatedAt } }`,
			`{"entry":{"createdAt":"2026-01-02T02:04:05.006Z","updatedAt":"2026-01-02T03:05:05.006Z"}}`,
		},
		"entry with null timestamps":       {`{ entry(collection: "articles", id: 2, timestamps: null) { createdAt } }`, `{"entry":{"createdAt":null}}`},
		"draft entry":                      {`{ entry(collection: "articles", id: 4) { id } }`, `{"entry":null}`},
		"entry of an unknown collection":   {`{ entry(collection: "nowhere", id: 1) { id } }`, `{"entry":null}`},
		"entry of no id":                   {`{ entry(collection: "articles", id: -1) { id } }`, `{"entry":null}`},
		"entries":                          {`{ entries(collection: "articles") { items { id } totalCount } }`, `{"entries":{"items":[{"id":"3"},{"id":"2"},{"id":"1"}],"totalCount":3}}`},
		"entries of an empty collection":   {`{ entries(collection: "notes") { items { id } totalCount } }`, `{"entries":{"items":[],"totalCount":0}}`},
		"entries in a window":              {`{ entries(collection: "articles", sort: "views:asc", offset: 1, limit: 1) { items { id } totalCount } }`, `{"entries":{"items":[{"id":"2"}],"totalCount":3}}`},
		"entries in a locale":              {`{ entries(collection: "articles", locale: "fr", sort: "id") { items { id locale } } }`, `{"entries":{"items":[{"id":"2","locale":"en"},{"id":"3","locale":"en"},{"id":"5","locale":"fr"}]}}`},
		"drafts with permission":           {`{ entries(collection: "articles", state: "only_draft") { items { id publishedAt } } }`, `{"entries":{"items":[{"id":"4","publishedAt":null}]}}`},
		"media":                            {`{ media(id: 1) { id fileName fullUrl thumbUrl thumbWebpUrl fullWebpUrl caption tags size width height } }`, `{"media":{"id":"1","fileName":"harbour.jpg","fullUrl":"https://files.example/files/u/a/harbour.jpg","thumbUrl":"https://files.example/files/u/b/harbour.jpg","thumbWebpUrl":null,"fullWebpUrl":null,"caption":"The harbour","tags":["sea"],"size":1234,"width":640,"height":480}}`},
		"unknown media":                    {`{ media(id: 99) { id } }`, `{"media":null}`},
		"aliases, fragments and typenames": {`query Q { a: entries(collection: "articles", limit: 1) { ...C } } fragment C on EntryConnection { __typename items { ... on Entry { n: id } } }`, `{"a":{"__typename":"EntryConnection","items":[{"n":"3"}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := s.post(t, c.query)
			require.Empty(t, response.Errors)
			require.Equal(t, c.data, string(response.Data))
		})
	}
}

// data equals content.Shaped.JSON byte for byte.
func TestDataIsTheShapedEntry(t *testing.T) {
	t.Parallel()
	s := setup(t)
	listing, err := s.reader.Prepare(context.Background(), s.project, true, query.Query{Collection: "articles", Shape: query.Shape{Timestamps: true}})
	require.NoError(t, err)
	page, err := listing.Page(context.Background())
	require.NoError(t, err)
	var items []string
	for _, e := range page.Entries {
		items = append(items, `{"data":`+string(e.JSON)+`}`)
	}
	response := s.post(t, `{ entries(collection: "articles", timestamps: true) { items { data } } }`)
	require.Equal(t, `{"data":{"entries":{"items":[`+strings.Join(items, ",")+`]}}}`, response.body)
	require.NotContains(t, response.body, "canary")

	shaped, err := s.reader.Entry(context.Background(), s.project, "articles", 2, query.Shape{})
	require.NoError(t, err)
	require.Equal(t, `{"data":{"entry":{"data":`+string(shaped.JSON)+`}}}`,
		s.post(t, `{ entry(collection: "articles", id: 2) { data } }`).body)
}

// Every kind of JSON value works as a literal and as a variable.
func TestWhereValues(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, c := range map[string]struct{ clause, variable, ids string }{
		"string":         {`{field: "title", value: "Gamma"}`, `"Gamma"`, "3"},
		"emoji":          {`{field: "title", op: "like", value: "😀"}`, `"😀"`, "1"},
		"escaped emoji":  {`{field: "title", op: "like", value: "\ud83d\uDE00"}`, `"\ud83d\uDE00"`, "1"},
		"quotes":         {`{field: "title", value: "Beta, \"quoted\""}`, `"Beta, \"quoted\""`, "2"},
		"number":         {`{field: "views", value: 1}`, `1`, "1"},
		"fraction":       {`{field: "views", value: 2.5}`, `2.5`, "2"},
		"exponent":       {`{field: "views", value: 25e-1}`, `25e-1`, "2"},
		"large number":   {`{field: "views", value: 9007199254740991}`, `9007199254740991`, "3"},
		"over 64 bits":   {`{field: "views", op: "lt", value: 100000000000000000000}`, `100000000000000000000`, "3,2,1"},
		"number as text": {`{field: "views", value: "2.5"}`, `"2.5"`, "2"},
		"boolean":        {`{field: "featured", value: true}`, `true`, "1"},
		"list":           {`{field: "views", op: "in", value: [1, 2.5]}`, `[1, 2.5]`, "2,1"},
		"list of texts":  {`{field: "tags", op: "in", value: ["a", "b"]}`, `["a", "b"]`, "2,1"},
		"commas":         {`{field: "views", op: "between", value: "1,3"}`, `"1,3"`, "2,1"},
		"null operator":  {`{field: "featured", op: "null"}`, ``, "3"},
		"null true":      {`{field: "featured", op: "null", value: true}`, `true`, "3"},
		"not":            {`{field: "title", op: "not", value: "Gamma"}`, `"Gamma"`, "2,1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := s.post(t, `{ entries(collection: "articles", where: [`+c.clause+`]) { items { id } } }`)
			require.Equal(t, c.ids, ids(written), written.body)
			one := s.post(t, `{ entries(collection: "articles", where: `+c.clause+`) { items { id } } }`)
			require.Equal(t, c.ids, ids(one), "one clause stands for a list of it: "+one.body)
			if c.variable == "" {
				return
			}
			head, _, _ := strings.Cut(c.clause, "value:")
			sent := s.post(t, `query ($v: JSONObject) { entries(collection: "articles", where: [`+head+`value: $v}]) { items { id } } }`, `{"v":`+c.variable+`}`)
			require.Equal(t, c.ids, ids(sent), sent.body)
		})
	}
	whole := s.post(t, `query ($w: [WhereClauseInput!], $x: JSONObject = [1]) {
		a: entries(collection: "articles", where: $w) { items { id } }
		b: entries(collection: "articles", where: [{field: "views", op: "in", value: $x}]) { totalCount }
		c: entries(collection: "articles", where: [{field: "views", op: "in", value: [$one, 2.5]}]) { totalCount }
	}`, `{"w":[{"field":"views","op":"gt","value":1},{"field":"tags","value":"b"}]}`)
	require.Contains(t, whole.message(), "$one", "a variable in a value must be declared")
	whole = s.post(t, `query ($w: [WhereClauseInput!], $x: JSONObject = [1], $one: Int) {
		a: entries(collection: "articles", where: $w) { items { id } }
		b: entries(collection: "articles", where: [{field: "views", op: "in", value: $x}]) { totalCount }
		c: entries(collection: "articles", where: [{field: "views", op: "in", value: [$one, 2.5]}]) { totalCount }
	}`, `{"w":[{"field":"views","op":"gt","value":1},{"field":"tags","value":"b"}],"one":1}`)
	require.Equal(t, `{"data":{"a":{"items":[{"id":"2"}]},"b":{"totalCount":1},"c":{"totalCount":2}}}`, whole.body)
}

func ids(e exchange) string {
	var list []string
	for part := range strings.SplitSeq(e.body, `"id":"`) {
		if id, _, ok := strings.Cut(part, `"`); ok {
			if _, err := strconv.Atoi(id); err == nil {
				list = append(list, id)
			}
		}
	}
	return strings.Join(list, ",")
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, c := range map[string]struct{ arguments, word string }{
		"unknown field":      {`where: [{field: "nope", value: 1}]`, "nope"},
		"hidden field":       {`where: [{field: "secretNote", value: "canary"}]`, "secretNote"},
		"unknown operator":   {`where: [{field: "title", op: "matches", value: "x"}]`, "matches"},
		"wrong type":         {`where: [{field: "title", value: 5}]`, "title"},
		"object":             {`where: [{field: "title", value: {a: 1}}]`, "title"},
		"inexact number":     {`where: [{field: "views", value: 9007199254740993}]`, "views"},
		"NUL":                {`where: [{field: "title", value: "a\u0000"}]`, "title"},
		"unknown sort field": {`sort: "nope"`, "nope"},
		"unknown direction":  {`sort: "title:sideways"`, "sideways"},
		"unknown state":      {`state: "archived"`, "archived"},
		"unknown locale":     {`locale: "xx"`, "xx"},
		"limit 0":            {`limit: 0`, "limit"},
		"limit 501":          {`limit: 501`, "limit"},
		"negative offset":    {`offset: -1`, "offset"},
		"missing value":      {`where: [{field: "title"}]`, "title"},
		"empty sort":         {`sort: ""`, "sort"},
		"empty locale":       {`locale: ""`, "locale"},
		"empty state":        {`state: ""`, "state"},
		"empty operator":     {`where: [{field: "title", op: "", value: "x"}]`, "where[0].op"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := s.post(t, `{ entries(collection: "articles", `+c.arguments+`) { totalCount } }`)
			require.Equal(t, "BAD_USER_INPUT", response.code(), response.body)
			require.Contains(t, response.body, c.word)
			require.Equal(t, "null", string(response.Data))
			require.Equal(t, []any{"entries"}, response.Errors[0].Path)
			require.Equal(t, 200, response.status)
		})
	}
	require.Equal(t, "NOT_FOUND", s.post(t, `{ entries(collection: "nowhere") { totalCount } }`).code())
	drafts := s.send(t, "POST", "", `{"query":"{ entries(collection: \"articles\", state: \"with_draft\") { totalCount } }"}`, map[string]string{"Authorization": "Bearer read"})
	require.Equal(t, "FORBIDDEN", drafts.code())
}

// Arguments are checked even if the connection is not read.
func TestArgumentsAreCheckedWithoutItems(t *testing.T) {
	t.Parallel()
	s := setup(t)
	require.Equal(t, "BAD_USER_INPUT", s.post(t, `{ entries(collection: "articles", limit: 999) { __typename } }`).code())
	require.Zero(t, s.entries.lists.Load()+s.entries.counts.Load())
}

func TestOnlySelectedFieldsAreRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		query               string
		lists, counts, both int64
	}{
		"items":                 {`{ entries(collection: "articles") { items { id } } }`, 1, 0, 0},
		"total":                 {`{ entries(collection: "articles") { totalCount } }`, 0, 1, 0},
		"both":                  {`{ entries(collection: "articles") { items { id } totalCount } }`, 1, 0, 1},
		"both of a last page":   {`{ entries(collection: "articles", where: [{field: "title", op: "not", value: "x"}]) { items { id } totalCount } }`, 1, 0, 0},
		"both of another page":  {`{ entries(collection: "articles", where: [{field: "title", op: "not", value: "x"}], limit: 1) { items { id } totalCount } }`, 1, 1, 0},
		"neither":               {`{ entries(collection: "articles") { __typename } }`, 0, 0, 0},
		"alias":                 {`{ entries(collection: "articles") { n: totalCount } }`, 0, 1, 0},
		"same field twice":      {`{ entries(collection: "articles") { totalCount totalCount } }`, 0, 1, 0},
		"fragment":              {`{ entries(collection: "articles") { ...T } } fragment T on EntryConnection { totalCount }`, 0, 1, 0},
		"skipped":               {`{ entries(collection: "articles") { items { id } totalCount @skip(if: true) } }`, 1, 0, 0},
		"not skipped":           {`{ entries(collection: "articles") { totalCount @skip(if: false) } }`, 0, 1, 0},
		"not included":          {`query ($i: Boolean = false) { entries(collection: "articles") { items { id } ... @include(if: $i) { totalCount } } }`, 1, 0, 0},
		"fragment not included": {`{ entries(collection: "articles") { __typename ...T @include(if: false) } } fragment T on EntryConnection { totalCount }`, 0, 0, 0},
		"two lists":             {`{ a: entries(collection: "articles") { items { id } } b: entries(collection: "articles") { totalCount } }`, 1, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			response := s.post(t, c.query)
			require.Empty(t, response.Errors)
			require.Equal(t, c.lists, s.entries.lists.Load(), "lists")
			require.Equal(t, c.counts, s.entries.counts.Load(), "counts")
			require.Equal(t, c.both, s.entries.both.Load(), "both at once")
		})
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  error
		status int
		code   string
	}{
		"internal error": {errors.New("pq: syntax error in /srv/secret.sql"), 200, "INTERNAL"},
		"unavailable":    {&core.Error{Kind: core.KindUnavailable, Code: "unavailable", Message: "the database is unavailable", Err: errors.New("dial secret")}, 503, "UNAVAILABLE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setup(t)
			s.entries.fault.Store(&c.fault)
			response := s.post(t, `{ entries(collection: "articles") { items { id } } }`)
			require.Equal(t, c.status, response.status)
			require.Equal(t, c.code, response.code())
			require.NotContains(t, response.body, "secret")
			require.Equal(t, response.header.Get("X-Request-Id"), response.Errors[0].Extensions["requestId"])
			require.Equal(t, "null", string(response.Data))
			require.Equal(t, c.status == 503, response.header.Get("Retry-After") != "")
		})
	}
}

func TestPanicIsAnInternalError(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.entries.EntryReader = nil
	response := s.post(t, `{ collections { slug } entries(collection: "articles") { items { id } } }`)
	require.Equal(t, "INTERNAL", response.code())
	require.NotContains(t, response.body, "goroutine")
}
