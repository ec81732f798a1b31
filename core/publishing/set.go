package publishing

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/fileurl"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/validation"
	"imprimatur/ports"
)

// Publisher publishes, unpublishes and schedules entries. It is safe for concurrent use.
type Publisher struct {
	// Files are the base URLs of the files of this installation.
	Files []fileurl.Base
	// Wake has the worker of this process look for due schedules.
	Wake func()

	clock ports.Clock
}

// New returns a Publisher. Revisions have the times of clock. wake, unless it is nil, is called after a schedule
// was stored, so that the worker of this process does not wait for its next poll. files are the base URLs
// of the files of this installation, that of responses first; none: addresses without a host.
func New(clock ports.Clock, wake func(), files ...fileurl.Base) *Publisher {
	if len(files) == 0 {
		files = []fileurl.Base{""}
	}
	if wake == nil {
		wake = func() {}
	}
	return &Publisher{files, wake, clock}
}

// Set is the entries that one transaction publishes, unpublishes or schedules together: those of the items
// of a request, or a single entry. The transaction has locked them. A Set is not safe for concurrent use.
type Set struct {
	publisher *Publisher
	stores    ports.Stores
	project   *core.Project
	entries   []*core.Entry           // those that exist, by id
	missing   bool                    // some do not exist
	schemas   map[int64]core.Schema   // those that are known, by collection
	changed   map[int64][]*core.Entry // entries that are not saved yet, by collection
	waiting   int                     // the number of these entries
	library   *[]core.MediaItem       // the media that the drafts of the entries show; nil: not read
	pruning   pruning                 // of the entries that are not saved yet
}

// Lock locks the entries until the transaction of stores ends, in the order of their ids, and returns their
// Set. Entries that do not exist are no error. project is the Project as this transaction reads it.
func (p *Publisher) Lock(ctx context.Context, stores ports.Stores, project *core.Project, ids ...int64) (*Set, error) {
	locked, err := lock(ctx, stores.Entries, project.ID, ids)
	s := p.Locked(stores, project, locked)
	s.missing = len(locked) < len(ids)
	return s, err
}

// Locked returns the Set of entries that the transaction of stores has locked, in the order of their ids, and not
// changed since.
func (p *Publisher) Locked(stores ports.Stores, project *core.Project, entries []core.Entry) *Set {
	s := &Set{publisher: p, stores: stores, project: project, schemas: map[int64]core.Schema{}, changed: map[int64][]*core.Entry{}}
	for i := range entries {
		s.entries = append(s.entries, &entries[i])
	}
	return s
}

// lock locks the entries and returns those that exist, by id.
func lock(ctx context.Context, entries ports.EntryLocker, projectID int64, ids []int64) ([]core.Entry, error) {
	if len(ids) != 1 {
		return entries.LockAll(ctx, projectID, ids)
	}
	e, err := entries.Lock(ctx, projectID, ids[0])
	if errors.Is(err, core.ErrNotFound) {
		return nil, nil
	}
	return []core.Entry{e}, err
}

// Entry returns an entry of the set as it is now, also from the trash, or nil if it does not exist.
func (s *Set) Entry(id int64) *core.Entry {
	i, found := slices.BinarySearchFunc(s.entries, id, func(e *core.Entry, id int64) int { return cmp.Compare(e.ID, id) })
	if !found {
		return nil
	}
	return s.entries[i]
}

// Schema returns the current schema of a collection, or core.ErrNotFound when it was deleted.
func (s *Set) Schema(ctx context.Context, collectionID int64) (core.Schema, error) {
	if known, ok := s.schemas[collectionID]; ok {
		return known, nil
	}
	schema, err := ports.SchemaOf(ctx, s.stores.Collections, s.project, collectionID)
	if err == nil {
		s.schemas[collectionID] = schema
	}
	return schema, err
}

