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

// longestKey is how many bytes an address may have whose answer is remembered.
const longestKey = 8 << 10

// found is the answer of a read that is remembered: a body, in three pieces, and what
// its header says of it, as values of it.
type found struct {
	coding     httpx.Coding // of the body, which is in one piece then
	head       string
	body, tail []byte
	tag        [1]string
	length     [1]string
	page       *content.Page // that body is of, to be released; nil: none
}

// newFound returns the answer of those pieces under an entity tag.
func newFound(head string, body, tail []byte, tag string) *found {
	return &found{head: head, body: body, tail: tail, tag: [1]string{tag}, length: [1]string{strconv.Itoa(len(head) + len(body) + len(tail))}}
}

// encoded returns the answer in a coding, or as it is when that is of no use. An answer
// that is encoded already stays so.
func (f *found) encoded(coding httpx.Coding) *found {
	if coding == httpx.Identity || f.coding != httpx.Identity || f.len() < httpx.SmallestEncoded {
		return f
	}
	b := f.join()
	defer giveBack(b)
	body, ok := coding.Encode(b.Bytes())
	if !ok {
		return f
	}
	encoded := newFound("", body, nil, f.tag[0])
	encoded.coding = coding
	f.release()
	return encoded
}

// join returns the body in one piece, in a buffer to be given back.
func (f *found) join() *bytes.Buffer {
	b := takeBuffer()
	b.Grow(f.len())
	b.WriteString(f.head)
	b.Write(f.body)
	b.Write(f.tail)
	return b
}

func (f *found) len() int { return len(f.head) + len(f.body) + len(f.tail) }

// release gives the memory of the page to others.
func (f *found) release() {
	if f.page != nil {
		f.page.Release()
		f.page, f.body = nil, nil
	}
}

// Size is about how many bytes of memory the answer takes.
func (f *found) Size() int { return cap(f.body) + cap(f.tail) + 128 }

// handleRead registers a read of entries whose answers are remembered; A is what the
// document says it answers.
func handleRead[A any](a *API, op operation, read func(c *call) (*found, error)) {
	op.read = read
	handleRaw[A](a, op, nil)
}

// serveRead is the way of a read that is remembered: caller, place, answer. What is
// remembered is looked up by the address. Clients do write one the same way each time,
// and nothing has to be parsed to find out. Who asks has been let in by then; what would
// be refused is never remembered.
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

// epoch is that of the caller's Project; 0 when nothing is to be remembered.
func (c *call) epoch() uint64 {
	if c.api.Cache == nil {
		return 0
	}
	return c.api.Cache.Epoch(c.actor.Token.ProjectID)
}

// find returns the answer, in the coding when it is remembered. The cache has each form
// of an answer by itself, for as long as it is asked for.
func (c *call) find(epoch uint64, coding httpx.Coding) (*found, error) {
	if epoch == 0 || len(c.r.RequestURI) > longestKey {
		return c.read()
	}
	ran := false
	answer, err := c.api.Cache.Read(c.ctx(), c.readKey(epoch, coding), func(context.Context) (ports.Sized, error) {
		ran = true
		answer, err := c.load(epoch, coding)
		if err != nil {
			return nil, err
		}
		answer.page = nil // from now on others have it, too
		return answer, nil
	})
	switch {
	case err == nil:
		return answer.(*found), nil
	case ran:
		return nil, err
	default: // the fault was that of another request, which is answered by itself
		return c.read()
	}
}

// load makes the answer in a coding of the plain one, which may be remembered.
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
	release, err := c.api.Limiters.Reads.Acquire(c.ctx())
	if err != nil {
		return nil, err
	}
	defer release()
	return c.op.read(c)
}

// writeFound answers with f in the coding, or with 304 when the caller has it already,
// and releases it.
func (c *call) writeFound(f *found, coding httpx.Coding) {
	defer func() { f.release() }()
	h := c.w.Header()
	h["Etag"] = f.tag[:]
	h["Vary"] = perHolder
	h["Cache-Control"] = keepAsk
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
		_, _ = c.w.Write(f.body) // who hung up needs no answer
		return
	}
	b := f.join()
	defer giveBack(b)
	f.release() // it may take the caller long to take what is written
	_, _ = c.w.Write(b.Bytes())
}
