package service

import (
	"net/http"
	"strings"

	"imprimatur/adapters/files"
)

// routes are what shares the public listener.
type routes struct{ files, graphql, rest http.Handler }

const graphqlPath = "/public/v2/graphql"

// handler finds the handler of each path. What is asked for most does not pass the mux,
// which would take a tenth of the time of an answer from memory.
func (r routes) handler() http.Handler {
	mux := http.NewServeMux()
	for _, pattern := range files.Patterns {
		mux.Handle(pattern, r.files)
	}
	mux.Handle(graphqlPath, r.graphql)
	mux.Handle("/", r.rest)
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		path, plain := request.URL.Path, request.URL.RawPath == ""
		switch {
		case plain && path == graphqlPath:
			request.Pattern = graphqlPath
			r.graphql.ServeHTTP(w, request)
		case plain && strings.HasPrefix(path, "/public/"):
			r.rest.ServeHTTP(w, request)
		default:
			mux.ServeHTTP(w, request)
		}
	})
}
