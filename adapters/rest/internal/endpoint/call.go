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
	Params  map[string]string // query parameters that op.query allows
	Query   core.Query        // if op.listing
	Body    any               // pointer to the body, for op.target
	stream  *httpx.Stream     // the request body, if op.form
	Status  int               // status of success
}

// NoPlace is an id that no resource has.
const NoPlace = -1

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
		c.Actor, err = c.set.gateway.Token(c.Writer, c.Request)
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

// acquire takes a place of the limiter, which is returned when the answer begins: a slow
// reader holds none. Uploads and sign-ins take no place: the former read their body
// themselves, and both have bounds of their own.
func (c *Call) acquire() (release func(), err error) {
	if c.op.Form != nil || c.op.Action == Anonymous {
		return func() {}, nil
	}
	if release, err = c.set.limiters.For(c.Request.Method).Acquire(c.Context()); err == nil {
		c.Writer = &releasingWriter{c.Writer, release}
	}
	return release, err
}

// releasingWriter calls release before the answer begins.
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

// Unwrap lets http.ResponseController reach the connection.
func (w *releasingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// PathTarget returns the target that the path identifies. A malformed id becomes noPlace,
// so that the response is the same as for an unknown id.
func PathTarget(r *http.Request) access.Target {
	return access.Target{
		TenantID:     pathID(r, "tenantId"),
		DepartmentID: pathID(r, "departmentId"),
		ProjectID:    pathID(r, "projectId"),
		ProjectUUID:  r.PathValue("projectUuid"),
	}
}

// pathID returns an id in the path: digits without sign or leading zeros. It returns 0
// without the parameter and noPlace for a malformed id.
func pathID(r *http.Request, name string) int64 {
	text := r.PathValue(name)
	if text == "" {
		return 0
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != text {
		return NoPlace
	}
	return id
}

// ID returns an id in the path, or KindNotFound for thing when it is malformed.
func (c *Call) ID(name, thing string) (int64, error) {
	if id := pathID(c.Request, name); id > 0 {
		return id, nil
	}
	return 0, core.NotFound(thing)
}

// readBody decodes the request body strictly into body and returns its bytes. GET and
// HEAD requests have no body; operations with a form read it themselves.
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

// WithID reads one id from the path for do.
func WithID[B, A any](name, thing string, do func(c *Call, id int64, body B) (A, error)) func(*Call, B) (A, error) {
	return func(c *Call, body B) (A, error) {
		id, err := c.ID(name, thing)
		if err != nil {
			var nothing A
			return nothing, err
		}
		return do(c, id, body)
	}
}
