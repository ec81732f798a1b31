package rest

import (
	"net/http"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// publicMethods are the methods that the content API supports.
const publicMethods = "GET, HEAD, POST, PATCH, DELETE"

// answerBrowser applies the allowed origins of the Project in the path, and answers a
// preflight, which has no token. An unknown Project allows every origin, so that the
// response does not reveal whether it exists.
func (a *API) answerBrowser(w http.ResponseWriter, r *http.Request) (done bool) {
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
