package graphql

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"imprimatur/adapters/graphql/model"
)

// An accepted request is understood by encoding/json in the same way, and cannot fail after
// its check.
func FuzzRequest(f *testing.F) {
	for _, seed := range []string{
		`{"query":"{ __typename }"}`, `{"query":"query($v: JSONObject = [1]) { entries(collection:\"a\", where: {field:\"f\", value: $v}) { totalCount } }","variables":{"v":{"a":[null,1e3]}}}`,
		`{"query":"{ media(id: 2147483648) { id } }","operationName":null,"extensions":{"persistedQuery":{"version":1,"sha256Hash":"ff"}}}`,
		`{"query":"{ a: __typename ...F } fragment F on Query { ...F }"}`, `{"query":"\ud800"}`, `[{}]`, `{"query":"{","query":"}"}`, `{"query":"{ collection(slug: \"\\ud83d\\ude00\") { slug } }"}`,
	} {
		f.Add([]byte(seed))
	}
	documents := newDocuments(newSchema(&queryRoot{}).Schema())
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := decodeRequest(body)
		if err != nil {
			return
		}
		var plain struct{ Query string }
		if err := json.Unmarshal(body, &plain); err != nil || plain.Query != req.query {
			t.Fatalf("encoding/json reads %q, %v", plain.Query, err)
		}
		op, fault := documents.open(req)
		if fault != nil {
			return
		}
		if errs := documents.check(op, req); errs != nil && errs[0].Extensions["code"] == nil {
			t.Fatalf("an error without a code: %v", errs)
		}
	})
}

// Any JSON value is an operand, with the same meaning as a variable and as a literal.
func FuzzOperand(f *testing.F) {
	for _, seed := range []string{`1`, `-0.5e-3`, `"a\ud83d\ude00\u0000"`, `null`, `true`, `[1,"b",[null],{"a":2}]`, `{"a":{"b":[]}}`, `9007199254740993`, `1e400`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sent, err := decodeJSON(text)
		if err != nil {
			return
		}
		var given model.JSONObject
		if err := given.UnmarshalGQL(sent); err != nil {
			t.Fatal(err)
		}
		fromVariable := operand(&given)
		if list, ok := sent.([]any); ok != fromVariable.Listed || !ok && len(fromVariable.Items) != 1 || ok && len(fromVariable.Items) != len(list) {
			t.Fatalf("%s became %v", text, fromVariable)
		}
		if !writable(sent) {
			return
		}
		joined, err := joinSurrogates("{f(a:" + string(text) + ")}")
		if err != nil {
			t.Fatal(err)
		}
		document, err := parser.ParseQuery(&ast.Source{Input: joined})
		if err != nil {
			return // GraphQL strings allow fewer characters than JSON
		}
		written, err := document.Operations[0].SelectionSet[0].(*ast.Field).Arguments[0].Value.Value(nil)
		if err != nil {
			return // a number out of range
		}
		_ = given.UnmarshalGQL(written)
		if fromLiteral := operand(&given); !sameOperand(fromVariable.Items, fromLiteral.Items) {
			t.Fatalf("%s is %v as a variable and %v as a literal", text, fromVariable, fromLiteral)
		}
	})
}

// writable reports whether the value has the same GraphQL and JSON text, that is, no objects.
func writable(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return false
	case []any:
		for _, element := range v {
			if !writable(element) {
				return false
			}
		}
	}
	return true
}

// sameOperand compares numbers by their value.
func sameOperand(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		x, errX := a.Float64()
		number, ok := item(b).(json.Number)
		if !ok {
			return false
		}
		y, errY := number.Float64()
		return errX == nil && errY == nil && x == y
	case []any:
		list, ok := b.([]any)
		if !ok || len(a) != len(list) {
			return false
		}
		for i := range a {
			if !sameOperand(a[i], list[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

// Joining does not change a text without surrogates, and leaves no surrogate pairs.
func FuzzJoinSurrogates(f *testing.F) {
	for _, seed := range []string{`{a(b:"\ud83d\ude00")}`, `"\uD83D"`, `"""\ud83d"""`, `# \ud83d`, `"\\ud83d"`, `"`, `"\`, `"\ud83d\`, `"""\"""\ud83d"""`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		joined, err := joinSurrogates(text)
		if err != nil {
			return
		}
		if !strings.Contains(strings.ToLower(text), `\ud`) && joined != text {
			t.Fatalf("%q became %q", text, joined)
		}
		if utf8.ValidString(text) && !utf8.ValidString(joined) {
			t.Fatalf("%q became %q", text, joined)
		}
		if again, err := joinSurrogates(joined); err != nil || again != joined {
			t.Fatalf("%q became %q, then %q, %v", text, joined, again, err)
		}
	})
}

// Any Accept header, however malformed, selects a media type.
func FuzzNegotiate(f *testing.F) {
	for _, seed := range []string{"", "*/*", "application/json;q=0.5, application/graphql-response+json", "a/b;q=NaN", ";;,,=", "text/html"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		if media, _ := negotiate([]string{accept}); len(media.contentType) != 1 || media.badQuery == 0 {
			t.Fatalf("%q selects %v", accept, media)
		}
	})
}
