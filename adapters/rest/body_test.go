package rest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNullInAChange sends null for members of a PATCH. It is a value of its own, not an omitted
// member: members that cannot be null refuse it, and nothing else of the body takes effect.
func TestNullInAChange(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tenant, project := "/api/tenants/"+itoa(w.tenant.ID), "/api/projects/"+itoa(w.project.ID)
	token := project + "/tokens/" + itoa(w.tokenID)
	for _, c := range []struct {
		path, caller, body string
		refused            []string // the members that must not be null
	}{
		{tenant, "tenantAdmin", `{"name":null}`, []string{"name"}},
		{project, "projectAdmin", `{"locales":null,"name":"Other","fallbacks":{"fr":[null]}}`, []string{"fallbacks.fr[0]", "locales"}},
		{token, "projectAdmin", `{"name":null}`, []string{"name"}},
		{token, "projectAdmin", `{"name":"Other","abilities":null,"rateLimit":null}`, []string{"abilities"}},
		{token, "projectAdmin", `{"abilities":["read",null],"allowDrafts":null,"allowHistory":null}`, []string{"abilities[1]", "allowDrafts", "allowHistory"}},
	} {
		before := w.send("GET", c.path, "", w.as(c.caller)).body
		problem := w.problem(422, "invalid", "PATCH", c.path, c.body, w.as(c.caller))
		var refused []string
		for _, e := range problem["errors"].([]any) {
			fault := e.(map[string]any)
			assert.Equal(t, "must not be null", fault["message"], c.body)
			refused = append(refused, fault["location"].(string))
		}
		assert.Equal(t, c.refused, refused, c.body)
		assert.Equal(t, string(before), string(w.send("GET", c.path, "", w.as(c.caller)).body), c.body)
	}
	limited := w.send("PATCH", token, `{"rateLimit":9,"expiresAt":"2100-01-01T00:00:00Z"}`, w.as("projectAdmin")).json(t)
	require.EqualValues(t, 9, limited["rateLimit"])
	cleared := w.send("PATCH", token, `{"rateLimit":null,"expiresAt":null}`, w.as("projectAdmin")).json(t)
	assert.Nil(t, cleared["rateLimit"])
	assert.Nil(t, cleared["expiresAt"])
	assert.Equal(t, limited["name"], cleared["name"])
}

// TestFaultyBodyKeepsTheKey repeats a request whose body was faulty with the same Idempotency-Key
// and a corrected body. Only a request that reached its use case takes the key.
func TestFaultyBodyKeepsTheKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tokens := "/api/projects/" + itoa(w.project.ID) + "/tokens"
	for name, c := range map[string]struct {
		query, body string
		status      int
		code        string
		change      with
	}{
		"no JSON":         {"", `{"name":`, 400, "malformed_json", nil},
		"two documents":   {"", `{} {}`, 400, "malformed_json", nil},
		"repeated member": {"", `{"name":"a","name":"b","abilities":["read"]}`, 400, "malformed_json", nil},
		"another case":    {"", `{"Name":"a","abilities":["read"]}`, 400, "malformed_json", nil},
		"unknown member":  {"", `{"name":"a","abilities":["read"],"colour":"red"}`, 422, "invalid", nil},
		"wrong type":      {"", `{"name":5,"abilities":["read"]}`, 422, "invalid", nil},
		"null":            {"", `{"name":null,"abilities":["read"]}`, 422, "invalid", nil},
		"U+0000":          {"", `{"name":"a\u0000","abilities":["read"]}`, 422, "invalid", nil},
		"no body":         {"", "", 400, "malformed_json", nil},
		"another type":    {"", `{"name":"a","abilities":["read"]}`, 415, "unsupported_media_type", isForm},
		"too large":       {"", `{"name":"` + strings.Repeat("a", 4<<20) + `"}`, 413, "body_too_large", nil},
		"unknown query":   {"?colour=red", `{"name":"a","abilities":["read"]}`, 400, "bad_parameter", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.on(t)
			key := header("Idempotency-Key", "key-of-"+strings.ReplaceAll(name, " ", "-"))
			w.problem(c.status, c.code, "POST", tokens+c.query, c.body, w.as("projectAdmin"), key, func(r *http.Request) {
				if c.change != nil {
					c.change(r)
				}
			})
			const corrected = `{"name":"a","abilities":["read"]}`
			made := w.send("POST", tokens, corrected, w.as("projectAdmin"), key)
			require.Equal(t, 201, made.StatusCode, string(made.body))
			assert.Empty(t, made.Header.Get("Idempotent-Replayed"))
			again := w.send("POST", tokens, corrected, w.as("projectAdmin"), key)
			assert.Equal(t, string(made.body), string(again.body))
			assert.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
		})
	}
}

// TestUnknownParameters sends parameters that no operation has, one of them without a name.
func TestUnknownParameters(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for query, name := range map[string]string{"colour=red": "colour", "=x": `""`, "=": `""`} {
		for _, path := range []string{"/collections", "/collections/articles/entries"} {
			p := w.problem(400, "bad_parameter", "GET", w.public(path+"?"+query), "", w.bearer("read"))
			assert.Equal(t, "parameter "+name+" is not a known parameter", p["detail"], path)
			assert.Equal(t, []any{map[string]any{"location": name, "message": "is not a known parameter"}}, p["errors"], path)
		}
	}
}

// TestFaultyFormKeepsTheKey is TestFaultyBodyKeepsTheKey for uploads.
func TestFaultyFormKeepsTheKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	upload, good := w.public("/media/upload"), newForm().text("caption", "once").file("a.txt", "a").String()
	key := header("Idempotency-Key", "key-of-a-form")
	for body, status := range map[string]int{
		"no form":                               400,
		good[:len(good)/2]:                      400,
		newForm().text("caption", "a").String(): 422,
		newForm().text("colour", "red").file("a.txt", "a").String():                     422,
		newForm().text("caption", "a").text("caption", "b").file("a.txt", "a").String(): 422,
	} {
		faulty := w.send("POST", upload, body, isForm, w.bearer("create"), key)
		assert.Equal(t, status, faulty.StatusCode, string(faulty.body))
	}
	w.problem(415, "unsupported_media_type", "POST", upload, `{}`, w.bearer("create"), key)
	made := w.send("POST", upload, good, isForm, w.bearer("create"), key)
	require.Equal(t, 201, made.StatusCode, string(made.body))
	assert.Empty(t, made.Header.Get("Idempotent-Replayed"))
}
