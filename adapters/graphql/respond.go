package graphql

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"sync"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// responder writes the one answer of a request.
type responder struct {
	w     http.ResponseWriter
	r     *http.Request
	media mediaType
}

// result is what came of an operation.
type result struct {
	data        []byte // a JSON object, or null
	errors      gqlerror.List
	unavailable *core.Error // why nothing could be read, when a part of ours is away or busy
}

// refuse answers a request that is not run at all with err.
func (o responder) refuse(ctx context.Context, err error) {
	public := httpx.Public(err)
	if public.Err != nil {
		httpx.RecordFault(ctx, public.Err)
	}
	o.sayWhenToRetry(public)
	o.refuseQuery(httpx.Status(public.Kind), publicError(err, httpx.RequestID(ctx)))
}

func (o responder) sayWhenToRetry(err *core.Error) {
	if err.RetryAfter > 0 {
		o.w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(err.RetryAfter.Seconds()))))
	} else if err.Kind == core.KindUnavailable {
		o.w.Header()["Retry-After"] = retrySoon
	}
}

// refuseStatus answers a request that is not run at all with a status and a code.
func (o responder) refuseStatus(status int, code, message string) {
	o.refuseQuery(status, queryError(code, "%s", message))
}

// refuseQuery answers errors without data.
func (o responder) refuseQuery(status int, errs ...*gqlerror.Error) {
	body := buffers.Get().(*bytes.Buffer)
	defer release(body)
	body.WriteString(`{"errors":`)
	writeJSON(body, errs)
	body.WriteByte('}')
	o.send(status, body.Bytes())
}

// write answers what came of an operation, without encoding the data again.
func (o responder) write(a *answer) {
	if a.body != nil {
		o.writeEncoded(a)
		return
	}
	body := a.join()
	defer release(body)
	switch {
	case a.unavailable != nil:
		o.sayWhenToRetry(a.unavailable)
		o.send(http.StatusServiceUnavailable, body.Bytes())
	case len(a.errors) == 0 && o.r.Method != http.MethodPost:
		if !o.hasTagged(httpx.ContentETag(body.Bytes())) {
			o.sendBody(http.StatusOK, body.Bytes())
		}
	default:
		o.send(http.StatusOK, body.Bytes())
	}
}

// writeEncoded answers what is remembered in the coding that the caller prefers.
func (o responder) writeEncoded(a *answer) {
	if o.r.Method == http.MethodPost {
		o.w.Header()["Cache-Control"] = noStore
	} else if o.hasTagged(a.tag) {
		return
	}
	o.w.Header()["Content-Type"] = o.media.contentType
	httpx.WriteEncoded(o.w, http.StatusOK, a.coding, a.body)
}

// join returns the answer as it goes over the wire, in a buffer to be released.
func (a *answer) join() *bytes.Buffer {
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

// hasTagged gives the answer to a GET an entity tag, and answers 304 when the caller has
// it.
func (o responder) hasTagged(tag string) bool {
	header := o.w.Header()
	header.Set("ETag", tag)
	header["Cache-Control"] = revalidate
	if !httpx.NotModified(o.r, tag) {
		return false
	}
	o.w.WriteHeader(http.StatusNotModified)
	return true
}

// send answers what nobody may keep.
func (o responder) send(status int, body []byte) {
	o.w.Header()["Cache-Control"] = noStore
	o.sendBody(status, body)
}

func (o responder) sendBody(status int, body []byte) {
	o.w.Header()["Content-Type"] = o.media.contentType
	httpx.WriteBody(o.w, o.r, status, body)
}

// The values are shared between answers: net/http only reads them.
var (
	noStore    = []string{"no-store"}
	revalidate = []string{"private, no-cache"}
	retrySoon  = []string{"1"}
)

// buffers hold answers while they are put together. Large ones are let go.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const largestKept = 256 << 10

func release(buffer *bytes.Buffer) {
	if buffer.Cap() <= largestKept {
		buffer.Reset()
		buffers.Put(buffer)
	}
}

// writeJSON encodes values that always can be.
func writeJSON(body *bytes.Buffer, value any) {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	body.Write(encoded)
}
