package graphql

import (
	"context"
	"errors"

	"imprimatur/adapters/httpx"
	"imprimatur/ports"
)

// longestKey is how many bytes a request may have whose answer is remembered.
const longestKey = 16 << 10

// answer is what came of a request that was run.
type answer struct {
	request *request
	result
	coding httpx.Coding
	body   []byte // the whole answer in the coding, data being dropped; nil: not made yet
	tag    string // of the answer as it is
}

// Size is about how many bytes of memory the answer takes.
func (a *answer) Size() int { return cap(a.data) + cap(a.body) + 3*len(a.request.query) }

// encoded returns an answer without errors in the coding, or as it is when that is of no
// use.
func (a *answer) encoded(coding httpx.Coding) *answer {
	if coding == httpx.Identity {
		return a
	}
	body := a.join()
	defer release(body)
	encoded, ok := coding.Encode(body.Bytes())
	if !ok {
		return a
	}
	return &answer{request: a.request, coding: coding, body: encoded, tag: httpx.ContentETag(body.Bytes())}
}

// find returns the answer that is remembered of the same request, in the coding, else
// makes it. It returns nil when it has refused the request. The cache has each form of an
// answer by itself, for as long as it is asked for.
//
// Requests are the same when they are sent in the same bytes: clients do send them so,
// and nothing has to be decoded to find out. Whoever sends them has been let in already,
// and has the same right to drafts. Only answers without any error are remembered, so
// that whatever would be refused is.
func (h *Handler) find(ctx context.Context, out responder, who caller, text []byte, coding httpx.Coding) *answer {
	if who.epoch == 0 || len(text) > longestKey {
		return h.make(ctx, out, who, text)
	}
	var made *answer
	ran := false
	found, err := h.cache.Read(ctx, requestKey(out, who, text, coding), func(ctx context.Context) (ports.Sized, error) {
		ran = true
		if coding == httpx.Identity {
			made = h.make(ctx, out, who, text)
		} else {
			made = h.find(ctx, out, who, text, httpx.Identity)
		}
		if made == nil || len(made.errors) > 0 {
			return nil, errNotKept
		}
		return made.encoded(coding), nil
	})
	switch {
	case err == nil:
		return found.(*answer)
	case ran:
		return made
	default: // the fault was that of another request, which is answered by itself
		return h.make(ctx, out, who, text)
	}
}

var errNotKept = errors.New("the answer is not to be remembered")

func requestKey(out responder, who caller, text []byte, coding httpx.Coding) ports.ReadKey {
	key := ports.ReadKey{
		Kind: ports.ReadGraphQLURL, Coding: uint8(coding), ProjectID: who.project.ID, Epoch: who.epoch, Drafts: who.drafts, Query: string(text),
	}
	if isPost(out.r) {
		key.Kind = ports.ReadGraphQL
	}
	return key
}
