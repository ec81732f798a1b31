package releasing

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// MemberInput is an entry to put into a release.
type MemberInput struct {
	EntryID int64
	Action  schedule.Action // empty: schedule.Publish
	From    int64           // number of a publication; 0: the draft
}

// PutMembers adds entries to an open release, all or none. Each takes the place of the member with its entry.
// Locations of faults begin with the index of the entry: members[3].
func (rs *Releases) PutMembers(ctx context.Context, actor core.Actor, ref Ref, in []MemberInput) (release.Release, error) {
	if err := checkCall("members", len(in)); err != nil {
		return release.Release{}, err
	}
	if actor.Assistant != nil && slices.ContainsFunc(in, func(m MemberInput) bool { return m.Action == schedule.Unpublish }) {
		return release.Release{}, core.Forbidden("an assistant does not unpublish")
	}
	return rs.change(ctx, actor, ref, func(ctx context.Context, stores ports.Stores, r *release.Release) (bool, error) {
		members, err := checkMembers(ctx, stores, ref.Project, r, in)
		if err != nil {
			return false, err
		}
		present, err := stores.Releases.Members(ctx, r.ProjectID, r.ID, false, ids(members)...)
		if err != nil || same(present, members) {
			return false, err
		}
		r.Contribute(actor.Ref())
		return true, stores.Releases.PutMembers(ctx, r.ProjectID, r.ID, members)
	})
}

// checkCall checks the number of members of one call.
func checkCall(location string, n int) error {
	if n < 1 || n > release.MaxCall {
		return core.Invalid(core.FieldError{Location: location, Message: fmt.Sprintf("must have from 1 to %d elements", release.MaxCall)})
	}
	return nil
}

// checkMembers returns the members of in, ordered by entry id, or all their faults.
func checkMembers(ctx context.Context, stores ports.Stores, project *core.Project, r *release.Release, in []MemberInput) ([]release.Member, error) {
	entries, collections, err := entriesOf(ctx, stores, project, in)
	if err != nil {
		return nil, err
	}
	old, err := stores.Releases.Members(ctx, r.ProjectID, r.ID, false)
	if err != nil {
		return nil, err
	}
	count := len(old)
	seen, known := map[int64]bool{}, map[int64]bool{}
	for _, m := range old {
		known[m.EntryID] = true
	}
	var found core.Faults
	var members []release.Member
	for i, m := range in {
		at := memberAt(i)
		e := entries[m.EntryID]
		if m.Action == "" {
			m.Action = schedule.Publish
		}
		if !known[m.EntryID] && !seen[m.EntryID] {
			count++
		}
		switch {
		case m.EntryID == 0:
			found.Add(at+".entryId", nil, "is required")
		case seen[m.EntryID]:
			found.Add(at+".entryId", m.EntryID, "is in the list twice")
		case e == nil || collections[e.CollectionID] == nil:
			found.Add(at+".entryId", m.EntryID, "is no entry of the project")
		case e.Trashed():
			found.Add(at+".entryId", m.EntryID, "is in the trash")
		case count > release.MaxMembers:
			found.Addf(at+".entryId", m.EntryID, "is one too many: a release has at most %d members", release.MaxMembers)
		case m.Action != schedule.Publish && m.Action != schedule.Unpublish:
			found.Add(at+".action", core.Clip(string(m.Action)), "must be publish or unpublish")
		case m.From != 0 && m.Action == schedule.Unpublish:
			found.Add(at+".from", nil, "goes with the action publish")
		default:
			members = append(members, release.Member{
				EntryID: e.ID, CollectionID: e.CollectionID, Collection: collections[e.CollectionID].Slug, Locale: e.Locale, Action: m.Action, From: m.From,
			})
		}
		seen[m.EntryID] = true
	}
	if err := checkPublications(ctx, stores, project.ID, in, members, &found); err != nil {
		return nil, err
	}
	slices.SortFunc(members, byEntry)
	return members, found.Err()
}

// entriesOf returns the entries that in names, by id, and the collections of the Project.
func entriesOf(ctx context.Context, stores ports.Stores, project *core.Project, in []MemberInput) (map[int64]*core.Entry, map[int64]*core.Collection, error) {
	wanted := make([]int64, len(in))
	for i, m := range in {
		wanted[i] = m.EntryID
	}
	found, err := stores.Entries.Entries(ctx, project.ID, core.Distinct(wanted))
	if err != nil {
		return nil, nil, err
	}
	collections, err := collectionsOf(ctx, stores, project.ID)
	return core.EntriesByID(found), collections, err
}

// collectionsOf returns the collections of a Project by id.
func collectionsOf(ctx context.Context, stores ports.Stores, projectID int64) (map[int64]*core.Collection, error) {
	all, err := stores.Collections.Collections(ctx, projectID)
	byID := make(map[int64]*core.Collection, len(all))
	for _, c := range all {
		byID[c.ID] = c
	}
	return byID, err
}

// checkPublications adds a fault for each member that names a publication that its entry does not have in its
// present locale.
func checkPublications(ctx context.Context, stores ports.Stores, projectID int64, in []MemberInput, members []release.Member, found *core.Faults) error {
	contents, err := publicationsOf(ctx, stores, projectID, members)
	if err != nil {
		return err
	}
	for _, m := range members {
		if p, ok := contents[m.EntryID]; m.From != 0 && (!ok || p.Locale() != m.Locale) {
			i := slices.IndexFunc(in, func(in MemberInput) bool { return in.EntryID == m.EntryID })
			found.Add(memberAt(i)+".from.publication", m.From, "is no publication of the entry in its locale")
		}
	}
	return nil
}

// publicationsOf returns the publications with their content that members name, by entry id.
func publicationsOf(ctx context.Context, stores ports.Stores, projectID int64, members []release.Member) (map[int64]core.Publication, error) {
	var named []core.PublicationKey
	for _, m := range members {
		if m.From != 0 {
			named = append(named, core.PublicationKey{EntryID: m.EntryID, Number: m.From})
		}
	}
	found, err := stores.Publications.Contents(ctx, projectID, named)
	byEntry := make(map[int64]core.Publication, len(found))
	for _, p := range found {
		byEntry[p.EntryID] = p
	}
	return byEntry, err
}

func byEntry(a, b release.Member) int { return cmp.Compare(a.EntryID, b.EntryID) }

func ids(members []release.Member) []int64 {
	all := make([]int64, len(members))
	for i, m := range members {
		all[i] = m.EntryID
	}
	return all
}

// same reports whether two lists say the same about the same entries.
func same(a, b []release.Member) bool {
	return slices.EqualFunc(a, b, func(a, b release.Member) bool {
		return a.EntryID == b.EntryID && a.Action == b.Action && a.From == b.From
	})
}

// RemoveMembers removes entries from an open release. An entry that is no member is no error.
func (rs *Releases) RemoveMembers(ctx context.Context, actor core.Actor, ref Ref, entryIDs []int64) (release.Release, error) {
	if err := checkCall("entryIds", len(entryIDs)); err != nil {
		return release.Release{}, err
	}
	return rs.change(ctx, actor, ref, func(ctx context.Context, stores ports.Stores, r *release.Release) (bool, error) {
		n, err := stores.Releases.RemoveMembers(ctx, r.ProjectID, r.ID, entryIDs)
		if n > 0 {
			r.Contribute(actor.Ref())
		}
		return n > 0, err
	})
}
