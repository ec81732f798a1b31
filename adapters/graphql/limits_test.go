package graphql_test

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestComplexity(t *testing.T) {
	t.Parallel()
	s := setup(t)
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: __typename ", i)
		}
		return b.String()
	}
	list := func(arguments, items string) string {
		return `{ entries(collection: "articles"` + arguments + `) { items { ` + items + ` } totalCount } }`
	}
	for name, c := range map[string]struct {
		query, variables string
		complexity       int // 0 if within the limit
	}{
		"at the limit":                   {`{` + names(1000) + `}`, ``, 0},
		"one over":                       {`{` + names(1001) + `}`, ``, 1001},
		"below items, default limit":     {list(``, names(997)), ``, 0},
		"below items, default, over":     {list(``, names(998)), ``, 1001},
		"below items, limit 100":         {list(`, limit: 100`, names(997)), ``, 0},
		"below items, limit 101":         {list(`, limit: 101`, names(499)), ``, 1001},
		"below items, limit 500":         {list(`, limit: 500`, names(199)), ``, 0},
		"below items, limit 500, over":   {list(`, limit: 500`, names(200)), ``, 1003},
		"limit by variable":              {`query ($n: Int) ` + list(`, limit: $n`, names(200)), `{"n":500}`, 1003},
		"limit by default of a variable": {`query ($n: Int = 500) ` + list(`, limit: $n`, names(200)), `{}`, 1003},
		"limit as a fraction":            {`query ($n: Int) ` + list(`, limit: $n`, names(200)), `{"n":500.0}`, 1003},
		"limit with an exponent":         {`query ($n: Int!) ` + list(`, limit: $n`, names(200)), `{"n":5e2}`, 1003},
		"limit with another exponent":    {`query ($n: Int = 1) ` + list(`, limit: $n`, names(200)), `{"n":5000E-1}`, 1003},
		"limit in a fragment":            {`query ($n: Int) { ...Q } fragment Q on Query ` + list(`, limit: $n`, names(200)), `{"n":5e2}`, 1003},
		"limit null":                     {`query ($n: Int) ` + list(`, limit: $n`, names(997)), `{"n":null}`, 0},
		"limit left out by variable":     {`query ($n: Int) ` + list(`, limit: $n`, names(997)), `{}`, 0},
		"alias of entries":               {`{ a: entries(collection: "articles", limit: 500) { b: items { ` + names(200) + `} } }`, ``, 1002},
		"in fragments":                   {`{ ...Q } fragment Q on Query { entries(collection: "articles", limit: 500) { ...C } } fragment C on EntryConnection { items { ...E } } fragment E on Entry { ` + names(200) + `}`, ``, 1002},
		"in inline fragments":            {`{ ... on Query { entries(collection: "articles", limit: 500) { ... { items { ... on Entry { ` + names(200) + `} } } } } }`, ``, 1002},
		"a fragment each time":           {`{ ` + strings.Repeat(`...F `, 3) + `} fragment F on Query { ` + names(400) + `}`, ``, 1200},
		"skipped is not selected":        {`{ __typename ... @skip(if: true) {` + names(2000) + `} }`, ``, 0},
		"not included":                   {`query ($i: Boolean!) { __typename ... @include(if: $i) {` + names(2000) + `} }`, `{"i":false}`, 0},
		"included":                       {`query ($i: Boolean!) { ... @include(if: $i) {` + names(2000) + `} }`, `{"i":true}`, 2000},
		"introspection counts":           {`{ __schema { types { ` + names(999) + `} } }`, ``, 1001},
		"the operation that is run":      {`query A { __typename } query B { ` + names(1001) + `}`, ``, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := `{"query":` + quoted(c.query)
			if c.variables != "" {
				body += `,"variables":` + c.variables
			}
			if strings.HasPrefix(c.query, "query A") {
				body += `,"operationName":"A"`
			}
			for range 2 { // parsed, then cached
				response := s.send(t, "POST", "", body+"}", nil)
				if c.complexity == 0 {
					require.Empty(t, response.Errors)
					continue
				}
				require.Equal(t, "QUERY_TOO_COMPLEX", response.code(), response.message())
				require.Equal(t, "Query is too complex: "+strconv.Itoa(c.complexity)+". Maximum allowed complexity: 1000.", response.message())
				require.Nil(t, response.Data)
			}
		})
	}
	over := s.entries.lists.Load()
	s.post(t, list(`, limit: 500`, names(300)))
	require.Equal(t, over, s.entries.lists.Load(), "too complex queries read nothing")
}

