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
	extensions  map[string]any
	unavailable *core.Error // set if a dependency was unavailable or the service overloaded
}

// refuse responds with err to a request that is not executed.
func (o responder) refuse(ctx context.Context, err error) {
	public := httpx.Report(ctx, err)
	httpx.SetRetryAfter(o.w.Header(), public)
	o.refuseQuery(httpx.Status(public.Kind), publicError(ctx, err))
}

// refuseStatus responds with a status and a code to a request that is not executed.
func (o responder) refuseStatus(status int, code, message string) {
	o.refuseQuery(status, queryError(code, "%s", message))
}

// refuseQuery responds with errors and without data.
func (o responder) refuseQuery(status int, errs ...*gqlerror.Error) {
	o.send(status, append(appendJSON([]byte(`{"errors":`), errs), '}'))
}

// response returns the response to an operation without errors.
func (o responder) response(res *result) *httpx.Response {
	response := &httpx.Response{Body: res.body()}
	if !isPost(o.r) {
		response.Tag = httpx.ContentETag(response.Body)
	}
	return response
}

// writeErrors writes the response to an operation with errors.
func (o responder) writeErrors(res *result) {
	status := http.StatusOK
	if res.unavailable != nil {
		httpx.SetRetryAfter(o.w.Header(), res.unavailable)
		status = http.StatusServiceUnavailable
	}
	o.send(status, res.body())
}

// body returns the result as JSON, without encoding its data again.
func (r *result) body() []byte {
	body := append(make([]byte, 0, len(r.data)+64), '{')
	if len(r.errors) > 0 {
		body = append(appendJSON(append(body, `"errors":`...), r.errors), ',')
	}
	body = append(append(body, `"data":`...), r.data...)
	if len(r.extensions) > 0 {
		body = appendJSON(append(body, `,"extensions":`...), r.extensions)
	}
	return append(body, '}')
}

// send writes a response that must not be cached.
func (o responder) send(status int, body []byte) {
	o.w.Header()["Cache-Control"] = noStore
	o.w.Header()["Content-Type"] = o.media.contentType
	httpx.WriteBody(o.w, o.r, status, body)
}

var noStore = []string{"no-store"} // shared between responses: net/http only reads it

// appendJSON appends a value that encoding/json can always encode.
func appendJSON(body []byte, value any) []byte {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return append(body, encoded...)
}
