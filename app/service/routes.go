package service

import (
	"net/http"
	"strings"

	"imprimatur/adapters/files"
	"imprimatur/adapters/httpx"
)

// routes are what shares the public listener.
type routes struct{ files, graphql, rest http.Handler }

// The paths that browsers may call from pages of other origins.
const (
	publicBase  = "/public/"
	graphqlPath = "/public/v2/graphql"
)

// handler finds the handler of each path. What is asked for most does not pass the mux,
// which would take a tenth of the time of an answer from memory.
func (r routes) handler() http.Handler {
	mux := http.NewServeMux()
	for _, pattern := range files.Patterns {
		mux.Handle(pattern, r.files)
	}
	graphql, public := httpx.CrossOrigin(r.graphql), httpx.CrossOrigin(r.rest)
	mux.Handle(graphqlPath, graphql)
	mux.HandleFunc("/", func(w http.ResponseWriter, request *http.Request) {
		if strings.HasPrefix(request.URL.Path, publicBase) {
			public.ServeHTTP(w, request)
			return
		}
		r.rest.ServeHTTP(w, request)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		path, plain := request.URL.Path, request.URL.RawPath == ""
		switch {
		case plain && path == graphqlPath:
			request.Pattern = graphqlPath
			graphql.ServeHTTP(w, request)
		case plain && strings.HasPrefix(path, publicBase):
			public.ServeHTTP(w, request)
		default:
			mux.ServeHTTP(w, request)
		}
	})
}
