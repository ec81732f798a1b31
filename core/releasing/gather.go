package releasing

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/release"
)

// Gather puts the drafts of entries, at most release.MaxCall, into an open release of the actor with that name that
// has room, and creates one if there is none. It returns the last release that has some of them. Entries that such a
// release has already stay there, so that a call can be repeated.
func (rs *Releases) Gather(ctx context.Context, actor core.Actor, project *core.Project, name string, entries []int64) (release.Release, error) {
	if runes := []rune(name); len(runes) > release.MaxName {
		name = string(runes[:release.MaxName-1]) + "…"
	}
	open, err := rs.stores.Releases.Releases(ctx, release.Query{ProjectID: project.ID, States: []release.State{release.Open}, Limit: release.MaxOpen})
	if err != nil {
		return release.Release{}, err
	}
	open = slices.DeleteFunc(open, func(r release.Release) bool { return r.Name != name || !r.CreatedBy.Same(actor.Ref()) })
	var last release.Release
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
			return slices.ContainsFunc(present, func(m release.Member) bool { return m.EntryID == id })
		})
		room := min(release.MaxMembers-r.Counts.Members, len(entries))
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
