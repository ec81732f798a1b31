package releasing

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/publishing"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Approval opens the requests of releases; see approval.Requests.SubmitRelease.
type Approval interface {
	SubmitRelease(
		ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, release *release.Release, items []review.RequestItem,
		contributors []core.ActorRef, period schedule.Period, comment string, changes []review.SubmittedChange,
	) (*review.Request, error)
}

// Publication says how to publish a release.
type Publication struct {
	PublishAt core.Optional[time.Time] // absent: Release.PublishAt; null: at once, or on approval
	Comment   string                   // to the reviewers
}

// attempts is how often a submission reads the members again that changed meanwhile.
const attempts = 3

// Publish submits an open release for review if a workflow governs one of its members. Otherwise it publishes the release
// now, or at its time. It changes nothing while the release is submitted. It returns core.KindConflict or
// core.ErrInvalid with all faults of all members, at the locations of release.MemberLocation, and then nothing was
// submitted.
func (rs *Releases) Publish(ctx context.Context, actor core.Actor, ref Ref, in Publication) (release.Release, error) {
	if err := mayTime(actor, in.PublishAt); err != nil {
		return release.Release{}, err
	}
	if in.PublishAt.Value != nil {
		if faults := (schedule.Period{From: *in.PublishAt.Value}).Faults(); len(faults) > 0 {
			return release.Release{}, core.Invalid(faults...)
		}
	}
	for attempt := 1; ; attempt++ {
		r, err := rs.publish(ctx, actor, ref, in)
		if attempt == attempts || !errors.Is(err, core.ErrChangedMeanwhile) {
			return r, err
		}
	}
}

// publish is one attempt of Publish. It returns core.ErrChangedMeanwhile if a member changed between the check and
// the submission.
func (rs *Releases) publish(ctx context.Context, actor core.Actor, ref Ref, in Publication) (release.Release, error) {
	r, err := rs.Release(ctx, actor, ref.Project, ref.ID)
	switch {
	case err != nil:
		return r, err
	case mayChange(actor, &r) != nil:
		return r, mayChange(actor, &r)
	case r.State.Submitted():
		return r, nil
	case ref.IfMatch != nil && *ref.IfMatch != r.Version:
		return r, errStale
	case r.State != release.Open:
		return r, errNotOpen(&r)
	}
	s, err := rs.sealed(ctx, actor, ref.Project, &r)
	if err == nil && !s.governed && actor.Assistant != nil {
		err = core.Forbidden("an assistant never publishes: no workflow governs the project, so that a user must publish the release")
	}
	if err != nil {
		return r, err
	}
	if err := s.mayHide(); err != nil {
		return r, err
	}
	faults, err := s.faults(ctx, &r)
	if err == nil {
		err = errorOf(faults)
	}
	if err != nil {
		return r, err
	}
	contributors, err := s.contributors(ctx, &r)
	if err != nil {
		return r, err
	}
	err = ports.Transact(ctx, rs.tx.DoAlone, actor, func(ctx context.Context, stores ports.Stores) error {
		now, project, locked, err := s.lock(ctx, stores, &r)
		if err != nil {
			return err
		}
		if in.PublishAt.Given {
			now.PublishAt = time.Time{}
			in.PublishAt.AssignTo(&now.PublishAt)
			now.PublishAt = now.PublishAt.UTC().Truncate(time.Millisecond)
		}
		if err := stores.Releases.Seal(ctx, now.ProjectID, now.ID, s.items(), !s.governed); err != nil {
			return err
		}
		if s.governed {
			if err := s.closeRevisions(ctx, rs.publisher, stores, project, locked); err != nil {
				return err
			}
			_, err := rs.approval.SubmitRelease(ctx, stores, actor, project, &now, s.items(), contributors, schedule.Period{From: now.PublishAt}, in.Comment, s.changes())
			return err
		}
		return rs.direct(ctx, stores, actor.Ref(), project, &now, s.items())
	})
	if err != nil {
		return r, err
	}
	return rs.Release(ctx, actor, ref.Project, ref.ID)
}

