package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// attackDocuments sends expensive and invalid documents.
func attackDocuments(t *testing.T, s *site) {
	aliases := func(n int, field string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d:%s ", i, field)
		}
		return b.String()
	}
	tooComplex := func(n int) string {
		return fmt.Sprintf("Query is too complex: %d. Maximum allowed complexity: 1000.", n)
	}
	nested := func(n int) string { return strings.Repeat("{a", n) + strings.Repeat("}", n) }
	variables := map[string]any{"s": nil, "n": json.RawMessage("5e2")} // used by the documents that declare them
	started := time.Now()
	for name, c := range map[string]struct{ document, code, message string }{
		"1,000 fields":         {"{" + aliases(1000, "__typename") + "}", "", ""},
		"1,001 fields":         {"{" + aliases(1001, "__typename") + "}", "QUERY_TOO_COMPLEX", tooComplex(1001)},
		"by fragment":          {"{...F ...F} fragment F on Query{" + aliases(501, "__typename") + "}", "QUERY_TOO_COMPLEX", tooComplex(1002)},
		"introspection counts": {"{" + aliases(501, "__schema{description}") + "}", "QUERY_TOO_COMPLEX", tooComplex(1002)},
		"per hundred":          {`{entries(collection:"pages",limit:500){items{` + aliases(200, "id") + `}}}`, "QUERY_TOO_COMPLEX", tooComplex(1002)},
		"limit by variable":    {`query($m:Int=500){entries(collection:"pages",limit:$m){items{` + aliases(200, "id") + `}}}`, "QUERY_TOO_COMPLEX", tooComplex(1002)},
		"null to a directive":  {`query($s:Boolean=true){collections @skip(if:$s){slug}}`, "BAD_USER_INPUT", "$s must not be null: if is a Boolean!"},
		"null to an argument":  {`query($s:String="x"){collection(slug:$s){slug}}`, "BAD_USER_INPUT", "$s must not be null: slug is a String!"},
		"limit as a fraction":  {`query($n:Int){entries(collection:"pages",limit:$n){items{` + aliases(200, "id") + `}}}`, "QUERY_TOO_COMPLEX", tooComplex(1002)},
		"just within":          {`{entries(collection:"pages",limit:100){items{` + aliases(200, "id") + `}}}`, "", ""},
		"depth":                {nested(21), "QUERY_TOO_LARGE", ""},
		"great depth":          {nested(3000), "QUERY_TOO_LARGE", ""},
		"tokens":               {"{__typename " + strings.Repeat("@include(if:true) ", 10_000) + "}", "QUERY_TOO_LARGE", ""},
		"brackets":             {strings.Repeat("[", 100_000), "GRAPHQL_PARSE_FAILED", ""},
		"cycle":                {"{...F} fragment F on Query{...G} fragment G on Query{...F}", "GRAPHQL_VALIDATION_FAILED", ""},
		"self":                 {"{...F} fragment F on Query{...F}", "GRAPHQL_VALIDATION_FAILED", ""},
		"doubling":             {doubling(40), "", ""},
		"unknown":              {"{nothing}", "GRAPHQL_VALIDATION_FAILED", ""},
		"no suggestion":        {"{collectionz{slug}}", "GRAPHQL_VALIDATION_FAILED", ""},
		"state of an entry":    {`{entry(collection:"pages",id:1,state:"with_draft"){id}}`, "GRAPHQL_VALIDATION_FAILED", ""},
		"mutation":             {`mutation{deleteEntry(id:1)}`, "GRAPHQL_VALIDATION_FAILED", ""},
		"subscription":         {`subscription{entries{id}}`, "GRAPHQL_VALIDATION_FAILED", ""},
		"two operations":       {`query A{__typename} query B{__typename}`, "GRAPHQL_VALIDATION_FAILED", ""},
		"defer":                {`{...@defer{__typename}}`, "GRAPHQL_VALIDATION_FAILED", ""},
		"conflict":             {`{a:collection(slug:"a"){slug} a:collection(slug:"b"){slug}}`, "GRAPHQL_VALIDATION_FAILED", ""},
		"huge id":              {`{entry(collection:"pages",id:4294967297){id}}`, "GRAPHQL_VALIDATION_FAILED", ""},
		"surrogate":            {`{collection(slug:"\ud800"){slug}}`, "GRAPHQL_PARSE_FAILED", ""},
		"long name":            {"{" + strings.Repeat("x", 100_000) + "}", "GRAPHQL_VALIDATION_FAILED", ""},
		"empty":                {"", "BAD_USER_INPUT", ""},
		"comments only":        {"# nothing", "GRAPHQL_VALIDATION_FAILED", ""},
	} {
		r := s.query(t, "read", c.document, variables)
		if name == "doubling" { // exceeds several limits; any of them may refuse it
			if !strings.HasPrefix(r.code(), "QUERY_TOO_") {
				t.Errorf("%s answered %.300s", name, r.body)
			}
			continue
		}
		if r.code() != c.code || c.message != "" && r.Errors[0].Message != c.message || len(r.body) > 20_000 && c.code != "" {
			t.Errorf("%s: %q, want %q %s: %.300s", name, r.code(), c.code, c.message, r.body)
		}
		if strings.Contains(strings.ToLower(string(r.body)), "did you mean") || c.code != "" && r.Data != nil {
			t.Errorf("%s reveals too much: %.300s", name, r.body)
		}
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("refusing took %v", took)
	}
}

