package graphql

import (
	"context"
	"errors"
	"maps"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"imprimatur/adapters/graphql/exec"
	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/cachetag"
	"imprimatur/core/fileurl"
	"imprimatur/core/reading"
	"imprimatur/ports"
)

// Deps are the dependencies of a Handler. All are required.
type Deps struct {
	Gateway    *httpx.Gateway
	Authorizer *access.Authorizer
	Reader     *reading.Reader
	Previews   *reading.Previews
	Media      ports.MediaReader
	Files      fileurl.Base
	Cache      ports.ReadCache
	Limiter    *httpx.Limiter // of executed requests
	Tags       *cachetag.Scheme
}

// Handler serves GraphQL over HTTP, and GraphiQL to browsers. It is safe for concurrent
// use.
type Handler struct {
	gateway    *httpx.Gateway
	authorizer *access.Authorizer
	schema     graphql.ExecutableSchema
	documents  *documents
	persisted  *persisted
	cached     httpx.Cached
	limiter    *httpx.Limiter
	tags       *cachetag.Scheme
	reader     *reading.Reader
	previews   *reading.Previews
}

// New returns a Handler for the path of the API.
func New(deps Deps) *Handler {
	schema := newSchema(&queryRoot{media: deps.Media, files: deps.Files})
	return &Handler{
		gateway:    deps.Gateway,
		authorizer: deps.Authorizer,
		schema:     schema,
		documents:  newDocuments(schema.Schema()),
		persisted:  newPersisted(),
		cached:     httpx.Cached{Cache: deps.Cache},
		limiter:    deps.Limiter,
		tags:       deps.Tags,
		reader:     deps.Reader,
		previews:   deps.Previews,
	}
}

// newSchema returns the executable schema without @defer, which would need a multipart
// response.
func newSchema(root *queryRoot) graphql.ExecutableSchema {
	plain := *exec.NewExecutableSchema(exec.Config{}).Schema()
	plain.Directives = maps.Clone(plain.Directives)
	delete(plain.Directives, "defer")
	return exec.NewExecutableSchema(exec.Config{Schema: &plain, Resolvers: root})
}

// SDL returns the schema in the schema definition language, identical to
// api/schema.graphqls.
func SDL() string {
	return exec.NewExecutableSchema(exec.Config{}).Schema().Query.Position.Src.Input
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if httpx.IsPreflight(r) { // a preflight has no token and thus no Project
		httpx.WritePreflight(w, r, "GET, HEAD, POST")
		return
	}
	if wantsPage(r) {
		servePage(w, r)
		return
	}
	w.Header()["Vary"] = vary
	media, acceptable := negotiate(r.Header["Accept"])
	out := responder{w: w, r: r, media: media}
	client, err := h.authorize(w, r)
	if err != nil {
		out.refuse(r.Context(), err)
		return
	}
	if !acceptable {
		out.refuseStatus(http.StatusNotAcceptable, "NOT_ACCEPTABLE", "Accept must allow application/graphql-response+json or application/json")
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost:
		h.serve(r.Context(), out, client)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		out.refuseStatus(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "method must be one of GET, HEAD, POST")
	}
}

// caller is the authenticated client of a request.
type caller struct {
	project *core.Project
	reader  *reading.Reader // of the execution
	drafts  bool
	preview bool
	media   *mediaBatch
	depends *collector
	epoch   uint64 // of ports.ReadCache, taken before the first read
}

// authorize authenticates the token of a request and checks that it may read its Project.
func (h *Handler) authorize(w http.ResponseWriter, r *http.Request) (caller, error) {
	if httpx.FromPreview(r) {
		return h.authorizePreview(w, r)
	}
	actor, err := h.gateway.Token(w, r, core.AbilityRead)
	if err != nil {
		return caller{}, err
	}
	epoch := h.cached.Epoch(actor.Token.ProjectID)
	place, err := h.authorizer.Authorize(r.Context(), actor, access.ReadPublic, access.Target{ProjectID: actor.Token.ProjectID})
	if err != nil {
		return caller{}, err
	}
	httpx.AllowOrigins(w, r, place.Project.AllowedOrigins)
	return caller{project: place.Project, drafts: actor.Token.AllowDrafts, depends: &collector{tags: h.tags}, epoch: epoch, reader: h.reader}, nil
}

