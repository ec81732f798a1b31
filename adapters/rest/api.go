package rest

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/rest/internal/projectdoc"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/cachetag"
	"imprimatur/core/definition"
	"imprimatur/core/definition/schema"
	"imprimatur/core/delegation"
	"imprimatur/core/delivery"
	"imprimatur/core/fileurl"
	"imprimatur/core/identity"
	"imprimatur/core/installation"
	"imprimatur/core/live"
	"imprimatur/core/media"
	"imprimatur/core/notices"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/releasing"
	"imprimatur/core/secret"
	"imprimatur/core/signing"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

// Deps are the dependencies of an API. Routes and OpenAPI work without them.
type Deps struct {
	Gateway           *httpx.Gateway
	Cookies           httpx.Cookies
	Authorizer        *access.Authorizer
	Schemas           ports.Schemas
	Sessions          *identity.Sessions
	Tokens            *access.Tokens
	Organisation      *access.Organisation
	Members           *access.Members
	Users             *access.Users
	Passwords         *identity.Passwords
	Factors           *identity.Factors
	Apps              *identity.Apps
	Passkeys          *identity.Passkeys
	PasskeyAlgorithms []int // COSE numbers of the accepted signature algorithms, the best first
	Clock             ports.Clock
	Invitations       *identity.Invitations
	Resets            *identity.Resets
	Addresses         *identity.Addresses
	Providers         *identity.Providers
	SignOn            *identity.SignOn
	Base              string // the public address of the installation, without a path
	Reader            *reading.Reader
	Previews          *reading.Previews
	History           *reading.History
	Former            *reading.Former
	Changes           *reading.Changes
	Live              *live.Hub
	LiveLife          time.Duration // the mean time after which a connection to Live ends; 0: 15 minutes
	Writer            *writing.Writer
	Drafts            *reading.Drafts
	Collections       *definition.Collections
	Planner           *schema.Planner
	Workflows         *approval.Workflows
	Reviews           *approval.Reviews
	Releases          *releasing.Releases
	Inbox             *approval.Inbox
	Delegations       *delegation.Delegations
	Assistants        *access.Assistants
	PreviewTokens     *access.Previews
	Publications      *proof.Publications
	Keys              *signing.Keys
	Events            ports.EventStore
	Webhooks          *delivery.Webhooks
	Notices           *notices.Notices
	Mail              bool // the installation sends e-mails
	// Installation returns the state of the installation; nil: it was never restored.
	Installation func(context.Context) (installation.Installation, error)
	Idempotency  ports.IdempotencyStore
	Secret       secret.Key
	Media        *media.Library
	Files        fileurl.Base
	Cache        ports.ReadCache // caches whole responses; nil disables caching
	Tags         *cachetag.Scheme
	Limiters     httpx.Limiters
}

// API has all REST routes.
type API struct {
	Deps
	mux *http.ServeMux
	set *endpoint.Set

	document func() *huma.OpenAPI
	yaml     func() []byte
	template func() (*projectdoc.Template, error)
}

// New returns the API with the dependencies deps.
func New(deps Deps) *API {
	a := &API{Deps: deps, mux: http.NewServeMux()}
	a.set = endpoint.New(a.mux, deps.Gateway, deps.Authorizer, endpoint.Idempotency{Store: deps.Idempotency, Secret: deps.Secret}, deps.Cache, deps.Limiters)
	a.set.Installation = deps.Installation
	a.registerSession()
	a.registerMe()
	a.registerFactors()
	a.registerPasskeys()
	a.registerTenants()
	a.registerDepartments()
	a.registerCustomRoles()
	a.registerProjects()
	a.registerOverview()
	a.registerEvents()
	a.registerWebhooks()
	a.registerNotices()
	a.registerMembers()
	a.registerInvitations()
	a.registerLinks()
	a.registerIdentityProviders()
	a.registerSignOn()
	a.registerUsers()
	a.registerTokens()
	a.registerCollections()
	a.registerComponents()
	a.registerSchema()
	a.registerContent()
	a.registerSchedules()
	a.registerRevisions()
	a.registerWorkflows()
	a.registerReviews()
	a.registerInbox()
	a.registerDelegations()
	a.registerAssistants()
	a.registerReleases()
	a.registerSearch()
	a.registerPublications()
	a.registerPreviews()
	a.registerKeys()
	a.registerPublic()
	a.registerFormer()
	a.registerProjectDocument()
	a.registerChanges()
	a.registerLive()
	a.registerMedia()
	a.serveDocument()
	a.mux.HandleFunc("/", a.unmatched)
	return a
}

