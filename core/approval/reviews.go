package approval

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/ports"
)

// Reviews shows requests and applies decisions to them. The caller has found the Project; Reviews
// checks what the actor may see and decide in it. It is safe for concurrent use. Its methods share
// these errors:
//
//   - core.ErrNotFound: the entry has no request, or none that the actor may see; both have
//     the same message. A request is visible to users with a role in the Project and to the
//     holders of a custom role that one of its steps names.
//   - core.KindForbidden: the actor sees the request but may not perform the action.
//   - *StateError, of core.KindConflict: the status of the request does not allow the
//     action, or the request is not in the state that the caller saw.
//   - core.ErrInvalid: the step or the input does not allow the action, by location:
//     "stepOrder", "comment", "publishAt"; or the content cannot be published:
//     "fields.<name>".
//   - core.KindUnauthenticated: the actor is not an active user.
type Reviews struct {
	stores    ports.Stores
	tx        ports.Tx
	publisher ports.Publisher
	wake      func()
}

// NewReviews returns Reviews. Reviews calls wake, unless it is nil, after it has scheduled a
// publication, so that the worker of this process does not wait for its next poll.
func NewReviews(stores ports.Stores, tx ports.Tx, publisher ports.Publisher, wake func()) *Reviews {
	return &Reviews{stores: stores, tx: tx, publisher: publisher, wake: wake}
}

// View is a request as one user sees it. Show returns its JSON.
type View struct {
	Request core.Request
	Actions []core.ApprovalAction // in the order they were made
	// ContentChanged reports that the draft differs from what was submitted.
	ContentChanged bool
	// CanAct reports that the user may act on the current step.
	CanAct bool
	// Reason is the sentence that says why the user may not act; empty if CanAct is true.
	Reason string
	// CanReschedule and CanPublishNow report whether the user may change the times of the request
	// now, and publish it before its time.
	CanReschedule, CanPublishNow bool
	// Deciders has the current and the later steps.
	core.Deciders
	// Title is the title of the snapshot, unless its field is secret now; "": none.
	Title string
	// Shown is the snapshot without the fields that are secret now; nil in lists.
	Shown json.RawMessage
}

// StateError reports that the state of the request does not allow an action. It unwraps to an
// error of core.KindConflict. View is the current request.
type StateError struct {
	View *View
	Err  error
}

func (e *StateError) Error() string { return e.Err.Error() }

// Unwrap returns the conflict.
func (e *StateError) Unwrap() error { return e.Err }

// Current returns the entry's open request, or its latest one when none is open.
func (rs *Reviews) Current(ctx context.Context, actor core.Actor, ref core.EntryRef) (*View, error) {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return nil, err
	}
	return view(ctx, rs.stores, actor, ref.Project, r)
}

// History returns a page of the entry's requests, latest first, including the current one.
// The page is empty for an entry that was never submitted. An invalid window is
// core.KindBadRequest.
func (rs *Reviews) History(ctx context.Context, actor core.Actor, ref core.EntryRef, window core.Window) (page core.Page[View], err error) {
	if err := window.Check(DefaultPerPage); err != nil {
		return page, err
	}
	q := core.HistoryQuery{
		ProjectID: ref.Project.ID, CollectionID: ref.CollectionID, EntryID: ref.ID, CustomRoles: onlyRoles(actor, ref.Project),
		Offset: window.Offset(), Limit: window.PerPage,
	}
	page.Window = window
	if page.Total, err = rs.stores.Requests.HistoryCount(ctx, q); err != nil {
		return page, err
	}
	if page.Total == 0 {
		return page, rs.submittable(ctx, actor, ref)
	}
	requests, err := rs.stores.Requests.History(ctx, q)
	if err != nil {
		return page, err
	}
	views := make([]View, min(int64(len(requests)), window.PerPage))
	filled := make([]*View, len(views))
	for i := range views {
		views[i].Request = requests[i]
		filled[i] = &views[i]
	}
	page.Items, page.HasMore = views, len(requests) > len(views)
	return page, fill(ctx, rs.stores, actor, ref.Project, filled)
}

// onlyRoles returns the custom roles through which the actor sees requests of the Project.
// It returns nil when the actor has a role in the Project and so sees all requests.
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

