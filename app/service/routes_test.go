package service

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestRoutes checks the handler and the route pattern (for metrics and logs) of each path
// in every spelling.
func TestRoutes(t *testing.T) {
	t.Parallel()
	const graphql, rest, files, dashboard = "graphql", "rest", "files", "dashboard"
	named := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set(name, r.Pattern) })
	}
	handler := routes{files: named(files), graphql: named(graphql), dashboard: named(dashboard), rest: named(rest)}.handler()
	for path, want := range map[string]struct{ name, pattern string }{
		"/public/v2/graphql":           {graphql, "/public/v2/graphql"},
		"/public/v2/graphql?query={a}": {graphql, "/public/v2/graphql"},
		"/public/v2/graph%71l":         {graphql, "/public/v2/graphql"},
		"/public/v2/graphql/":          {rest, ""},
		"/public/v2/GraphQL":           {rest, ""},
		"/public%2Fv2/graphql":         {rest, ""},
		"/public/v2/projects/x/media":  {rest, ""}, // pattern set by its own mux
		"/api/session":                 {rest, ""},
		"/":                            {rest, ""},
		"/files":                       {files, "/files"},
		"/files/a/b/c.jpg":             {files, "/files/"},
		"/filesX":                      {rest, ""},
		"/dashboard/inbox":             {dashboard, "/dashboard/"},
	} {
		rec := httptest.NewRecorder()
		handler.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, path, nil))
		if pattern, found := rec.Header()[http.CanonicalHeaderKey(want.name)]; !found || want.pattern != "" && pattern[0] != want.pattern {
			t.Errorf("%s: %v, want %v", path, rec.Header(), want)
		}
	}
}

// TestPagesMayReadRefusals checks that pages of other origins can read overload responses
// of the content API, which are sent before routing, and only those.
func TestPagesMayReadRefusals(t *testing.T) {
	t.Parallel()
	refusing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	handler := routes{files: refusing, graphql: refusing, dashboard: refusing, rest: refusing}.handler()
	for path, want := range map[string]string{
		"/public/v2/graphql": "*", "/public/v2/graph%71l": "*", "/public/v2/projects/x/media": "*", "/public/v2/projects/%78/media": "*",
		"/api/session": "", "/docs": "", "/": "",
	} {
		rec, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Origin", "https://www.example.com")
		handler.ServeHTTP(rec, r)
		if got := rec.Header().Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s allows %q, want %q", path, got, want)
		}
	}
}