func TestDepthAndTokens(t *testing.T) {
	t.Parallel()
	s := setup(t)
	ofType := func(levels int) string { // total depth, including __type and kind
		return `{ __type(name: "Entry") {` + strings.Repeat(` ofType {`, levels-2) + ` kind ` + strings.Repeat(`}`, levels-2) + `} }`
	}
	require.Empty(t, s.post(t, ofType(20)).Errors)
	require.Equal(t, "QUERY_TOO_LARGE", s.post(t, ofType(21)).code())
	fragments := `{ __type(name: "Entry") { ...A } } fragment A on __Type {` + strings.Repeat(` ofType {`, 10) + ` ...B ` + strings.Repeat(`}`, 10) + `} ` +
		`fragment B on __Type {` + strings.Repeat(` ofType {`, 10) + ` kind ` + strings.Repeat(`}`, 10) + `}`
	require.Equal(t, "QUERY_TOO_LARGE", s.post(t, fragments).code())
	require.Equal(t, "QUERY_TOO_LARGE",
		s.send(t, "POST", "", `{"operationName":"A","query":`+quoted(`query A { __typename } query B `+ofType(21))+`}`, nil).code())

	// Nesting of any kind counts, before the document is validated.
	for name, nested := range map[string]func(n int) string{
		"inline fragments": func(n int) string {
			return `{` + strings.Repeat(` ... {`, n-1) + ` __typename ` + strings.Repeat(`}`, n)
		},
		"typed fragments": func(n int) string {
			return `{` + strings.Repeat(` ... on Query {`, n-1) + ` __typename ` + strings.Repeat(`}`, n)
		},
		"fragments by name": namedFragments,
		"lists": func(n int) string {
			return `{ __type(name: ` + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `) { kind } }`
		},
		"objects": func(n int) string {
			return `{ __type(name: ` + strings.Repeat(`{a: `, n) + `1` + strings.Repeat(`}`, n) + `) { kind } }`
		},
		"of a directive": func(n int) string {
			return `{ __typename @skip(if: ` + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `) }`
		},
		"of an operation": func(n int) string {
			return `query @skip(if: ` + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `) { __typename }`
		},
		"of a default value": func(n int) string {
			return `query ($a: Int = ` + strings.Repeat(`[`, n) + strings.Repeat(`]`, n) + `) { __typename }`
		},
		"of a type": func(n int) string {
			return `query ($a: ` + strings.Repeat(`[`, n) + `Int` + strings.Repeat(`]`, n) + `) { __typename }`
		},
	} {
		if within := s.post(t, nested(20)); len(within.Errors) > 0 {
			require.NotEqual(t, "QUERY_TOO_LARGE", within.code(), name)
		}
		require.Equal(t, "QUERY_TOO_LARGE", s.post(t, nested(21)).code(), name)
		require.Equal(t, "QUERY_TOO_LARGE", s.post(t, nested(400)).code(), name)
	}

	list := func(n int) string {
		return `{ entries(collection: "articles", where: [{field: "title", op: "in", value: [` + strings.Repeat(`1 `, n) + `]}]) { totalCount } }`
	}
	require.Equal(t, "QUERY_TOO_LARGE", s.post(t, list(15_000)).code())
	require.Equal(t, "BAD_USER_INPUT", s.post(t, list(14_000)).code(), "within the token limit, over the list limit")
}

