package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"sync"

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
	body := buffers.Get().(*bytes.Buffer)
	defer release(body)
	body.WriteString(`{"errors":`)
	writeJSON(body, errs)
	body.WriteByte('}')
	o.send(status, body.Bytes())
}

// write writes the response to an operation without encoding its data again.
func (o responder) write(a *response) {
	if a.body != nil {
		o.writeEncoded(a)
		return
	}
	body := a.join()
	defer release(body)
	switch {
	case a.unavailable != nil:
		httpx.SetRetryAfter(o.w.Header(), a.unavailable)
		o.send(http.StatusServiceUnavailable, body.Bytes())
	case len(a.errors) == 0 && o.r.Method != http.MethodPost:
		if !o.notModified(httpx.ContentETag(body.Bytes())) {
			o.sendBody(http.StatusOK, body.Bytes())
		}
	default:
		o.send(http.StatusOK, body.Bytes())
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

// join returns the complete body in a pooled buffer, which the caller must release.
func (a *response) join() *bytes.Buffer {
	body := buffers.Get().(*bytes.Buffer)
	body.Grow(len(a.data) + 64)
	body.WriteByte('{')
	if len(a.errors) > 0 {
		body.WriteString(`"errors":`)
		writeJSON(body, a.errors)
		body.WriteByte(',')
	}
	body.WriteString(`"data":`)
	body.Write(a.data)
	body.WriteByte('}')
	return body
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

// buffers are pooled buffers for building responses. Large ones are not returned to the
// pool.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxPooledBuffer = 256 << 10

func release(buffer *bytes.Buffer) {
	if buffer.Cap() <= maxPooledBuffer {
		buffer.Reset()
		buffers.Put(buffer)
	}
}

// writeJSON encodes a value that encoding/json can always encode.
func writeJSON(body *bytes.Buffer, value any) {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	body.Write(encoded)
}
