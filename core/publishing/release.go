package publishing

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Through names the release that publishes items, and its request; RequestID 0: no workflow governed it.
type Through struct {
	review.RequestRelease

	RequestID     int64
	ReleaseNumber string
}

// PublishRelease locks the entries of items, and has their Set publish them; see Set.PublishRelease.
func (p *Publisher) PublishRelease(
	ctx context.Context, stores ports.Stores, project *core.Project, through Through, items []review.RequestItem, by core.ActorRef,
) (at time.Time, err error) {
	s, err := p.Lock(ctx, stores, project, (&review.Request{Items: items}).EntryIDs()...)
	if err != nil {
		return at, err
	}
	return s.PublishRelease(ctx, through, items, by)
}

// PublishRelease publishes and unpublishes the entries of items, with by as the publisher, all at the time at, and
// records the event of the release after those of the entries. Schedules of their drafts are cancelled; ends of
// publications stay, save for those of unpublished entries. It returns the errors of CheckItems before it has
// changed anything, and core.ErrInvalid when another entry holds a unique value.
func (s *Set) PublishRelease(ctx context.Context, through Through, items []review.RequestItem, by core.ActorRef) (at time.Time, err error) {
	if err := s.CheckItems(ctx, items); err != nil {
		return at, err
	}
	if err := s.readLibrary(ctx); err != nil {
		return at, err
	}
	var hidden []int64
	for i := range items {
		item := &items[i]
		e := s.Entry(item.EntryID)
		e.Move = core.Move{ReleaseID: through.ID, RequestID: through.RequestID}
		if item.Action == schedule.Unpublish {
			hidden = append(hidden, e.ID)
			s.hide(e)
		} else if err := s.release(ctx, through.RequestID, item, by, true); err != nil {
			return at, err
		}
	}
	if at, err = s.saveTogether(ctx); err != nil {
		return at, err
	}
	if err := s.cancelAll(ctx, items, hidden); err != nil {
		return at, err
	}
	return at, s.stores.Events.Record(ctx, s.released(through, items))
}

// hide removes the published version of e, if any: its end may have come before.
func (s *Set) hide(e *core.Entry) {
	if e.Published != nil {
		Hide(e)
		s.change(e)
	}
}

// saveTogether stores the changed entries with one time, and returns it.
func (s *Set) saveTogether(ctx context.Context) (at time.Time, err error) {
	if s.waiting == 0 {
		return s.stores.Clock.Now(ctx)
	}
	ids := make([]int64, 0, s.waiting)
	for _, changed := range s.changed {
		for _, e := range changed {
			ids = append(ids, e.ID)
		}
	}
	if at, err = s.stores.Entries.Moment(ctx, s.project.ID, ids); err != nil {
		return at, err
	}
	for _, changed := range s.changed {
		for _, e := range changed {
			e.Move.At = at
		}
	}
	_, err = s.save(ctx)
	return at, release.OfMembers(err)
}

// cancelAll removes the schedules that a release replaces: those of the drafts of its members, and the ends of the
// hidden ones.
func (s *Set) cancelAll(ctx context.Context, items []review.RequestItem, hidden []int64) error {
	ids := (&review.Request{Items: items}).EntryIDs()
	if err := s.stores.Schedules.CancelAll(ctx, s.project.ID, ids, schedule.Publish); err != nil {
		return err
	}
	return s.stores.Schedules.CancelAll(ctx, s.project.ID, hidden, schedule.Unpublish)
}

// released returns the event of a release.
func (s *Set) released(through Through, items []review.RequestItem) event.Event {
	released := &event.Released{Entries: make([]event.ReleasedEntry, len(items))}
	for i := range items {
		e := s.Entry(items[i].EntryID)
		released.Entries[i] = event.ReleasedEntry{ID: e.ID, Group: e.Group, Collection: s.schemas[e.CollectionID].Collection.Slug, Locale: e.Locale}
	}
	return event.Event{
		Type: event.ReleasePublished, TenantID: s.project.TenantID, ProjectID: s.project.ID, SubjectID: through.ID, ReleaseID: through.ID,
		ContentHash: through.ContentHash, ReleaseNumber: through.ReleaseNumber, Released: released,
	}
}

// readLibrary reads the media that the drafts of the set show, for their revisions, at once.
func (s *Set) readLibrary(ctx context.Context) error {
	var shown core.References
	for _, e := range s.entries {
		schema, err := s.Schema(ctx, e.CollectionID)
		if err != nil {
			return err
		}
		shown.Join(schema.Collection.References(e.Draft))
	}
	shown.Settle()
	items, err := ports.MediaShown(ctx, s.stores.Media, s.project.ID, shown)
	s.library = &items
	return err
}

