package notices

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// mostHolders bounds the entries whose people hear that a target of them was taken away.
const mostHolders = 100

// unpublished makes the notices of an entry that readers no longer see. They are for those with a part in its
// last publication, and in that of published entries that require it, and for the admins of the Project.
func (n *round) unpublished(ctx context.Context, e *event.Event) error {
	project, err := n.stores.Projects.Project(ctx, e.ProjectID)
	if err != nil {
		return err
	}
	collections, err := n.stores.Collections.Collections(ctx, e.ProjectID)
	if err != nil {
		return err
	}
	schema := core.Schema{Project: project, Collections: collections}
	about := notice.Notice{
		Key: fmt.Sprintf("event %d", e.ID), Kind: notice.Unpublished, Event: e.Type, ProjectID: e.ProjectID, EntryID: e.EntryID,
		Actor: e.Actor, Comment: e.Reason,
	}
	if c := schema.BySlug(e.Collection); c != nil {
		about.CollectionID = c.ID
	}
	told, request, err := n.publishers(ctx, &about)
	if err != nil {
		return err
	}
	if about.Title, err = n.lastTitle(ctx, schema, e, request); err != nil {
		return err
	}
	admins, err := n.reviewers(ctx, project, &review.Step{RoleKind: core.RoleAdmin})
	if err != nil {
		return err
	}
	holders, err := n.holders(ctx, schema, e)
	if err != nil {
		return err
	}
	told = slices.Concat(told, admins, holders)
	slices.Sort(told)
	return n.tell(ctx, about, project, request, slices.Compact(told))
}

// publishers returns the users with a part in the last publication of the entry that about names, and its request,
// which it adds to about; nil: none is known.
func (n *round) publishers(ctx context.Context, about *notice.Notice) (users []int64, request *review.Request, err error) {
	publications, err := n.stores.Publications.Publications(ctx, about.ProjectID, about.CollectionID, about.EntryID, 0, 1)
	if err != nil {
		return nil, nil, err
	}
	if len(publications) == 0 {
		return nil, nil, nil
	}
	last := publications[0]
	if users = notice.Persons(last.By); last.RequestID == 0 {
		return users, nil, nil
	}
	r, _, actions, err := n.find(ctx, about.ProjectID, last.RequestID)
	if errors.Is(err, core.ErrNotFound) {
		return users, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	about.ApprovalID, about.ReleaseNumber = r.ID, r.ReleaseNumber()
	return append(users, involved(r, actions)...), r, nil
}

// lastTitle returns the title of the entry of e, or of the last request if the entry is destroyed.
func (n *round) lastTitle(ctx context.Context, schema core.Schema, e *event.Event, request *review.Request) (string, error) {
	entry, err := n.stores.Entries.Entry(ctx, e.ProjectID, e.EntryID)
	c := schema.BySlug(e.Collection)
	switch {
	case err == nil && c != nil:
		return c.Title(entry.Draft), nil
	case err != nil && !errors.Is(err, core.ErrNotFound):
		return "", err
	case request != nil:
		return request.Title(), nil
	default:
		return "", nil
	}
}

// holders returns the users with a part in the last publications of the published entries that require the entry
// of e, if none of its translations is public.
func (n *round) holders(ctx context.Context, schema core.Schema, e *event.Event) (users []int64, err error) {
	rest, err := n.stores.Entries.Translations(ctx, e.ProjectID, e.Group)
	if err != nil || slices.ContainsFunc(rest, func(m core.Entry) bool { return m.IsPublic() }) {
		return nil, err
	}
	uses, err := n.stores.Entries.Uses(ctx, e.ProjectID, e.Group, mostHolders)
	if err != nil {
		return nil, err
	}
	if err := ports.RequireUses(ctx, n.stores.Entries, schema, e.Group, uses); err != nil {
		return nil, err
	}
	for _, use := range uses {
		if !use.Required || !use.Published || use.Trashed {
			continue
		}
		some, _, err := n.publishers(ctx, &notice.Notice{ProjectID: e.ProjectID, CollectionID: use.CollectionID, EntryID: use.EntryID})
		if err != nil {
			return nil, err
		}
		users = append(users, some...)
	}
	return users, nil
}
