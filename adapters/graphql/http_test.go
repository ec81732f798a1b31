package graphql_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	responseType = "application/graphql-response+json; charset=utf-8"
	plainType    = "application/json; charset=utf-8"
	ping         = `{"query":"{ __typename }"}`
)

func TestAuthentication(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, c := range map[string]struct {
		authorization string
		status        int
		code          string
	}{
		"no token":            {"", 401, "UNAUTHENTICATED"},
		"unknown token":       {"Bearer unknown", 401, "UNAUTHENTICATED"},
		"other scheme":        {"Basic full", 401, "UNAUTHENTICATED"},
		"scheme in any case":  {"bEARER full", 200, ""},
		"without the ability": {"Bearer noread", 403, "FORBIDDEN"},
		"with the ability":    {"Bearer read", 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, request := range []struct{ method, params, body string }{
				{"POST", "", ping}, {"POST", "", "not json"}, {"GET", "?query={__typename}", ""}, {"GET", "?token=full&access_token=full&query={__typename}", ""},
			} {
				response := s.send(t, request.method, request.params, request.body, map[string]string{"Authorization": c.authorization})
				if c.status == 200 && (request.body == "not json" || strings.Contains(request.params, "token=")) {
					require.Equal(t, 400, response.status)
					continue
				}
				require.Equal(t, c.status, response.status)
				require.Equal(t, c.code, response.code())
				require.Equal(t, c.status == 401, response.header.Get("WWW-Authenticate") != "")
				require.Equal(t, c.status == 200, response.Data != nil)
			}
		})
	}
	require.Zero(t, s.entries.lists.Load())
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	s := setup(t)
	limited := map[string]string{"Authorization": "Bearer limited"}
	first := s.send(t, "POST", "", ping, limited)
	require.Equal(t, 200, first.status)
	require.Equal(t, `"default";q=1;w=60`, first.header.Get("RateLimit-Policy"))
	for _, request := range []struct{ method, params, body string }{{"POST", "", ping}, {"GET", "?query={__typename}", ""}, {"POST", "", "not json"}} {
		response := s.send(t, request.method, request.params, request.body, limited)
		require.Equal(t, 429, response.status)
		require.Equal(t, "RATE_LIMITED", response.code())
		require.Nil(t, response.Data)
		require.NotEmpty(t, response.header.Get("Retry-After"))
	}
}

func TestMethodsAndContentTypes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, c := range map[string]struct {
		method, contentType string
		status              int
	}{
		"JSON":             {"POST", "application/json", 200},
		"JSON in UTF-8":    {"POST", "application/json; charset=UTF-8", 200},
		"JSON in any case": {"POST", "Application/JSON", 200},
		"other charset":    {"POST", "application/json; charset=latin1", 415},
		"none":             {"POST", "", 415},
		"form":             {"POST", "application/x-www-form-urlencoded", 415},
		"text":             {"POST", "text/plain", 415},
		"GraphQL":          {"POST", "application/graphql", 415},
		"PUT":              {"PUT", "application/json", 405},
		"DELETE":           {"DELETE", "application/json", 405},
		"OPTIONS":          {"OPTIONS", "application/json", 405},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := s.send(t, c.method, "", ping, map[string]string{"Content-Type": c.contentType, "X-HTTP-Method-Override": "POST"})
			require.Equal(t, c.status, response.status, response.body)
			require.Equal(t, c.status == 405, response.header.Get("Allow") != "")
		})
	}
}

func TestCompressedBodiesAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for encoding, status := range map[string]int{"identity": 200, "gzip": 415, "br": 415} {
		response := s.send(t, "POST", "", ping, map[string]string{"Content-Type": "application/json", "Content-Encoding": encoding})
		require.Equal(t, status, response.status, response.body)
	}
}

