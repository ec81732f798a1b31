package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"

	"imprimatur/adapters/httpx"
)

// The header values are shared between answers: net/http only reads them.
var (
	jsonType   = []string{"application/json"}
	keepAsk    = []string{"private, no-cache"} // keep it, but ask before using it
	neverKeep  = []string{"no-store"}
	perHolder  = []string{"Authorization, Accept-Encoding, Origin"}
	maxPooled  = 1 << 20
	bufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

func takeBuffer() *bytes.Buffer {
	b := bufferPool.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

// giveBack keeps b for the next answer unless one large answer would pin its memory.
func giveBack(b *bytes.Buffer) {
	if b.Cap() <= maxPooled {
		bufferPool.Put(b)
	}
}

// writeJSON answers with v and the operation's status.
func (c *call) writeJSON(v any) error {
	b := takeBuffer()
	defer giveBack(b)
	if err := encode(b, v); err != nil {
		return err
	}
	c.write(b.Bytes())
	return nil
}

// encode writes v as the JSON of answers: nothing is escaped that need not be.
func encode(b *bytes.Buffer, v any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

func (c *call) noContent() error {
	c.w.Header()["Cache-Control"] = neverKeep
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// writeTagged answers a read with body under its strong entity tag, or with 304 when the
// caller has it already.
func (c *call) writeTagged(body []byte) {
	tag := httpx.ContentETag(body)
	h := c.w.Header()
	h["Etag"] = []string{tag}
	h["Vary"] = perHolder
	h["Cache-Control"] = keepAsk
	if httpx.NotModified(c.r, tag) {
		c.w.WriteHeader(http.StatusNotModified)
		return
	}
	c.write(body)
}

func (c *call) write(body []byte) {
	h := c.w.Header()
	h["Content-Type"] = jsonType
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = neverKeep
	}
	httpx.WriteBody(c.w, c.r, c.status, body)
}