// Follow does with the items of r what its status says: those of an approved request with a time are scheduled,
// those of a published one become public now, with by as the publisher, and those of any other that is not
// pending are scheduled no more. at is the time of the publication, which is the present time if readers see all items
// already; zero: nothing was published.
//
// A publication is sealed, whatever governs the Project by now. It is core.KindConflict when a snapshot is
// damaged, and when an entry or its collection is deleted or the entry is in the trash, and core.ErrInvalid
// when another entry holds a unique value. For a release it has the errors of PublishRelease, and returns
// core.ErrChangedMeanwhile if another transaction has changed r.
func (s *Set) Follow(ctx context.Context, r *review.Request, by core.ActorRef) (at time.Time, err error) {
	switch {
	case r.Status == review.RequestPending:
		return at, nil
	case r.Release != nil:
		return s.followRelease(ctx, r, by)
	}
	for i := range r.Items {
		if err := s.schedule(ctx, r, &r.Items[i], by); err != nil {
			return at, err
		}
	}
	if r.Status != review.RequestPublished {
		return at, nil
	}
	for i := range r.Items {
		if err := s.release(ctx, r.ID, &r.Items[i], by, false); err != nil {
			return at, err
		}
	}
	if s.waiting == 0 {
		return s.stores.Clock.Now(ctx)
	}
	return s.save(ctx)
}

// schedule stores or cancels the schedules of an item of r, according to the status of r.
func (s *Set) schedule(ctx context.Context, r *review.Request, item *review.RequestItem, by core.ActorRef) error {
	if s.Entry(item.EntryID) == nil {
		return nil // its schedules were deleted with it
	}
	schedules, next := s.stores.Schedules, schedule.Schedule{
		ProjectID: r.ProjectID, EntryID: item.EntryID, CollectionID: item.CollectionID, RequestID: r.ID, ScheduledBy: by,
	}
	if r.Status == review.RequestApproved && !r.ScheduledAt.IsZero() {
		next.Action, next.DueAt, next.UnpublishAt = schedule.Publish, r.ScheduledAt, r.UnpublishAt
		return s.publisher.Schedule(ctx, schedules, next)
	}
	if err := schedules.Cancel(ctx, r.ProjectID, item.EntryID, schedule.Publish); err != nil || r.Status != review.RequestPublished {
		return err
	}
	next.DueAt = r.UnpublishAt
	return s.publisher.End(ctx, schedules, next)
}

var errDamaged = core.Conflict("snapshot_damaged", "the stored snapshot differs from what was submitted: withdraw the request and submit again")

// release makes an item of a request public. always is that of review.NextVersion.
func (s *Set) release(ctx context.Context, requestID int64, item *review.RequestItem, by core.ActorRef, always bool) error {
	if !item.Intact() {
		return errDamaged
	}
	schema, err := s.Schema(ctx, item.CollectionID)
	if e := s.Entry(item.EntryID); e == nil || e.Trashed() || errors.Is(err, core.ErrNotFound) {
		return core.Conflict("entry_gone", "the entry is deleted or in the trash")
	}
	if err != nil {
		return err
	}
	next := item.Release(requestID, schema.Collection, by)
	next.Always = always
	return s.show(ctx, schema, s.Entry(item.EntryID), next)
}

// checkDrafts returns core.ErrNotFound when an entry was deleted or is in the trash, and core.ErrInvalid with all
// faults of an incomplete draft whose scheduled time has come. Its required relations had public targets when it
// was scheduled, which is not checked again.
func (s *Set) checkDrafts(ctx context.Context, reviewed bool) error {
	if s.missing || slices.ContainsFunc(s.entries, (*core.Entry).Trashed) {
		return core.NotFound("entry")
	}
	for _, e := range s.entries {
		schema, err := s.Schema(ctx, e.CollectionID)
		if err != nil {
			return err
		}
		found, err := ports.TargetsIn(s.stores, core.SystemActor).Faults(ctx, schema, e.Draft.Values(), ports.Needs{})
		if err != nil {
			return err
		}
		if reviewed {
			validation.ForeignPictures(schema.Collection, e.Draft, s.publisher.Files, &found)
		}
		if err := found.Err(); err != nil {
			return err
		}
	}
	return nil
}

// PublishDrafts makes the drafts of all entries public now, with by as the publisher, until the time until;
// zero: without an end. It returns the errors of checkDrafts, and core.ErrInvalid when another entry holds a
// unique value.
func (s *Set) PublishDrafts(ctx context.Context, by core.ActorRef, until time.Time) error {
	if err := s.checkDrafts(ctx, false); err != nil {
		return err
	}
	for _, e := range s.entries {
		if err := s.show(ctx, s.schemas[e.CollectionID], e, review.NextVersion{Document: e.Draft, By: by}); err != nil {
			return err
		}
	}
	if _, err := s.save(ctx); err != nil {
		return err
	}
	for _, e := range s.entries {
		end := schedule.Schedule{ProjectID: e.ProjectID, EntryID: e.ID, CollectionID: e.CollectionID, DueAt: until, ScheduledBy: by}
		if err := s.publisher.End(ctx, s.stores.Schedules, end); err != nil {
			return err
		}
	}
	return nil
}

