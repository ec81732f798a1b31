package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest"
	"imprimatur/core/cachetag"
	"imprimatur/core/secret"
)

// taggedWorld is a world with cache tags: articles with relations and media.
type taggedWorld struct {
	*world
	scheme *cachetag.Scheme
}

func setupTagged(t *testing.T) *taggedWorld {
	t.Helper()
	scheme := cachetag.New(cachetag.SurrogateKey, secret.New())
	w := &taggedWorld{setupWith(t, func(deps *rest.Deps) { deps.Tags = scheme }), scheme}
	for _, field := range []string{
		`{"name":"country","type":"relation","collection":"countries"}`, `{"name":"cover","type":"media"}`, `{"name":"see","type":"relation","collections":["countries","articles"],"multiple":true}`,
		`{"name":"body","type":"richtext"}`,
	} {
		if strings.Contains(field, "country") {
			w.must(w.send("POST", "/api/projects/"+itoa(w.project.ID)+"/collections", `{"slug":"countries","name":"Countries","fields":[{"name":"name","type":"text"}]}`, w.as("projectAdmin")))
		}
		w.must(w.send("POST", w.content("/fields"), field, w.as("projectAdmin")))
	}
	return w
}

func (w *taggedWorld) make(collection, body string) int64 {
	w.t.Helper()
	return int64(w.must(w.send("POST", w.public("/collections/"+collection+"/entries"), body, w.bearer("full")))["id"].(float64))
}

// tags returns the tags of a read, which are the same in a 304 and from the cache.
func (w *taggedWorld) tags(path string, changes ...with) []string {
	w.t.Helper()
	changes = append(changes, w.bearer("full"))
	res := w.send("GET", w.public(path), "", changes...)
	require.Equal(w.t, 200, res.StatusCode, string(res.body))
	value := res.Header.Get("Surrogate-Key")
	again := w.send("GET", w.public(path), "", append(changes, header("If-None-Match", res.Header.Get("ETag")), header("Accept-Encoding", "gzip"))...)
	require.Equal(w.t, http.StatusNotModified, again.StatusCode)
	assert.Equal(w.t, value, again.Header.Get("Surrogate-Key"))
	coded := w.send("GET", w.public(path), "", append(changes, header("Accept-Encoding", "gzip"))...)
	assert.Equal(w.t, value, coded.Header.Get("Surrogate-Key"))
	if value == "" {
		return nil
	}
	return strings.Split(value, " ")
}

