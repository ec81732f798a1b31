package endpoint

import (
	"context"
	"net/http"
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/ports"
)

// longestKey is the longest URL in bytes whose response is cached.
const longestKey = 8 << 10

// Answer is a cacheable response: a body and its entity tag.
type Answer struct {
	coding httpx.Coding // of the body
	body   []byte
	tag    [1]string
	length [1]string
}

// NewAnswer returns a response with this body and entity tag.
func NewAnswer(body []byte, tag string) *Answer {
	return &Answer{body: body, tag: [1]string{tag}, length: [1]string{strconv.Itoa(len(body))}}
}

// encoded returns the response in the content coding. It returns a itself if a is encoded
// already, is small, or does not become smaller.
func (a *Answer) encoded(coding httpx.Coding) *Answer {
	if a.coding != httpx.Identity {
		return a
	}
	body, ok := coding.Encode(a.body)
	if !ok {
		return a
	}
	encoded := NewAnswer(body, a.tag[0])
	encoded.coding = coding
	return encoded
}

// Size returns the approximate memory use in bytes.
func (a *Answer) Size() int { return cap(a.body) + 128 }

// HandleRead registers a read of entries with cached responses. A is the documented response
// body. read runs only when the cache does not have the response.
func HandleRead[A any](s *Set, op Operation, read func(c *Call) (*Answer, error)) {
	op.read = read
	Register[None, A](s, op, nil)
}

// serveRead runs the steps of a cached read: authenticate, authorize, find or create the
// response, write it. The cache key is the unparsed URL: a client sends the same URL each time.
// Authorization precedes the lookup, and errors are never cached.
func (c *Call) serveRead() error {
	if err := c.authenticate(); err != nil {
		return err
	}
	epoch := c.epoch() // before any read of the Project
	if err := c.authorize(PathTarget(c.Request)); err != nil {
		return err
	}
	coding := httpx.AcceptedCoding(c.Request)
	if c.op.Uncached != "" {
		if err := c.readQuery(); err != nil {
			return err
		}
		if _, given := c.Params[c.op.Uncached]; given {
			epoch = 0
		}
	}
	answer, err := c.find(epoch, coding)
	if err != nil {
		return err
	}
	c.writeFound(answer, coding)
	return nil
}

// epoch returns the cache epoch of the Project; 0 means that the cache cannot be used.
func (c *Call) epoch() uint64 {
	if c.set.cache == nil {
		return 0
	}
	return c.set.cache.Epoch(c.Actor.Token.ProjectID)
}

// find returns the response. It is encoded if it comes from the cache, which stores each coding
// of a response as a separate entry.
func (c *Call) find(epoch uint64, coding httpx.Coding) (*Answer, error) {
	if epoch == 0 || len(c.Request.RequestURI) > longestKey {
		return c.read()
	}
	ran := false
	answer, err := c.set.cache.Read(c.Context(), c.readKey(epoch, coding), func(context.Context) (ports.Sized, error) {
		ran = true
		return c.load(epoch, coding)
	})
	switch {
	case err == nil:
		return answer.(*Answer), nil
	case ran:
		return nil, err
	default: // another request ran the load and failed
		return c.read()
	}
}

// load creates the response in a coding from the unencoded response, which may be cached.
func (c *Call) load(epoch uint64, coding httpx.Coding) (*Answer, error) {
	if coding == httpx.Identity {
		return c.read()
	}
	plain, err := c.find(epoch, httpx.Identity)
	if err != nil {
		return nil, err
	}
	return plain.encoded(coding), nil
}

func (c *Call) readKey(epoch uint64, coding httpx.Coding) ports.ReadKey {
	return ports.ReadKey{
		Kind: ports.ReadREST, Coding: uint8(coding), ProjectID: c.Place.Project.ID, Epoch: epoch,
		Drafts: c.Actor.Token.AllowDrafts, Query: c.Request.RequestURI,
	}
}

// read creates the response.
func (c *Call) read() (*Answer, error) {
	if err := c.readQuery(); err != nil {
		return nil, err
	}
	release, err := c.set.limiters.Reads.Acquire(c.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	return c.op.read(c)
}

// writeFound writes the response in the coding, or 304 if the client has its entity tag.
func (c *Call) writeFound(a *Answer, coding httpx.Coding) {
	h := c.Writer.Header()
	h["Etag"] = a.tag[:]
	h["Vary"] = varyTagged
	h["Cache-Control"] = revalidate
	if httpx.NotModified(c.Request, a.tag[0]) {
		c.Writer.WriteHeader(http.StatusNotModified)
		return
	}
	a = a.encoded(coding)
	h["Content-Type"] = jsonType
	h["Content-Length"] = a.length[:]
	if a.coding != httpx.Identity {
		h["Content-Encoding"] = a.coding.Header()
	}
	c.Writer.WriteHeader(c.Status)
	_, _ = c.Writer.Write(a.body) // an error means that the client disconnected
}
