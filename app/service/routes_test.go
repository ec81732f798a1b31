package service

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"imprimatur/adapters/rest"
)

// publicRoutes returns the handler of the public listener. Its files, GraphQL and dashboard
// handlers write their name and the route pattern (for metrics and logs) as a header.
func publicRoutes() http.Handler {
	named := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Served-By", name+" "+r.Pattern) })
	}
	api := rest.New(rest.Deps{})
	addRoutes(api, named("files"), named("graphql"), named("dashboard"), named("mcp"))
	return api.Handler()
}

// TestRoutes checks the handler and the route pattern of each path in every spelling. The REST
// API serves all paths that have no other handler, here with errors.
func TestRoutes(t *testing.T) {
	t.Parallel()
	handler := publicRoutes()
	const graphql, files = "graphql /public/v2/graphql", "files /files/"
	for _, test := range []struct {
		request string
		handler string // empty: REST
		status  int
	}{
		{"POST /public/v2/graphql", graphql, 200},
		{"GET /public/v2/graphql?query={a}", graphql, 200},
		{"POST /public/v2/graph%71l", graphql, 200},
		{"OPTIONS /public/v2/graphql", graphql, 200},
		{"POST /public/v2/graphql/", "", 404},
		{"POST /public/v2/GraphQL", "", 404},
		{"POST /public%2Fv2/graphql", "", 404},
		{"PUT /public/v2/projects/x/collections", "", 405},
		{"PUT /api/session", "", 405},
		{"POST /mcp", "mcp /mcp", 200},
		{"GET /mcp/x", "", 404},
		{"GET /", "dashboard GET /{$}", 200},
		{"POST /", "", 405},
		{"GET /files", "files /files", 200},
		{"POST /files/a/b/c.jpg", files, 200},
		{"GET /filesX", "", 404},
		{"POST /dashboard/inbox", "dashboard /dashboard/", 200},
	} {
		method, target, _ := strings.Cut(test.request, " ")
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, httptest.NewRequest(method, target, nil))
		if got := rec.Header().Get("Served-By"); got != test.handler || rec.Code != test.status {
			t.Errorf("%s: %d from %q, want %d from %q", test.request, rec.Code, got, test.status, test.handler)
		}
	}
}

// TestPagesMayReadErrors checks that pages of other origins can read errors of the content API
// that precede routing and authentication, and only those.
func TestPagesMayReadErrors(t *testing.T) {
	t.Parallel()
	handler := publicRoutes()
	for path, want := range map[string]string{
		"/public/v2/graphql": "*", "/public/v2/graph%71l": "*", "/public/v2/unknown": "*", "/public/v2/%75nknown": "*",
		"/api/session/unknown": "", "/docs": "", "/": "",
	} {
		rec, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Origin", "https://www.example.com")
		handler.ServeHTTP(rec, r)
		if got := rec.Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s allows %q, want %q", path, got, want)
		}
	}
}
