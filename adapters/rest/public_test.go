package rest_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestListEntries(t *testing.T) {
	t.Parallel()
	w := setup(t)
	res := w.send("GET", w.public("/collections/articles/entries?count=true"), "", w.bearer("read"))
	require.Equal(t, 200, res.StatusCode, string(res.body))
	assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
	body := res.json(t)
	assert.Equal(t, map[string]any{"offset": 0.0, "limit": 25.0, "hasMore": false, "total": 1.0}, body["meta"])
	assert.Equal(t, "Alpha", body["data"].([]any)[0].(map[string]any)["title"])
	assert.NotContains(t, string(res.body), "canary")

	alone := w.send("GET", w.public("/collections/articles/entries/"+itoa(w.entry.ID)), "", w.bearer("read"))
	require.Equal(t, 200, alone.StatusCode)
	assert.Equal(t, `{"data":[`+string(alone.body)+`],"meta":{"offset":0,"limit":25,"hasMore":false,"total":1}}`, string(res.body))
}

// TestReadTheProject checks that a token reads its Project, with the fallbacks that count, and nothing of another.
func TestReadTheProject(t *testing.T) {
	t.Parallel()
	w := setup(t)
	before := w.send("GET", w.public(""), "", w.bearer("read"))
	require.Equal(t, 200, before.StatusCode, string(before.body))
	w.must(w.send("PATCH", "/api/projects/"+itoa(w.project.ID), `{"name":"Desk","locales":["en","fr","de","de-AT","it"],"fallbacks":{"it":["fr"],"fr":[]},"previewUrl":"https://canary.example/{id}","acknowledge":true}`, w.as("projectAdmin")))
	after := w.send("GET", w.public(""), "", w.bearer("read"))
	assert.JSONEq(t, `{"uuid":"`+w.project.UUID+`","name":"Desk","defaultLocale":"en","locales":["en","fr","de","de-AT","it"],
		"fallbacks":{"fr":["en"],"de":["en"],"de-AT":["de","en"],"it":["fr","en"]}}`, string(after.body))
	assert.NotEqual(t, before.Header.Get("ETag"), after.Header.Get("ETag"))
	assert.Equal(t, 400, w.send("GET", w.public("?fields=name"), "", w.bearer("read")).StatusCode)
}