func TestAccept(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for accept, c := range map[string]struct {
		contentType string
		badQuery    int
	}{
		"":                                  {plainType, 200},
		"*/*":                               {plainType, 200},
		"application/json":                  {plainType, 200},
		"application/*":                     {plainType, 200},
		"application/graphql-response+json": {responseType, 400},
		"application/graphql-response+json, application/json":       {responseType, 400},
		"application/json, application/graphql-response+json":       {responseType, 400},
		"application/graphql-response+json, application/json;q=0.9": {responseType, 400},
		"application/json, application/graphql-response+json;q=0.9": {plainType, 200},
		"application/json;q=0, application/*":                       {responseType, 400},
		"Application/GraphQL-Response+JSON; charset=utf-8":          {responseType, 400},
		"text/html":                       {plainType, 406},
		"image/png, application/json;q=0": {plainType, 406},
	} {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			header := map[string]string{"Accept": accept}
			good := s.send(t, "POST", "", ping, header)
			require.Equal(t, c.contentType, good.header.Get("Content-Type"))
			require.Contains(t, good.header.Get("Vary"), "Accept")
			for _, bad := range []string{`{ nope }`, `{ `, `query ($x: Int!) { entry(collection: "a", id: $x) { id } }`, `query A { __typename } query B { __typename }`} {
				response := s.send(t, "POST", "", `{"query":`+quoted(bad)+`}`, header)
				require.Equal(t, c.badQuery, response.status, bad)
				require.Nil(t, response.Data)
				require.NotEmpty(t, response.Errors)
			}
			if c.badQuery != 406 {
				require.Equal(t, 400, s.send(t, "POST", "", `{"query":`, header).status)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"nulls":                     {`{"query":"{ __typename }","operationName":null,"variables":null,"extensions":null}`, 200},
		"maps":                      {`{"query":"{ __typename }","variables":{"unused":[{}]},"extensions":{"any":1}}`, 200},
		"operation":                 {`{"query":"query A { __typename } query B { nope: __typename }","operationName":"A"}`, 200},
		"empty":                     {``, 400},
		"no query":                  {`{}`, 400},
		"empty query":               {`{"query":""}`, 400},
		"query is null":             {`{"query":null}`, 400},
		"query is a number":         {`{"query":1}`, 400},
		"query is a list":           {`{"query":["{ __typename }"]}`, 400},
		"operationName is a number": {`{"query":"{ __typename }","operationName":1}`, 400},
		"variables are text":        {`{"query":"{ __typename }","variables":"{}"}`, 400},
		"variables are a list":      {`{"query":"{ __typename }","variables":[]}`, 400},
		"extensions are a list":     {`{"query":"{ __typename }","extensions":[]}`, 400},
		"batch":                     {`[` + ping + `,` + ping + `]`, 400},
		"text":                      {`"{ __typename }"`, 400},
		"broken":                    {`{"query":"{ __typename }"`, 400},
		"two documents":             {ping + ping, 400},
		"no number":                 {`{"query":"{ __typename }","variables":{"a":NaN}}`, 400},
		"two zeros":                 {`{"query":"{ __typename }","variables":{"a":00}}`, 400},
		"duplicate member":          {`{"query":"{ __typename }","query":"{ __typename }"}`, 400},
		"duplicate variable":        {`{"query":"{ __typename }","variables":{"a":1,"a":2}}`, 400},
		"other case":                {`{"Query":"{ __typename }"}`, 400},
		"unknown member":            {`{"query":"{ __typename }","projectId":7}`, 400},
		"not UTF-8":                 {"{\"query\":\"{ __typename } # \xff\"}", 400},
		"half a surrogate pair":     {`{"query":"{ __typename }","variables":{"a":"\ud800"}}`, 400},
		"the wrong half":            {`{"query":"{ __typename }","variables":{"a":"\udc00\ud800"}}`, 400},
		"too deep":                  {`{"query":"{ __typename }","variables":{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}`, 400},
		"too many values":           {`{"query":"{ __typename }","variables":{"a":[` + strings.Repeat("1,", 15_000) + `1]}}`, 400},
		"too long":                  {`{"query":"{ __typename }` + strings.Repeat(" ", 1<<20) + `"}`, 413},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := s.send(t, "POST", "", c.body, nil)
			require.Equal(t, c.status, response.status, response.body)
			require.Equal(t, c.status == 200, response.Data != nil)
			require.Equal(t, c.status != 200, len(response.Errors) == 1)
			require.NotRegexp(t, "invalid character|looking for|EOF", response.body, "the words of encoding/json")
		})
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	s := setup(t)
	params := func(pairs ...string) string {
		values := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			values.Add(pairs[i], pairs[i+1])
		}
		return "?" + values.Encode()
	}
	entry := `query E($id: Int!) { entry(collection: "articles", id: $id) { id } }`
	for name, c := range map[string]struct {
		params string
		status int
		data   string
	}{
		"query":               {params("query", "{ __typename }"), 200, `{"__typename":"Query"}`},
		"variables":           {params("query", entry, "variables", `{"id":2}`, "operationName", "E"), 200, `{"entry":{"id":"2"}}`},
		"empty parameters":    {params("query", "{ __typename }", "variables", "", "operationName", "", "extensions", ""), 200, `{"__typename":"Query"}`},
		"unknown parameter":   {params("query", "{ __typename }", "utm", "x"), 400, ""},
		"unknown variable":    {params("query", entry, "id", "2"), 400, ""},
		"another case":        {params("Query", "{ __typename }"), 400, ""},
		"none":                {"", 400, ""},
		"malformed":           {"?query=%zz", 400, ""},
		"twice":               {params("query", "{ __typename }", "query", "{ __typename }"), 400, ""},
		"variables not JSON":  {params("query", entry, "variables", `{id:2}`), 400, ""},
		"variables not a map": {params("query", entry, "variables", `[2]`), 400, ""},
		"not UTF-8":           {"?query=%7B__typename%7D%23%ff", 400, ""},
		"mutation":            {params("query", "mutation { __typename }"), 405, ""},
		"subscription":        {params("query", "subscription { __typename }"), 405, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			response := s.send(t, "GET", c.params, "", nil)
			require.Equal(t, c.status, response.status, response.body)
			require.Equal(t, c.data, string(response.Data))
			require.Equal(t, c.status == 200, response.header.Get("ETag") != "")
		})
	}
	require.Equal(t, "GRAPHQL_VALIDATION_FAILED", s.post(t, "mutation { __typename }").code())
	unknown := s.send(t, "GET", params("query", "{ __typename }", "utm_source", "x", "operation", "E"), "", nil)
	require.Equal(t, `unknown parameter "operation", "utm_source": must be query, operationName, variables or extensions`, unknown.message())
}