// submittable returns core.ErrNotFound unless the actor may see the entry itself.
func (rs *Reviews) submittable(ctx context.Context, actor core.Actor, ref core.EntryRef) error {
	e, err := rs.stores.Entries.Entry(ctx, ref.Project.ID, ref.ID)
	if errors.Is(err, core.ErrNotFound) || err == nil &&
		(e.CollectionID != ref.CollectionID || !e.TrashedAt.IsZero() || actor.RoleInProject(ref.Project) == "") {
		return errNoRequest
	}
	return err
}

var errNoRequest = core.NotFound("approval request")

// find returns the entry's open or latest request. It returns core.ErrNotFound when the actor may
// not see it.
func find(ctx context.Context, requests ports.RequestReader, actor core.Actor, ref core.EntryRef) (core.Request, error) {
	r, err := latest(ctx, requests, ref.Project.ID, ref.ID)
	if err == nil && (r.CollectionID != ref.CollectionID || !r.VisibleTo(actor, ref.Project)) {
		err = errNoRequest
	}
	return r, err
}

// view returns r as actor sees it.
func view(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, r core.Request) (*View, error) {
	v := &View{Request: r}
	v.judge(actor, project)
	var err error
	if v.Actions, err = stores.Requests.Actions(ctx, r.ProjectID, r.ID); err != nil {
		return nil, err
	}
	collection, err := collectionOf(ctx, stores.Collections, &r)
	if err != nil {
		return nil, err
	}
	reviewers, err := stores.Grants.Reviewers(ctx, project.TenantID, project.DepartmentID, project.ID)
	if err != nil {
		return nil, err
	}
	v.Title, v.Shown, v.Deciders = titleOf(&r, collection), shown(&r, collection), r.Deciders(reviewers)
	draft, err := draftHash(ctx, stores.Entries, stores.Media, &r, collection)
	v.ContentChanged = draft != r.ContentHash
	return v, err
}

// judge sets what the actor may do, and Reason.
func (v *View) judge(actor core.Actor, project *core.Project) {
	if why := denial(actor, project, &v.Request); why != "" {
		v.Reason = strings.ToUpper(why[:1]) + why[1:] + "."
	}
	v.CanAct = v.Reason == ""
	v.CanReschedule = v.Request.Status.Open() && mayReschedule(actor, project, &v.Request) == nil
	ever, now := mayAct(actor, project, &v.Request, core.ActionPublishNow)
	v.CanPublishNow = v.Request.Status == core.RequestApproved && ever && now == nil
}

// collectionOf returns the current collection of r's entry, or nil when it was deleted.
func collectionOf(ctx context.Context, collections ports.CollectionStore, r *core.Request) (*core.Collection, error) {
	collection, err := collections.Collection(ctx, r.ProjectID, r.CollectionID)
	if errors.Is(err, core.ErrNotFound) {
		return nil, nil //nolint:nilnil // documented: requests outlive their collection
	}
	return collection, err
}

// draftHash returns the content hash of the draft of r's entry, with the current words of its
// media, or "" when the entry or its collection was deleted.
func draftHash(ctx context.Context, entries ports.EntryFinder, media ports.ShownMedia, r *core.Request, collection *core.Collection) (string, error) {
	if collection == nil {
		return "", nil
	}
	e, err := entries.Entry(ctx, r.ProjectID, r.EntryID)
	if errors.Is(err, core.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	sealed, err := ports.Seal(ctx, media, r.ProjectID, collection, e.Draft)
	_, hash, _ := collection.Snapshot(e.Locale, e.Draft, sealed)
	return hash, err
}

// titleOf returns r's title, or "" when its field is secret in collection now.
func titleOf(r *core.Request, collection *core.Collection) string {
	if collection != nil && collection.Hides(r.TitleFieldID) {
		return ""
	}
	return r.Title
}

// shown returns r's snapshot without the fields that are secret in collection now, or were secret
// when they were removed from it, and without the media that only these fields name. It returns
// the whole snapshot when collection is nil.
func shown(r *core.Request, collection *core.Collection) json.RawMessage {
	if collection == nil {
		return r.Snapshot
	}
	members := core.Document(r.Snapshot).Values()
	fields := collection.Visible(r.Fields())
	members["fields"] = json.RawMessage(fields)
	if media := r.Media(); media != nil {
		known := core.Collection{Fields: slices.Concat(collection.Fields, collection.Removed)}
		if media = known.OnlyShown(media, fields); media == nil {
			delete(members, "media")
		} else {
			members["media"] = json.RawMessage(media)
		}
	}
	return json.RawMessage(core.NewDocument(members))
}