// TestReadTranslations checks the parameters alternates and locale, and the condition _group.
func TestReadTranslations(t *testing.T) {
	t.Parallel()
	w := setup(t)
	all := w.public("/collections/articles/entries")
	own := all + "/" + itoa(w.entry.ID)
	french := w.must(w.send("POST", all, `{"published":true,"locale":"fr","translationOf":`+itoa(w.entry.ID)+`,"fields":{"title":"Alpha en français"}}`, w.bearer("full")))
	other := int64(french["id"].(float64))
	get := func(target string) answer {
		res := w.send("GET", target, "", w.bearer("read"))
		require.Equal(t, 200, res.StatusCode, string(res.body))
		again := w.send("GET", target, "", w.bearer("read"), header("If-None-Match", res.Header.Get("ETag")))
		assert.Equal(t, http.StatusNotModified, again.StatusCode, target)
		return res
	}
	alternates := `"_alternates":[{"id":` + itoa(w.entry.ID) + `,"locale":"en"},{"id":` + itoa(other) + `,"locale":"fr"}]}`
	for _, target := range []string{all + "?alternates=true", own + "?alternates=true", own + "?alternates=true&locale=fr", own + "?alternates=true&fields=title"} {
		assert.Contains(t, string(get(target).body), alternates, target)
	}
	for _, target := range []string{all, own, own + "?alternates=false"} {
		assert.NotContains(t, string(get(target).body), "_alternates", target)
	}
	assert.Contains(t, string(get(own+"?locale=fr").body), `"title":"Alpha en français"`)
	assert.Contains(t, string(get(all+"?where[_group]="+itoa(other)).body), `"title":"Alpha"`)
	assert.Contains(t, string(get(all+"?where[_group]="+itoa(w.entry.ID)+"&locale=fr&count=true").body), `"total":1`)

	// The ETag of such a read is one of its entry, and of no other.
	put := func(id int64, tag string) int {
		return w.send("PATCH", all+"/"+itoa(id), `{"fields":{}}`, w.bearer("full"), header("If-Match", tag)).StatusCode
	}
	for _, query := range []string{"?alternates=true", "?locale=en", "?alternates=true&locale=en&fields=title"} {
		assert.Equal(t, 200, put(w.entry.ID, get(own+query).Header.Get("ETag")), query)
		assert.Equal(t, 412, put(other, get(own+query).Header.Get("ETag")), query)
	}
	tag := get(own + "?locale=fr").Header.Get("ETag")
	assert.Equal(t, 412, put(w.entry.ID, tag))
	assert.Equal(t, 200, put(other, tag))

	w.must(w.send("PATCH", all+"/"+itoa(other), `{"published":false}`, w.bearer("full")))
	assert.NotContains(t, string(get(own+"?alternates=true").body), `{"id":`+itoa(other))
	assert.Contains(t, string(get(own+"?locale=fr").body), `"title":"Alpha"`)
	assert.Contains(t, string(get(all+"?where[_group]="+itoa(other)).body), `"data":[]`)
	for _, bad := range []string{
		own + "?alternates=yes", own + "?alternates=", own + "?locale=", own + "?locale=*", own + "?locale=xx", own + "?locale=fr&asOf=2026-01-02T03:04:05Z",
		own + "?alternates=true&asOf=2026-01-02T03:04:05Z", all + "?alternates=1", all + "?where[_group]=x", all + "?where[_group][in]=1,2", all + "?or[0][_group]=1", all + "?sort=_group",
		w.public("/collections/articles/entry?alternates=true&asOf=2026-01-02T03:04:05Z"),
	} {
		assert.Equal(t, 400, w.send("GET", bad, "", w.bearer("full")).StatusCode, bad)
	}
	assert.Equal(t, 404, w.send("GET", all+"/"+itoa(other)+"?locale=fr", "", w.bearer("read")).StatusCode)
	assert.Equal(t, 404, w.send("GET", own+"?locale=fr", "", w.bearer("other")).StatusCode)
}

func TestNotModified(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, path := range []string{"", "/collections", "/collections/articles", "/collections/articles/entries", "/collections/articles/entries/" + itoa(w.entry.ID)} {
		first := w.send("GET", w.public(path), "", w.bearer("full"))
		tag := first.Header.Get("ETag")
		require.Regexp(t, `^"[0-9a-f]{32}"$`, tag, path)
		for _, known := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
			again := w.send("GET", w.public(path), "", w.bearer("full"), header("If-None-Match", known))
			assert.Equal(t, http.StatusNotModified, again.StatusCode, path)
			assert.Empty(t, again.body)
			assert.Equal(t, tag, again.Header.Get("ETag"))
		}
		other := w.send("GET", w.public(path), "", w.bearer("full"), header("If-None-Match", `"x"`))
		assert.Equal(t, 200, other.StatusCode)
	}
	before := w.send("GET", w.public("/collections/articles/entries"), "", w.bearer("full")).Header.Get("ETag")
	changed := w.send("PATCH", w.public("/collections/articles/entries/"+itoa(w.entry.ID)), `{"fields":{"views":2}}`, w.bearer("full"))
	require.Equal(t, 200, changed.StatusCode, string(changed.body))
	after := w.send("GET", w.public("/collections/articles/entries"), "", w.bearer("full"), header("If-None-Match", before))
	assert.Equal(t, 200, after.StatusCode)
}

