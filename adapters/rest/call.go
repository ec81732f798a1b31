package rest

import (
	"context"
	"net/http"
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
)

// call is one request on its way through an operation.
type call struct {
	api    *API
	op     *operation
	w      http.ResponseWriter
	r      *http.Request
	actor  core.Actor
	place  access.Place
	params map[string]string // query parameters, checked against op.query
	list   listParams        // when op.listing
	body   any               // for op.target alone: a pointer to the body
	stream *httpx.Stream     // the body, when op.form
	status int               // of success
}

// noPlace is an id that nothing ever has.
const noPlace = -1

func (c *call) ctx() context.Context { return c.r.Context() }

func (c *call) project() *core.Project { return c.place.Project }

// authenticate learns the caller from the one credential of the route's family.
func (c *call) authenticate() (err error) {
	switch {
	case c.op.action == anybody:
	case c.op.action.Ability != "":
		c.actor, err = c.api.Gateway.Token(c.w, c.r)
	default:
		c.actor, err = c.api.Gateway.Session(c.w, c.r)
	}
	return err
}

func (c *call) authorize(target access.Target) (err error) {
	if c.op.action != anybody {
		c.place, err = c.api.Authorizer.Authorize(c.ctx(), c.actor, c.op.action, target)
	}
	return err
}

// acquire takes a place of the limiter, which is returned when the answer begins: a slow
// reader holds none. Uploads and sign-ins take no place: the former read their body
// themselves, and both have bounds of their own.
func (c *call) acquire() (release func(), err error) {
	if c.op.form != nil || c.op.action == anybody {
		return func() {}, nil
	}
	if release, err = c.api.Limiters.For(c.r.Method).Acquire(c.ctx()); err == nil {
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

// pathTarget names the place that the path names. An id that is none stays an id
// that nothing has, so that it is answered like any other unknown one.
func pathTarget(r *http.Request) access.Target {
	return access.Target{
		TenantID:     pathID(r, "tenantId"),
		DepartmentID: pathID(r, "departmentId"),
		ProjectID:    pathID(r, "projectId"),
		ProjectUUID:  r.PathValue("projectUuid"),
	}
}

// pathID reads an id of the path: digits without sign or leading zero.
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

// id returns an id of the path; one that is malformed is an unknown thing.
func (c *call) id(name, thing string) (int64, error) {
	if id := pathID(c.r, name); id > 0 {
		return id, nil
	}
	return 0, core.NotFound(thing)
}

// readBody fills body from the request, strictly, and returns its bytes. Reads have
// none; forms are read by their operation.
func (c *call) readBody(body any) (raw []byte, err error) {
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead || c.op.form != nil {
		return nil, nil
	}
	limit := int64(maxBody)
	if c.op.action == anybody {
		limit = maxStrangersBody
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
