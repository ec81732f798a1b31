package releasing

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
	"imprimatur/core/words"
	"imprimatur/ports"
)

// Releases shows and changes releases. The caller has found the Project and authorized the action; Releases checks
// what a holder of a custom role may see. It is safe for concurrent use. Its methods share these errors:
//
//   - core.ErrNotFound: the Project has no such release, or none that the actor may see.
//   - core.ErrPrecondition: the release has another version than Ref.IfMatch.
//   - core.KindConflict with the code not_open: only an open release changes.
//   - core.ErrInvalid: all faults of the input, by location.
type Releases struct {
	stores    ports.Stores
	tx        ports.Tx
	writer    Republisher
	approval  Approval
	publisher *publishing.Publisher
}

// New returns Releases.
func New(stores ports.Stores, tx ports.Tx, writer Republisher, approval Approval, publisher *publishing.Publisher) *Releases {
	return &Releases{stores: stores, tx: tx, writer: writer, approval: approval, publisher: publisher}
}

// Ref identifies a release.
type Ref struct {
	Project *core.Project
	ID      int64
	// IfMatch is the version that a change must replace; nil: any.
	IfMatch *int64
}

// Change changes the members of a release that are given.
type Change struct {
	Name        *string
	Description *string
	PublishAt   core.Optional[time.Time]
}

// DefaultPerPage is the default number of releases or members of a page.
const DefaultPerPage = 25

// maxSearch is the maximum length of a search in bytes.
const maxSearch = 4 << 10

// Filter selects releases of a list.
type Filter struct {
	query.Window

	States  []release.State // nil: all
	Search  string          // part of the name or description; empty: all
	EntryID int64           // a member; 0: all
}

// List returns a page of the releases of a Project that the actor may see, newest first. An invalid filter is
// core.KindBadRequest.
func (rs *Releases) List(ctx context.Context, actor core.Actor, project *core.Project, f Filter) (page query.Page[release.Release], err error) {
	if err := f.Window.Check(DefaultPerPage); err != nil {
		return page, err
	}
	if len(f.Search) > maxSearch || !core.ValidText(f.Search) {
		return page, core.BadParameter("search", nil, fmt.Sprintf("must be text of at most %d bytes without the character U+0000", maxSearch))
	}
	q := release.Query{
		ProjectID: project.ID, States: f.States, Search: f.Search, EntryID: f.EntryID, CustomRoles: onlyRoles(actor, project), Offset: f.Offset(), Limit: f.PerPage,
	}
	page.Window = f.Window
	if page.Total, err = rs.stores.Releases.Count(ctx, q); err != nil {
		return page, err
	}
	page.Items, err = rs.stores.Releases.Releases(ctx, q)
	if page.HasMore = int64(len(page.Items)) > f.PerPage; page.HasMore {
		page.Items = page.Items[:f.PerPage]
	}
	return page, err
}

// onlyRoles returns the custom roles through which alone the actor sees releases of the Project, or nil for an
// actor with a role in it, who sees all.
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

// Release returns one release.
func (rs *Releases) Release(ctx context.Context, actor core.Actor, project *core.Project, id int64) (release.Release, error) {
	found, err := rs.stores.Releases.Releases(ctx, release.Query{ProjectID: project.ID, ID: id, CustomRoles: onlyRoles(actor, project), Limit: 1})
	if err == nil && len(found) == 0 {
		err = core.NotFound("release")
	}
	if err != nil {
		return release.Release{}, err
	}
	return found[0], nil
}

// Create adds an open release without members.
func (rs *Releases) Create(ctx context.Context, actor core.Actor, project *core.Project, in Change) (release.Release, error) {
	r := release.Release{ProjectID: project.ID, State: release.Open, Version: 1, CreatedBy: actor.Ref()}
	r.Contribute(r.CreatedBy)
	if err := mayTime(actor, in.PublishAt); err != nil {
		return r, err
	}
	if in.Name == nil {
		in.Name = new("")
	}
	if err := in.apply(&r); err != nil {
		return r, err
	}
	err := rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return insert(ctx, stores, &r) })
	return r, err
}

// mayTime returns core.KindForbidden if an assistant gives a time of publication.
func mayTime(actor core.Actor, at core.Optional[time.Time]) error {
	if actor.Assistant != nil && at.Given {
		return core.Forbidden("an assistant proposes releases without a time of publication")
	}
	return nil
}

// mayChange returns core.KindForbidden if the actor is an assistant that did not create r.
func mayChange(actor core.Actor, r *release.Release) error {
	if actor.Assistant != nil && !actor.Ref().Same(r.CreatedBy) {
		return core.Forbidden("an assistant changes and submits only releases that it created")
	}
	return nil
}

// notOver are the states of releases that count for release.MaxOpen.
var notOver = []release.State{release.Open, release.Pending, release.Approved}