func TestWriteEntries(t *testing.T) {
	t.Parallel()
	w := setup(t)
	all := w.public("/collections/articles/entries")
	made := w.send("POST", all, `{"published":true,"fields":{"title":"New","tags":["x"]}}`, w.bearer("full"))
	require.Equal(t, 201, made.StatusCode, string(made.body))
	assert.Equal(t, `"1"`, made.Header.Get("ETag"))
	body := made.json(t)
	assert.Equal(t, "published", body["state"])
	own := made.Header.Get("Location")
	assert.Equal(t, all+"/"+itoa(int64(body["id"].(float64))), own)
	assert.Equal(t, 200, w.send("GET", own, "", w.bearer("full")).StatusCode)

	changed := w.send("PATCH", own, `{"fields":{"title":"Newer"}}`, w.bearer("full"), header("If-Match", `"1"`))
	require.Equal(t, 200, changed.StatusCode, string(changed.body))
	assert.Equal(t, `"2"`, changed.Header.Get("ETag"))
	for _, stale := range []string{`"1"`, `W/"2"`, `"abc"`} {
		w.problem(412, "precondition_failed", "PATCH", own, `{"fields":{}}`, w.bearer("full"), header("If-Match", stale))
	}
	for _, wrong := range []string{`2`, `"1" "2"`, `"2`} {
		w.problem(400, "bad_if_match", "PATCH", own, `{"fields":{}}`, w.bearer("full"), header("If-Match", wrong))
	}
	gone := w.send("DELETE", own, "", w.bearer("full"), header("If-Match", "*"))
	assert.Equal(t, 204, gone.StatusCode, string(gone.body))
	assert.Empty(t, gone.body)
	w.problem(404, "not_found", "GET", own, "", w.bearer("full"))
}

// If-Match accepts the entity tags of public reads and those of writes.
func TestIfMatchOfReads(t *testing.T) {
	t.Parallel()
	w := setup(t)
	made := w.send("POST", w.public("/collections/articles/entries"), `{"published":true,"fields":{"title":"New"}}`, w.bearer("full"))
	require.Equal(t, 201, made.StatusCode, string(made.body))
	own := made.Header.Get("Location")
	read := func(query string) string {
		return w.send("GET", own+query, "", w.bearer("full")).Header.Get("ETag")
	}
	version := made.Header.Get("ETag")
	for i, tag := range []func() string{
		func() string { return read("") },
		func() string { return read("?timestamps=true") },
		func() string { return `"unknown", ` + read("") },
		func() string { return `"1000000", ` + version },
		func() string { return `"1000000", W/"7", ` + version },
	} {
		given := tag()
		changed := w.send("PATCH", own, `{"fields":{"title":"Changed `+strconv.Itoa(i)+`"}}`, w.bearer("full"), header("If-Match", given))
		require.Equal(t, 200, changed.StatusCode, given+string(changed.body))
		version = changed.Header.Get("ETag")
		if strings.Contains(given, "1000000") {
			continue // a version tag, not the tag of a read
		}
		w.problem(412, "precondition_failed", "PATCH", own, `{"fields":{}}`, w.bearer("full"), header("If-Match", given))
		w.problem(412, "precondition_failed", "DELETE", own, "", w.bearer("full"), header("If-Match", given))
	}
	w.problem(412, "precondition_failed", "PATCH", own, `{"fields":{}}`, w.bearer("full"), header("If-Match", "W/"+read("")))
	tag := read("")
	require.Equal(t, 200, w.send("PATCH", own, `{"published":false}`, w.bearer("full")).StatusCode)
	w.problem(412, "precondition_failed", "PATCH", own, `{"fields":{}}`, w.bearer("full"), header("If-Match", tag))
	require.Equal(t, 200, w.send("PATCH", own, `{"published":true}`, w.bearer("full")).StatusCode)
	require.Equal(t, 204, w.send("DELETE", own, "", w.bearer("full"), header("If-Match", read(""))).StatusCode)
	w.problem(404, "not_found", "PATCH", own, `{"fields":{}}`, w.bearer("full"), header("If-Match", tag))
}