func TestTagsOfReads(t *testing.T) {
	t.Parallel()
	w := setupTagged(t)
	peru := w.make("countries", `{"published":true,"fields":{"name":"Peru"}}`)
	chile := w.make("countries", `{"published":false,"fields":{"name":"Chile"}}`)
	id := w.make("articles", fmt.Sprintf(`{"published":true,"fields":{"title":"A","country":%d,"see":[%d,%d],"cover":%d,"body":"<p><a data-entry=\"%d\">x</a></p>"}}`, peru, peru, chile, w.note.ID, w.entry.ID))
	of := func(kinds string, ids ...any) (tags []string) {
		for i, kind := range kinds {
			switch kind {
			case 'p':
				tags = append(tags, w.scheme.Definition(w.project.ID)...)
			case 'e':
				tags = append(tags, w.scheme.Entry(w.project.ID, ids[i].(int64), 0, "")[0])
			case 'g':
				tags = append(tags, w.scheme.Entry(w.project.ID, 0, ids[i].(int64), "")[1])
			case 'c':
				tags = append(tags, w.scheme.Entry(w.project.ID, 0, 0, ids[i].(string))[2])
			case 'm':
				tags = append(tags, w.scheme.Medium(w.project.ID, ids[i].(int64))[0])
			case 'l':
				tags = append(tags, w.scheme.Medium(w.project.ID, 0)[1])
			}
		}
		return tags
	}
	own := "/collections/articles/entries/" + itoa(id)
	assert.ElementsMatch(t, of("pegmeggg", nil, id, id, w.note.ID, peru, peru, chile, w.entry.ID), w.tags(own))
	assert.ElementsMatch(t, of("pegmggg", nil, id, id, w.note.ID, peru, chile, w.entry.ID), w.tags(own+"?depth=0"))
	assert.ElementsMatch(t, of("peg", nil, id, id), w.tags(own+"?fields=title"))
	assert.ElementsMatch(t, of("pegge", nil, id, id, peru, peru), w.tags(own+"?fields=country"))
	lone := "/collections/articles/entries?where[title]=Alpha"
	assert.ElementsMatch(t, of("pegc", nil, w.entry.ID, w.entry.ID, "articles"), w.tags(lone))
	pérou := w.make("countries", fmt.Sprintf(`{"published":true,"locale":"fr","translationOf":%d,"fields":{"name":"Pérou"}}`, peru))
	assert.ElementsMatch(t, of("pege", nil, peru, peru, pérou), w.tags("/collections/countries/entries/"+itoa(peru)+"?alternates=true"))
	assert.ElementsMatch(t, of("peg", nil, pérou, peru), w.tags("/collections/countries/entries/"+itoa(peru)+"?locale=fr"))
	assert.ElementsMatch(t, of("pecge", nil, peru, "countries", peru, pérou), w.tags("/collections/countries/entries?alternates=true"))
	assert.ElementsMatch(t, of("pcc", nil, "articles", "countries"), w.tags("/collections/articles/entries?where[country.name]=Chile"))
	assert.ElementsMatch(t, of("pc", nil, "articles"), w.tags("/collections/articles/entries/counts?by=tags"))
	referring := of("pegcegm", nil, peru, peru, "articles", id, id, w.note.ID)
	for _, path := range []string{"/" + itoa(peru) + "?fields=name&referrers=articles.country", "/" + itoa(peru) + "/referrers?collection=articles&field=country"} {
		tags := w.tags("/collections/countries/entries" + path)
		assert.Subset(t, tags, referring, path)
		assert.Subset(t, tags, of("gg", chile, w.entry.ID), path)
	}
	assert.ElementsMatch(t, of("pcc", nil, "articles", "countries"), w.tags("/collections/articles/entries/counts?by=country"))
	assert.ElementsMatch(t, of("pcc", nil, "articles", "countries"), w.tags("/collections/articles/entries/counts?by=tags&where[country.name]=Chile"))
	assert.Empty(t, w.tags("/collections/articles/entries/counts?by=tags&state=with_draft"))
	assert.ElementsMatch(t, of("pcc", nil, "articles", "countries"), w.tags("/collections/articles/entries?where[title]=x&or[0][country.name]=Chile"))
	// A relation is equal to the id of an entry only while that entry is public.
	for _, condition := range []string{"where[country]=%d", "where[country][not]=%d", "where[country][in]=%d", "where[title]=x&or[0][country]=%d"} {
		tags := w.tags("/collections/articles/entries?fields=title&" + fmt.Sprintf(condition, chile))
		assert.Subset(t, tags, of("pcc", nil, "articles", "countries"), condition)
	}
	assert.ElementsMatch(t, of("pcc", nil, "articles", "countries"), w.tags("/collections/articles/entries?where[see]="+itoa(chile)))
	assert.ElementsMatch(t, of("pcc", nil, "articles", "countries"), w.tags("/collections/articles/entries?where[see.id]="+itoa(chile)))
	// A media item that is deleted is null.
	for condition, kinds := range map[string]string{
		"where[cover]=%d": "m", "where[cover][not]=%d": "m", "where[title]=x&or[0][cover][in]=%d": "m",
		"where[cover][null]": "l", "where[cover][not_null]": "l",
	} {
		tags := w.tags("/collections/articles/entries?fields=title&" + strings.ReplaceAll(condition, "%d", itoa(w.note.ID)))
		assert.Subset(t, tags, of("pc"+kinds, nil, "articles", w.note.ID), condition)
	}
	assert.ElementsMatch(t, of("pm", nil, w.note.ID), w.tags("/media/"+itoa(w.note.ID)))
	assert.ElementsMatch(t, of("pl", nil, nil), w.tags("/media"))
	for _, path := range []string{"", "/collections", "/collections/articles", "/components", "/components/hero"} {
		assert.Equal(t, of("p"), w.tags(path), path)
	}
	w.must(w.send("PATCH", w.content("/fields/title"), `{"searchable":true}`, w.as("projectAdmin")))
	assert.ElementsMatch(t, of("pcge", nil, "articles", w.entry.ID, w.entry.ID), w.tags("/search?q=alpha"))
	assert.ElementsMatch(t, of("pegc", nil, w.entry.ID, w.entry.ID, "articles"), w.tags("/collections/articles/entries?search=alpha"))
	// Drafts and the past have none.
	assert.Empty(t, w.tags("/collections/articles/entries?state=with_draft"))
	assert.Empty(t, w.tags("/collections/articles/entries?state=only_draft"))

	// Many things: the collections, also of what is not shown.
	for range 50 {
		w.make("articles", `{"published":true,"fields":{"title":"M"}}`)
	}
	assert.ElementsMatch(t, of("pccl", nil, "articles", "countries", nil), w.tags("/collections/articles/entries?limit=60"))
	assert.ElementsMatch(t, of("pcl", nil, "articles", nil), w.tags("/collections/articles/entries?limit=60&fields=title"))

	// Changes name what they outdate.
	_, res := w.changes("")
	var page struct {
		Data []struct {
			ID    int64
			Op    string
			Media struct{ ID int64 }
			Tags  []string
		}
	}
	require.NoError(t, json.Unmarshal(res.body, &page))
	for _, c := range page.Data {
		switch {
		case c.ID == peru:
			assert.Equal(t, of("egc", peru, peru, "countries"), c.Tags)
		case c.Op == "media":
			assert.Equal(t, of("ml", w.note.ID, nil), c.Tags)
		}
		require.NotEmpty(t, c.Tags)
	}
}