func TestEntityTags(t *testing.T) {
	t.Parallel()
	s := setup(t)
	list := "?query=" + url.QueryEscape(`{ entries(collection: "articles") { items { data } } }`)
	first := s.send(t, "GET", list, "", nil)
	tag := first.header.Get("ETag")
	require.Equal(t, tag, s.send(t, "GET", list, "", nil).header.Get("ETag"))
	for _, given := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		response := s.send(t, "GET", list, "", map[string]string{"If-None-Match": given})
		require.Equal(t, 304, response.status, given)
		require.Empty(t, response.body)
		require.Equal(t, tag, response.header.Get("ETag"))
	}
	require.Equal(t, 200, s.send(t, "GET", list, "", map[string]string{"If-None-Match": `"x"`}).status)
	require.Equal(t, 401, s.send(t, "GET", list, "", map[string]string{"If-None-Match": tag, "Authorization": ""}).status)

	head := s.send(t, "HEAD", list, "", nil)
	require.Equal(t, 200, head.status)
	require.Equal(t, tag, head.header.Get("ETag"))
	require.Equal(t, 401, s.send(t, "HEAD", list, "", map[string]string{"Authorization": ""}).status)

	failed := s.send(t, "GET", "?query="+url.QueryEscape(`{ entries(collection: "nowhere") { totalCount } }`), "", nil)
	require.Empty(t, failed.header.Get("ETag"))
	require.Equal(t, "no-store", failed.header.Get("Cache-Control"))
	require.Empty(t, s.post(t, `{ __typename }`).header.Get("ETag"))
}

