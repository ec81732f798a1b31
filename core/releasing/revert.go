package releasing

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Revert makes an open release of the actor that takes back a published one: it unpublishes what readers saw for
// the first time, and publishes again what they saw before. Members that were published or unpublished since are
// core.KindConflict with the code changed_since and a fault of each, or are left out with skipChanged.
func (rs *Releases) Revert(ctx context.Context, actor core.Actor, project *core.Project, id int64, skipChanged bool) (back release.Release, err error) {
	r, err := rs.Release(ctx, actor, project, id)
	if err != nil {
		return back, err
	}
	if r.State != release.Published {
		return back, core.Conflict("not_published", "the release is %s: only a published release can be taken back", r.State)
	}
	back = release.Release{ProjectID: project.ID, Name: revertName(r.Name), State: release.Open, Version: 1, CreatedBy: actor.Ref(), RevertOf: r.ID}
	back.Contribute(back.CreatedBy)
	err = rs.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		members, err := opposites(ctx, stores, &r, skipChanged)
		if err != nil {
			return err
		}
		if err := insert(ctx, stores, &back); err != nil {
			return err
		}
		return stores.Releases.PutMembers(ctx, project.ID, back.ID, members)
	})
	if err != nil {
		return back, err
	}
	return rs.Release(ctx, actor, project, back.ID)
}

// revertName returns the name of a release that takes back one with that name.
func revertName(name string) string {
	text := []rune("Revert: " + name)
	return string(text[:min(len(text), release.MaxName)])
}

// opposites returns the members that take back those of r, a published release.
func opposites(ctx context.Context, stores ports.Stores, r *release.Release, skipChanged bool) ([]release.Member, error) {
	members, err := stores.Releases.Members(ctx, r.ProjectID, r.ID, false)
	if err != nil {
		return nil, err
	}
	present, err := stores.Releases.Members(ctx, r.ProjectID, r.ID, true)
	if err != nil {
		return nil, err
	}
	latest, err := stores.Publications.Latest(ctx, r.ProjectID, ids(members))
	if err != nil {
		return nil, err
	}
	var back []release.Member
	changed := core.Conflict("changed_since", "entries were published or unpublished since; skipChanged leaves them out")
	for i, m := range members {
		opposite, ok := oppositeOf(r, &m, latest[m.EntryID])
		if !ok || present[i].Gone {
			changed.Fields = append(changed.Fields, core.FieldError{Location: release.MemberLocation(m.EntryID, ""), Message: "was published, unpublished or deleted since"})
			continue
		}
		back = append(back, opposite)
	}
	switch {
	case len(changed.Fields) > 0 && !skipChanged:
		return nil, changed
	case len(back) == 0:
		return nil, core.Conflict("nothing_to_revert", "all entries of the release were published, unpublished or deleted since")
	}
	return back, nil
}

// oppositeOf returns the member that takes back m. latest is the last publication of its entry; ok is false if readers
// do not see it any more as r has left it.
func oppositeOf(r *release.Release, m *release.Member, latest core.Publication) (back release.Member, ok bool) {
	back = release.Member{EntryID: m.EntryID, CollectionID: m.CollectionID, Collection: m.Collection, Locale: m.Locale, Action: schedule.Publish}
	switch {
	case m.Action == schedule.Unpublish:
		back.From = latest.Number
		return back, latest.UnpublishedAt.Equal(r.PublishedAt)
	case m.BaseNumber == 0:
		back.Action = schedule.Unpublish
	default:
		back.From = latest.Number - 1
	}
	return back, latest.PublishedAt.Equal(r.PublishedAt) && latest.UnpublishedAt.IsZero()
}
