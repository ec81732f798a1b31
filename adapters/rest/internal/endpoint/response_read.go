package endpoint

import (
	"time"

	"imprimatur/adapters/httpx"
	"imprimatur/ports"
)

// HandleRead registers a read of entries with cached responses. A is the documented response
// body. read runs only when the cache does not have the response.
func HandleRead[A any](s *Set, op Operation, read func(c *Call) (*httpx.Response, error)) {
	op.read = read
	Register[None, A](s, op, nil)
}

// serveRead runs the steps of a cached read: authenticate, authorize, find or create the
// response, write it. The cache key is the unparsed URL. Authorization precedes the lookup.
func (c *Call) serveRead() error {
	if err := c.authenticate(); err != nil {
		return err
	}
	var epoch uint64 // 0: not cached
	if c.Actor.Token != nil {
		epoch = c.set.cached.Epoch(c.Actor.Token.ProjectID) // before any read of the Project
	}
	if err := c.authorize(PathTarget(c.Request)); err != nil {
		return err
	}
	if c.op.Uncached != "" || c.op.CachedWith != "" {
		if err := c.readQuery(); err != nil {
			return err
		}
		_, without := c.Params[c.op.Uncached]
		_, with := c.Params[c.op.CachedWith]
		if without || !with && c.op.CachedWith != "" {
			epoch = 0
		}
	}
	key := ports.ReadKey{
		Kind: "REST", ProjectID: c.Place.Project.ID, Epoch: epoch, Drafts: c.Actor.ReadsDrafts(), Query: c.Request.RequestURI,
	}
	if c.op.CachedWith != "" { // a cursor grows old although nothing changes
		key.Query += " " + time.Now().UTC().Format("2006-01-02T15")
	}
	coding := httpx.AcceptedCoding(c.Request)
	response, err := c.set.cached.Read(c.Context(), key, coding, c.read)
	if err != nil {
		return err
	}
	c.writeTagged(response, coding)
	return nil
}

// read creates the response.
func (c *Call) read() (*httpx.Response, error) {
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
