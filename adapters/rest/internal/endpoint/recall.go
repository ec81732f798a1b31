package endpoint

import (
	"bytes"
	"context"
	"net/http"
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/ports"
)

// longestKey is the longest URL in bytes whose response is cached.
const longestKey = 8 << 10

// Answer is a cacheable response: a body in three pieces and its header values.
type Answer struct {
	coding     httpx.Coding // of the body, which is in one piece if encoded
	head       string
	body, tail []byte
	tag        [1]string
	length     [1]string
}

// NewAnswer returns a response with these pieces and this entity tag.
func NewAnswer(head string, body, tail []byte, tag string) *Answer {
	return &Answer{head: head, body: body, tail: tail, tag: [1]string{tag}, length: [1]string{strconv.Itoa(len(head) + len(body) + len(tail))}}
}

// encoded returns the response in a coding, or f itself when it is encoded already or the
// coding does not make it smaller.
func (f *Answer) encoded(coding httpx.Coding) *Answer {
	if coding == httpx.Identity || f.coding != httpx.Identity || f.len() < httpx.SmallestEncoded {
		return f
	}
	b := f.join()
	defer putBuffer(b)
	body, ok := coding.Encode(b.Bytes())
	if !ok {
		return f
	}
	encoded := NewAnswer("", body, nil, f.tag[0])
	encoded.coding = coding
	return encoded
}

// join returns the body in one piece, in a buffer for putBuffer.
func (f *Answer) join() *bytes.Buffer {
	b := getBuffer()
	b.Grow(f.len())
	b.WriteString(f.head)
	b.Write(f.body)
	b.Write(f.tail)
	return b
}

func (f *Answer) len() int { return len(f.head) + len(f.body) + len(f.tail) }

// Size returns the approximate memory use in bytes.
func (f *Answer) Size() int { return cap(f.body) + cap(f.tail) + 128 }

// HandleRead registers a read of entries with cached responses. A is the documented
// response body.
func HandleRead[A any](s *Set, op Operation, read func(c *Call) (*Answer, error)) {
	op.read = read
	HandleRaw[A](s, op, nil)
}

// serveRead runs the steps of a cached read: authenticate, authorize, respond. The cache
// key is the URL as it was sent: clients build the same URL each time, and the key needs
// no parsing. Authorization comes before the lookup, and errors are never cached.
func (c *Call) serveRead() error {
	if err := c.authenticate(); err != nil {
		return err
	}
	epoch := c.epoch() // before anything of the Project is read
	if err := c.authorize(PathTarget(c.Request)); err != nil {
		return err
	}
	coding := httpx.AcceptedCoding(c.Request)
	answer, err := c.find(epoch, coding)
	if err != nil {
		return err
	}
	c.writeFound(answer, coding)
	return nil
}

// epoch returns the cache epoch of the Project; 0 means that the response is not cached.
func (c *Call) epoch() uint64 {
	if c.set.cache == nil {
		return 0
	}
	return c.set.cache.Epoch(c.Actor.Token.ProjectID)
}

// find returns the response, encoded if it comes from the cache. The cache holds each
// coding of a response as a separate entry.
func (c *Call) find(epoch uint64, coding httpx.Coding) (*Answer, error) {
	if epoch == 0 || len(c.Request.RequestURI) > longestKey {
		return c.read()
	}
	ran := false
	answer, err := c.set.cache.Read(c.Context(), c.readKey(epoch, coding), func(context.Context) (ports.Sized, error) {
		ran = true
		answer, err := c.load(epoch, coding)
		if err != nil {
			return nil, err
		}
		return answer, nil
	})
	switch {
	case err == nil:
		return answer.(*Answer), nil
	case ran:
		return nil, err
	default: // the error belongs to another request
		return c.read()
	}
}

// load returns the response in a coding, from the unencoded response, which may be
// cached.
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

// writeFound writes f in the coding, or 304 when the client has it.
func (c *Call) writeFound(f *Answer, coding httpx.Coding) {
	h := c.Writer.Header()
	h["Etag"] = f.tag[:]
	h["Vary"] = varyTagged
	h["Cache-Control"] = revalidate
	if httpx.NotModified(c.Request, f.tag[0]) {
		c.Writer.WriteHeader(http.StatusNotModified)
		return
	}
	f = f.encoded(coding)
	h["Content-Type"] = jsonType
	h["Content-Length"] = f.length[:]
	if f.coding != httpx.Identity {
		h["Content-Encoding"] = f.coding.Header()
	}
	c.Writer.WriteHeader(c.Status)
	if f.head == "" && len(f.tail) == 0 {
		_, _ = c.Writer.Write(f.body) // an error means that the client disconnected
		return
	}
	b := f.join()
	defer putBuffer(b)
	_, _ = c.Writer.Write(b.Bytes())
}