// lock locks the entries of the release and then the release, and returns them, with the Project, as they are now. It returns
// core.ErrChangedMeanwhile if they, their definitions, what readers see of them, or what governs the Project changed
// since they were sealed.
func (s *sealer) lock(ctx context.Context, stores ports.Stores, r *release.Release) (now release.Release, project *core.Project, entries []core.Entry, err error) {
	if project, err = stores.Projects.Hold(ctx, r.ProjectID); err != nil {
		return now, nil, nil, err
	}
	entryIDs, members := make([]int64, len(s.all)), make([]release.Member, len(s.all))
	for i, m := range s.all {
		entryIDs[i], members[i] = m.EntryID, m.Member
	}
	workflow, err := publishing.Workflow(ctx, stores.Workflows, r.ProjectID)
	if err != nil {
		return now, nil, nil, err
	}
	if governed := workflow != nil && workflow.GovernsAny(s.collections, release.CollectionsOf(members)); governed != s.governed {
		return now, nil, nil, core.ErrChangedMeanwhile
	}
	s.workflow = workflow
	if err := s.mayHide(); err != nil {
		return now, nil, nil, err
	}
	same, err := s.sameDefinitions(ctx, stores)
	if err != nil {
		return now, nil, nil, err
	}
	entries, err = stores.Entries.LockAll(ctx, r.ProjectID, entryIDs)
	if err != nil {
		return now, nil, nil, err
	}
	current, err := stores.Publications.Current(ctx, r.ProjectID, entryIDs)
	if err != nil {
		return now, nil, nil, err
	}
	if now, err = stores.Releases.Lock(ctx, r.ProjectID, r.ID); err != nil {
		return now, nil, nil, err
	}
	found := core.EntriesByID(entries)
	for _, m := range s.all {
		e := found[m.EntryID]
		same = same && e != nil && e.Version == m.version && current[m.EntryID].Number == m.item.BaseNumber
		m.entry, m.doc, m.past = nil, nil, nil // their content is in the item, and a release can be large
	}
	if !same || now.Version != r.Version || now.State != release.Open {
		return now, nil, nil, core.ErrChangedMeanwhile
	}
	return now, project, entries, nil
}

// sameDefinitions reports whether no definition changed since the members were sealed.
func (s *sealer) sameDefinitions(ctx context.Context, stores ports.Stores) (bool, error) {
	now, err := stores.Collections.Collections(ctx, s.project.ID)
	return slices.EqualFunc(now, s.collections, func(a, b *core.Collection) bool {
		return a.ID == b.ID && a.Version == b.Version && slices.Equal(versionsOf(a), versionsOf(b))
	}), err
}

// versionsOf returns the versions of the components of c.
func versionsOf(c *core.Collection) (versions []int64) {
	components := c.Components()
	for _, slug := range slices.Sorted(maps.Keys(components)) {
		versions = append(versions, components[slug].Version)
	}
	return versions
}

// closeRevisions closes the newest revision of each entry that the release publishes. locked are all its entries.
func (s *sealer) closeRevisions(ctx context.Context, publisher *publishing.Publisher, stores ports.Stores, project *core.Project, locked []core.Entry) error {
	chosen := map[int64]bool{} // by entries that the release publishes
	for _, m := range s.all {
		if m.Action == schedule.Publish {
			chosen[m.EntryID] = m.From != 0
		}
	}
	published := slices.DeleteFunc(locked, func(e core.Entry) bool { _, is := chosen[e.ID]; return !is })
	if len(published) == 0 {
		return nil
	}
	return publisher.Locked(stores, project, published).CloseRevisions(ctx, chosen)
}

