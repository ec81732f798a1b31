package graphql

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// responder writes the response to a request.
type responder struct {
	w     http.ResponseWriter
	r     *http.Request
	media mediaType
}

// result is the outcome of an operation.
type result struct {
	data        []byte // a JSON object, or null
	errors      gqlerror.List
	unavailable *core.Error // set if a dependency was unavailable or the service overloaded
}

// refuse responds with err to a request that is not executed.
func (o responder) refuse(ctx context.Context, err error) {
	public := httpx.Report(ctx, err)
	httpx.SetRetryAfter(o.w.Header(), public)
	o.refuseQuery(httpx.Status(public.Kind), publicError(err, httpx.RequestID(ctx)))
}

// refuseStatus responds with a status and a code to a request that is not executed.
func (o responder) refuseStatus(status int, code, message string) {
	o.refuseQuery(status, queryError(code, "%s", message))
}

// refuseQuery responds with errors and without data.
func (o responder) refuseQuery(status int, errs ...*gqlerror.Error) {
	o.send(status, append(appendJSON([]byte(`{"errors":`), errs), '}'))
}

// write writes the response to an operation without encoding its data again.
func (o responder) write(a *response) {
	if a.body != nil {
		o.writeEncoded(a)
		return
	}
	body := a.join()
	switch {
	case a.unavailable != nil:
		httpx.SetRetryAfter(o.w.Header(), a.unavailable)
		o.send(http.StatusServiceUnavailable, body)
	case len(a.errors) == 0 && o.r.Method != http.MethodPost:
		if !o.notModified(httpx.ContentETag(body)) {
			o.sendBody(http.StatusOK, body)
		}
	default:
		o.send(http.StatusOK, body)
	}
}

// writeEncoded writes a cached response in the coding that the client prefers.
func (o responder) writeEncoded(a *response) {
	if o.r.Method == http.MethodPost {
		o.w.Header()["Cache-Control"] = noStore
	} else if o.notModified(a.tag) {
		return
	}
	o.w.Header()["Content-Type"] = o.media.contentType
	httpx.WriteEncoded(o.w, http.StatusOK, a.coding, a.body)
}

// join returns the complete body.
func (a *response) join() []byte {
	body := append(make([]byte, 0, len(a.data)+64), '{')
	if len(a.errors) > 0 {
		body = append(appendJSON(append(body, `"errors":`...), a.errors), ',')
	}
	body = append(append(body, `"data":`...), a.data...)
	return append(body, '}')
}

// notModified sets the entity tag of a response to a GET. It writes 304 and returns true
// when the client has the same response.
func (o responder) notModified(tag string) bool {
	header := o.w.Header()
	header.Set("ETag", tag)
	header["Cache-Control"] = revalidate
	if !httpx.NotModified(o.r, tag) {
		return false
	}
	o.w.WriteHeader(http.StatusNotModified)
	return true
}

// send writes a response that must not be cached.
func (o responder) send(status int, body []byte) {
	o.w.Header()["Cache-Control"] = noStore
	o.sendBody(status, body)
}

func (o responder) sendBody(status int, body []byte) {
	o.w.Header()["Content-Type"] = o.media.contentType
	httpx.WriteBody(o.w, o.r, status, body)
}

// The values are shared between responses: net/http only reads them.
var (
	noStore    = []string{"no-store"}
	revalidate = []string{"private, no-cache"}
)

// appendJSON appends a value that encoding/json can always encode.
func appendJSON(body []byte, value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(body, encoded...)
}
