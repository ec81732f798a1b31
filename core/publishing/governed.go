package publishing

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// Governs reports whether the entry needs an approved request to become public: a workflow governs
// the Project, or a request for the entry is open. entryID is 0 for an entry that does not exist yet.
func Governs(ctx context.Context, stores ports.Stores, projectID, entryID int64) (bool, error) {
	if _, err := stores.Workflows.Governing(ctx, projectID); !errors.Is(err, core.ErrNotFound) {
		return err == nil, err
	}
	return Requested(ctx, stores.Requests, projectID, entryID)
}

// Requested reports whether a request for the entry is open, its own or that of a release.
func Requested(ctx context.Context, requests ports.RequestReader, projectID, entryID int64) (bool, error) {
	open, err := Open(ctx, requests, projectID, entryID)
	return open.ID != 0, err
}

// Open returns the open request for the entry, its own or that of a release, or the zero OpenRequest.
func Open(ctx context.Context, requests ports.RequestReader, projectID, entryID int64) (core.OpenRequest, error) {
	if entryID == 0 {
		return core.OpenRequest{}, nil
	}
	open, err := requests.OpenOf(ctx, projectID, []int64{entryID})
	return open[entryID], err
}

// Redefine decides whether a definition may change from before to after; see core.PublicChanges. Every
// change of a Project or a collection calls it inside its transaction, before it stores the definition. If a
// workflow governs the Project, a change that readers of published entries see is core.KindConflict
// with the code governed and the changes in Fields. If acknowledged is true, Redefine records an event
// instead.
func Redefine(ctx context.Context, stores ports.Stores, before, after core.Schema, acknowledged bool) error {
	changes := core.PublicChanges(before, after)
	if len(changes) == 0 {
		return nil
	}
	governed, err := Governs(ctx, stores, before.Project.ID, 0)
	if err != nil || !governed {
		return err
	}
	published, err := anyPublished(ctx, stores, before)
	if err != nil || !published {
		return err
	}
	if !acknowledged {
		err := core.Conflict("governed", "a workflow governs the project, and this changes what readers see of published entries without a review; "+
			"send acknowledge=true to make the change")
		err.Fields = changes
		return err
	}
	event := core.Event{Type: core.EventProjectAcknowledged, TenantID: before.Project.TenantID, ProjectID: before.Project.ID}
	if before.Collection != nil {
		event.Type, event.Collection = core.EventCollectionAcknowledged, before.Collection.Slug
	}
	return stores.Events.Record(ctx, event)
}

// anyPublished reports whether the collection of schema has a published entry. If schema has no
// collection, it checks all collections of the Project.
func anyPublished(ctx context.Context, stores ports.Stores, schema core.Schema) (bool, error) {
	affected := []*core.Collection{schema.Collection}
	if schema.Collection == nil {
		var err error
		if affected, err = stores.Collections.Collections(ctx, schema.Project.ID); err != nil {
			return false, err
		}
	}
	for _, c := range affected {
		n, err := stores.Entries.Count(ctx, core.Selection{
			Schema: core.Schema{Project: schema.Project, Collection: c}, Locale: core.AllLocales, State: core.StatePublished,
			Sort: []core.SortKey{{Field: core.SystemID}}, Limit: 1,
		})
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}
