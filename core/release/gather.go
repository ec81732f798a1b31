package release

import (
	"context"
	"slices"

	"imprimatur/core"
)

// Gather puts the drafts of entries, at most core.MaxReleaseCall, into an open release of the actor with that name that
// has room, and creates one if there is none. It returns the last release that has some of them. Entries that such a
// release has already stay there, so that a call can be repeated.
func (rs *Releases) Gather(ctx context.Context, actor core.Actor, project *core.Project, name string, entries []int64) (core.Release, error) {
	if runes := []rune(name); len(runes) > core.MaxReleaseName {
		name = string(runes[:core.MaxReleaseName-1]) + "…"
	}
	open, err := rs.stores.Releases.Releases(ctx, core.ReleaseQuery{ProjectID: project.ID, States: []core.ReleaseState{core.ReleaseOpen}, Limit: core.MaxOpenReleases})
	if err != nil {
		return core.Release{}, err
	}
	open = slices.DeleteFunc(open, func(r core.Release) bool { return r.Name != name || !r.CreatedBy.Same(actor.Ref()) })
	var last core.Release
	for i := 0; len(entries) > 0; i++ {
		if i == len(open) {
			r, err := rs.Create(ctx, actor, project, Change{Name: &name})
			if err != nil {
				return last, err
			}
			open = append(open, r)
		}
		r := open[i]
		present, err := rs.stores.Releases.Members(ctx, project.ID, r.ID, false, entries...)
		if err != nil {
			return last, err
		}
		if len(present) > 0 {
			last = r
		}
		entries = slices.DeleteFunc(slices.Clone(entries), func(id int64) bool {
			return slices.ContainsFunc(present, func(m core.ReleaseMember) bool { return m.EntryID == id })
		})
		room := min(core.MaxReleaseMembers-r.Counts.Members, len(entries))
		if room == 0 {
			continue
		}
		in := make([]MemberInput, room)
		for j, id := range entries[:room] {
			in[j] = MemberInput{EntryID: id}
		}
		if last, err = rs.PutMembers(ctx, actor, Ref{Project: project, ID: r.ID}, in); err != nil {
			return last, err
		}
		entries = entries[room:]
	}
	return last, nil
}