// SubmitDrafts closes the newest revision of each entry, for a request that the caller opens. It returns the
// errors of checkDrafts.
func (s *Set) SubmitDrafts(ctx context.Context) error {
	if err := s.checkDrafts(ctx, true); err != nil {
		return err
	}
	for _, e := range s.entries {
		before, versions := *e, s.publisher.In(s.stores, s.schemas[e.CollectionID], core.SystemActor.Ref())
		if err := versions.Record(ctx, &before, e, RevisionWrite{Submitted: true}); err != nil {
			return err
		}
		if err := s.stores.Entries.SetRevision(ctx, e.ProjectID, e.ID, e.Revision); err != nil {
			return err
		}
	}
	return nil
}

// CloseRevisions closes the newest revision of each of the entries, for a request that the caller opens. chosen has
// the ids of those of which the request publishes another version than the draft.
func (s *Set) CloseRevisions(ctx context.Context, chosen map[int64]bool) error {
	if err := s.readLibrary(ctx); err != nil {
		return err
	}
	revisions := make(map[int64]core.Document, len(s.entries))
	for _, e := range s.entries {
		before, versions := *e, s.publisher.In(s.stores, s.schemas[e.CollectionID], core.SystemActor.Ref())
		versions.library, versions.pruning = s.library, &s.pruning
		if err := versions.Record(ctx, &before, e, RevisionWrite{Submitted: true, Chosen: chosen[e.ID]}); err != nil {
			return err
		}
	}
	if err := s.pruning.run(ctx, s.stores.Revisions); err != nil {
		return err
	}
	for _, e := range s.entries {
		revisions[e.ID] = e.Revision
	}
	return s.stores.Entries.SetRevisions(ctx, s.project, revisions)
}

// Unpublish removes the published version of each entry, whose scheduled end is due, also of one in the trash,
// which is then restored as a draft. It leaves requests and the schedules of drafts, and entries that are not
// published.
func (s *Set) Unpublish(ctx context.Context) error {
	for _, e := range s.entries {
		if e.Published != nil {
			Hide(e)
			e.Move = core.Move{OnTime: true}
			s.change(e)
		}
	}
	_, err := s.save(ctx)
	return err
}

// show makes the release the published version of e, which save stores, unless readers see it already.
func (s *Set) show(ctx context.Context, schema core.Schema, e *core.Entry, release review.NextVersion) error {
	before, versions := *e, s.publisher.In(s.stores, schema, core.SystemActor.Ref())
	versions.library, versions.pruning = s.library, &s.pruning
	if err := versions.Show(ctx, e, release); err != nil {
		return err
	}
	if e.Publishing == nil && string(before.Published) == string(e.Published) {
		return nil
	}
	if err := versions.Record(ctx, &before, e, RevisionWrite{}); err != nil {
		return err
	}
	s.change(e)
	return nil
}

func (s *Set) change(e *core.Entry) {
	e.Version++
	s.waiting++
	s.changed[e.CollectionID] = append(s.changed[e.CollectionID], e)
}

// save stores the changed entries, with one write for each collection. It returns the time of the last
// publication among them.
func (s *Set) save(ctx context.Context) (at time.Time, err error) {
	if err := s.pruning.run(ctx, s.stores.Revisions); err != nil {
		return at, err
	}
	for _, id := range slices.Sorted(maps.Keys(s.changed)) {
		schema, err := s.Schema(ctx, id)
		if err != nil {
			return at, err
		}
		if err := s.stores.Entries.Save(ctx, schema, nil, s.changed[id]); err != nil {
			return at, core.ChangedMeanwhile(err)
		}
		for _, e := range s.changed[id] {
			at, e.Publishing, e.Move = e.ReleasedAt, nil, core.Move{}
		}
	}
	clear(s.changed)
	s.waiting = 0
	return at, nil
}
