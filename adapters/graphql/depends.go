package graphql

import (
	"sync"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/cachetag"
)

// collector collects what the root fields of a request depend on. Fields run at the same time, so each has
// dependencies of its own.
type collector struct {
	tags   *cachetag.Scheme
	mu     sync.Mutex
	fields []*cachetag.Dependencies
	drafts bool // a field may show drafts
}

// field returns the dependencies of one field to add to, nil if tags are off.
func (c *collector) field() *cachetag.Dependencies {
	depends := c.tags.Collect()
	if depends != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.fields = append(c.fields, depends)
	}
	return depends
}

// list notes the state of a list.
func (c *collector) list(state core.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drafts = c.drafts || state != core.StatePublished
}

// addTo adds the headers for shared caches to the response, unless it shows drafts. Shared caches keep
// responses to GET.
func (c *collector) addTo(response *httpx.Response, project *core.Project, get bool) {
	if c.drafts {
		return
	}
	all := c.tags.Collect()
	for _, field := range c.fields {
		all.Join(field)
	}
	response.AddShared(c.tags, project, all, get)
}
