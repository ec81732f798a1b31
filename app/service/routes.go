package service

import (
	"net/http"

	"imprimatur/adapters/dashboard"
	"imprimatur/adapters/files"
	"imprimatur/adapters/httpx"
)

// routes are the handlers of the public listener.
type routes struct{ files, graphql, dashboard, rest http.Handler }

// Paths that browsers may request from pages of other origins.
const (
	publicBase  = "/public/"
	graphqlPath = "/public/v2/graphql"
)

// handler returns a handler that dispatches by path.
func (r routes) handler() http.Handler {
	mux := http.NewServeMux()
	for _, pattern := range files.Patterns {
		mux.Handle(pattern, r.files)
	}
	mux.Handle(graphqlPath, httpx.CrossOrigin(r.graphql))
	for _, pattern := range dashboard.Patterns {
		mux.Handle(pattern, r.dashboard)
	}
	mux.Handle(publicBase, httpx.CrossOrigin(r.rest))
	mux.Handle("/", r.rest)
	return mux
}
