package endpoint

import (
	"context"
	"net/http"
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
)

// Call is the state of one request to an operation.
type Call struct {
	set     *Set
	op      *Operation
	Writer  http.ResponseWriter
	Request *http.Request
	Actor   core.Actor
	Place   access.Place
	Params  map[string]string // query parameters, if not op.Listing
	Query   *core.Query       // list parameters, if op.Listing
	Body    any               // pointer to the decoded body, for op.Target
	Status  int               // status of success

	badQuery error         // of the first invalid parameter
	stream   *httpx.Stream // the request body, if op.Form is set
}

// UnknownID is an id that no resource has.
const UnknownID = -1

// Context returns the context of the request.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Project returns the Project in the path, or nil.
func (c *Call) Project() *core.Project { return c.Place.Project }

// authenticate identifies the caller by the credential of the API: a token under /public,
// a session under /api.
func (c *Call) authenticate() (err error) {
	switch {
	case c.op.Action == Anonymous:
	case c.op.Action.Ability != "":
		c.Actor, err = c.set.gateway.Token(c.Writer, c.Request, c.op.Action.Ability)
	default:
		c.Actor, err = c.set.gateway.Session(c.Writer, c.Request)
	}
	return err
}

func (c *Call) authorize(target access.Target) (err error) {
	if c.op.Action != Anonymous {
		c.Place, err = c.set.authorizer.Authorize(c.Context(), c.Actor, c.op.Action, target)
	}
	return err
}

// acquire acquires a slot of the limiter. The slot is released before the first byte of the
// response, so that slow clients hold no slots. Uploads and sign-ins take no slot: they have
// limits of their own, and uploads read their body in the handler.
func (c *Call) acquire() (release func(), err error) {
	signsIn := c.op.Action == Anonymous && c.Request.Method == http.MethodPost
	if c.op.Form != nil || signsIn {
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

// PathTarget returns the target that the path identifies. A malformed id becomes UnknownID, so
// that the response is the same as for an id that does not exist.
func PathTarget(r *http.Request) access.Target {
	return access.Target{
		TenantID:     pathID(r, "tenantId"),
		DepartmentID: pathID(r, "departmentId"),
		ProjectID:    pathID(r, "projectId"),
		ProjectUUID:  r.PathValue("projectUuid"),
	}
}

// pathID returns an id in the path: digits without sign or leading zeros. It returns 0 if the
// path has no such parameter, and UnknownID for a malformed id.
func pathID(r *http.Request, name string) int64 {
	text := r.PathValue(name)
	if text == "" {
		return 0
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 || text[0] == '0' || text[0] == '+' {
		return UnknownID
	}
	return id
}

// ID returns the id in the path parameter name. It is well formed, because checkIDs precedes the
// function of the operation.
func (c *Call) ID(name string) int64 { return pathID(c.Request, name) }

// checkIDs returns KindNotFound if an id in the path is malformed.
func (c *Call) checkIDs() error {
	for _, name := range c.op.ids {
		if c.ID(name) == UnknownID {
			return core.NotFound(pathParams[name].thing)
		}
	}
	return nil
}

// Number returns the number in the path parameter name, which checkIDs does not check. If it is
// malformed, the error is KindNotFound and names thing.
func (c *Call) Number(name, thing string) (int64, error) {
	if id := pathID(c.Request, name); id > 0 {
		return id, nil
	}
	return 0, core.NotFound(thing)
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
	if err := httpx.RequireJSON(c.Request); err != nil {
		return nil, err
	}
	return raw, Decode(raw, body)
}