// namedFragments returns a query with n levels of fragments.
func namedFragments(n int) string {
	query := `{ ...F1 }`
	for i := 1; i < n-1; i++ {
		query += fmt.Sprintf(` fragment F%d on Query { ...F%d }`, i, i+1)
	}
	return query + fmt.Sprintf(` fragment F%d on Query { __typename }`, n-1)
}

// standardIntrospection is the query of common clients, which must be within the limits.
const standardIntrospection = `query IntrospectionQuery { __schema { description queryType { name kind } mutationType { name kind } subscriptionType { name kind }
	types { ...FullType } directives { name description isRepeatable locations args(includeDeprecated: true) { ...InputValue } } } }
	fragment FullType on __Type { kind name description specifiedByURL isOneOf
		fields(includeDeprecated: true) { name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
		inputFields(includeDeprecated: true) { ...InputValue } interfaces { ...TypeRef }
		enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason } possibleTypes { ...TypeRef } }
	fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue isDeprecated deprecationReason }
	fragment TypeRef on __Type { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
		ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } } } } } } }`

func TestIntrospection(t *testing.T) {
	t.Parallel()
	s := setup(t)
	response := s.post(t, standardIntrospection)
	require.Empty(t, response.Errors)
	require.Contains(t, string(response.Data), `"name":"EntryConnection"`)
	require.NotContains(t, string(response.Data), `"name":"defer"`)
	require.Equal(t, "GRAPHQL_VALIDATION_FAILED", s.post(t, `{ ... @defer { __typename } }`).code())
}

