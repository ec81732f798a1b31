package graphql

import (
	"context"
	"errors"

	"imprimatur/adapters/httpx"
	"imprimatur/ports"
)

// maxKeyLength is the longest request in bytes whose response is cached.
const maxKeyLength = 16 << 10

// response is the result of an executed request.
type response struct {
	request *request
	result
	coding httpx.Coding
	body   []byte // the whole response in the coding, without data; nil until encoded
	tag    string // entity tag of the unencoded response
}

// Size returns the approximate memory use in bytes.
func (a *response) Size() int { return cap(a.data) + cap(a.body) + 3*len(a.request.query) }

// encoded returns a response without errors in the coding, or unchanged when the coding
// does not make it smaller.
func (a *response) encoded(coding httpx.Coding) *response {
	if coding == httpx.Identity {
		return a
	}
	body := a.join()
	encoded, ok := coding.Encode(body)
	if !ok {
		return a
	}
	return &response{request: a.request, coding: coding, body: encoded, tag: httpx.ContentETag(body)}
}

// cachedOrExecute returns the cached response to an equal request in the coding, or
// executes the request. It returns nil after it has written an error response. The cache
// holds each coding of a response as a separate entry.
//
// Two requests are equal if their bytes are equal: clients repeat a request in the same
// bytes, and the comparison needs no parsing. The caller is already authorized, and the
// key contains its permission for drafts. Only responses without errors are cached.
func (h *Handler) cachedOrExecute(ctx context.Context, out responder, client caller, text []byte, coding httpx.Coding) *response {
	if client.epoch == 0 || len(text) > maxKeyLength {
		return h.execute(ctx, out, client, text)
	}
	var res *response
	ran := false
	found, err := h.cache.Read(ctx, requestKey(out, client, text, coding), func(ctx context.Context) (ports.Sized, error) {
		ran = true
		if coding == httpx.Identity {
			res = h.execute(ctx, out, client, text)
		} else {
			res = h.cachedOrExecute(ctx, out, client, text, httpx.Identity)
		}
		if res == nil || len(res.errors) > 0 {
			return nil, errNotCacheable
		}
		return res.encoded(coding), nil
	})
	switch {
	case err == nil:
		return found.(*response)
	case ran:
		return res
	default: // the error belongs to another request
		return h.execute(ctx, out, client, text)
	}
}

var errNotCacheable = errors.New("graphql: response not cacheable")

func requestKey(out responder, client caller, text []byte, coding httpx.Coding) ports.ReadKey {
	key := ports.ReadKey{
		Kind: ports.ReadGraphQLURL, Coding: uint8(coding), ProjectID: client.project.ID, Epoch: client.epoch, Drafts: client.drafts, Query: string(text),
	}
	if isPost(out.r) {
		key.Kind = ports.ReadGraphQL
	}
	return key
}
