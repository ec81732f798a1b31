package rest

import (
	"net/http"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/content"
	"imprimatur/core/media"
	"imprimatur/ports"
)

// Deps are the dependencies of an API. Routes and OpenAPI work without them.
type Deps struct {
	Gateway      *httpx.Gateway
	Cookies      httpx.Cookies
	Authorizer   *access.Authorizer
	Schemas      ports.Schemas
	Sessions     *access.Sessions
	Tokens       *access.Tokens
	Organisation *access.Organisation
	Members      *access.Members
	Users        *access.Users
	Reader       *content.Reader
	Past         *content.Past
	Writer       *content.Writer
	Manager      *content.Manager
	Collections  *content.Collections
	Workflows    *approval.Workflows
	Reviews      *approval.Reviews
	Inbox        *approval.Inbox
	Publications *proof.Publications
	Idempotency  ports.IdempotencyStore
	Media        *media.Library
	Files        core.FileBase
	Cache        ports.ReadCache // caches whole responses; nil disables caching
	Limiters     httpx.Limiters
}

// API has all REST routes.
type API struct {
	Deps
	mux *http.ServeMux
	set *endpoint.Set

	yaml func() []byte
}

// New returns the API with the dependencies deps.
func New(deps Deps) *API {
	a := &API{Deps: deps, mux: http.NewServeMux()}
	a.set = endpoint.New(a.mux, deps.Gateway, deps.Authorizer, deps.Idempotency, deps.Cache, deps.Limiters)
	a.registerSession()
	a.registerMe()
	a.registerTenants()
	a.registerDepartments()
	a.registerCustomRoles()
	a.registerProjects()
	a.registerOverview()
	a.registerMembers()
	a.registerUsers()
	a.registerTokens()
	a.registerCollections()
	a.registerContent()
	a.registerSchedules()
	a.registerRevisions()
	a.registerWorkflows()
	a.registerReviews()
	a.registerInbox()
	a.registerPublications()
	a.registerPublic()
	a.registerMedia()
	a.serveDocument()
	a.mux.HandleFunc("/", a.unmatched)
	return a
}

// Handler returns the handler of /, /public/v2, /api, /docs, /openapi.json and /openapi.yaml. Other
// paths get a 404 problem. Callers must wrap it with httpx.Wrap.
func (a *API) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header["Origin"] != nil && strings.HasPrefix(r.URL.Path, "/public/") {
			if done := a.applyCORS(w, r); done {
				return
			}
		}
		a.mux.ServeHTTP(w, r)
	})
}

// Routes returns all operations in the order of registration.
func (a *API) Routes() []Route { return a.set.Routes() }

// OpenAPI returns the OpenAPI 3.1 document as YAML.
func (a *API) OpenAPI() []byte { return a.yaml() }

// unmatched serves requests that match no route: 405 if the path has a route with another method,
// else 404.
func (a *API) unmatched(w http.ResponseWriter, r *http.Request) {
	var allow []string
	for _, method := range []string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	} {
		probe := *r
		probe.Method = method
		if _, pattern := a.mux.Handler(&probe); pattern != "/" {
			allow = append(allow, method)
		}
	}
	if len(allow) > 0 {
		httpx.WriteMethodNotAllowed(w, r, strings.Join(allow, ", "))
		return
	}
	httpx.WriteProblem(w, r, core.NotFound("path"))
}

// Route is one operation as the router knows it.
type Route = endpoint.Route

// IdempotencyLifetime is the time for which the response to a request with an Idempotency-Key can
// be replayed. The program must delete older responses; package rest does not.
const IdempotencyLifetime = endpoint.IdempotencyLifetime

// ParseQuery parses the query string of a list of entries, with or without "?". It accepts the
// parameter status.
func ParseQuery(raw string) (core.Query, error) { return endpoint.ParseQuery(raw) }

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