func TestValidation(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, c := range map[string]struct{ query, variables, code string }{
		"syntax":                     {`{ collections { slug }`, ``, "GRAPHQL_PARSE_FAILED"},
		"empty":                      {` `, ``, "GRAPHQL_VALIDATION_FAILED"},
		"only a fragment":            {`fragment F on Query { __typename }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"unknown field":              {`{ nope }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"unknown argument":           {`{ entry(collection: "articles", id: 1, state: "published") { id } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"missing argument":           {`{ entry(collection: "articles") { id } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"leaf with a selection":      {`{ entry(collection: "articles", id: 1) { data { title } } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"object without a selection": {`{ collections }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"text for an Int":            {`{ entry(collection: "articles", id: "1") { id } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"id over 32 bits":            {`{ entry(collection: "articles", id: 2147483648) { id } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"limit over 64 bits":         {`{ entries(collection: "articles", limit: 99999999999999999999) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"number over 64 bits":        {`{ entries(collection: "articles", where: [{field: "views", value: 99999999999999999999}]) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"number over doubles":        {`{ entries(collection: "articles", where: [{field: "views", value: [1e400]}]) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"limit as a fraction":        {`{ entries(collection: "articles", limit: 500.0) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"limit with an exponent":     {`{ entries(collection: "articles", limit: 5e2) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"default with an exponent":   {`query ($n: Int = 5e2) { entries(collection: "articles", limit: $n) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"name as a value":            {`{ entries(collection: "articles", where: [{field: "title", value: {a: [NAME]}}]) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"name as a default":          {`query ($v: JSONObject = NAME) { entries(collection: "articles", where: [{field: "title", value: $v}]) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"clause without a field":     {`{ entries(collection: "articles", where: [{value: 1}]) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"clause with another member": {`{ entries(collection: "articles", where: [{field: "title", or: 1}]) { totalCount } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"half a surrogate pair":      {`{ entries(collection: "articles", where: [{field: "title", value: "\ud800"}]) { totalCount } }`, ``, "GRAPHQL_PARSE_FAILED"},
		"fragment cycle":             {`{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"conflict":                   {`{ a: media(id: 1) { id } a: media(id: 2) { id } }`, ``, "GRAPHQL_VALIDATION_FAILED"},
		"nullable in a non-null":     {`query ($f: String) { entries(collection: "articles", where: [{field: $f, value: 1}]) { totalCount } }`, `{}`, "GRAPHQL_VALIDATION_FAILED"},
		"variable: text for Int":     {`query ($n: Int!) { media(id: $n) { id } }`, `{"n":"1"}`, "BAD_USER_INPUT"},
		"variable: fraction":         {`query ($n: Int!) { media(id: $n) { id } }`, `{"n":1.5}`, "BAD_USER_INPUT"},
		"variable: over 32 bits":     {`query ($n: Int!) { media(id: $n) { id } }`, `{"n":2147483648}`, "BAD_USER_INPUT"},
		"variable: null":             {`query ($n: Int!) { media(id: $n) { id } }`, `{"n":null}`, "BAD_USER_INPUT"},
		"variable: missing":          {`query ($n: Int!) { media(id: $n) { id } }`, `{}`, "BAD_USER_INPUT"},
		"variable: number for text":  {`query ($s: String!) { collection(slug: $s) { slug } }`, `{"s":5}`, "BAD_USER_INPUT"},
		"variable: clause":           {`query ($w: [WhereClauseInput!]) { entries(collection: "articles", where: $w) { totalCount } }`, `{"w":[{"field":5}]}`, "BAD_USER_INPUT"},
		"variable: unknown member":   {`query ($w: [WhereClauseInput!]) { entries(collection: "articles", where: $w) { totalCount } }`, `{"w":[{"field":"title","or":1}]}`, "BAD_USER_INPUT"},
		"variable: null clause":      {`query ($w: [WhereClauseInput!]) { entries(collection: "articles", where: $w) { totalCount } }`, `{"w":[null]}`, "BAD_USER_INPUT"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variables := c.variables
			if variables == "" {
				variables = "null"
			}
			response := s.post(t, c.query, variables)
			require.Equal(t, c.code, response.code(), response.body)
			require.Nil(t, response.Data)
		})
	}
	require.Empty(t, s.post(t, `query ($n: Int!, $w: [WhereClauseInput!]) { media(id: $n) { id } entries(collection: "articles", where: $w) { totalCount } }`,
		`{"n":1.0,"w":{"field":"title","value":"Gamma"}}`).Errors, "a whole number is an Int, one clause is a list")
}

// Abusive queries are refused cheaply. The test measures processor time of the whole
// process, so it does not run in parallel.
func TestAbuseIsCheap(t *testing.T) {
	s := setup(t)
	repeat := strings.Repeat
	tree := func(depth int) string { // a binary tree of equal names
		text := "kind"
		for range depth {
			text = "ofType {" + text + "} ofType {" + text + "}"
		}
		return text
	}
	bombs := `{ ...F0 }`
	for i := range 18 {
		bombs += fmt.Sprintf(" fragment F%d on Query { ...F%d ...F%d }", i, i+1, i+1)
	}
	var cycles, pairs strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&cycles, " fragment F%d on Query { ...F%d }", i, (i+1)%1500)
	}
	var longNames strings.Builder
	for i := range 499 {
		fmt.Fprintf(&longNames, " fragment %s%d on Query { __typename }", repeat("a", 1900), 1000+i)
	}
	var chain, star strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&chain, " fragment F%d on Query { ...F%d }", i, i+1)
		fmt.Fprintf(&star, " fragment F%d on Query { ...A ...B }", i)
	}
	for i := range 500 {
		fmt.Fprintf(&pairs, " ...F%d", i)
	}
	pairs.WriteString(" }")
	for i := range 500 {
		fmt.Fprintf(&pairs, " fragment F%d on Query { __typename }", i)
	}
	cost := func(query string) (took time.Duration, memory uint64, response exchange) {
		took, memory = time.Hour, math.MaxUint64
		for i := range 3 {
			body := fmt.Sprintf(`{"query":"#%d\n%s"}`, i, query) // not cached yet
			before, allocated := processorTime(t), allocatedBytes()
			response = s.send(t, "POST", "", body, nil)
			took, memory = min(took, processorTime(t)-before), min(memory, allocatedBytes()-allocated)
		}
		return took, memory, response
	}
	plain, _, _ := cost(`{ __typename } #` + repeat(`#`, 1<<20-100)) // a request as long as any, which costs little
	for name, query := range map[string]string{
		"10,000 directives":            `{ __typename ` + repeat(`@a`, 10_000) + ` }`,
		"5,000 directives":             `{ __typename ` + repeat(`@a`, 5_000) + ` }`,
		"2,000 skips":                  `{ __typename ` + repeat(`@skip(if: false)`, 2_000) + ` }`,
		"one field many times":         `{ ` + repeat(`__typename `, 14_000) + ` }`,
		"one field a thousand times":   `{ ` + repeat(`__typename `, 1000) + ` }`,
		"lists of one name":            `{ ` + repeat(`collections { slug } `, 500) + ` }`,
		"alias bomb":                   `{ ` + repeat(`a: entries(collection: "articles", limit: 500) { items { data } } `, 900) + ` }`,
		"tree of one name":             `{ __type(name: "Entry") { ` + tree(8) + ` } }`,
		"fragment bomb":                bombs + ` fragment F18 on Query { __typename }`,
		"fragment cycle":               `{ ...F0 }` + cycles.String(),
		"fragment chain":               `{ ...F0 }` + chain.String() + ` fragment F1500 on Query { __typename }`,
		"fragment star":                `{ ...A ...B }` + star.String() + ` fragment A on Query { __typename } fragment B on Query { __typename }`,
		"fragments of long names":      `{` + ` ...` + repeat(`a`, 1900) + `1498` + repeat(` __typename`, 900) + `}` + longNames.String(),
		"fragments in pairs":           `{` + pairs.String(),
		"operations spread a fragment": `query Q { __typename }` + repeat(` query Q { ...F }`, 2000) + ` fragment F on Query { ` + repeat(`__typename `, 900) + ` }`,
		"nested list":                  `{ entries(collection: "articles", where: [{field: "title", value: ` + repeat(`[`, 7000) + repeat(`]`, 7000) + `}]) { totalCount } }`,
		"nested lists twice":           `{` + repeat(` entries(collection: "articles", where: [{field: "title", value: `+repeat(`[`, 3000)+repeat(`]`, 3000)+`}]) { totalCount }`, 2) + `}`,
		"nested selection":             repeat(`{ a `, 7000) + repeat(`}`, 7000),
		"a long word":                  `{ ` + repeat(`a`, 1<<20-100) + ` }`,
		"a long string":                `{ collection(slug: "` + repeat(`\\u0041`, 1<<17-100) + `") { slug } }`,
		"a long comment":               `{ __typename } #` + repeat(`#`, 1<<20-100),
		"half pairs":                   `{ collection(slug: "` + repeat(`\\ud83d\\ude00`, 1<<16-100) + `") { slug } }`,
		"many unknown fields":          `{ ` + repeat(`collectoins `, 900) + ` }`,
		"many variables":               `query (` + repeat(`$a: Int `, 3700) + `) { __typename }`,
		"many arguments":               `{ media(` + repeat(`id: 1 `, 4900) + `) { id } }`,
		"many values":                  `{ __typename }","variables":{"a":[` + repeat(`1,`, 500_000) + `1]},"operationName":"`,
		"many empty lists":             `{ __typename }","variables":{"a":[` + repeat(`[],`, 300_000) + `1]},"operationName":"`,
		"many members":                 `{ entries(collection: "articles", where: [{` + repeat(`field: "a" `, 4900) + `}]) { totalCount } }`,
	} {
		if !strings.Contains(query, `"variables":`) {
			query = strings.ReplaceAll(query, `"`, `\"`)
		}
		took, memory, response := cost(query)
		t.Logf("%-30s %8s %5d KB %s", name, took.Round(100*time.Microsecond), memory>>10, response.code())
		assert.Less(t, took, 20*plain, name)
		assert.Less(t, memory, uint64(32<<20), name)
		require.Less(t, len(response.body), 64<<10, name)
		require.Less(t, response.status, 500, name)
	}
}

// allocatedBytes returns the total bytes allocated by the process.
func allocatedBytes() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// processorTime returns the processor time used by all threads of the process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