func TestNoTags(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, path := range []string{"/collections/articles/entries", "/collections/articles/entries/" + itoa(w.entry.ID), "/collections", "/media", "/changes"} {
		res := w.send("GET", w.public(path), "", w.bearer("full"))
		for _, name := range []string{"Cache-Tag", "Surrogate-Key", "Edge-Cache-Tag"} {
			assert.Empty(t, res.Header.Get(name))
		}
		assert.NotContains(t, string(res.body), `"tags":["`+"k")
		assert.Equal(t, "private, no-cache", res.Header.Get("Cache-Control"))
	}
}

// sharedCache lets shared caches keep reads of published entries, and nothing else.
func TestSharedCache(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.searchable()
	settings := "/api/projects/" + itoa(w.project.ID)
	for _, bad := range []string{"-1", "86401", "1.5", `"60"`} {
		res := w.send("PATCH", settings, `{"sharedCache":`+bad+`}`, w.as("projectAdmin"))
		assert.GreaterOrEqual(t, res.StatusCode, 400, bad)
	}
	assert.EqualValues(t, 0, w.must(w.send("GET", settings, "", w.as("projectAdmin")))["sharedCache"])
	token := w.must(w.send("POST", settings+"/tokens", `{"name":"archive","abilities":["read"],"allowHistory":true}`, w.as("super")))
	w.secrets["archive"] = token["secret"].(string)
	control := func(path, name string, changes ...with) string {
		res := w.send("GET", w.public(path), "", append(changes, w.bearer(name))...)
		assert.Contains(t, []int{200, 304}, res.StatusCode, string(res.body))
		assert.Contains(t, res.Header.Get("Vary"), "Authorization")
		return res.Header.Get("Cache-Control")
	}
	list, own := "/collections/articles/entries", "/collections/articles/entries/"+itoa(w.entry.ID)
	assert.Equal(t, "private, no-cache", control(list, "full"))
	w.must(w.send("PATCH", settings, `{"sharedCache":3600}`, w.as("projectAdmin")))
	const shared = "public, s-maxage=3600, stale-while-revalidate=60"
	for _, path := range []string{list, list + "?state=published&count=true", own, own + "?depth=0", "/search?q=harbour&collections=articles"} {
		assert.Equal(t, shared, control(path, "read"), path)
		assert.Equal(t, shared, control(path, "full", header("Accept-Encoding", "gzip")), path)
		assert.Equal(t, shared, control(path, "full", header("If-None-Match", "*")), path)
	}
	for _, path := range []string{list + "?state=with_draft", list + "?state=only_draft", "/collections", "/media", "/changes"} {
		assert.Equal(t, "private, no-cache", control(path, "full"), path)
	}
	published := w.must(w.send("GET", w.public(own), "", w.bearer("read")))["publishedAt"].(string)
	assert.Equal(t, "private, no-cache", control(own+"?asOf="+published, "archive"))
	for _, path := range []string{own + "9", list + "?limit=0"} {
		res := w.send("GET", w.public(path), "", w.bearer("read"))
		assert.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	}
}
