package service

import (
	"net/http"

	"imprimatur/adapters/dashboard"
	"imprimatur/adapters/files"
	"imprimatur/adapters/httpx"
)

// routes are the handlers of the public listener.
type routes struct{ files, graphql, dashboard, rest http.Handler }

// handler returns a handler that dispatches by path.
func (r routes) handler() http.Handler {
	mux := http.NewServeMux()
	for _, pattern := range files.Patterns {
		mux.Handle(pattern, r.files)
	}
	// Browsers may request these paths from pages of other origins.
	mux.Handle("/public/v2/graphql", httpx.CrossOrigin(r.graphql))
	mux.Handle("/public/", httpx.CrossOrigin(r.rest))
	for _, pattern := range dashboard.Patterns {
		mux.Handle(pattern, r.dashboard)
	}
	mux.Handle("/", r.rest)
	return mux
}
