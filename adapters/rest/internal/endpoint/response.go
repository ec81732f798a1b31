package endpoint

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"

	"imprimatur/adapters/httpx"
)

// The header values are shared between responses: net/http only reads them.
var (
	jsonType   = []string{"application/json"}
	revalidate = []string{"private, no-cache"} // clients may cache, but must revalidate before use
	noStore    = []string{"no-store"}
	varyTagged = []string{"Authorization, Accept-Encoding, Origin"}
	maxPooled  = 1 << 20
	bufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

func getBuffer() *bytes.Buffer {
	b := bufferPool.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

// putBuffer returns b to the pool, unless b is too large.
func putBuffer(b *bytes.Buffer) {
	if b.Cap() <= maxPooled {
		bufferPool.Put(b)
	}
}

// WriteJSON writes v as JSON, with the status c.Status.
func (c *Call) WriteJSON(v any) error {
	b := getBuffer()
	defer putBuffer(b)
	if err := encode(b, v); err != nil {
		return err
	}
	h := c.Writer.Header()
	h["Content-Type"] = jsonType
	h["Cache-Control"] = noStore
	httpx.WriteBody(c.Writer, c.Request, c.Status, b.Bytes())
	return nil
}

// encode appends v to b as JSON without HTML escapes.
func encode(b *bytes.Buffer, v any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

func (c *Call) noContent() error {
	c.Writer.Header()["Cache-Control"] = noStore
	c.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

// writeTagged writes v as WriteJSON does, with an entity tag that is a hash of the body. If the
// client has this tag, the response is 304.
func (c *Call) writeTagged(v any) error {
	b := getBuffer()
	defer putBuffer(b)
	if err := encode(b, v); err != nil {
		return err
	}
	c.writeFound(NewAnswer("", b.Bytes(), nil, httpx.ContentETag(b.Bytes())), httpx.AcceptedCoding(c.Request))
	return nil
}
