package rest

import (
	"net/http"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// publicMethods are the methods that the content API supports.
const publicMethods = "GET, HEAD, POST, PATCH, DELETE"

// applyCORS applies the allowed origins of the Project in the path to the response. It also
// responds to preflight requests, which have no token. done reports that it has written the
// response. An unknown Project allows every origin, so that the response does not reveal
// whether the Project exists.
func (a *API) applyCORS(w http.ResponseWriter, r *http.Request) (done bool) {
	named, _ := strings.CutPrefix(r.URL.Path, projectsBase+"/")
	uuid, _, _ := strings.Cut(named, "/")
	project, err := a.Schemas.ProjectByUUID(r.Context(), uuid)
	switch {
	case err == nil:
		httpx.AllowOrigins(w, r, project.AllowedOrigins)
	case core.KindOf(err) != core.KindNotFound:
		httpx.WriteProblem(w, r, err)
		return true
	}
	if httpx.IsPreflight(r) {
		httpx.WritePreflight(w, r, publicMethods)
		return true
	}
	return false
}
