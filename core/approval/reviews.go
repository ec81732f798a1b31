package approval

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/publishing"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Reviews shows requests and applies decisions to them. The caller has found the Project; Reviews
// checks what the actor may see and decide in it. It is safe for concurrent use. Its methods share
// these errors:
//
//   - core.ErrNotFound: the entry or release has no request, or none that the actor may see; both have
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
	publisher *publishing.Publisher
}

// NewReviews returns Reviews.
func NewReviews(stores ports.Stores, tx ports.Tx, publisher *publishing.Publisher) *Reviews {
	return &Reviews{stores: stores, tx: tx, publisher: publisher}
}

// View is a request as one user sees it. Show returns its JSON.
type View struct {
	Request review.Request
	Actions []review.Action // in the order they were made
	// ContentChanged reports that the draft differs from what was submitted. It is false for a release.
	ContentChanged bool
	// CanAct reports that the user may decide an open step, and Steps are the ids of these.
	CanAct bool
	Steps  []int
	// Own are those of Steps that the user may decide in its own name, and Behalf says on whose behalf others.
	Own    []int
	Behalf []review.Behalf
	// Reason is the sentence that says why the user may not act; empty if CanAct is true.
	Reason string
	// CanReschedule and CanPublishNow report whether the user may change the times of the request
	// now, and publish it before its time.
	CanReschedule, CanPublishNow bool
	// Former are the ids of the approvals among Actions, of an open request, whose user no longer has the role of
	// the step.
	Former []int64
	// Deciders has the steps that lack approvals.
	review.Deciders
	// Title is the title of the snapshot, unless its field is secret now; "": none. It is the name of a release.
	Title string
	// Shown is the snapshot without the fields that are secret now; nil in lists and for a release.
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

// Current returns the subject's open request, or its latest one when none is open.
func (rs *Reviews) Current(ctx context.Context, actor core.Actor, ref review.Subject) (*View, error) {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return nil, err
	}
	if r.Release != nil {
		return view(ctx, rs.stores, actor, ref.In(), r, nil)
	}
	e, err := rs.stores.Entries.Entry(ctx, r.ProjectID, r.Item().EntryID)
	entry := &e
	if errors.Is(err, core.ErrNotFound) {
		entry, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	return view(ctx, rs.stores, actor, ref.In(), r, entry)
}

// History returns a page of the subject's requests, latest first, including the current one.
// The page is empty for an entry that was never submitted. An invalid window is
// core.KindBadRequest.
func (rs *Reviews) History(ctx context.Context, actor core.Actor, ref review.Subject, window query.Window) (page query.Page[View], err error) {
	if err := window.Check(DefaultPerPage); err != nil {
		return page, err
	}
	page.Window = window
	requests, total, err := rs.history(ctx, actor, ref, window)
	if page.Total = total; err != nil || total == 0 {
		return page, err
	}
	views := make([]View, min(int64(len(requests)), window.PerPage))
	filled := make([]*View, len(views))
	for i := range views {
		views[i].Request = requests[i]
		filled[i] = &views[i]
	}
	page.Items, page.HasMore = views, len(requests) > len(views)
	return page, fill(ctx, rs.stores, actor, ref.In(), filled)
}

// history returns the requests of History, at most one more than the window has, and how many there are.
func (rs *Reviews) history(ctx context.Context, actor core.Actor, ref review.Subject, window query.Window) ([]review.Request, int64, error) {
	store := rs.stores.Requests
	e, ok := ref.(review.EntryRef)
	if !ok {
		return rs.rounds(ctx, actor, ref, window)
	}
	q := review.HistoryQuery{
		ProjectID: e.Project.ID, CollectionID: e.CollectionID, EntryID: e.ID, CustomRoles: onlyRoles(actor, e.Project),
		Offset: window.Offset(), Limit: window.PerPage,
	}
	total, err := store.HistoryCount(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if total == 0 {
		return nil, 0, rs.submittable(ctx, actor, e)
	}
	requests, err := store.History(ctx, q)
	return requests, total, err
}

// rounds is history for a release, whose requests are few.
func (rs *Reviews) rounds(ctx context.Context, actor core.Actor, ref review.Subject, window query.Window) (rounds []review.Request, total int64, err error) {
	for {
		some, err := requestsOf(ctx, rs.stores.Requests, ref, int64(len(rounds)), walkBatch)
		if rounds = append(rounds, some...); err != nil {
			return nil, 0, err
		}
		if len(some) < walkBatch {
			break
		}
	}
	if len(rounds) == 0 && actor.RoleInProject(ref.In()) == "" {
		return nil, 0, errNoRequest
	}
	rounds = slices.DeleteFunc(rounds, func(r review.Request) bool { return !r.VisibleTo(actor, ref.In()) })
	total = int64(len(rounds))
	return rounds[min(window.Offset(), total):min(window.Offset()+window.PerPage+1, total)], total, nil
}

// requestsOf returns up to limit requests about the subject after the first offset ones, latest first.
func requestsOf(ctx context.Context, requests ports.RequestReader, ref review.Subject, offset int64, limit int) ([]review.Request, error) {
	if e, ok := ref.(review.EntryRef); ok {
		return requests.EntryRequests(ctx, e.Project.ID, e.ID, limit)
	}
	release, _ := ref.(review.ReleaseRef)
	return requests.ReleaseRequests(ctx, release.Project.ID, release.ID, offset, limit)
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
func (rs *Reviews) submittable(ctx context.Context, actor core.Actor, ref review.EntryRef) error {
	e, err := rs.stores.Entries.Entry(ctx, ref.Project.ID, ref.ID)
	if errors.Is(err, core.ErrNotFound) || err == nil &&
		(e.CollectionID != ref.CollectionID || !e.TrashedAt.IsZero() || actor.RoleInProject(ref.Project) == "") {
		return errNoRequest
	}
	return err
}

var errNoRequest = core.NotFound("approval request")

// find returns the subject's open or latest request. It returns core.ErrNotFound when the actor may
// not see it.
func find(ctx context.Context, requests ports.RequestReader, actor core.Actor, ref review.Subject) (review.Request, error) {
	r, err := only(requestsOf(ctx, requests, ref, 0, 1))
	if err == nil && !shows(actor, ref, &r) {
		err = errNoRequest
	}
	return r, err
}

// findToDecide is find for a decision. It is core.KindConflict with the code "in_release" for an entry that has no
// open request of its own, and that is decided with the request of a release.
func findToDecide(ctx context.Context, requests ports.RequestReader, actor core.Actor, ref review.Subject) (review.Request, error) {
	r, err := find(ctx, requests, actor, ref)
	e, ok := ref.(review.EntryRef)
	if !ok || err == nil && r.Status.Open() || err != nil && !errors.Is(err, core.ErrNotFound) {
		return r, err
	}
	open, failed := requests.OpenOf(ctx, e.Project.ID, []int64{e.ID})
	if failed != nil {
		return r, failed
	}
	of := open[e.ID]
	if of.Release == nil {
		return r, err
	}
	together, failed := requests.Request(ctx, e.Project.ID, of.ID)
	if failed != nil || !together.VisibleTo(actor, e.Project) {
		return r, cmp.Or(failed, err)
	}
	return r, inRelease(of.Release)
}

// inRelease returns the error of what concerns an entry alone that a release publishes.
func inRelease(release *review.RequestRelease) error {
	return core.Conflict("in_release", "the entry is in the submitted release %d: %s; decide about the release", release.ID, release.Name)
}

// leavesRelease returns the error of a write that would withdraw a release without having said so.
func leavesRelease(release *review.RequestRelease) error {
	return core.Conflict(
		"in_release", "the entry is in the submitted release %d: %s; withdraw the release first, or send withdrawRelease=true where the request has it",
		release.ID, release.Name,
	)
}

// shows reports whether r is a request about the subject, and the actor may see it.
func shows(actor core.Actor, ref review.Subject, r *review.Request) bool {
	return ref.Has(r) && r.VisibleTo(actor, ref.In())
}

// Awaited returns the open request that the entry waits for, its own or that of a release, or its latest own one.
func (rs *Reviews) Awaited(ctx context.Context, actor core.Actor, ref review.EntryRef) (*View, error) {
	open, err := publishing.Open(ctx, rs.stores.Requests, ref.Project.ID, ref.ID)
	if err != nil {
		return nil, err
	}
	if open.Release != nil {
		return rs.Current(ctx, actor, review.ReleaseRef{Project: ref.Project, ID: open.Release.ID})
	}
	return rs.Current(ctx, actor, ref)
}

// view returns r as actor sees it. e is the entry of r's item, nil when it was deleted.
func view(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, r review.Request, e *core.Entry) (*View, error) {
	v := &View{Request: r}
	v.judge(actor, project)
	var err error
	if v.Actions, err = stores.Requests.Actions(ctx, r.ProjectID, r.ID); err != nil {
		return nil, err
	}
	reviewers, err := stores.Grants.Reviewers(ctx, project.TenantID, project.DepartmentID, project.ID)
	if v.review(reviewers); err != nil {
		return nil, err
	}
	if r.Release != nil {
		v.Title = r.Title()
		return v, nil
	}
	collection, draft, err := draftOf(ctx, stores, &r, e)
	if err != nil {
		return nil, err
	}
	v.Title, v.Shown = titleOf(r.Item(), collection), shown(r.Item(), collection)
	v.ContentChanged = draft != r.ContentHash()
	return v, nil
}

// CurrentStep returns the index of the first open step that the user may decide, else of the first open one; -1: the
// request waits at no step.
func (v *View) CurrentStep() int {
	open := v.Request.OpenSteps()
	if len(open) == 0 {
		return -1
	}
	return append(slices.Clone(v.Steps), open...)[0] - 1
}

// review sets what depends on the present reviewers.
func (v *View) review(reviewers []review.Reviewer) {
	v.Deciders = v.Request.Deciders(reviewers)
	if !v.Request.Status.Open() {
		return
	}
	for i := range v.Actions {
		a := &v.Actions[i]
		if step := v.Request.ApprovedBy(a); step != nil && !slices.ContainsFunc(reviewers, func(by review.Reviewer) bool { return by.UserID == a.Role() && by.MayActOn(*step) }) {
			v.Former = append(v.Former, a.ID)
		}
	}
}

// judge sets what the actor may do, and Reason.
func (v *View) judge(actor core.Actor, project *core.Project) {
	standing := v.Request.StandingOf(actor, project)
	if why := denial(&v.Request, actor, standing); why != "" {
		v.Reason = strings.ToUpper(why[:1]) + why[1:] + "."
	}
	v.Steps, v.Own, v.Behalf, v.CanAct = standing.Steps, standing.Own, standing.Behalf, len(standing.Steps) > 0
	v.CanReschedule = v.Request.Status.Open() && mayReschedule(actor, project, &v.Request) == nil
	ever, now := mayAct(actor, project, &v.Request, review.ActionPublishNow)
	v.CanPublishNow = v.Request.Status == review.RequestApproved && ever && now == nil
}

// collectionOf returns the current collection of item, or nil when it was deleted.
func collectionOf(ctx context.Context, collections ports.CollectionStore, projectID int64, item *review.RequestItem) (*core.Collection, error) {
	collection, err := collections.Collection(ctx, projectID, item.CollectionID)
	if errors.Is(err, core.ErrNotFound) {
		return nil, nil //nolint:nilnil // documented: items outlive their collection
	}
	return collection, err
}

// draftOf returns the current collection of r's item, nil when it was deleted, and the content hash of the draft of
// e, the entry of that item, with the current words of its media, or "" when the entry or its collection was deleted.
func draftOf(ctx context.Context, stores ports.Stores, r *review.Request, e *core.Entry) (c *core.Collection, hash string, err error) {
	if c, err = collectionOf(ctx, stores.Collections, r.ProjectID, r.Item()); err != nil || c == nil || e == nil {
		return c, "", err
	}
	sealed, err := ports.Seal(ctx, stores.Media, r.ProjectID, c, e.Draft)
	_, hash, _ = c.Snapshot(e.Locale, e.Draft, sealed)
	return c, hash, err
}

// titleOf returns the title of item, or "" when its field is secret in collection now.
func titleOf(item *review.RequestItem, collection *core.Collection) string {
	if collection != nil && collection.Hides(item.TitleFieldID) {
		return ""
	}
	return item.Title
}

// shown returns the snapshot of item without the fields that are secret in collection now, or were secret
// when they were removed from it, and without the media that only these fields name. The collection and components have their
// present slugs. It returns the whole snapshot when collection is nil.
func shown(item *review.RequestItem, collection *core.Collection) json.RawMessage {
	if collection == nil {
		return item.Snapshot
	}
	members := core.Document(item.Snapshot).Values()
	fields := collection.Visible(item.Fields())
	members["fields"] = json.RawMessage(collection.WithSlugs(fields))
	members["collection"] = canonical.Quote(collection.Slug)
	if media := item.Media(); media != nil {
		known := core.Collection{Fields: slices.Concat(collection.Fields, collection.Removed)}
		if media = known.OnlyShown(media, fields); media == nil {
			delete(members, "media")
		} else {
			members["media"] = json.RawMessage(media)
		}
	}
	return json.RawMessage(core.NewDocument(members))
}
