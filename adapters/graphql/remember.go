package graphql

import (
	"context"
	"errors"

	"imprimatur/ports"
)

// longestKey is how many bytes a request may have whose answer is remembered.
const longestKey = 16 << 10

// answer is what came of a request that was run.
type answer struct {
	request *request
	result
}

// Size is about how many bytes of memory the answer takes.
func (a *answer) Size() int { return cap(a.data) + 3*len(a.request.query) }

// find returns the answer that is remembered of the same request, else makes it. It
// returns nil when it has refused the request.
//
// Requests are the same when they are sent in the same bytes: clients do send them so,
// and nothing has to be decoded to find out. Whoever sends them has been let in already,
// and has the same right to drafts. Only answers without any error are remembered, so
// that whatever would be refused is.
func (h *Handler) find(ctx context.Context, out responder, who caller, text []byte) *answer {
	if who.epoch == 0 || len(text) > longestKey {
		return h.make(ctx, out, who, text)
	}
	var made *answer
	ran := false
	found, err := h.cache.Read(ctx, requestKey(out, who, text), func(ctx context.Context) (ports.Sized, error) {
		ran = true
		if made = h.make(ctx, out, who, text); made == nil || len(made.errors) > 0 {
			return nil, errNotKept
		}
		return made, nil
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

func requestKey(out responder, who caller, text []byte) ports.ReadKey {
	key := ports.ReadKey{Kind: ports.ReadGraphQLURL, ProjectID: who.project.ID, Epoch: who.epoch, Drafts: who.drafts, Query: string(text)}
	if isPost(out.r) {
		key.Kind = ports.ReadGraphQL
	}
	return key
}
