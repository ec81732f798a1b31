package endpoint

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/installation"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// Anonymous is the action of operations without authentication: signIn, whoAmI and readKeys.
var Anonymous = access.Action{Name: "anonymous"}

// Set has the operations of an API and the dependencies for serving them.
type Set struct {
	// Installation returns the state of the installation; nil: it was never restored.
	Installation func(context.Context) (installation.Installation, error)

	router       huma.Adapter
	gateway      *httpx.Gateway
	authorizer   *access.Authorizer
	idempotency  ports.IdempotencyStore
	fingerprints []byte // the key of fingerprints of requests
	cached       httpx.Cached
	limiters     httpx.Limiters
	documented   []documented
}

// Idempotency is the store of requests with an Idempotency-Key, and the secret key under which it
// has their fingerprints.
type Idempotency struct {
	Store  ports.IdempotencyStore
	Secret secret.Key
}

// New returns a Set without operations. It registers routes in mux. If cache is nil, no
// responses are cached.
func New(
	mux *http.ServeMux, gateway *httpx.Gateway, authorizer *access.Authorizer,
	idempotency Idempotency, cache ports.ReadCache, limiters httpx.Limiters,
) *Set {
	return &Set{
		router: humago.NewAdapter(mux, ""), gateway: gateway, authorizer: authorizer,
		idempotency: idempotency.Store, fingerprints: idempotency.Secret.Derive(secret.Fingerprints), cached: httpx.Cached{Cache: cache}, limiters: limiters,
	}
}

// Route is one operation as the router knows it.
type Route struct {
	Method string
	Path   string // with its parameters: /api/projects/{projectId}
	ID     string // operationId
	Action access.Action
}

// Routes returns the operations in the order of their registration.
func (s *Set) Routes() []Route {
	return wire.Each(s.documented, func(d documented) Route { return Route{d.op.Method, d.op.Path, d.op.ID, d.op.Action} })
}

// Bodies returns the types of the request bodies by operation id.
func (s *Set) Bodies() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, d := range s.documented {
		types[d.op.ID] = d.request
	}
	return types
}

// Operation describes one route for the router and for the OpenAPI document.
type Operation struct {
	Method string
	Path   string
	ID     string // operationId: verb and noun, "listTenants"
	Tag    string
	Title  string // a few words
	About  string // description in Markdown
	Action access.Action

	Status       int           // of success; 0 means 200, or 204 without a response body
	Query        []*QueryParam // accepted query parameters; all others are rejected
	Listing      bool          // accepts the parameters of lists of entries too, including where and or
	Counting     bool          // accepts those parameters of lists of entries that select entries: where, or, locale and state
	BodyOptional bool
	FormEncoded  bool        // the body can also be application/x-www-form-urlencoded, as OAuth sends it
	Form         []TextPart  // if set, the body is a form with a file and these parts; the operation reads it with Call.Form
	Conditional  bool        // the response has a hash as ETag; supports If-None-Match and 304
	Versioned    bool        // the response has the version as ETag; changes support If-Match
	Idempotent   bool        // supports Idempotency-Key
	Streams      bool        // the response is server-sent events; Example is their text
	Waits        bool        // waits for another server, and takes no slot of the limiter
	Fails        []core.Kind // error kinds besides those that follow from the other members
	Conflict     *Outcome    // if a 409 has additional members
	Stale        *Outcome    // if a 412 has additional members
	Headers      []string    // additional response headers of success
	Accepted     *Outcome    // if success can also be 202
	Sends        any         // example of the request body; nil: built from the examples of its members
	Example      any         // example of the response body; nil: likewise
	// Permit returns an error unless the caller may call the operation, where Action alone does not say
	// so. It is called before the body is read, so that a caller without permission learns nothing about bodies.
	Permit func(c *Call) error
	// Refusal returns an error if the caller may not call the operation in the present state, or nil. It is
	// called if the body is not valid; otherwise the operation itself checks the state.
	Refusal func(c *Call) error
	// Target returns the target of the action if the path alone does not identify it. It is
	// called after the query and the body are read, and before authorization.
	Target   func(c *Call) (access.Target, error)
	Uncached string // a query parameter; responses to requests with it are not cached
	// CachedWith is a query parameter; responses to requests without it are not cached.
	CachedWith string
	// read is set by HandleRead. It creates the response when the cache does not have it.
	read func(c *Call) (*httpx.Response, error)
	ids  []string // path parameters that checkIDs checks, set by Register
}

