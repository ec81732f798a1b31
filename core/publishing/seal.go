package publishing

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Seal opens the releases of each Project that a workflow governs and that wait for their time without a request, save
// for those whose members it all exempts. Of each such Project it seals the published versions of governed collections
// that show media of the library: each becomes a publication by the system, with the current words of the library.
// Sealed versions stay as they are, whatever governs. Call it last in a transaction that changes what governs the
// Projects, or that adds a removed field that shows media again, and that records an event of each Project.
func Seal(ctx context.Context, stores ports.Stores, projectIDs ...int64) error {
	s := Set{stores: stores, schemas: map[int64]core.Schema{}, changed: map[int64][]*core.Entry{}}
	for _, id := range projectIDs {
		if err := s.seal(ctx, id); err != nil {
			return err
		}
	}
	_, err := s.save(ctx)
	return err
}

// sealedAtOnce is the maximum number of sealed entries that wait for their save. They are saved as late as
// possible: a publication has the time of its save, and readers see it after the commit.
const sealedAtOnce = 100

// seal seals the published versions of the Project if a workflow governs it; what is sealed before stays
// sealed until its next publication. The cost depends only on the entries that show media and are not
// sealed.
func (s *Set) seal(ctx context.Context, projectID int64) error {
	workflow, err := Workflow(ctx, s.stores.Workflows, projectID)
	if err != nil || workflow == nil {
		return err
	}
	schema := core.Schema{}
	if schema.Collections, err = s.stores.Collections.Collections(ctx, projectID); err != nil {
		return err
	}
	if err := s.reopenGoverned(ctx, projectID, schema.Collections, workflow); err != nil {
		return err
	}
	ids, err := s.stores.Entries.Unsealed(ctx, projectID)
	if err != nil || len(ids) == 0 {
		return err
	}
	if schema.Project, err = s.stores.Projects.Project(ctx, projectID); err != nil {
		return err
	}
	for some := range slices.Chunk(ids, sealedAtOnce) {
		if s.waiting+len(some) > sealedAtOnce { // more would take too much memory
			if _, err := s.save(ctx); err != nil {
				return err
			}
		}
		if err := s.add(ctx, schema, workflow, some); err != nil {
			return err
		}
	}
	return nil
}

// reopenGoverned opens the releases that wait for their time without a request and have a member that the workflow
// governs.
func (s *Set) reopenGoverned(ctx context.Context, projectID int64, collections []*core.Collection, workflow *review.Workflow) error {
	const reason = "a workflow governs the project now: submit the release for review"
	return reopen(ctx, s.stores, projectID, reason, func(r *release.Release) (bool, error) {
		if len(workflow.Exempt) == 0 {
			return true, nil
		}
		members, err := s.stores.Releases.Members(ctx, projectID, r.ID, false)
		return workflow.GovernsAny(collections, release.CollectionsOf(members)), err
	})
}

// add seals the published versions of those entries that the workflow governs, with the current words of their media.
// Each that has such media becomes a new publication, because a sealed version has other content.
func (s *Set) add(ctx context.Context, schema core.Schema, workflow *review.Workflow, ids []int64) error {
	entries, err := s.stores.Entries.Entries(ctx, schema.Project.ID, ids)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e core.Entry) bool { return !workflow.Governs(schema.ByID(e.CollectionID).Slug) })
	var shown core.References
	for i := range entries {
		shown.Join(schema.ByID(entries[i].CollectionID).References(entries[i].Published))
	}
	shown.Settle()
	library, err := ports.MediaShown(ctx, s.stores.Media, schema.Project.ID, shown)
	if err != nil {
		return err
	}
	for i := range entries {
		e := &entries[i]
		c := schema.ByID(e.CollectionID)
		if e.PublishedMedia = c.Seal(e.Published, library); e.PublishedMedia == nil {
			continue
		}
		e.ReleasedAt, e.Publishing = time.Time{}, &core.Publishing{By: core.SystemActor.Ref()}
		e.Publishing.Content, e.PublishedHash, _ = c.Snapshot(e.Locale, e.Published, e.PublishedMedia)
		schema.Collection = c
		s.schemas[c.ID] = schema
		s.change(e)
	}
	return nil
}

// ReopenOf opens the releases that wait for their time without a request and have entries of a collection, which is
// deleted.
func ReopenOf(ctx context.Context, stores ports.Stores, projectID, collectionID int64) error {
	return reopen(ctx, stores, projectID, CollectionDeleted, func(r *release.Release) (bool, error) {
		members, err := stores.Releases.Members(ctx, projectID, r.ID, false)
		return slices.ContainsFunc(members, func(m release.Member) bool { return m.CollectionID == collectionID }), err
	})
}

// CollectionDeleted says why a release whose entries were deleted with their collection is open again.
const CollectionDeleted = "a collection was deleted with its entries, which are no longer in the release"

// reopen opens the releases of a Project that wait for their time without a request, with the fault, if fits says so.
func reopen(ctx context.Context, stores ports.Stores, projectID int64, fault string, fits func(*release.Release) (bool, error)) error {
	waiting, err := stores.Releases.Releases(ctx, release.Query{ProjectID: projectID, States: []release.State{release.Approved}, Limit: release.MaxOpen})
	if err != nil {
		return err
	}
	for _, r := range waiting {
		if r.Latest.Status.Open() {
			continue
		}
		if fit, err := fits(&r); err != nil {
			return err
		} else if !fit {
			continue
		}
		if r, err = stores.Releases.Lock(ctx, projectID, r.ID); err != nil {
			return err
		}
		if r.State != release.Approved {
			continue // published meanwhile
		}
		if err := Reopen(ctx, stores, r, fault); err != nil {
			return err
		}
	}
	return nil
}

// Reopen opens a locked release that waits for its time without a request. fault says what kept it from its
// publication; empty: nothing.
func Reopen(ctx context.Context, stores ports.Stores, r release.Release, fault string) error {
	if err := stores.Schedules.CancelRelease(ctx, r.ProjectID, r.ID); err != nil {
		return err
	}
	now, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	r.State, r.Fault, r.Version, r.UpdatedAt = release.Open, fault, r.Version+1, now
	return stores.Releases.SetState(ctx, r)
}

// Waits reports whether an entry is in a release that waits for its time: no write makes anything of it public.
func Waits(ctx context.Context, releases ports.ReleaseReader, projectID, entryID int64) (bool, error) {
	if entryID == 0 {
		return false, nil
	}
	summaries, err := releases.Summaries(ctx, projectID, []int64{entryID})
	return summaries[entryID].State.Submitted(), err
}
