package rest

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
)

// maxBody is how many bytes a JSON body may have.
const maxBody = 4 << 20

// maxStrangersBody is the same where anybody may call: it is what each of many callers
// whom nobody knows can have us keep in memory.
const maxStrangersBody = 16 << 10

// anybody is the action of the routes that need no caller: there is one, signing in.
var anybody = access.Action{Name: "anybody"}

// operation describes one route for the router and for the document.
type operation struct {
	method string
	path   string
	id     string // operationId: verb and noun, "listTenants"
	tag    string
	title  string // a few words
	about  string // sentences, Markdown
	action access.Action

	status       int           // of success; 0 is 200, or 204 when there is no answer
	query        []*queryParam // query parameters; every other one is refused
	listing      bool          // takes the list parameters of content, where and or included
	bodyOptional bool
	form         []textPart // the body is a form of a file and these, which the operation reads itself
	conditional  bool       // takes If-None-Match, answers 304
	versioned    bool       // answers the version as ETag; takes If-Match when it changes something
	idempotent   bool       // takes an Idempotency-Key
	fails        []core.Kind
	conflict     *outcome // when a 409 shows more than any problem
	headers      []string // of success, beside the general ones
	accepted     *outcome // when success may also be 202
	sends        any      // an example of the body; nil: one of its members' examples
	example      any      // the same of the answer
	// target names the place of the action when the path alone does not; the query and
	// the body have been read by then.
	target func(c *call) (access.Target, error)
	// read, of a read whose answers are remembered, is run when this one is not.
	read func(c *call) (*found, error)
}

// outcome is what else may come of an operation.
type outcome struct {
	about   string
	gives   reflect.Type
	example any
}

// none is the body of an operation that takes none, and the answer of one that
// gives none.
type none struct{}

// handle registers an operation that takes a B and answers an A as JSON.
func handle[B, A any](a *API, op operation, do func(c *call, body B) (A, error)) {
	answers := reflect.TypeFor[A]()
	register(a, op, reflect.TypeFor[B](), answers, func(c *call, body B) error {
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

// handleRaw registers an operation without body that writes its answer itself; A
// is what the document says it writes.
func handleRaw[A any](a *API, op operation, do func(c *call) error) {
	register(a, op, reflect.TypeFor[none](), reflect.TypeFor[A](), func(c *call, _ none) error { return do(c) })
}

// handleUpload registers an operation that takes a form with a file, which it reads
// from c.stream, and answers itself; A is what the document says it answers. It has to
// see to c.once: what a repetition has to be like is known when the form is read.
func handleUpload[A any](a *API, op operation, do func(c *call) error) {
	op.status, op.idempotent = http.StatusCreated, true
	op.headers = append(op.headers, "Location")
	op.fails = append(op.fails, core.KindStorageFull)
	handleRaw[A](a, op, do)
}

// register puts the operation on the router and into the document.
func register[B any](a *API, op operation, takes, gives reflect.Type, do func(*call, B) error) {
	if op.action.Name == "" {
		panic("operation " + op.id + " names no action")
	}
	if op.status == 0 {
		op.status = http.StatusOK
		if gives == reflect.TypeFor[none]() {
			op.status = http.StatusNoContent
		}
	}
	a.documented = append(a.documented, documented{&op, takes, gives})
	a.routes = append(a.routes, Route{Method: op.method, Path: op.path, ID: op.id, Action: op.action})
	a.router.Handle(&huma.Operation{Method: op.method, Path: op.path}, func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		c := &call{api: a, op: &op, w: w, r: r, status: op.status}
		if op.form != nil {
			c.stream = httpx.NewStream(w, r)
		}
		if err := serve(c, do); err != nil {
			httpx.WriteProblem(c.w, c.r, err)
		}
	})
}

// serve is the way of every request: caller, place, query, body, answer.
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
