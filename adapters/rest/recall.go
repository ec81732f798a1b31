package rest

import (
	"context"

	"imprimatur/ports"
)

// longestKey is how many bytes a query may have whose answer is remembered.
const longestKey = 8 << 10

// found is the answer of a read that is remembered: a body, in three pieces, and its
// entity tag.
type found struct {
	head       string
	body, tail []byte
	tag        string
}

// Size is about how many bytes of memory the answer takes.
func (f *found) Size() int { return cap(f.body) + cap(f.tail) }

// handleRead registers a read whose answers are remembered; A is what the document says
// it answers.
func handleRead[A any](a *API, op operation, read func(c *call) (*found, error)) {
	op.read = read
	handleRaw[A](a, op, nil)
}

// epoch is that of the caller's Project, before anything of it is read; 0 when nothing
// is to be remembered.
func (c *call) epoch() uint64 {
	if c.op.read == nil || c.api.Cache == nil {
		return 0
	}
	return c.api.Cache.Epoch(c.actor.Token.ProjectID)
}

// recall answers with what is remembered of the same address, else by reading. Clients
// do write an address the same way each time, and nothing has to be parsed to find out.
// The caller has been let in by now; what would be refused is never remembered.
func (c *call) recall(epoch uint64) error {
	answer, err := c.find(epoch)
	if err != nil {
		return err
	}
	b := takeBuffer()
	defer giveBack(b)
	b.Grow(len(answer.head) + len(answer.body) + len(answer.tail))
	b.WriteString(answer.head)
	b.Write(answer.body)
	b.Write(answer.tail)
	c.writeAs(answer.tag, b.Bytes())
	return nil
}

func (c *call) find(epoch uint64) (*found, error) {
	if epoch == 0 || len(c.r.URL.RawQuery) > longestKey {
		return c.read()
	}
	ran := false
	answer, err := c.api.Cache.Read(c.ctx(), c.address(epoch), func(context.Context) (ports.Sized, error) {
		ran = true
		answer, err := c.read()
		if err != nil {
			return nil, err
		}
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

func (c *call) read() (*found, error) {
	if err := c.readQuery(); err != nil {
		return nil, err
	}
	return c.op.read(c)
}

// address is everything that the answer depends on: paths have no zero byte, as no
// slug and no id has one.
func (c *call) address(epoch uint64) ports.ReadKey {
	drafts := "-"
	if c.actor.Token.AllowDrafts {
		drafts = "d"
	}
	return ports.ReadKey{
		Kind: ports.ReadREST, ProjectID: c.place.Project.ID, Epoch: epoch,
		Query: drafts + c.r.URL.Path + "\x00" + c.r.URL.RawQuery,
	}
}