// authorizePreview is authorize for a preview. Its responses are not cached.
func (h *Handler) authorizePreview(w http.ResponseWriter, r *http.Request) (caller, error) {
	actor, err := h.gateway.Preview(w, r)
	if err != nil {
		return caller{}, err
	}
	place, err := h.authorizer.Authorize(r.Context(), actor, access.ReadPublic, access.Target{ProjectID: actor.Preview.ProjectID})
	if err != nil {
		return caller{}, err
	}
	httpx.AllowOrigins(w, r, place.Project.AllowedOrigins)
	reader, err := h.previews.Reader(r.Context(), place.Project, actor.Preview)
	return caller{project: place.Project, drafts: actor.Preview.Drafts, preview: true, depends: &collector{}, reader: reader}, err
}

// serve reads the request and writes the response.
func (h *Handler) serve(ctx context.Context, out responder, client caller) {
	text, err := receive(out.w, out.r)
	if err != nil {
		out.refuse(ctx, err)
		return
	}
	var res *result
	coding := httpx.AcceptedCoding(out.r)
	found, err := h.cached.Read(ctx, requestKey(out.r, client, text), coding, func() (*httpx.Response, error) {
		if res = h.execute(ctx, out, client, text); res == nil || len(res.errors) > 0 {
			return nil, errNotCacheable
		}
		response := out.response(res)
		if client.preview {
			return response.Unshared(), nil
		}
		client.depends.addTo(response, client.project, !isPost(out.r))
		return response, nil
	})
	switch {
	case err == nil:
		found.Write(out.w, out.r, http.StatusOK, out.media.contentType, coding)
	case res != nil:
		out.writeErrors(res)
	}
}

var errNotCacheable = errors.New("graphql: response not cacheable")

// requestKey returns the key of the response to the request in text.
func requestKey(r *http.Request, client caller, text []byte) ports.ReadKey {
	kind := "GraphQL URL"
	if isPost(r) {
		kind = "GraphQL"
	}
	return ports.ReadKey{Kind: kind, ProjectID: client.project.ID, Epoch: client.epoch, Drafts: client.drafts, Query: string(text)}
}

// execute runs the request in text. It returns nil after it has written an error
// response.
func (h *Handler) execute(ctx context.Context, out responder, client caller, text []byte) *result {
	req, err := parseRequest(out.r, text)
	if err != nil {
		out.refuse(ctx, err)
		return nil
	}
	switch err := h.persisted.complete(req); {
	case errors.Is(err, errNotPersisted):
		out.refuseQuery(http.StatusOK, queryError(codePersisted, "%s", err))
		return nil
	case err != nil:
		out.refuse(ctx, err)
		return nil
	}
	op, fault := h.documents.open(req)
	if fault != nil {
		out.refuseQuery(out.media.badQuery, fault)
		return nil
	}
	if op.definition.Operation != ast.Query && out.r.Method != http.MethodPost {
		out.w.Header().Set("Allow", "POST")
		out.refuseStatus(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "GET can only execute queries")
		return nil
	}
	if errs := h.documents.check(op, req); errs != nil {
		out.refuseQuery(out.media.badQuery, errs...)
		return nil
	}
	release, err := h.limiter.Acquire(ctx)
	if err != nil {
		out.refuse(ctx, err)
		return nil
	}
	defer release()
	res, err := h.whole(ctx, client, req, op)
	if err != nil {
		out.refuse(ctx, err)
		return nil
	}
	h.persisted.keep(req)
	return &res
}

// whole runs an operation, again if a release was published between its reads: all root fields show it, or none.
func (h *Handler) whole(ctx context.Context, client caller, req *request, op *operation) (res result, err error) {
	err = client.reader.Whole(ctx, client.project, func(r *reading.Reader) error {
		client.reader, client.media = r, &mediaBatch{}
		res = h.run(withCaller(ctx, client), req, op)
		return nil
	})
	return res, err
}
