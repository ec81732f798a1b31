package rest_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFormerSlugs looks for slugs that entries had.
func TestFormerSlugs(t *testing.T) {
	t.Parallel()
	w := setup(t)
	made := w.must(w.send("POST", "/api/projects/"+itoa(w.project.ID)+"/collections",
		`{"slug":"pages","name":"Pages","fields":[{"name":"title","type":"text"},{"name":"path","type":"slug","path":true},{"name":"second","type":"slug"}]}`, w.as("super")))
	pages := int64(made["id"].(float64))
	content := "/api/projects/" + itoa(w.project.ID) + "/collections/" + itoa(pages) + "/content"
	write := func(method, path, body string) int64 {
		t.Helper()
		res := w.send(method, content+path, body, w.as("editor"))
		require.Contains(t, []int{200, 201}, res.StatusCode, string(res.body))
		return int64(res.json(t)["id"].(float64))
	}
	rename := func(id int64, slug string) {
		t.Helper()
		write("PATCH", "/"+itoa(id), `{"published":true,"fields":{"path":`+slug+`}}`)
	}
	former := func(query string) string {
		t.Helper()
		res := w.send("GET", w.public("/collections/pages/former"+query), "", w.bearer("read"))
		if res.StatusCode == 200 || res.StatusCode == 404 {
			conforms(t, w.route("listFormerSlugs"), res)
		}
		return fmt.Sprint(res.StatusCode, " ", string(res.body))
	}
	const none = `404 {"type":"about:blank"`
	one := write("POST", "", `{"published":true,"fields":{"title":"One","path":"a/one","second":"other"}}`)
	assert.Equal(t, `200 {"data":[],"meta":{"offset":0,"limit":100,"hasMore":false}}`, former(""))
	at := func(id int64, locale, slug string) string {
		return fmt.Sprintf("200 {\"id\":%d,\"locale\":%q,\"slug\":%q}", id, locale, slug)
	}
	assert.Equal(t, at(one, "en", "a/one"), former("?slug=a/one"), "in use")
	write("PATCH", "/"+itoa(one), `{"fields":{"path":"canary-draft"},"keepPublished":true}`)
	rename(one, `"b/two"`)
	assert.Equal(t, at(one, "en", "b/two"), former("?slug=a/one&locale=en"))
	for _, query := range []string{"?slug=canary-draft", "?slug=other", "?slug=a", "?slug=a/one&locale=fr", "?slug=A/one"} {
		assert.Contains(t, former(query), none, query)
	}

	two := write("POST", "", `{"published":true,"fields":{"path":"a/one"}}`)
	assert.Equal(t, at(two, "en", "a/one"), former("?slug=a/one"), "a slug in use wins")
	assert.Contains(t, former(""), `{"data":[],`, "a slug in use is not former")
	rename(two, `"c"`)
	assert.Equal(t, at(two, "en", "c"), former("?slug=a/one"), "the latest holder")
	rename(two, `"d"`)
	french := write("POST", "", fmt.Sprintf(`{"locale":"fr","translationOf":%d,"published":true,"fields":{"path":"a/un"}}`, one))
	rename(french, `"b/deux"`)
	assert.Equal(t, at(french, "fr", "b/deux"), former("?slug=a/un&locale=fr"))
	all := []string{
		fmt.Sprintf(`{"former":"a/one","id":%d,"locale":"en","slug":"d"}`, two), fmt.Sprintf(`{"former":"c","id":%d,"locale":"en","slug":"d"}`, two),
		fmt.Sprintf(`{"former":"a/un","id":%d,"locale":"fr","slug":"b/deux"}`, french),
	}
	assert.Contains(t, former("?after="), `{"data":[`+all[0]+","+all[1]+","+all[2]+`],`)
	assert.Contains(t, former("?locale=fr"), `{"data":[`+all[2]+`],`)
	res := w.send("GET", w.public("/collections/pages/former?limit=2"), "", w.bearer("read"))
	assert.Contains(t, string(res.body), `{"data":[`+all[0]+","+all[1]+`],"meta":{"offset":0,"limit":2,"hasMore":true,"next":"`)
	assert.Equal(t, 304, w.send("GET", w.public("/collections/pages/former?limit=2"), "", w.bearer("read"), header("If-None-Match", res.Header.Get("ETag"))).StatusCode)
	next := res.json(t)["meta"].(map[string]any)["next"].(string)
	assert.Equal(t, `200 {"data":[`+all[2]+`],"meta":{"offset":0,"limit":2,"hasMore":false}}`, former("?limit=2&after="+next))

	w.must(w.send("POST", content+"/"+itoa(two)+"/unpublish", "", w.as("editor")))
	assert.Equal(t, at(one, "en", "b/two"), former("?slug=a/one"), "the latest holder that is public")
	assert.Contains(t, former("?slug=d"), none)

	for query, location := range map[string]string{
		"?slug=": "slug", "?slug=a&after=x": "slug", "?slug=a&limit=2": "slug", "?slug=a&locale=*": "locale", "?slug=a&locale=xx": "locale", "?locale=": "locale", "?locale=xx": "locale",
		"?after=x": "after", "?after=" + next + "A": "after", "?limit=0": "limit", "?limit=501": "limit", "?limit=x": "limit", "?x=1": "x", "?slug=a%00": "slug", "?slug=a&slug=b": "slug",
	} {
		shown := former(query)
		assert.Contains(t, shown, "400 ", query)
		assert.Contains(t, shown, `"location":"`+location+`"`, query)
	}
	w.problem(404, "not_found", "GET", w.public("/collections/none/former"), "", w.bearer("read"))

	// A slug field that becomes hidden shows nothing of what it had; the next one counts.
	field := "/api/projects/" + itoa(w.project.ID) + "/collections/" + itoa(pages) + "/fields/path"
	w.must(w.send("PATCH", field, `{"hidden":true}`, w.as("super")))
	assert.Contains(t, former("?after="), `{"data":[],`)
	assert.Contains(t, former("?slug=a/one"), none)
	assert.Equal(t, at(one, "en", "other"), former("?slug=other"))
}
