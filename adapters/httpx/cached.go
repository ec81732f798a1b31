package httpx

import (
	"context"
	"net/http"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/cachetag"
	"imprimatur/ports"
)

// longestCached is the length in bytes of the longest request whose response is cached.
const longestCached = 16 << 10

// Cached answers repeated reads from a cache of whole responses. Requests are equal if their bytes
// are equal: clients repeat a request in the same bytes, and the comparison needs no parsing.
type Cached struct {
	Cache ports.ReadCache // nil: none
}

// Epoch is that of ports.ReadCache: the caller reads it before everything that the response depends
// on. It is 0 without a cache.
func (c Cached) Epoch(projectID int64) uint64 {
	if c.Cache == nil {
		return 0
	}
	return c.Cache.Epoch(projectID)
}

// Read returns the response that is cached under key in the coding, or else the result of load. Each
// coding of a response is an entry of its own, made from the response that load returns. The caller
// has authorized the request and sets all of key but Coding. Errors are not cached. If key.Epoch is 0
// or key.Query is too long, Read only calls load.
func (c Cached) Read(ctx context.Context, key ports.ReadKey, coding Coding, load func() (*Response, error)) (*Response, error) {
	if key.Epoch == 0 || len(key.Query) > longestCached {
		return load()
	}
	key.Coding = uint8(coding)
	ran := false
	found, err := c.Cache.Read(ctx, key, func(ctx context.Context) (ports.Sized, error) {
		ran = true
		if coding == Identity {
			return load()
		}
		plain, err := c.Read(ctx, key, Identity, load)
		if err != nil {
			return nil, err
		}
		return plain.in(coding), nil
	})
	switch {
	case err == nil:
		return found.(*Response), nil
	case ran:
		return nil, err
	default: // another request ran the load and failed
		return load()
	}
}

// Response is a whole response to a read. Requests share it: it must not be changed.
type Response struct {
	Body   []byte
	Coding Coding // of Body
	Tag    string // entity tag, of the body before encoding; "": none, and clients may not store it
	// More are further headers, also of a 304, and in place of the others.
	More http.Header

	shared http.Header // of AddShared, as More
}

// Size returns the approximate memory use in bytes.
func (a *Response) Size() int { return cap(a.Body) + 128 }

// in returns the response in the coding. It returns a itself if a is encoded already, is small, or
// does not become smaller.
func (a *Response) in(coding Coding) *Response {
	if a.Coding != Identity {
		return a
	}
	body, ok := coding.Encode(a.Body)
	if !ok {
		return a
	}
	return &Response{Body: body, Coding: coding, Tag: a.Tag, More: a.More, shared: a.shared}
}

// Write writes the response in the coding, or 304 if the request has its entity tag. The caller has
// set Vary.
func (a *Response) Write(w http.ResponseWriter, r *http.Request, status int, contentType []string, coding Coding) {
	h := w.Header()
	h["Cache-Control"] = noStore
	if a.Tag != "" {
		h["Etag"] = []string{a.Tag}
		h["Cache-Control"] = revalidate
	}
	for _, more := range []http.Header{a.More, a.shared} {
		for name, values := range more {
			h[name] = values
		}
	}
	if a.Tag != "" && NotModified(r, a.Tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a = a.in(coding)
	h["Content-Type"] = contentType
	WriteEncoded(w, status, a.Coding, a.Body)
}

// AddShared adds what a response with published content of the Project says to shared caches: its tags,
// unless they are off, and how long it may be kept, if the Project lets it be kept and public is set.
func (a *Response) AddShared(scheme *cachetag.Scheme, project *core.Project, depends *cachetag.Dependencies, public bool) {
	more := http.Header{}
	if name, value := scheme.Header(project.ID, depends); name != "" {
		more.Set(name, value)
	}
	if public && project.SharedCache > 0 {
		more.Set("Cache-Control", "public, s-maxage="+strconv.FormatInt(project.SharedCache, 10)+", stale-while-revalidate=60")
	}
	a.shared = more
}

// Unshared returns the response without what AddShared added, and without an entity tag: clients and caches may not store it.
func (a *Response) Unshared() *Response {
	own := *a
	own.Tag, own.shared = "", nil
	return &own
}

// The values are shared between responses: net/http only reads them.
var (
	revalidate = []string{"private, no-cache"} // clients may store it, but must revalidate before use
	noStore    = []string{"no-store"}
)
