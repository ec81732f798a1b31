package graphql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A null variable in a non-null place is a client error in every position, and nothing is
// executed.
func TestNullVariables(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, query := range map[string]string{
		"skip of a field":           `query ($v: Boolean = true) { collections @skip(if: $v) { slug } }`,
		"include of a field":        `query ($v: Boolean = true) { collections @include(if: $v) { slug } }`,
		"skip of a fragment":        `query ($v: Boolean = true) { __typename ...F @skip(if: $v) } fragment F on Query { collections { slug } }`,
		"include in line":           `query ($v: Boolean = true) { __typename ... @include(if: $v) { collections { slug } } }`,
		"skip in a fragment":        `query ($v: Boolean = true) { ...F } fragment F on Query { collections { slug @skip(if: $v) } }`,
		"skip of a total":           `query ($v: Boolean = true) { entries(collection: "articles") { items { id } totalCount @skip(if: $v) } }`,
		"include of a total":        `query ($v: Boolean = false) { entries(collection: "articles") { totalCount @include(if: $v) } }`,
		"skip in introspection":     `query ($v: Boolean = true) { __schema { types { name @skip(if: $v) } } }`,
		"String argument":           `query ($v: String = "articles") { collection(slug: $v) { slug } }`,
		"String argument of a list": `query ($v: String = "articles") { collections { slug } entries(collection: $v) { totalCount } }`,
		"Int argument":              `query ($v: Int = 1) { media(id: $v) { id } }`,
		"second Int argument":       `query ($v: Int = 1) { collections { slug } entry(collection: "articles", id: $v) { id } }`,
		"introspected type":         `query ($v: String = "Entry") { __type(name: $v) { name } }`,
		"member of an input object": `query ($v: String = "title") { entries(collection: "articles", where: [{field: $v, value: "Gamma"}]) { totalCount } }`,
		"member of a single object": `query ($v: String = "title") { entries(collection: "articles", where: {field: $v, value: "Gamma"}) { totalCount } }`,
		"element of a list":         `query ($v: WhereClauseInput = {field: "title", value: "Gamma"}) { entries(collection: "articles", where: [$v]) { totalCount } }`,
		"second element of a list":  `query ($v: WhereClauseInput = {field: "title", value: "Gamma"}) { entries(collection: "articles", where: [{field: "title", value: "Gamma"}, $v]) { totalCount } }`,
		"in a fragment twice":       `query ($v: Int = 1) { ...F ...G } fragment F on Query { ...G } fragment G on Query { media(id: $v) { id } }`,
		"beside what is skipped":    `query ($v: Int = 1, $yes: Boolean = true) { collections @skip(if: $yes) { slug } media(id: $v) { id } }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // parsed, then cached
				response := s.post(t, query, `{"v":null}`)
				require.Equal(t, "BAD_USER_INPUT", response.code(), response.body)
				require.Nil(t, response.Data)
				require.Len(t, response.Errors, 1)
				require.Contains(t, response.message(), "$v must not be null")
			}
			require.Empty(t, s.post(t, query, `{}`).Errors, "the default is used")
		})
	}
	for name, c := range map[string]struct{ query, data string }{
		"nullable argument":   {`query ($v: String = "id:asc") { entries(collection: "articles", limit: 1, sort: $v) { items { id } } }`, `{"entries":{"items":[{"id":"3"}]}}`},
		"nullable member":     {`query ($v: String = "not") { entries(collection: "articles", where: [{field: "title", op: $v, value: "Gamma"}]) { totalCount } }`, `{"entries":{"totalCount":1}}`},
		"nullable list":       {`query ($v: [WhereClauseInput!] = [{field: "title", value: "Gamma"}]) { entries(collection: "articles", where: $v) { totalCount } }`, `{"entries":{"totalCount":3}}`},
		"value of a clause":   {`query ($v: JSONObject = 5) { entries(collection: "articles", where: [{field: "featured", op: "null", value: $v}]) { totalCount } }`, `{"entries":{"totalCount":1}}`},
		"with a default":      {`query ($v: Boolean = true) { entry(collection: "articles", id: 1, timestamps: $v) { id createdAt } }`, `{"entry":{"id":"1","createdAt":null}}`},
		"what is skipped":     {`query ($v: Int = 1) { __typename media(id: $v) @skip(if: true) { id } }`, `{"__typename":"Query"}`},
		"a skipped fragment":  {`query ($v: Int = 1) { __typename ...F @include(if: false) } fragment F on Query { media(id: $v) { id } }`, `{"__typename":"Query"}`},
		"another's selection": {`query Q ($v: Int = 1) { entries(collection: "articles", offset: $v) { totalCount } } query R ($v: Int = 1) { media(id: $v) { id } }`, `{"entries":{"totalCount":3}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			operation := ""
			if strings.HasPrefix(c.query, "query Q") {
				operation = `,"operationName":"Q"`
			}
			response := s.send(t, "POST", "", `{"query":`+quoted(c.query)+`,"variables":{"v":null}`+operation+`}`, nil)
			require.Empty(t, response.Errors, response.body)
			require.Equal(t, c.data, string(response.Data))
		})
	}
}

