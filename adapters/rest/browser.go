package rest

import (
	"net/http"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// publicMethods are those that the content API takes anywhere.
const publicMethods = "GET, HEAD, POST, PATCH, DELETE"

// answerBrowser narrows who may read the answer to a page's request to the origins of the
// Project that the path names, and answers it when it is a preflight, which has no token.
// An unknown Project is one that allows every origin, as most do: it answers nothing.
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
