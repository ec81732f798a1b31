package approval

import (
	"context"
	"encoding/json"
	"errors"

	"imprimatur/core"
	"imprimatur/ports"
)

// Reviews is where requests are looked at and decided. Whoever calls it has found the
// Project; what of it the actor may see and decide, the Reviews says. Its methods share
// these errors:
//
//   - core.ErrNotFound: the entry has no request, or none that the actor may see, in
//     the same words. A request is seen by whoever has a role in the Project, and by
//     the holders of a custom role that one of its steps names.
//   - core.KindForbidden: the actor sees the request and may not do this to it.
//   - *StateError, of core.KindConflict: the request is not in a state for this, or not
//     what the caller takes it to be, or somebody else was faster.
//   - core.ErrInvalid: the step or the words do not allow it, by location: "stepOrder",
//     "comment", "publishAt"; or what is to be published cannot be, "fields.<name>".
//   - core.KindUnauthenticated: the actor is no user, or none any more.
type Reviews struct{ Deps }

// NewReviews returns a Reviews over these parts.
func NewReviews(deps Deps) *Reviews { return &Reviews{deps} }

// View is a request as one person sees it. It marshals as the wire shows a request,
// with times as core.FormatTime writes them.
type View struct {
	Request core.Request
	Actions []core.ApprovalAction // in the order they were made
	// ContentChanged says that the draft is no longer what was submitted.
	ContentChanged bool
	// CanAct says that the request waits for the person.
	CanAct bool
	// Unreachable are the steps, by their order, that the request waits at or has still to
	// come to and that no user could approve right now: no active user has the role, or
	// each who has it is barred (core.Request.Barred).
	Unreachable map[int]bool
	// Shown is the snapshot without the fields that are secret by now; nil in lists.
	Shown json.RawMessage
}

// StateError refuses what the request is not in a state for. It unwraps to an error
// of core.KindConflict, and shows the request as it is now.
type StateError struct {
	View *View
	Err  error
}

func (e *StateError) Error() string { return e.Err.Error() }

// Unwrap returns the conflict.
func (e *StateError) Unwrap() error { return e.Err }

// Current returns the entry's open request, or else its latest.
func (rs *Reviews) Current(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64) (*View, error) {
	r, err := find(ctx, rs.Stores, actor, project, collectionID, entryID)
	if err != nil {
		return nil, err
	}
	return view(ctx, rs.Stores, actor, project, r)
}

// History returns a page of the entry's requests, latest first, the current one among
// them: none for an entry that was never submitted. A window that cannot be is
// core.KindBadRequest.
func (rs *Reviews) History(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64, window Window) (*Page, error) {
	if err := window.check(); err != nil {
		return nil, err
	}
	q := core.HistoryQuery{
		ProjectID: project.ID, CollectionID: collectionID, EntryID: entryID, CustomRoles: onlyRoles(actor, project),
		Offset: window.offset(), Limit: window.PerPage,
	}
	total, err := rs.Stores.Requests.HistoryCount(ctx, q)
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return window.page(nil, 0, false), rs.submittable(ctx, actor, project, collectionID, entryID)
	}
	requests, err := rs.Stores.Requests.History(ctx, q)
	if err != nil {
		return nil, err
	}
	views := make([]View, min(int64(len(requests)), window.PerPage))
	filled := make([]*View, len(views))
	for i := range views {
		views[i] = View{Request: requests[i], CanAct: canApprove(actor, project, &requests[i])}
		filled[i] = &views[i]
	}
	return window.page(views, total, len(requests) > len(views)), fill(ctx, rs.Stores, project, filled)
}

// onlyRoles returns the custom roles that alone let the actor see requests of the
// Project; nil when a role in it shows them all.
func onlyRoles(actor core.Actor, p *core.Project) []int64 {
	if actor.RoleInProject(p) != "" {
		return nil
	}
	roles := []int64{}
	for _, r := range actor.CustomRoles {
		if r.DepartmentID == p.DepartmentID {
			roles = append(roles, r.ID)
		}
	}
	return roles
}

// submittable answers core.ErrNotFound unless actor may know of the entry itself.
func (rs *Reviews) submittable(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64) error {
	e, err := rs.Stores.Entries.Entry(ctx, project.ID, entryID)
	if errors.Is(err, core.ErrNotFound) || err == nil &&
		(e.CollectionID != collectionID || !e.TrashedAt.IsZero() || actor.RoleInProject(project) == "") {
		return errNoRequest
	}
	return err
}

var errNoRequest = core.NotFound("approval request")

// find returns the entry's open or latest request, if actor may see it.
func find(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, collectionID, entryID int64) (core.Request, error) {
	r, err := latest(ctx, stores, project.ID, entryID)
	if err == nil && (r.CollectionID != collectionID || !sees(actor, project, &r)) {
		err = errNoRequest
	}
	return r, err
}

// view returns r as actor sees it.
func view(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, r core.Request) (*View, error) {
	v := &View{Request: r, CanAct: canApprove(actor, project, &r)}
	var err error
	if v.Actions, err = stores.Requests.Actions(ctx, r.ProjectID, r.ID); err != nil {
		return nil, err
	}
	collection, err := collectionOf(ctx, stores, &r)
	if err != nil {
		return nil, err
	}
	reviewers, err := reviewersIn(ctx, stores, project)
	if err != nil {
		return nil, err
	}
	v.Shown, v.Unreachable = shown(&r, collection), unreachableOf(&r, reviewers)
	draft, err := draftHash(ctx, stores, &r, collection)
	v.ContentChanged = draft != r.ContentHash
	return v, err
}

// collectionOf returns the collection of r's entry as it is now; nil when it is gone.
func collectionOf(ctx context.Context, stores ports.Stores, r *core.Request) (*core.Collection, error) {
	collection, err := stores.Collections.Collection(ctx, r.ProjectID, r.CollectionID)
	if errors.Is(err, core.ErrNotFound) {
		return nil, nil //nolint:nilnil // documented: requests outlive their collection
	}
	return collection, err
}

// draftHash returns the content hash of the draft of r's entry; empty when the entry or
// its collection is gone.
func draftHash(ctx context.Context, stores ports.Stores, r *core.Request, collection *core.Collection) (string, error) {
	if collection == nil {
		return "", nil
	}
	e, err := stores.Entries.Entry(ctx, r.ProjectID, r.EntryID)
	if errors.Is(err, core.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, hash, _ := collection.Snapshot(e.Locale, e.Draft)
	return hash, nil
}

// shown returns r's snapshot without what collection keeps secret by now.
func shown(r *core.Request, collection *core.Collection) json.RawMessage {
	members := core.Document(r.Snapshot).Values()
	members["fields"] = json.RawMessage(visible(r.Fields(), collection))
	return json.RawMessage(core.NewDocument(members))
}

// visible returns doc without what collection keeps secret, or kept secret when the
// field was removed; without a collection nothing is known to be.
func visible(doc core.Document, collection *core.Collection) core.Document {
	if collection == nil {
		return doc
	}
	values := doc.Values()
	for _, fields := range [][]*core.Field{collection.Removed, collection.Fields} {
		for _, f := range fields {
			if f.Secret() {
				delete(values, f.Name)
			}
		}
	}
	return core.NewDocument(values)
}