// CheckItems returns core.KindConflict if entries of items cannot be published or unpublished any more, with a fault
// of each in Fields: with the code "member_gone" if one is deleted or in the trash, and with "base_changed" if one
// has another locale, or readers see another publication of it than at the submission. A publication that
// ended at its scheduled time, or that the system sealed as it was, is no other one.
func (s *Set) CheckItems(ctx context.Context, items []review.RequestItem) error {
	public, err := s.stores.Publications.Current(ctx, s.project.ID, (&review.Request{Items: items}).EntryIDs())
	if err != nil {
		return err
	}
	fault := core.Conflict("", "")
	for i := range items {
		item := &items[i]
		code, message, err := s.fault(ctx, item, public[item.EntryID])
		if err != nil {
			return err
		}
		if code == "" {
			continue
		}
		if fault.Code != CodeMemberGone {
			fault.Code = code
		}
		fault.Fields = append(fault.Fields, core.FieldError{Location: release.MemberLocation(item.EntryID, ""), Message: message})
	}
	if len(fault.Fields) == 0 {
		return nil
	}
	fault.Message = "members of the release changed since it was submitted: submit it again"
	return fault
}

// The codes of CheckItems.
const (
	CodeMemberGone  = "member_gone"
	CodeBaseChanged = "base_changed"
)

// ItemsChanged reports whether err is an error of CheckItems.
func ItemsChanged(err error) bool {
	e, ok := errors.AsType[*core.Error](err)
	return ok && e.Kind == core.KindConflict && (e.Code == CodeMemberGone || e.Code == CodeBaseChanged)
}

// fault returns why item cannot be published, with its code, or "". public is the publication that readers see, or the
// zero Publication.
func (s *Set) fault(ctx context.Context, item *review.RequestItem, public core.Publication) (code, message string, err error) {
	_, err = s.Schema(ctx, item.CollectionID)
	e := s.Entry(item.EntryID)
	switch {
	case errors.Is(err, core.ErrNotFound) || err == nil && (e == nil || e.Trashed()):
		return CodeMemberGone, "is deleted or in the trash", nil
	case err != nil:
		return "", "", err
	case e.Locale != item.Locale:
		return CodeBaseChanged, "has another locale than at the submission", nil
	case public.Number == item.BaseNumber && public.ContentHash == item.BaseHash:
		return "", "", nil
	}
	same, err := s.keepsBase(ctx, item, public)
	if err != nil || same {
		return "", "", err
	}
	return CodeBaseChanged, "was published or unpublished since the submission", nil
}

// keepsBase reports whether the base of item ended at its scheduled time, or public is the base, sealed by the system.
func (s *Set) keepsBase(ctx context.Context, item *review.RequestItem, public core.Publication) (bool, error) {
	if item.BaseNumber == 0 {
		return false, nil
	}
	if public.Number == 0 {
		last, err := s.stores.Publications.Publications(ctx, s.project.ID, item.CollectionID, item.EntryID, 0, 1)
		return err == nil && len(last) > 0 && last[0].Number == item.BaseNumber && last[0].Ended.OnTime, err
	}
	if public.Number != item.BaseNumber+1 || public.By.Kind != core.SystemActor.Ref().Kind || public.RequestID != 0 {
		return false, nil
	}
	before, err := s.stores.Publications.Publication(ctx, s.project.ID, item.CollectionID, item.EntryID, item.BaseNumber)
	if err != nil {
		return false, err
	}
	now, err := s.stores.Publications.Publication(ctx, s.project.ID, item.CollectionID, item.EntryID, public.Number)
	return err == nil && string(core.Document(before.Content).Value("fields")) == string(core.Document(now.Content).Value("fields")), err
}

// followRelease is Follow for a request of a release. Its items are read and locked only if they are published:
// any other change of the request is guarded by its version.
func (s *Set) followRelease(ctx context.Context, r *review.Request, by core.ActorRef) (at time.Time, err error) {
	schedules := s.stores.Schedules
	if r.Status == review.RequestApproved && !r.ScheduledAt.IsZero() {
		return at, s.publisher.Schedule(ctx, schedules, schedule.Schedule{
			ProjectID: r.ProjectID, ReleaseID: r.Release.ID, RequestID: r.ID, Action: schedule.Publish, DueAt: r.ScheduledAt, ScheduledBy: by,
		})
	}
	if r.Status == review.RequestPublished {
		if at, err = s.publishRequest(ctx, r, by); err != nil {
			return at, err
		}
	}
	return at, schedules.CancelRelease(ctx, r.ProjectID, r.Release.ID)
}

// publishRequest publishes the items of r. If another transaction has changed the request, it does no more than to
// wait for the locks.
func (s *Set) publishRequest(ctx context.Context, r *review.Request, by core.ActorRef) (at time.Time, err error) {
	items, err := s.stores.Requests.Items(ctx, r.ProjectID, r.ID)
	if err != nil {
		return at, err
	}
	members, err := s.publisher.Lock(ctx, s.stores, s.project, (&review.Request{Items: items}).EntryIDs()...)
	if err != nil {
		return at, err
	}
	if now, err := s.stores.Requests.Version(ctx, r.ProjectID, r.ID); err != nil || now != r.Version-1 {
		return at, cmp.Or(err, error(core.ErrChangedMeanwhile))
	}
	if !slices.ContainsFunc(items, func(i review.RequestItem) bool { return !i.Intact() }) {
		return members.PublishRelease(ctx, Through{*r.Release, r.ID, r.ReleaseNumber()}, items, by)
	}
	return at, errDamaged
}
