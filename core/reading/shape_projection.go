package reading

import (
	"strings"

	"imprimatur/core"
)

// shape is a checked core.Shape.
type shape struct {
	timestamps bool
	depth      int
	bounded    bool        // core.Shape.Bounded
	fields     *projection // of core.Shape.Fields
}

// showsDates reports whether the listed entries show when they were created or updated.
func (s *shape) showsDates() bool {
	return s.timestamps || s.fields.names(core.SystemCreatedAt) || s.fields.names(core.SystemUpdatedAt)
}

// projection selects the members of the entries of one collection. nil selects all of every
// collection.
type projection struct {
	collection *core.Collection
	all        bool // selects the members that are not in named
	// named has the selected members and, for a relation, what it shows of its targets.
	named map[*core.Field]*projection
}

// names reports whether p names f.
func (p *projection) names(f *core.Field) bool {
	if p == nil {
		return false
	}
	_, named := p.named[f]
	return named
}

// shows reports whether p selects f, and what a relation f shows of its targets.
func (p *projection) shows(f *core.Field) (targets *projection, shown bool) {
	if p == nil {
		return nil, true
	}
	targets, named := p.named[f]
	if targets != nil && targets.all && len(targets.named) == 0 {
		targets = nil
	}
	return targets, named || p.all
}

// shape checks s.
func (c *checker) shape(s core.Shape) shape {
	checked := shape{timestamps: s.Timestamps, bounded: s.Bounded}
	checked.depth = int(c.within("depth", s.Depth, core.DefaultDepth, 0, core.MaxDepth))
	if s.Fields != "" {
		checked.fields = c.projection(s.Fields, checked.depth)
	}
	return checked
}

func (c *checker) projection(paths string, depth int) *projection {
	p := &projection{collection: c.schema.Collection}
	if len(paths) > core.MaxValueLength || strings.Count(paths, ",") >= core.MaxPaths {
		c.fault("fields", nil, "must have at most %d names and %d bytes", core.MaxPaths, core.MaxValueLength)
		return p
	}
	for path := range strings.SplitSeq(paths, ",") {
		c.path(p, path, depth)
	}
	return p
}

// path adds one path, such as "country.name", to p.
func (c *checker) path(p *projection, path string, depth int) {
	names := strings.Split(path, ".")
	if hops := len(names) - 1; hops > max(depth, 0) {
		c.fault("fields", path, "%s needs a depth of %d; the depth is %d", quoted(path), hops, depth)
		return
	}
	for i, name := range names {
		last := i == len(names)-1
		if last && name == "*" {
			p.all = true
			return
		}
		f := p.collection.Queryable(name)
		if f == nil {
			c.fault("fields", path, "unknown field %s", quoted(path))
			return
		}
		target := c.schema.Target(f)
		if !last && target == nil {
			c.fault("fields", path, "%s is not a relation", quoted(name))
			return
		}
		p = p.name(f, target)
		p.all = p.all || last
	}
}

// name adds f to p and returns what f shows of its target.
func (p *projection) name(f *core.Field, target *core.Collection) *projection {
	if p.named == nil {
		p.named = map[*core.Field]*projection{}
	}
	if p.named[f] == nil {
		p.named[f] = &projection{collection: target}
	}
	return p.named[f]
}