// direct publishes a release that no workflow governs: now, or later if its time is to come.
func (rs *Releases) direct(ctx context.Context, stores ports.Stores, by core.ActorRef, project *core.Project, r *release.Release, items []review.RequestItem) error {
	now, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	r.Rounds++
	r.Fault, r.RequestID = "", 0
	if !r.PublishAt.After(now) {
		return rs.out(ctx, stores, by, project, r, items)
	}
	r.State, r.Version, r.UpdatedAt = release.Approved, r.Version+1, now
	next := schedule.Schedule{ProjectID: r.ProjectID, ReleaseID: r.ID, Action: schedule.Publish, DueAt: r.PublishAt, ScheduledBy: by}
	if err := rs.publisher.Schedule(ctx, stores.Schedules, next); err != nil {
		return err
	}
	if err := stores.Schedules.CancelAll(ctx, r.ProjectID, (&review.Request{Items: items}).EntryIDs(), schedule.Publish); err != nil {
		return err
	}
	return stores.Releases.SetState(ctx, *r)
}

// out publishes the items of a release that no workflow governs.
func (rs *Releases) out(ctx context.Context, stores ports.Stores, by core.ActorRef, project *core.Project, r *release.Release, items []review.RequestItem) error {
	through := publishing.Through{RequestRelease: review.RequestRelease{ID: r.ID, Name: r.Name}}
	at, err := rs.publisher.PublishRelease(ctx, stores, project, through, items, by)
	if err != nil {
		return err
	}
	r.State, r.PublishedAt, r.UpdatedAt, r.Version = release.Published, at, at, r.Version+1
	return stores.Releases.SetState(ctx, *r)
}

// PublishDue publishes a release that no workflow governs and whose time has come, in the transaction of stores. A
// member that cannot be published any more opens the release with a fault instead.
func (rs *Releases) PublishDue(ctx context.Context, stores ports.Stores, project *core.Project, id int64) error {
	items, err := stores.Releases.Items(ctx, project.ID, id)
	if err != nil {
		return err
	}
	if _, err := stores.Entries.LockAll(ctx, project.ID, (&review.Request{Items: items}).EntryIDs()); err != nil {
		return err
	}
	r, err := stores.Releases.Lock(ctx, project.ID, id)
	if err != nil {
		return err
	}
	due, err := stores.Schedules.ScheduledRelease(ctx, project.ID, id)
	if errors.Is(err, core.ErrNotFound) || err == nil && r.State != release.Approved {
		return nil // cancelled meanwhile
	}
	if err != nil {
		return err
	}
	if err := stores.Schedules.CancelRelease(ctx, project.ID, id); err != nil {
		return err
	}
	err = rs.out(ctx, stores, due.ScheduledBy, project, &r, items)
	if !publishing.ItemsChanged(err) {
		return err
	}
	return publishing.Reopen(ctx, stores, r, sentence(err))
}

// sentence returns why members of a release cannot be published, with the first of them.
func sentence(err error) string {
	fault, ok := errors.AsType[*core.Error](err)
	if !ok {
		return err.Error()
	}
	text := fault.Message
	for _, f := range fault.Fields[:min(len(fault.Fields), 3)] {
		text += "; " + f.Location + " " + f.Message
	}
	return text
}

// Unschedule cancels the scheduled publication of a release that no workflow governs: it is open again.
func (rs *Releases) Unschedule(ctx context.Context, actor core.Actor, ref Ref) (release.Release, error) {
	err := rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		r, err := stores.Releases.Lock(ctx, ref.Project.ID, ref.ID)
		switch {
		case err != nil:
			return err
		case ref.IfMatch != nil && *ref.IfMatch != r.Version:
			return errStale
		case r.State != release.Approved:
			return core.Conflict("not_scheduled", "the release is %s: it does not wait for its time", r.State)
		case r.Latest.Status.Open():
			return core.Conflict("in_review", "the release is published by its request %s: withdraw that", r.Latest.ReleaseNumber)
		}
		return publishing.Reopen(ctx, stores, r, "")
	})
	if err != nil {
		return release.Release{}, err
	}
	return rs.Release(ctx, actor, ref.Project, ref.ID)
}
