package service

import (
	"net/http"

	"imprimatur/adapters/dashboard"
	"imprimatur/adapters/files"
	"imprimatur/adapters/mcp"
	"imprimatur/adapters/rest"
)

// addRoutes adds the handlers of the public listener to those of the REST API.
func addRoutes(api *rest.API, media, graph, pages, assistants http.Handler) {
	api.Handle(mcp.Path, assistants)
	for _, pattern := range files.Patterns {
		api.Handle(pattern, media)
	}
	api.Handle("/public/v2/graphql", graph)
	for _, pattern := range dashboard.Patterns {
		api.Handle(pattern, pages)
	}
}