// doubling returns a document of n fragments that each spread the next one twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("{...F0}")
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on Query{...F%d ...F%d}", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on Query{__typename}", n)
	return b.String()
}

// attackRequests sends invalid GraphQL requests.
func attackRequests(t *testing.T, s *site) {
	const path = "/public/v2/graphql"
	for _, c := range []struct {
		body   string
		status int
	}{
		{`[{"query":"{__typename}"}]`, 400}, {`[]`, 400}, {`{}`, 400}, {`null`, 400}, {`"x"`, 400}, {`x`, 400}, {` `, 400}, {`{"query":5}`, 400}, {`{"query":null}`, 400}, {`{"query":["{__typename}"]}`, 400},
		{`{"query":"{__typename}","query":"{__typename}"}`, 400}, {`{"Query":"{__typename}"}`, 400}, {`{"query":"{__typename}","more":1}`, 400}, {`{"query":"{__typename}"}{}`, 400},
		{`{"query":"{__typename}","variables":[]}`, 400}, {`{"query":"{__typename}","variables":"{}"}`, 400}, {`{"query":"{__typename}","variables":{"a":1,"a":2}}`, 400}, {`{"query":"{__typename}","operationName":5}`, 400},
		{`{"query":"{__typename}","extensions":[]}`, 400}, {`{"query":"{__typename}","variables":{"v":"\ud800"}}`, 400}, {`{"query":"{__typename}","variables":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`, 400},
		{`{"query":"{__typename}` + strings.Repeat(" ", 1<<20) + `"}`, 413},
	} {
		a := s.send(t, "read", "POST", path, c.body)
		if r := readReply(t, a); a.status != c.status || r.code() == "" || strings.Contains(string(a.body), `"data"`) {
			t.Errorf("%.60s answered %d, want %d: %.300s", c.body, a.status, c.status, a.body)
		}
	}
	const query = `{"query":"{__typename}"}`
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/graphql", "multipart/form-data; boundary=x", "application/json; charset=utf-16"} {
		if a := s.sendTyped(t, "POST", path, query, kind); a.status != 415 {
			t.Errorf("%s answered %d: %s", kind, a.status, a.body)
		}
	}
	for parameters, want := range map[string]int{
		"": 400, "query=": 400, "query=%ff": 400, "query=%7B__typename%7D&query=x": 400, "query=%7B__typename%7D&variables=x": 400, "query=%7B__typename%7D&variables=%5B%5D": 400,
		param("query", "mutation{x}"): 405, param("query", "{__typename}"): 200,
	} {
		if a := s.send(t, "read", "GET", path+"?"+parameters, ""); a.status != want {
			t.Errorf("GET with %q answered %d, want %d: %s", parameters, a.status, want, a.body)
		}
	}
	for accept, want := range map[string]struct {
		status int
		kind   string
	}{
		"application/graphql-response+json": {400, "application/graphql-response+json"}, "application/json": {200, "application/json"}, "*/*": {200, "application/json"},
		"application/xml": {406, ""}, "application/json;q=0": {406, ""},
	} {
		a := s.send(t, "read", "POST", path, `{"query":"{nothing}"}`, "Accept: "+accept)
		if a.status != want.status || !strings.HasPrefix(a.header.Get("Content-Type"), want.kind) {
			t.Errorf("Accept %s answered %d %s", accept, a.status, a.header.Get("Content-Type"))
		}
	}
}

// attackPersisted abuses automatic persisted queries.
func attackPersisted(t *testing.T, s *site) {
	const document = `query Persisted{collections{slug}}`
	sum := sha256.Sum256([]byte(document))
	hash := hex.EncodeToString(sum[:])
	persisted := func(hash, document string) reply {
		extensions, err := json.Marshal(map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hash}})
		if err != nil {
			t.Fatal(err)
		}
		parameters := url.Values{"extensions": {string(extensions)}}
		if document != "" {
			parameters.Set("query", document)
		}
		return readReply(t, s.send(t, "read", "GET", "/public/v2/graphql?"+parameters.Encode(), ""))
	}
	if r := persisted(hash, ""); r.code() != "PERSISTED_QUERY_NOT_FOUND" || r.Errors[0].Message != "PersistedQueryNotFound" {
		t.Errorf("an unknown hash answered %s", r.body)
	}
	if r := persisted(strings.Repeat("0", 64), document); r.status != 400 {
		t.Errorf("a hash of something else answered %d %s", r.status, r.body)
	}
	if r := persisted(strings.Repeat("0", 64), ""); r.code() != "PERSISTED_QUERY_NOT_FOUND" {
		t.Errorf("the wrong hash was stored: %s", r.body)
	}
	for _, hash := range []string{"", "x", strings.Repeat("0", 63), "../" + hash} {
		if r := persisted(hash, document); r.status != 400 {
			t.Errorf("hash %q answered %d %s", hash, r.status, r.body)
		}
	}
	if r := persisted(hash, document); r.status != 200 || len(r.Errors) > 0 {
		t.Errorf("storing the query answered %s", r.body)
	}
	if r := persisted(hash, ""); r.status != 200 || len(r.Errors) > 0 {
		t.Errorf("using the stored query answered %s", r.body)
	}
	if a := s.send(t, "create", "GET", "/public/v2/graphql?"+param("extensions", `{"persistedQuery":{"version":1,"sha256Hash":"`+hash+`"}}`), ""); a.status != 403 {
		t.Errorf("using it without the read ability answered %d", a.status)
	}
}
