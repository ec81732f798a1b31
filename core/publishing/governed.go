package publishing

import (
	"context"
	"errors"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Governs reports whether an entry of the collection with that slug needs an approved request to become public: a
// workflow governs the Project and does not exempt the collection, or a request for the entry is open. entryID is 0
// for an entry that does not exist yet.
func Governs(ctx context.Context, stores ports.Stores, projectID int64, collection string, entryID int64) (bool, error) {
	workflow, err := Workflow(ctx, stores.Workflows, projectID)
	if err != nil || workflow != nil && workflow.Governs(collection) {
		return err == nil, err
	}
	return Requested(ctx, stores.Requests, projectID, entryID)
}

// Workflow returns the workflow that governs a Project, or nil.
func Workflow(ctx context.Context, workflows ports.WorkflowStore, projectID int64) (*review.Workflow, error) {
	found, err := workflows.Governing(ctx, projectID)
	switch {
	case errors.Is(err, core.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	default:
		return &found, nil
	}
}

// Requested reports whether a request for the entry is open, its own or that of a release.
func Requested(ctx context.Context, requests ports.RequestReader, projectID, entryID int64) (bool, error) {
	open, err := Open(ctx, requests, projectID, entryID)
	return open.ID != 0, err
}

// Open returns the open request for the entry, its own or that of a release, or the zero OpenRequest.
func Open(ctx context.Context, requests ports.RequestReader, projectID, entryID int64) (review.OpenRequest, error) {
	if entryID == 0 {
		return review.OpenRequest{}, nil
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
	return Acknowledge(ctx, stores, before, core.PublicChanges(before, after), acknowledged)
}

// Acknowledge is Redefine for changes that the caller has found.
func Acknowledge(ctx context.Context, stores ports.Stores, before core.Schema, changes []core.FieldError, acknowledged bool) error {
	if len(changes) == 0 {
		return nil
	}
	workflow, err := Workflow(ctx, stores.Workflows, before.Project.ID)
	if err != nil || workflow == nil {
		return err
	}
	published, err := AnyPublished(ctx, stores, before, workflow)
	if err != nil || !published {
		return err
	}
	if !acknowledged {
		err := core.Conflict("governed", "a workflow governs the project, and this changes what readers see of published entries without a review; "+
			"send acknowledge=true to make the change")
		err.Fields = changes
		return err
	}
	recorded := event.Event{Type: event.ProjectAcknowledged, TenantID: before.Project.TenantID, ProjectID: before.Project.ID}
	if before.Collection != nil {
		recorded.Type, recorded.Collection = event.CollectionAcknowledged, before.Collection.Slug
	}
	return stores.Events.Record(ctx, recorded)
}

// Rename decides whether actor may change a definition from before, nil for a new one, to after: what begins or ends to
// have a name of the governing workflow (review.Workflow.Renames) takes the right to set that workflow, because it
// changes which entries are reviewed. Without it Rename returns core.KindForbidden; with it, it records an event. It is
// called like Redefine.
func Rename(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, before, after *core.Collection) error {
	workflow, err := Workflow(ctx, stores.Workflows, project.ID)
	if err != nil || workflow == nil {
		return err
	}
	name := workflow.Renames(before, after)
	if name == "" {
		return nil
	}
	if !actor.MaySetWorkflow(project) {
		return core.Forbidden("the workflow that governs the project names %s: only those who may set the workflow may add, rename or remove it", name)
	}
	return stores.Events.Record(ctx, event.Event{Type: event.WorkflowNames, TenantID: project.TenantID, ProjectID: project.ID, Collection: after.Slug})
}

// MayHideAll returns an error unless actor may take all published entries of the collection of schema, which is deleted,
// from readers, if it has some; see review.Workflow.MayHideAll.
func MayHideAll(ctx context.Context, stores ports.Stores, actor core.Actor, schema core.Schema) error {
	workflow, err := Workflow(ctx, stores.Workflows, schema.Project.ID)
	if err != nil || workflow == nil {
		return err
	}
	refusal := workflow.MayHideAll(actor, schema.Project, schema.Collection.Slug)
	if refusal == nil {
		return nil
	}
	if published, err := AnyPublished(ctx, stores, schema, workflow); err != nil || !published {
		return err
	}
	return refusal
}

// AnyPublished reports whether the collection of schema has a published entry and workflow governs it. If schema has no
// collection, it checks all collections of the Project.
func AnyPublished(ctx context.Context, stores ports.Stores, schema core.Schema, workflow *review.Workflow) (bool, error) {
	affected := []*core.Collection{schema.Collection}
	if schema.Collection == nil {
		var err error
		if affected, err = stores.Collections.Collections(ctx, schema.Project.ID); err != nil {
			return false, err
		}
	}
	for _, c := range affected {
		if !workflow.Governs(c.Slug) {
			continue
		}
		n, err := stores.Entries.Count(ctx, query.Selection{
			Schema: core.Schema{Project: schema.Project, Collection: c}, Locale: query.AllLocales, State: core.StatePublished,
			Sort: []query.SortKey{{Field: core.SystemID}}, Limit: 1,
		})
		if err != nil || n > 0 {
			return n > 0, err
		}
	}
	return false, nil
}