// insert adds r, unless the Project has too many releases.
func insert(ctx context.Context, stores ports.Stores, r *release.Release) error {
	if err := stores.Projects.Lock(ctx, r.ProjectID); err != nil {
		return err
	}
	n, err := stores.Releases.Count(ctx, release.Query{ProjectID: r.ProjectID, States: notOver})
	if err != nil {
		return err
	}
	if n >= release.MaxOpen {
		return core.Conflict("too_many_releases", "a project has at most %d releases that are not published or closed", release.MaxOpen)
	}
	r.CreatedAt, err = stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	r.UpdatedAt = r.CreatedAt
	return stores.Releases.Insert(ctx, r)
}

// Update changes an open release.
func (rs *Releases) Update(ctx context.Context, actor core.Actor, ref Ref, in Change) (release.Release, error) {
	if err := mayTime(actor, in.PublishAt); err != nil {
		return release.Release{}, err
	}
	return rs.change(ctx, actor, ref, func(_ context.Context, _ ports.Stores, r *release.Release) (bool, error) {
		before := *r
		err := in.apply(r)
		reviewed := before.Name != r.Name || !before.PublishAt.Equal(r.PublishAt)
		if reviewed {
			r.Contribute(actor.Ref())
		}
		return reviewed || before.Description != r.Description, err
	})
}

// Delete deletes a release that was never submitted, and closes another open one.
func (rs *Releases) Delete(ctx context.Context, actor core.Actor, ref Ref) error {
	return rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		r, err := lockOpen(ctx, stores, ref)
		if err != nil {
			return err
		}
		if r.Rounds == 0 {
			return stores.Releases.Delete(ctx, r.ProjectID, r.ID)
		}
		r.State = release.Closed
		if err := touch(ctx, stores, &r); err != nil {
			return err
		}
		return stores.Releases.SetState(ctx, r)
	})
}

// change runs do on a locked open release, and stores the result if do reports that something has changed.
func (rs *Releases) change(
	ctx context.Context, actor core.Actor, ref Ref, do func(ctx context.Context, stores ports.Stores, r *release.Release) (changed bool, err error),
) (r release.Release, err error) {
	err = rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		// A deletion of a collection waits, so that no member of it is added afterwards.
		if _, err := stores.Projects.Hold(ctx, ref.Project.ID); err != nil {
			return err
		}
		if r, err = lockOpen(ctx, stores, ref); err != nil {
			return err
		}
		if err := mayChange(actor, &r); err != nil {
			return err
		}
		changed, err := do(ctx, stores, &r)
		if err != nil || !changed {
			return err
		}
		if err := touch(ctx, stores, &r); err != nil {
			return err
		}
		if err := stores.Releases.Update(ctx, r); err != nil {
			return err
		}
		r, err = stores.Releases.Release(ctx, r.ProjectID, r.ID)
		return err
	})
	return r, err
}

// touch gives r the next version.
func touch(ctx context.Context, stores ports.Stores, r *release.Release) error {
	now, err := stores.Clock.Now(ctx)
	r.Version++
	r.UpdatedAt = now
	return err
}

// errNotOpen is returned for a change of a release that is not open.
func errNotOpen(r *release.Release) error {
	return core.Conflict("not_open", "the release is %s: only an open release changes", r.State)
}

// lockOpen locks an open release in the version of ref.
func lockOpen(ctx context.Context, stores ports.Stores, ref Ref) (release.Release, error) {
	r, err := stores.Releases.Lock(ctx, ref.Project.ID, ref.ID)
	switch {
	case err != nil:
		return r, err
	case ref.IfMatch != nil && *ref.IfMatch != r.Version:
		return r, errStale
	case r.State != release.Open:
		return r, errNotOpen(&r)
	}
	return r, nil
}

var errStale = &core.Error{Kind: core.KindPreconditionFailed, Code: "precondition_failed", Message: "the release has another version than the one given"}

// IsStale reports whether err is the error of a change of another version.
func IsStale(err error) bool { return errors.Is(err, core.ErrPrecondition) }

// apply sets the given members of r, or returns all faults of in.
func (in Change) apply(r *release.Release) error {
	var found core.Faults
	core.Assign(&r.Name, in.Name)
	core.Assign(&r.Description, in.Description)
	in.PublishAt.AssignTo(&r.PublishAt)
	found.List = append(found.List, schedule.Period{From: r.PublishAt}.Faults()...)
	r.PublishAt = r.PublishAt.UTC().Truncate(time.Millisecond)
	switch {
	case words.Blank(r.Name):
		found.Add("name", nil, "is required")
	case utf8.RuneCountInString(r.Name) > release.MaxName:
		found.Addf("name", nil, "must have at most %d characters", release.MaxName)
	case strings.ContainsFunc(r.Name, words.Control):
		found.Add("name", nil, "must be text without control characters")
	}
	if utf8.RuneCountInString(r.Description) > release.MaxDescription {
		found.Addf("description", nil, "must have at most %d characters", release.MaxDescription)
	}
	for _, text := range []struct{ location, value string }{{"name", r.Name}, {"description", r.Description}} {
		if !core.ValidText(text.value) {
			found.Add(text.location, nil, "must be text without the character U+0000")
		}
	}
	return found.Err()
}
