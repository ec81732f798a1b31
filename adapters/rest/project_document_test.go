package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// projectDocument reads the OpenAPI document of the Project.
func (w *world) projectDocument() (*openapi3.T, answer) {
	w.t.Helper()
	res := w.send("GET", w.public("/openapi.json"), "", w.bearer("read"))
	require.Equal(w.t, 200, res.StatusCode, string(res.body))
	document, err := openapi3.NewLoader().LoadFromData(res.body)
	require.NoError(w.t, err)
	require.NoError(w.t, document.Validate(w.t.Context()))
	return document, res
}

// TestProjectDocument reads the document of a Project, and checks responses with its schemas.
func TestProjectDocument(t *testing.T) {
	t.Parallel()
	w := setup(t)
	document, res := w.projectDocument()
	conforms(t, w.route("getProjectDocument"), res)
	assert.Equal(t, "/public/v2/projects/"+w.project.UUID, document.Servers[0].URL)
	assert.Equal(t, w.project.Name, document.Info.Title)
	matches := func(path, asked string, method string) {
		t.Helper()
		res := w.send("GET", w.public(asked), "", w.bearer("full"))
		require.Equal(t, 200, res.StatusCode, string(res.body))
		var body any
		require.NoError(t, json.Unmarshal(res.body, &body))
		described := document.Paths.Find(path).GetOperation(method).Responses.Value("200").Value.Content.Get("application/json")
		assert.NoError(t, document.ValidateSchemaJSON(described.Schema.Value, body, openapi3.VisitAsResponse()), "%s: %s", asked, res.body)
	}
	articles, own := "/collections/articles/entries", "/collections/articles/entries/{entryId}"
	matches("/", "", "GET")
	matches("/", "/", "GET")
	matches(articles, articles+"?depth=3&timestamps=true&alternates=true&count=true&locale=*", "GET")
	matches(articles, articles+"?fields=title", "GET")
	matches(articles, articles+"?state=with_draft", "GET")
	matches(own, articles+"/"+itoa(w.entry.ID)+"?depth=0", "GET")
	matches(own+"/referrers", articles+"/"+itoa(w.entry.ID)+"/referrers", "GET")
	matches("/openapi.json", "/openapi.json", "GET")
	write := w.send("POST", w.public(articles), `{"fields":{"title":"By schema"}}`, w.bearer("full"))
	require.Equal(t, 201, write.StatusCode, string(write.body))
	var made any
	require.NoError(t, json.Unmarshal(write.body, &made))
	assert.NoError(t, document.ValidateSchemaJSON(document.Components.Schemas["ArticlesManagedEntry"].Value, made))
	for _, f := range w.articles.Fields {
		assert.Equal(t, f.Secret(), document.Components.Schemas["ArticlesEntry"].Value.Properties[f.Name] == nil, f.Name)
		assert.Equal(t, f.Secret(), document.Components.Schemas["ArticlesFields"].Value.Properties[f.Name] == nil, f.Name)
	}

	again := w.send("GET", w.public("/openapi.json"), "", w.bearer("read"), header("If-None-Match", res.Header.Get("ETag")))
	assert.Equal(t, 304, again.StatusCode)
	added := w.send("POST", "/api/projects/"+itoa(w.project.ID)+"/collections/"+itoa(w.articles.ID)+"/fields", `{"name":"kicker","type":"text"}`, w.as("super"))
	require.Equal(t, 201, added.StatusCode, string(added.body))
	changed, _ := w.projectDocument()
	assert.NotNil(t, changed.Components.Schemas["ArticlesEntry"].Value.Properties["kicker"])
	assert.NotNil(t, changed.Components.Schemas["ArticlesFields"].Value.Properties["kicker"])

	w.problem(404, "not_found", "GET", w.public("//"), "", w.bearer("read"))
	w.problem(400, "bad_parameter", "GET", w.public("/openapi.json?x=1"), "", w.bearer("read"))
}