// Handle adds the handler of another package to the router, so that one router serves all paths.
// Call it before the first request.
func (a *API) Handle(pattern string, handler http.Handler) { a.mux.Handle(pattern, handler) }

// Handler returns the handler of /public/v2, /api, /docs, /openapi.json, /openapi.yaml and the
// patterns of Handle. Other paths get a 404 problem. Callers must wrap it with httpx.Wrap.
func (a *API) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = withoutSlash(r)
		if isForSites(r.URL.Path) {
			if err := a.allowOrigins(w, r); err != nil {
				httpx.WriteProblem(w, r, err)
				return
			}
		}
		a.mux.ServeHTTP(w, r)
	})
}

// withoutSlash returns r without the slash after a Project in its path: clients of the Project's own document
// join the address of the Project and the path "/".
func withoutSlash(r *http.Request) *http.Request {
	rest, own := strings.CutPrefix(r.URL.Path, projectsBase+"/")
	uuid, below, slash := strings.Cut(rest, "/")
	if !own || !slash || uuid == "" || below != "" {
		return r
	}
	at, asked := *r.URL, *r
	at.Path, at.RawPath = projectsBase+"/"+uuid, ""
	asked.URL = &at
	return &asked
}

// Routes returns all operations in the order of registration.
func (a *API) Routes() []Route { return a.set.Routes() }

// Bodies returns the types of the request bodies by operation id.
func (a *API) Bodies() map[string]reflect.Type { return a.set.Bodies() }

// OpenAPI returns the OpenAPI 3.1 document as YAML.
func (a *API) OpenAPI() []byte { return a.yaml() }

// unmatched serves requests that match no route: preflight requests, which need no token; 405 if
// the path has a route with another method, else 404.
func (a *API) unmatched(w http.ResponseWriter, r *http.Request) {
	if httpx.IsPreflight(r) && isForSites(r.URL.Path) {
		httpx.WritePreflight(w, r, contentMethods)
		return
	}
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

// ParseQuery parses the query string of any list of entries, with or without "?".
func ParseQuery(raw string) (query.Query, error) { return endpoint.ParseQuery(raw) }

// The content API: the start of its paths, and the methods that it supports.
const (
	contentPaths   = "/public/"
	contentMethods = "GET, HEAD, POST, PATCH, DELETE"
)

// isForSites reports whether pages of other origins may request the path.
func isForSites(path string) bool {
	return strings.HasPrefix(path, contentPaths) || path == signing.DocumentPath
}

// allowOrigins allows browsers to read the response from pages of the allowed origins of the
// Project in the path. Without a known Project every origin is allowed, so that the response
// does not reveal whether the Project exists.
func (a *API) allowOrigins(w http.ResponseWriter, r *http.Request) error {
	httpx.AllowAllOrigins(w, r)
	path, found := strings.CutPrefix(r.URL.Path, projectsBase+"/")
	if !found || r.Header["Origin"] == nil {
		return nil
	}
	uuid, _, _ := strings.Cut(path, "/")
	project, err := a.Schemas.ProjectByUUID(r.Context(), uuid)
	switch {
	case err == nil:
		httpx.AllowOrigins(w, r, project.AllowedOrigins)
	case core.KindOf(err) != core.KindNotFound:
		return err
	}
	return nil
}
