package endpoint

import (
	"bytes"
	"encoding/json"
	"net/http"

	"imprimatur/adapters/httpx"
)

// The header values are shared between responses: net/http only reads them.
var (
	jsonType   = []string{"application/json"}
	noStore    = []string{"no-store"}
	varyTagged = []string{"Authorization, Accept-Encoding, Origin"}
)

// WriteJSON writes v as JSON, with the status c.Status.
func (c *Call) WriteJSON(v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	h["Content-Type"] = jsonType
	h["Cache-Control"] = noStore
	httpx.WriteBody(c.Writer, c.Request, c.Status, body)
	return nil
}

// Encode returns v as JSON without HTML escapes.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return b.Bytes(), err
}

func (c *Call) noContent() error {
	c.Writer.Header()["Cache-Control"] = noStore
	c.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

// writeWithHash writes v as WriteJSON does, with an entity tag that is a hash of the body. If the
// client has this tag, the response is 304.
func (c *Call) writeWithHash(v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	response := &httpx.Response{Body: body, Tag: httpx.ContentETag(body)}
	if c.Shared != nil {
		c.Shared(response)
	}
	c.writeTagged(response, httpx.AcceptedCoding(c.Request))
	return nil
}

// writeTagged writes a response that has an entity tag.
func (c *Call) writeTagged(response *httpx.Response, coding httpx.Coding) {
	c.Writer.Header()["Vary"] = varyTagged
	if c.Actor.Preview != nil {
		response = response.Unshared()
	}
	response.Write(c.Writer, c.Request, c.Status, jsonType, coding)
}
