package rest

import (
	"bytes"
	"context"
	"net/http"
	"strconv"

	"imprimatur/adapters/httpx"
	"imprimatur/core/content"
	"imprimatur/ports"
)

// longestKey is the longest URL in bytes whose response is cached.
const longestKey = 8 << 10

// found is a cacheable response: a body in three pieces and its header values.
type found struct {
	coding     httpx.Coding // of the body, which is in one piece if encoded
	head       string
	body, tail []byte
	tag        [1]string
	length     [1]string
	page       *content.Page // page that owns body and must be released; nil means none
}

// newFound returns a response with these pieces and this entity tag.
func newFound(head string, body, tail []byte, tag string) *found {
	return &found{head: head, body: body, tail: tail, tag: [1]string{tag}, length: [1]string{strconv.Itoa(len(head) + len(body) + len(tail))}}
}

// encoded returns the response in a coding, or f itself when it is encoded already or the
// coding does not make it smaller.
func (f *found) encoded(coding httpx.Coding) *found {
	if coding == httpx.Identity || f.coding != httpx.Identity || f.len() < httpx.SmallestEncoded {
		return f
	}
	b := f.join()
	defer putBuffer(b)
	body, ok := coding.Encode(b.Bytes())
	if !ok {
		return f
	}
	encoded := newFound("", body, nil, f.tag[0])
	encoded.coding = coding
	f.release()
	return encoded
}

// join returns the body in one piece, in a buffer for putBuffer.
func (f *found) join() *bytes.Buffer {
	b := getBuffer()
	b.Grow(f.len())
	b.WriteString(f.head)
	b.Write(f.body)
	b.Write(f.tail)
	return b
}

func (f *found) len() int { return len(f.head) + len(f.body) + len(f.tail) }

// release releases the page.
func (f *found) release() {
	if f.page != nil {
		f.page.Release()
		f.page, f.body = nil, nil
	}
}

// Size returns the approximate memory use in bytes.
func (f *found) Size() int { return cap(f.body) + cap(f.tail) + 128 }

// handleRead registers a read of entries with cached responses. A is the documented
// response body.
func handleRead[A any](s *Set, op operation, read func(c *call) (*found, error)) {
	op.read = read
	handleRaw[A](s, op, nil)
}

// serveRead runs the steps of a cached read: authenticate, authorize, respond. The cache
// key is the URL as it was sent: clients build the same URL each time, and the key needs
// no parsing. Authorization comes before the lookup, and errors are never cached.
func (c *call) serveRead() error {
	if err := c.authenticate(); err != nil {
		return err
	}
	epoch := c.epoch() // before anything of the Project is read
	if err := c.authorize(pathTarget(c.r)); err != nil {
		return err
	}
	coding := httpx.AcceptedCoding(c.r)
	answer, err := c.find(epoch, coding)
	if err != nil {
		return err
	}
	c.writeFound(answer, coding)
	return nil
}

// epoch returns the cache epoch of the Project; 0 means that the response is not cached.
func (c *call) epoch() uint64 {
	if c.set.cache == nil {
		return 0
	}
	return c.set.cache.Epoch(c.actor.Token.ProjectID)
}

// find returns the response, encoded if it comes from the cache. The cache holds each
// coding of a response as a separate entry.
func (c *call) find(epoch uint64, coding httpx.Coding) (*found, error) {
	if epoch == 0 || len(c.r.RequestURI) > longestKey {
		return c.read()
	}
	ran := false
	answer, err := c.set.cache.Read(c.ctx(), c.readKey(epoch, coding), func(context.Context) (ports.Sized, error) {
		ran = true
		answer, err := c.load(epoch, coding)
		if err != nil {
			return nil, err
		}
		answer.page = nil // the cached response shares its memory
		return answer, nil
	})
	switch {
	case err == nil:
		return answer.(*found), nil
	case ran:
		return nil, err
	default: // the error belongs to another request
		return c.read()
	}
}

// load returns the response in a coding, from the unencoded response, which may be
// cached.
func (c *call) load(epoch uint64, coding httpx.Coding) (*found, error) {
	if coding == httpx.Identity {
		return c.read()
	}
	plain, err := c.find(epoch, httpx.Identity)
	if err != nil {
		return nil, err
	}
	return plain.encoded(coding), nil
}

func (c *call) readKey(epoch uint64, coding httpx.Coding) ports.ReadKey {
	return ports.ReadKey{
		Kind: ports.ReadREST, Coding: uint8(coding), ProjectID: c.place.Project.ID, Epoch: epoch,
		Drafts: c.actor.Token.AllowDrafts, Query: c.r.RequestURI,
	}
}

func (c *call) read() (*found, error) {
	if err := c.readQuery(); err != nil {
		return nil, err
	}
	release, err := c.set.limiters.Reads.Acquire(c.ctx())
	if err != nil {
		return nil, err
	}
	defer release()
	return c.op.read(c)
}

// writeFound writes f in the coding, or 304 when the client has it, and releases f.
func (c *call) writeFound(f *found, coding httpx.Coding) {
	defer func() { f.release() }()
	h := c.w.Header()
	h["Etag"] = f.tag[:]
	h["Vary"] = varyTagged
	h["Cache-Control"] = revalidate
	if httpx.NotModified(c.r, f.tag[0]) {
		c.w.WriteHeader(http.StatusNotModified)
		return
	}
	f = f.encoded(coding)
	h["Content-Type"] = jsonType
	h["Content-Length"] = f.length[:]
	if f.coding != httpx.Identity {
		h["Content-Encoding"] = f.coding.Header()
	}
	c.w.WriteHeader(c.status)
	if f.head == "" && len(f.tail) == 0 {
		_, _ = c.w.Write(f.body) // an error means that the client disconnected
		return
	}
	b := f.join()
	defer putBuffer(b)
	f.release() // a slow client must not hold the page
	_, _ = c.w.Write(b.Bytes())
}