// The response to a write does not contain values that the token may not read.
func TestWritesShowOnlyReadableValues(t *testing.T) {
	t.Parallel()
	w := setup(t)
	all := w.public("/collections/articles/entries")
	made := w.send("POST", all, `{"published":true,"fields":{"title":"Public","tags":["x"]}}`, w.bearer("full"))
	require.Equal(t, 201, made.StatusCode, string(made.body))
	public := made.Header.Get("Location")
	made = w.send("POST", all, `{"fields":{"title":"canary draft","tags":["canary"]}}`, w.bearer("full"))
	require.Equal(t, 201, made.StatusCode, string(made.body))
	draft := made.Header.Get("Location")
	fieldsOf := func(r answer) string {
		t.Helper()
		require.Less(t, r.StatusCode, 300, string(r.body))
		var shown struct{ Fields json.RawMessage }
		require.NoError(t, json.Unmarshal(r.body, &shown))
		return string(shown.Fields)
	}
	for _, token := range []string{"update", "readupdate"} {
		assert.Equal(t, `{}`, fieldsOf(w.send("PATCH", draft, `{}`, w.bearer(token))), token)
		assert.Equal(t, `{}`, fieldsOf(w.send("PATCH", draft, `{"fields":{}}`, w.bearer(token))), token)
		assert.Equal(t, `{"views":5}`, fieldsOf(w.send("PATCH", draft, `{"fields":{"views":5}}`, w.bearer(token))), token)
		for _, body := range []string{`{"fields":{"nothing":1}}`, `{"translationOf":77}`, `{"locale":"xx"}`} {
			rejected := w.send("PATCH", draft, body, w.bearer(token))
			assert.Equal(t, 422, rejected.StatusCode)
			assert.NotContains(t, string(rejected.body), "canary")
		}
		stale := w.send("PATCH", draft, `{}`, w.bearer(token), header("If-Match", `"1000"`))
		assert.Equal(t, 412, stale.StatusCode)
		assert.NotContains(t, string(stale.body), "canary")
	}
	assert.Equal(t, `{}`, fieldsOf(w.send("PATCH", public, `{}`, w.bearer("update"))))
	assert.Contains(t, fieldsOf(w.send("PATCH", public, `{}`, w.bearer("readupdate"))), `"title":"Public"`, "the published version is readable")
	assert.Contains(t, fieldsOf(w.send("PATCH", draft, `{}`, w.bearer("full"))), `"title":"canary draft"`)

	key := header("Idempotency-Key", "7f0e4c1a-one")
	first := w.send("POST", all, `{"fields":{"title":"Mine"}}`, w.bearer("create"), key)
	assert.Equal(t, `{"title":"Mine"}`, fieldsOf(first))
	again := w.send("POST", all, `{"fields":{"title":"Mine"}}`, w.bearer("create"), key)
	assert.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	assert.Equal(t, string(first.body), string(again.body))
}

func TestWriteFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	w := setup(t)
	p := w.problem(422, "invalid", "POST", w.public("/collections/articles/entries"),
		`{"locale":"xx","fields":{"views":"many","nothing":1}}`, w.bearer("full"))
	var places []string
	for _, fault := range p["errors"].([]any) {
		places = append(places, fault.(map[string]any)["location"].(string))
	}
	assert.ElementsMatch(t, []string{"locale", "fields.title", "fields.views", "fields.nothing"}, places)
}

func TestCollectionsHideSecretFields(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, path := range []string{"/collections", "/collections/articles"} {
		res := w.send("GET", w.public(path), "", w.bearer("read"))
		require.Equal(t, 200, res.StatusCode)
		assert.Contains(t, string(res.body), `"title"`)
		assert.NotContains(t, string(res.body), `"note"`)
	}
}

