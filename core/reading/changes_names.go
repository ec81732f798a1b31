package reading

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/ports"
)

// ChangeNames names what has changed since a cursor.
type ChangeNames struct {
	// Changes have no content: only Op, ID, Group, Collection and Locale.
	Changes []PublicChange
	More    bool   // more has changed than Changes names
	Next    string // the cursor after all changes
}

// Now returns the cursor of the present, for a copy that has everything that is public.
func (c *Changes) Now(ctx context.Context, project *core.Project) (string, error) {
	names, err := c.names(ctx, project, "", 1)
	return names.Next, err
}

// Names returns what has changed since a cursor of ChangesQuery without collection and locale: up to limit things, each
// once, definitions first. It takes at most five store calls, however much has changed. Its errors are those of Page.
func (c *Changes) Names(ctx context.Context, project *core.Project, since string, limit int) (ChangeNames, error) {
	return c.names(ctx, project, since, limit)
}

func (c *Changes) names(ctx context.Context, project *core.Project, since string, limit int) (names ChangeNames, err error) {
	most := int64(limit)
	err = c.whole.read(ctx, project.ID, func(_ ports.EntryReader, seen *release.Seen) error {
		p, err := c.at(ctx, project, ChangesQuery{Since: since, Limit: &most}, seen)
		if err != nil {
			return err
		}
		names, err = p.names(since == "")
		return err
	})
	return names, err
}

// names is read for ChangeNames. Without a cursor it returns only that of the present.
func (p *changesPage) names(present bool) (ChangeNames, error) {
	end := changesCursor{since: p.now, definitions: p.definitions}
	found := ChangeNames{Next: end.encode(p.schema.Project.ID, ChangesQuery{})}
	switch {
	case present:
		return found, nil
	case p.at.walk != nil:
		return found, core.BadParameter("since", nil, "is the cursor of a copy that is not complete yet: follow `meta.next` of changes until `hasMore` is false")
	}
	for _, slug := range p.at.definitions.altered(p.definitions, p.schema) {
		p.add(PublicChange{Op: ChangeReset, Collection: slug})
	}
	p.at.until, p.at.transaction, p.at.event, p.named = nil, 0, 0, true
	scanned := min(3*p.limit, maxScanned)
	events, err := p.events(p.now, scanned)
	if err != nil {
		return found, err
	}
	first := map[thing]int{}
	var things []thing
	for i := range events {
		t := thingOf(&events[i])
		if _, seen := first[t]; !seen {
			first[t], things = i, append(things, t)
		}
	}
	found.More = len(events) == scanned || len(things) > p.limit
	things = things[:min(len(things), p.limit)]
	if _, err := p.addThings(things, first, events); err != nil {
		return found, err
	}
	if found.Changes = p.page.Changes; len(found.Changes) > p.limit {
		found.Changes, found.More = found.Changes[:p.limit], true
	}
	return found, nil
}

// putNames is put without the versions. It adds an entry of a collection that is not known yet as gone: the change
// of definitions follows.
func (p *changesPage) putNames(ids []int64, gone func(id int64) PublicChange) (int, error) {
	heads, err := p.versions(ids, false)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		v, public := heads[id]
		c := p.schema.ByID(v.CollectionID)
		if public && c != nil {
			p.add(PublicChange{Op: ChangePut, ID: id, Group: v.Group, Collection: c.Slug, Locale: v.Locale})
		} else {
			p.add(gone(id))
		}
	}
	return len(ids), nil
}
