package rest

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/ports"
)

// maxBody is the longest JSON body in bytes.
const maxBody = 4 << 20

// maxAnonymousBody is the longest JSON body in bytes for callers without a credential. It
// is smaller because many of them can make the service hold a body in memory.
const maxAnonymousBody = 16 << 10

// anonymous is the action of operations without authentication. The only one is signIn.
var anonymous = access.Action{Name: "anonymous"}

// Set has the operations of an API, and the parts that serving them needs.
type Set struct {
	router      huma.Adapter
	gateway     *httpx.Gateway
	authorizer  *access.Authorizer
	idempotency ports.IdempotencyStore
	cache       ports.ReadCache
	limiters    httpx.Limiters
	documented  []documented
}

// newSet returns a Set without operations that registers its routes in mux. A nil cache
// caches no responses.
func newSet(
	mux *http.ServeMux, gateway *httpx.Gateway, authorizer *access.Authorizer,
	idempotency ports.IdempotencyStore, cache ports.ReadCache, limiters httpx.Limiters,
) *Set {
	return &Set{
		router: humago.NewAdapter(mux, ""), gateway: gateway, authorizer: authorizer,
		idempotency: idempotency, cache: cache, limiters: limiters,
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
	return each(s.documented, func(d documented) Route { return Route{d.op.method, d.op.path, d.op.id, d.op.action} })
}

// operation describes one route for the router and for the OpenAPI document.
type operation struct {
	method string
	path   string
	id     string // operationId: verb and noun, "listTenants"
	tag    string
	title  string // a few words
	about  string // description in Markdown
	action access.Action

	status       int           // of success; 0 means 200, or 204 without a response body
	query        []*queryParam // accepted query parameters; all others are rejected
	listing      bool          // accepts the list parameters of content, including where and or
	bodyOptional bool
	form         []textPart // if set, the body is a form with a file and these parts, which the operation reads itself
	conditional  bool       // supports If-None-Match and 304
	versioned    bool       // sends the version as ETag; supports If-Match on changes
	idempotent   bool       // supports Idempotency-Key
	fails        []core.Kind
	conflict     *outcome // if a 409 has additional members
	headers      []string // additional response headers of success
	accepted     *outcome // if success can also be 202
	sends        any      // example of the request body; nil means the examples of its members
	example      any      // the same for the response body
	// target returns the target of the action when the path alone does not identify it.
	// It is called after the query and the body are read.
	target func(c *call) (access.Target, error)
	// read is set for operations with cached responses. It creates the response when the
	// cache has none.
	read func(c *call) (*found, error)
}

// outcome is a documented response besides success and the common problems.
type outcome struct {
	about   string
	gives   reflect.Type
	example any
}

// none stands for an empty request or response body.
type none struct{}

// handle registers an operation with request body B and response body A, both JSON.
func handle[B, A any](s *Set, op operation, do func(c *call, body B) (A, error)) {
	answers := reflect.TypeFor[A]()
	register(s, op, reflect.TypeFor[B](), answers, func(c *call, body B) error {
		answer, err := do(c, body)
		if err != nil {
			return err
		}
		if answers == reflect.TypeFor[none]() {
			return c.noContent()
		}
		return c.writeJSON(answer)
	})
}

// handleRaw registers an operation without request body that writes its response itself.
// A is the documented response body.
func handleRaw[A any](s *Set, op operation, do func(c *call) error) {
	register(s, op, reflect.TypeFor[none](), reflect.TypeFor[A](), func(c *call, _ none) error { return do(c) })
}

// handleUpload registers an operation that reads a form with a file from c.stream and
// writes its response itself. A is the documented response body. The operation must call
// c.once itself, because the fingerprint of a request is known only after the form is
// read.
func handleUpload[A any](s *Set, op operation, do func(c *call) error) {
	op.status, op.idempotent = http.StatusCreated, true
	op.headers = append(op.headers, "Location")
	op.fails = append(op.fails, core.KindStorageFull)
	handleRaw[A](s, op, do)
}

// register adds the operation to the router and to the list for the OpenAPI document.
func register[B any](s *Set, op operation, takes, gives reflect.Type, do func(*call, B) error) {
	if op.action.Name == "" {
		panic("endpoint: operation " + op.id + " has no action")
	}
	if op.status == 0 {
		op.status = http.StatusOK
		if gives == reflect.TypeFor[none]() {
			op.status = http.StatusNoContent
		}
	}
	s.documented = append(s.documented, documented{&op, takes, gives})
	s.router.Handle(&huma.Operation{Method: op.method, Path: op.path}, func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		c := &call{set: s, op: &op, w: w, r: r, status: op.status}
		if op.form != nil {
			c.stream = httpx.NewStream(w, r)
		}
		if err := serve(c, do); err != nil {
			httpx.WriteProblem(c.w, c.r, err)
		}
	})
}

// serve runs all steps of a request: authenticate, authorize, read the query and the
// body, call do.
func serve[B any](c *call, do func(*call, B) error) error {
	if c.op.read != nil {
		return c.serveRead()
	}
	if err := c.authenticate(); err != nil {
		return err
	}
	var body B
	if c.op.target == nil {
		if err := c.authorize(pathTarget(c.r)); err != nil {
			return err
		}
	}
	if err := c.readQuery(); err != nil {
		return err
	}
	raw, err := c.readBody(&body)
	if err != nil {
		return err
	}
	if c.op.target != nil {
		c.body = &body
		target, err := c.op.target(c)
		if err != nil {
			return err
		}
		if err := c.authorize(target); err != nil {
			return err
		}
	}
	release, err := c.acquire()
	if err != nil {
		return err
	}
	defer release()
	if c.op.idempotent && c.op.form == nil {
		return c.once(raw, func() error { return do(c, body) })
	}
	return do(c, body)
}
