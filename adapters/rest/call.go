package rest

import (
	"context"
	"net/http"
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
)

// call is the state of one request to an operation.
type call struct {
	set    *Set
	op     *operation
	w      http.ResponseWriter
	r      *http.Request
	actor  core.Actor
	place  access.Place
	params map[string]string // query parameters that op.query allows
	query  core.Query        // if op.listing
	body   any               // pointer to the body, for op.target
	stream *httpx.Stream     // the request body, if op.form
	status int               // status of success
}

// noPlace is an id that no resource has.
const noPlace = -1

func (c *call) ctx() context.Context { return c.r.Context() }

func (c *call) project() *core.Project { return c.place.Project }

// authenticate identifies the caller by the credential of the API: a token under /public,
// a session under /api.
func (c *call) authenticate() (err error) {
	switch {
	case c.op.action == anonymous:
	case c.op.action.Ability != "":
		c.actor, err = c.set.gateway.Token(c.w, c.r)
	default:
		c.actor, err = c.set.gateway.Session(c.w, c.r)
	}
	return err
}

func (c *call) authorize(target access.Target) (err error) {
	if c.op.action != anonymous {
		c.place, err = c.set.authorizer.Authorize(c.ctx(), c.actor, c.op.action, target)
	}
	return err
}

// acquire takes a place of the limiter, which is returned when the answer begins: a slow
// reader holds none. Uploads and sign-ins take no place: the former read their body
// themselves, and both have bounds of their own.
func (c *call) acquire() (release func(), err error) {
	if c.op.form != nil || c.op.action == anonymous {
		return func() {}, nil
	}
	if release, err = c.set.limiters.For(c.r.Method).Acquire(c.ctx()); err == nil {
		c.w = &releasingWriter{c.w, release}
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

// pathTarget returns the target that the path identifies. A malformed id becomes noPlace,
// so that the response is the same as for an unknown id.
func pathTarget(r *http.Request) access.Target {
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
		return noPlace
	}
	return id
}

// id returns an id in the path, or KindNotFound for thing when it is malformed.
func (c *call) id(name, thing string) (int64, error) {
	if id := pathID(c.r, name); id > 0 {
		return id, nil
	}
	return 0, core.NotFound(thing)
}

// readBody decodes the request body strictly into body and returns its bytes. GET and
// HEAD requests have no body; operations with a form read it themselves.
func (c *call) readBody(body any) (raw []byte, err error) {
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead || c.op.form != nil {
		return nil, nil
	}
	limit := int64(maxBody)
	if c.op.action == anonymous {
		limit = maxAnonymousBody
	}
	if raw, err = httpx.ReadBody(c.w, c.r, limit); err != nil {
		return nil, err
	}
	_, empty := body.(*none)
	if len(raw) == 0 && (empty || c.op.bodyOptional) {
		return raw, nil
	}
	if err := httpx.RequireJSON(c.r); err != nil {
		return nil, err
	}
	return raw, decode(raw, body)
}

// withID reads one id from the path for do.
func withID[B, A any](name, thing string, do func(c *call, id int64, body B) (A, error)) func(*call, B) (A, error) {
	return func(c *call, body B) (A, error) {
		id, err := c.id(name, thing)
		if err != nil {
			var nothing A
			return nothing, err
		}
		return do(c, id, body)
	}
}
