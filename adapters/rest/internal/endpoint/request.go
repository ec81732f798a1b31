package endpoint

import (
	"cmp"
	"context"
	"net/http"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/jsonbody"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/installation"
	"imprimatur/core/query"
)

// maxBody is the longest JSON body in bytes.
const maxBody = 4 << 20

// maxAnonymousBody is the longest JSON body in bytes of requests without a credential. It is
// smaller because the service holds bodies in memory and cannot limit the number of such
// clients.
const maxAnonymousBody = 16 << 10

// Call is the state of one request to an operation.
type Call struct {
	set     *Set
	op      *Operation
	Writer  http.ResponseWriter
	Request *http.Request
	Actor   core.Actor
	Place   access.Place
	Params  map[string]string // query parameters, if not op.Listing
	Query   *query.Query      // list parameters, if op.Listing
	Body    any               // pointer to the decoded body, for op.Target
	Status  int               // status of success
	// Shared, when not nil, adds headers for shared caches to the response of a conditional read.
	Shared func(*httpx.Response)

	badQuery error         // of the first invalid parameter
	stream   *httpx.Stream // the request body, if op.Form is set
}

// Context returns the context of the request.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Project returns the Project in the path, or nil.
func (c *Call) Project() *core.Project { return c.Place.Project }

// Epoch returns the epoch of the installation.
func (c *Call) Epoch() (string, error) {
	if c.set.Installation == nil {
		return installation.FirstEpoch, nil
	}
	state, err := c.set.Installation(c.Context())
	return state.Epoch, err
}

// serve runs all steps of a request: authenticate, authorize, read the query and the body, call
// b.do. If op.Target is set, it authorizes after it has read the body.
func serve(c *Call, b body) error {
	if c.op.read != nil {
		return c.serveRead()
	}
	if err := c.authenticate(); err != nil {
		return err
	}
	if c.op.Target == nil {
		if err := c.authorize(PathTarget(c.Request)); err != nil {
			return err
		}
	}
	if err := c.permit(c.op.Permit); err != nil {
		return err
	}
	if err := c.readQuery(); err != nil {
		return err
	}
	given := b.make()
	raw, err := c.readBody(given)
	if err != nil {
		return cmp.Or(c.permit(c.op.Refusal), err)
	}
	if c.op.Target != nil {
		c.Body = given
		target, err := c.op.Target(c)
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
	if c.op.Idempotent && c.op.Form == nil {
		return c.Once(withoutPasswords(raw, b.shape), func() error { return c.perform(b, given) })
	}
	return c.perform(b, given)
}

// perform calls b.do, with valid ids in the path.
func (c *Call) perform(b body, given any) error {
	if err := c.checkIDs(); err != nil {
		return err
	}
	return b.do(c, given)
}

// permit calls may, unless it is nil, with valid ids in the path.
func (c *Call) permit(may func(c *Call) error) error {
	if may == nil {
		return nil
	}
	if err := c.checkIDs(); err != nil {
		return err
	}
	return may(c)
}

// authenticate identifies the caller by the credential of the API: a token under /public,
// a session under /api. Operations whose action is for assistants also take theirs.
func (c *Call) authenticate() (err error) {
	switch {
	case c.op.Action == Anonymous:
	case c.op.Action.Assistants != access.NoAssistants && httpx.FromAssistant(c.Request):
		c.Actor, err = c.set.gateway.Assistant(c.Writer, c.Request)
	case c.op.Action.Ability != "" && httpx.FromPreview(c.Request):
		c.Actor, err = c.set.gateway.Preview(c.Writer, c.Request)
	case c.op.Action.Ability != "":
		c.Actor, err = c.set.gateway.Token(c.Writer, c.Request, c.op.Action.Ability)
	default:
		c.Actor, err = c.set.gateway.Session(c.Writer, c.Request, c.op.Action.Exempt)
	}
	return err
}

func (c *Call) authorize(target access.Target) (err error) {
	if c.op.Action != Anonymous {
		c.Place, err = c.set.authorizer.Authorize(c.Context(), c.Actor, c.op.Action, target)
	}
	return err
}

// Recheck authenticates and authorizes the caller again, while the response is written. It takes nothing from a
// budget.
func (c *Call) Recheck(ctx context.Context) error {
	actor, err := c.set.gateway.Again(ctx, c.Request.Header, c.op.Action.Ability)
	if err == nil {
		_, err = c.set.authorizer.Authorize(ctx, actor, c.op.Action, PathTarget(c.Request))
	}
	return err
}

// readBody decodes the request body strictly into body and returns its bytes. It does not read
// the body of GET and HEAD requests, nor a form, which the operation reads itself.
func (c *Call) readBody(body any) (raw []byte, err error) {
	if c.Request.Method == http.MethodGet || c.Request.Method == http.MethodHead || c.op.Form != nil {
		return nil, nil
	}
	limit := int64(maxBody)
	if c.op.Action == Anonymous {
		limit = maxAnonymousBody
	}
	if raw, err = httpx.ReadBody(c.Writer, c.Request, limit); err != nil {
		return nil, err
	}
	_, empty := body.(*None)
	if len(raw) == 0 && (empty || c.op.BodyOptional) {
		return raw, nil
	}
	if c.op.FormEncoded && isFormEncoded(c.Request.Header) {
		return raw, decodeForm(raw, body)
	}
	if err := httpx.RequireJSON(c.Request); err != nil {
		return nil, err
	}
	return raw, jsonbody.Decode(raw, body)
}

// acquire acquires a slot of the limiter. The slot is released before the first byte of the
// response, so that slow clients hold no slots. Uploads, operations that wait for another server and
// sign-ins take no slot: they have limits of their own, and uploads read their body in the handler.
func (c *Call) acquire() (release func(), err error) {
	signsIn := c.op.Action == Anonymous && c.Request.Method == http.MethodPost
	if c.op.Form != nil || c.op.Waits || signsIn {
		return func() {}, nil
	}
	if release, err = c.set.limiters.For(c.Request.Method).Acquire(c.Context()); err == nil {
		c.Writer = &releasingWriter{c.Writer, release}
	}
	return release, err
}

// releasingWriter calls release before it writes the response. release may be called more than
// once.
type releasingWriter struct {
	http.ResponseWriter

	release func()
}

// WriteHeader implements http.ResponseWriter.
func (w *releasingWriter) WriteHeader(status int) {
	w.release()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *releasingWriter) Write(b []byte) (int, error) {
	w.release()
	return w.ResponseWriter.Write(b)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *releasingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