// Outcome is a documented response besides success and the common problems.
type Outcome struct {
	About   string
	Gives   reflect.Type
	Example any
}

// None is an empty request or response body.
type None struct{}

// Handle registers an operation with request body B and response body A, both JSON. An error of
// do becomes a problem. With None as A the response has no body.
func Handle[B, A any](s *Set, op Operation, do func(c *Call, body B) (A, error)) {
	add(s, &op, bodyOf[B](func(c *Call, body *B) error {
		result, err := do(c, *body)
		return c.answer(result, err)
	}), reflect.TypeFor[A]())
}

// answer writes the result of an operation, or returns its error.
func (c *Call) answer(result any, err error) error {
	if err != nil {
		return err
	}
	if _, none := result.(None); none {
		return c.noContent()
	}
	if c.op.Conditional {
		return c.writeWithHash(result)
	}
	return c.WriteJSON(result)
}

// HandleUpload registers an operation that reads a form with a file (Call.Form) and writes
// its response itself. A is the documented response body. do must call Call.Once itself, because
// the fingerprint of a request is known only after the form is read.
func HandleUpload[A any](s *Set, op Operation, do func(c *Call) error) {
	op.Status, op.Idempotent = http.StatusCreated, true
	op.Headers = append(op.Headers, "Location")
	op.Fails = append(op.Fails, core.KindStorageFull)
	Register[None, A](s, op, func(c *Call, _ None) error { return do(c) })
}

// Register adds an operation with request body B to the router and to the OpenAPI document. do
// writes the response itself; A is the documented response body. It panics if op has no action.
func Register[B, A any](s *Set, op Operation, do func(*Call, B) error) {
	add(s, &op, bodyOf[B](func(c *Call, body *B) error { return do(c, *body) }), reflect.TypeFor[A]())
}

// body is the request body of an operation. It is all that is compiled for each type of bodies: what an operation does
// with requests is compiled once.
type body struct {
	shape reflect.Type
	make  func() any                    // returns a pointer to the zero value
	do    func(c *Call, body any) error // takes a pointer
}

func bodyOf[B any](do func(*Call, *B) error) body {
	return body{reflect.TypeFor[B](), func() any { return new(B) }, func(c *Call, body any) error { return do(c, body.(*B)) }}
}

// add adds an operation; see Register.
func add(s *Set, op *Operation, b body, response reflect.Type) {
	if op.Action.Name == "" {
		panic("endpoint: operation " + op.ID + " has no action")
	}
	if op.Status == 0 {
		op.Status = http.StatusOK
		if response == reflect.TypeFor[None]() {
			op.Status = http.StatusNoContent
		}
	}
	for _, match := range pathName.FindAllStringSubmatch(op.Path, -1) {
		if pathParams[match[1]].thing != "" {
			op.ids = append(op.ids, match[1])
		}
	}
	s.documented = append(s.documented, documented{op, b.shape, response})
	s.router.Handle(&huma.Operation{Method: op.Method, Path: op.Path}, func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		c := &Call{set: s, op: op, Writer: w, Request: r, Status: op.Status}
		if op.Form != nil {
			c.stream = httpx.NewStream(w, r)
		}
		if err := serve(c, b); err != nil {
			if op.Action == Anonymous && core.KindOf(err) == core.KindUnauthenticated {
				s.gateway.Challenge(c.Writer)
			}
			httpx.WriteProblem(c.Writer, c.Request, err)
		}
	})
}