func TestPersistedQueries(t *testing.T) {
	t.Parallel()
	s := setup(t)
	sum := sha256.Sum256([]byte(`{ __typename }`))
	hash := hex.EncodeToString(sum[:])
	extensions := func(hash string) string {
		return `{"persistedQuery":{"version":1,"sha256Hash":"` + hash + `"}}`
	}
	get := func(pairs string, hash string) exchange {
		return s.send(t, "GET", "?"+pairs+"extensions="+url.QueryEscape(extensions(hash)), "", nil)
	}
	for range 2 {
		unknown := get("", hash)
		require.Equal(t, 200, unknown.status)
		require.Equal(t, "PersistedQueryNotFound", unknown.message())
		require.Equal(t, "PERSISTED_QUERY_NOT_FOUND", unknown.code())
		require.Empty(t, unknown.header.Get("ETag"))
	}
	require.Equal(t, 400, get("query={__typename}&", hash).status, "the hash of another query")
	require.Equal(t, 400, get("", "abc").status)
	require.Equal(t, 400, s.send(t, "POST", "", `{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"`+hash+`"}}}`, nil).status)

	require.Equal(t, 200, get("query="+url.QueryEscape(`{ __typename }`)+"&", hash).status)
	require.Equal(t, `{"data":{"__typename":"Query"}}`, get("", hash).body)
	require.Equal(t, `{"data":{"__typename":"Query"}}`, get("", strings.ToUpper(hash)).body)
	require.Equal(t, `{"data":{"__typename":"Query"}}`, s.send(t, "POST", "", `{"extensions":`+extensions(hash)+`}`, nil).body)

	bad := sha256.Sum256([]byte(`{ nope }`))
	require.Equal(t, "GRAPHQL_VALIDATION_FAILED", get("query="+url.QueryEscape(`{ nope }`)+"&", hex.EncodeToString(bad[:])).code())
	require.Equal(t, "PERSISTED_QUERY_NOT_FOUND", get("", hex.EncodeToString(bad[:])).code(), "invalid queries are not stored")
}

func TestPage(t *testing.T) {
	t.Parallel()
	s := setup(t)
	browser := map[string]string{"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Authorization": "", "Accept-Encoding": "identity"}
	response := s.send(t, "GET", "", "", browser)
	require.Equal(t, 200, response.status)
	require.Equal(t, "text/html; charset=utf-8", response.header.Get("Content-Type"))
	require.Contains(t, response.body, "GraphiQL.createFetcher")
	require.Equal(t, "no-referrer", response.header.Get("Referrer-Policy"))
	policy := response.header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'")
	require.NotContains(t, policy, "unsafe")
	require.NotContains(t, policy, "http")
	for _, source := range []string{`src="http`, `href="http`, "@import", "url(http", "importScripts("} {
		require.NotContains(t, response.body, source)
	}

	browser["Accept-Encoding"] = "gzip"
	zipped := s.send(t, "GET", "", "", browser)
	require.Equal(t, "gzip", zipped.header.Get("Content-Encoding"))
	reader, err := gzip.NewReader(bytes.NewReader([]byte(zipped.body)))
	require.NoError(t, err)
	plain, err := io.ReadAll(reader)
	require.NoError(t, err)
	require.Equal(t, response.body, string(plain))
	browser["If-None-Match"] = zipped.header.Get("ETag")
	require.Equal(t, http.StatusNotModified, s.send(t, "GET", "", "", browser).status)

	require.Equal(t, 401, s.send(t, "POST", "", ping, browser).status, "the page does not authorize queries")
	require.Equal(t, 401, s.send(t, "GET", "?query={__typename}", "", map[string]string{"Accept": "application/json, text/html;q=0.5", "Authorization": ""}).status)
}

// Errors come first in a response, as the specification recommends, and are always JSON.
func TestResponseFormat(t *testing.T) {
	t.Parallel()
	s := setup(t)
	response := s.post(t, `{ collections { slug } entry(collection: "articles", id: 2) { id } bad: entries(collection: "nowhere") { totalCount } }`)
	require.True(t, strings.HasPrefix(response.body, `{"errors":[{"message":"`), response.body)
	require.True(t, json.Valid([]byte(response.body)))
	require.True(t, strings.HasSuffix(response.body, `"data":null}`))
}