// TestOtherProject checks that the path of another Project gets the same response as the path of
// a Project that does not exist.
func TestOtherProject(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const unknown = "11111111-3a6c-4a43-8d2a-0a6f7f0f9c33"
	for _, path := range []string{"", "/collections", "/collections/articles", "/collections/articles/entries", "/collections/articles/entries/1"} {
		var bodies []string
		for _, uuid := range []string{w.other.UUID, unknown, "x", strings.ToUpper(w.project.UUID), "..%2f" + w.project.UUID} {
			res := w.send("GET", "/public/v2/projects/"+uuid+path, "", w.bearer("read"))
			require.Equal(t, 404, res.StatusCode)
			p := res.json(t)
			bodies = append(bodies, strings.NewReplacer(p["instance"].(string), "", p["requestId"].(string), "").Replace(string(res.body)))
		}
		for _, body := range bodies {
			assert.Equal(t, bodies[0], body)
		}
	}
}

func TestQueryFaults(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, test := range []struct{ query, location string }{
		{"nothing=1", "nothing"},
		{"sort=title&sort=title", "sort"},
		{"limit=5&limit=6", "limit"},
		{"limit=501", "limit"},
		{"limit=0", "limit"},
		{"limit=1e2", "limit"},
		{"limit=%2B5", "limit"},
		{"limit=99999999999999999999", "limit"},
		{"offset=-1", "offset"},
		{"timestamps=maybe", "timestamps"},
		{"count=", "count"},
		{"where=1", "where"},
		{"where[]=1", "where[]"},
		{"where[title", "where[title"},
		{"where[title]x=1", "where[title]x"},
		{"where[title][like][x]=1", "where[title][like][x]"},
		{"where[[title]]=1", "where[[title]]"},
		{"or[title]=1", "or[title]"},
		{"or[00][title]=1", "or[00][title]"},
		{"or[-1][title]=1", "or[-1][title]"},
		{"or[0]=1", "or[0]"},
		{"filter[title]=1", "filter[title]"},
		{"where[nothing]=1", "where[nothing]"},
		{"where[note]=canary", "where[note]"},
		{"where[note][like]=canary", "where[note][like]"},
		{"or[0][note]=canary", "or[0][note]"},
		{"where[title][near]=1", "where[title][near]"},
		{"where[views]=many", "where[views]"},
		{"where%5Bviews%5D%5Blt%5D=many", "where[views][lt]"},
		{"sort=id;--", "sort"},
		{"sort=note", "sort"},
		{"locale=xx", "locale"},
		{"state=all", "state"},
		{"status=draft", "status"},
		{"after=", "after"},
		{"after=x&after=x", "after"},
		{"after=x", "after"},
		{"after=x&offset=0", "offset"},
	} {
		t.Run(test.query, func(t *testing.T) {
			t.Parallel()
			res := w.send("GET", w.public("/collections/articles/entries?"+test.query), "", w.bearer("full"))
			require.Equal(t, 400, res.StatusCode, string(res.body))
			p := res.json(t)
			require.NotEmpty(t, p["errors"], p)
			assert.Equal(t, test.location, p["errors"].([]any)[0].(map[string]any)["location"])
		})
	}
	for _, query := range []string{"sort=%00", "where[title]=%00", "where[title]=%ff", "%zz=1", "sort=%zz"} {
		res := w.send("GET", w.public("/collections/articles/entries?"+query), "", w.bearer("full"))
		assert.Equal(t, 400, res.StatusCode, query)
	}
}

func TestQueryForms(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for query, found := range map[string]bool{
		"":                            true,
		"&&":                          true,
		"where[title]=Alpha":          true,
		"where%5Btitle%5D=Alpha":      true,
		"where[title][like]=LPH":      true,
		"where[title][in]=Beta,Alpha": true,
		"where[title][in][]=Alpha":    true,
		"where[title][in][0]=a&where[title][in][1]=Alpha": true,
		"where[title][in][]=a&where[title][in][]=Alpha":   true,
		"where[views][between]=1,2":                       true,
		"where[views][gte]=1&where[views][lt]=1":          false,
		"where[tags]=a&where[tags]=b":                     true,
		"where[tags]=a&where[tags]=c":                     false,
		"where[views][not_null]":                          true,
		"where[views][null]=true":                         false,
		"or[0][title]=x&or[7][views]=1":                   true,
		"or[0][title]=x&or[0][views]=1":                   false,
		"or[0][title]=Alpha&where[views]=2":               false,
		"where[id]=" + itoa(w.entry.ID):                   true,
		"state=only_draft":                                false,
		"state=with_draft":                                true,
		"offset=1":                                        false,
		"sort=views:desc,title&limit=1":                   true,
	} {
		res := w.send("GET", w.public("/collections/articles/entries?"+query), "", w.bearer("full"))
		if assert.Equal(t, 200, res.StatusCode, "%s: %s", query, res.body) {
			assert.Equal(t, found, len(res.json(t)["data"].([]any)) > 0, query)
		}
	}
	w.problem(403, "forbidden", "GET", w.public("/collections/articles/entries?state=with_draft"), "", w.bearer("read"))
}

