package rest_test

import (
	"encoding/json"
	"strconv"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest"
)

var document = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData(rest.New(rest.Deps{}).OpenAPI())
})

// conforms checks a response against the OpenAPI document: the status is documented, the
// documented headers are present, and the body matches its schema.
func conforms(t testing.TB, route rest.Route, res answer) {
	t.Helper()
	doc, err := document()
	require.NoError(t, err)
	response := doc.Paths.Find(route.Path).GetOperation(route.Method).Responses.Value(strconv.Itoa(res.StatusCode))
	if !assert.NotNil(t, response, "%s: %d is not documented: %s", route.ID, res.StatusCode, res.body) {
		return
	}
	for name := range response.Value.Headers {
		if name == "X-Shortened" { // only of responses that are shortened
			continue
		}
		if name != "RateLimit" && name != "RateLimit-Policy" || res.StatusCode != 401 {
			assert.NotEmpty(t, res.Header.Get(name), "%s: %d without %s", route.ID, res.StatusCode, name)
		}
	}
	contentType := res.Header.Get("Content-Type")
	if contentType == "" {
		assert.Empty(t, response.Value.Content, route.ID)
		return
	}
	described := response.Value.Content.Get(contentType)
	if !assert.NotNil(t, described, "%s: %s is not documented", route.ID, contentType) {
		return
	}
	if contentType == "text/event-stream" {
		assert.NoError(t, doc.ValidateSchemaJSON(described.Schema.Value, string(res.body)), route.ID)
		return
	}
	var body any
	require.NoError(t, json.Unmarshal(res.body, &body))
	assert.NoError(t, doc.ValidateSchemaJSON(described.Schema.Value, body, openapi3.VisitAsResponse(), openapi3.EnableFormatValidation()), "%s: %s", route.ID, res.body)
}