// A fragment shared by two operations uses the variables of the executed one.
func TestFragmentsOfTwoOperations(t *testing.T) {
	t.Parallel()
	s := setup(t)
	document := `query A ($op: String) { ...F } query B ($op: String = "not") { ...F }
		fragment F on Query { entries(collection: "articles", where: [{field: "title", op: $op, value: "Gamma"}]) { totalCount } }`
	for operation, total := range map[string]int{"A": 1, "B": 2} {
		response := s.send(t, "POST", "", `{"query":`+quoted(document)+`,"operationName":"`+operation+`"}`, nil)
		require.Equal(t, fmt.Sprintf(`{"entries":{"totalCount":%d}}`, total), string(response.Data), operation)
	}
}

// Any JSON variables give an ordinary response; a refusal is a client error without data.
func FuzzVariables(f *testing.F) {
	s := setup(f)
	query := `query ($b: Boolean = true, $s: String = "articles", $i: Int = 1, $o: String, $f: String = "title", $j: JSONObject = "Gamma", $c: WhereClauseInput = {field: "views"}, $w: [WhereClauseInput!] = [], $l: Int = 2) {
		collection(slug: $s) { slug @skip(if: $b) name }
		media(id: $i) @include(if: $b) { id }
		entry(collection: $s, id: $i, timestamps: $b) { id }
		a: entries(collection: $s, where: [{field: $f, op: $o, value: $j}, $c], limit: $l) { items { id } totalCount @include(if: $b) }
		b: entries(collection: "articles", where: $w, sort: $o) { totalCount }
		__type(name: $s) { fields(includeDeprecated: $b) { name } }
	}`
	for _, seed := range []string{
		`{}`, `null`, `{"b":null}`, `{"s":null}`, `{"i":null}`, `{"f":null}`, `{"c":null}`, `{"w":[null]}`, `{"w":{"field":null}}`, `{"l":5e2}`, `{"l":500.0}`, `{"l":-0.0}`, `{"l":1e400}`,
		`{"b":"true"}`, `{"i":2147483648}`, `{"i":1e9}`, `{"j":{"a":[null,1e3]}}`, `{"w":[{"field":"title","op":null,"value":null}],"o":"title:asc"}`, `{"unknown":1}`, `{"c":{"field":"title","x":1}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, variables string) {
		response := s.send(t, "POST", "", `{"query":`+quoted(query)+`,"variables":`+variables+`}`, nil)
		require.Less(t, response.status, 500, response.body)
		for _, fault := range response.Errors {
			require.NotEqual(t, "INTERNAL", fault.Extensions["code"], response.body)
		}
		if response.code() == "BAD_USER_INPUT" && strings.HasPrefix(response.message(), "$") {
			require.Nil(t, response.Data)
		}
	})
}