// Concurrent reads do not mix their responses, although buffers are reused.
func TestConcurrentReadsDoNotMix(t *testing.T) {
	t.Parallel()
	w := setup(t)
	queries := []string{"?limit=1", "?limit=2&count=true", "?timestamps=true", "?where[title]=nothing"}
	want := make([]string, len(queries))
	for i, query := range queries {
		want[i] = string(w.send("GET", w.public("/collections/articles/entries"+query), "", w.bearer("measure")).body)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for n := range 50 {
				i := (worker + n) % len(queries)
				res := w.send("GET", w.public("/collections/articles/entries"+queries[i]), "", w.bearer("measure"))
				assert.Equal(t, want[i], string(res.body))
			}
		})
	}
	group.Wait()
}

// TestHiddenFieldsAreForEditors checks who gets the values of hidden fields of a draft.
func TestHiddenFieldsAreForEditors(t *testing.T) {
	t.Parallel()
	w := setup(t)
	one := w.content("/content/" + itoa(w.entry.ID))
	for user, sees := range map[string]bool{"super": true, "projectAdmin": true, "editor": true, "viewer": false} {
		for _, target := range []string{one, w.content("/content"), w.content("/content?where[title]=Alpha"), one + "/translations"} {
			res := w.send("GET", target, "", w.as(user))
			require.Equal(t, 200, res.StatusCode)
			assert.Equal(t, sees, strings.Contains(string(res.body), `"note":"canary"`), "%s reads %s: %s", user, target, res.body)
		}
		assert.Equal(t, 400, w.send("GET", w.content("/content?where[note]=canary"), "", w.as(user)).StatusCode, "no filter")
	}
	written := w.send("PATCH", one, `{"fields":{"note":"canary 2"}}`, w.as("editor"))
	require.Equal(t, 200, written.StatusCode, string(written.body))
	assert.Contains(t, string(written.body), `"note":"canary 2"`)
	for _, target := range []string{"/versions", "/revisions", "/revisions/1"} {
		assert.NotContains(t, string(w.send("GET", one+target, "", w.as("editor")).body), "canary", target)
	}
	public := w.public("/collections/articles/entries")
	assert.NotContains(t, string(w.send("PATCH", public+"/"+itoa(w.entry.ID), `{"fields":{"title":"Beta"}}`, w.bearer("full")).body), "canary")
	for method, target := range map[string]string{"PATCH": public + "/" + itoa(w.entry.ID), "POST": public} {
		refused := w.send(method, target, `{"fields":{"title":"Gamma","note":"canary 3"}}`, w.bearer("full"))
		unknown := w.send(method, target, `{"fields":{"title":"Gamma","nota":"canary 3"}}`, w.bearer("full"))
		require.Equal(t, 422, refused.StatusCode, string(refused.body))
		same := func(body []byte) string {
			return regexp.MustCompile(`"requestId":"[^"]*"`).ReplaceAllString(strings.ReplaceAll(string(body), "nota", "note"), "")
		}
		assert.Equal(t, same(unknown.body), same(refused.body), "to a token, a hidden field is an unknown one")
	}
	assert.Contains(t, string(w.send("GET", one, "", w.as("editor")).body), `"note":"canary 2"`)
}
