package rest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Components have no member singleton: a request that sets it is refused, not answered as if it were done.
func TestComponentsHaveNoSingleton(t *testing.T) {
	t.Parallel()
	w := setup(t)
	components := "/api/projects/" + itoa(w.project.ID) + "/components"
	for _, request := range []struct{ method, path, body string }{
		{http.MethodPost, components, `{"slug":"seo","name":"SEO","singleton":true}`},
		{http.MethodPatch, components + "/" + itoa(w.hero.ID), `{"singleton":true}`},
	} {
		a := w.send(request.method, request.path, request.body, w.as("projectAdmin"))
		assert.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, string(a.body))
		assert.Contains(t, string(a.body), `"location":"singleton"`)
	}
}
