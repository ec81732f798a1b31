package releasing

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// MaxMembersPerPage is the largest number of members of a page.
const MaxMembersPerPage = 500

// MemberFilter selects members of a list. Zero members select all.
type MemberFilter struct {
	query.Window

	Action     schedule.Action
	Collection string // slug
	Locale     string
	Kind       release.Kind
	Changed    string // a path that the member changes, or one above it
	Seen       *bool
	Unchanged  *bool
}

// Member is a member of a release as one user sees it.
type Member struct {
	release.Member

	// ContentChanged reports that the draft differs from what was submitted.
	ContentChanged bool
	Seen           bool // the user has marked this content
	// Unchanged reports that the action, the content and the base are those of the round of the user's latest decision.
	Unchanged bool
	// Dropped has the names of the fields of the named publication that no longer exist.
	Dropped []string
}

// MemberCounts counts the members of a release.
type MemberCounts struct{ Members, New, Changed, Unpublish, Seen, Unchanged int }

// PathCount is the number of members that change a path.
type PathCount struct {
	Path  string
	Count int
}

// MemberPage is a page of members, with counts of all members of the release.
type MemberPage struct {
	query.Page[Member]

	Counts MemberCounts
	Paths  []PathCount // the most frequent first
}

// Members returns a page of the members of a release, by entry id. Those of an open release are as they would be
// submitted now. An invalid window is core.KindBadRequest.
func (rs *Releases) Members(ctx context.Context, actor core.Actor, project *core.Project, id int64, f MemberFilter) (page MemberPage, err error) {
	if err := f.check(); err != nil {
		return page, err
	}
	r, err := rs.Release(ctx, actor, project, id)
	if err != nil {
		return page, err
	}
	all, err := rs.members(ctx, actor, &r)
	if err != nil {
		return page, err
	}
	page.count(all)
	matching := slices.DeleteFunc(all, func(m Member) bool { return !f.matches(&m) })
	page.Window, page.Total = f.Window, int64(len(matching))
	from := min(f.Offset(), page.Total)
	to := min(from+f.PerPage, page.Total)
	page.Items, page.HasMore = matching[from:to], to < page.Total
	return page, rs.complete(ctx, actor, project, &r, page.Items)
}

// check sets the defaults of f.
func (f *MemberFilter) check() error {
	if f.PerPage <= query.MaxPerPage {
		return f.Window.Check(DefaultPerPage)
	}
	if f.PerPage > MaxMembersPerPage {
		return core.BadParameter("perPage", f.PerPage, fmt.Sprintf("must be from 1 to %d", MaxMembersPerPage))
	}
	perPage := f.PerPage
	f.PerPage = query.MaxPerPage
	err := f.Window.Check(DefaultPerPage)
	f.PerPage = perPage
	return err
}

func (f *MemberFilter) matches(m *Member) bool {
	return (f.Action == "" || m.Action == f.Action) && (f.Collection == "" || m.Collection == f.Collection) && (f.Locale == "" || m.Locale == f.Locale) &&
		(f.Kind == "" || m.Kind() == f.Kind) && (f.Seen == nil || m.Seen == *f.Seen) && (f.Unchanged == nil || m.Unchanged == *f.Unchanged) &&
		(f.Changed == "" || slices.ContainsFunc(m.Changed, func(path string) bool { return path == f.Changed || strings.HasPrefix(path, f.Changed+".") }))
}

func (p *MemberPage) count(all []Member) {
	paths := map[string]int{}
	p.Counts.Members = len(all)
	for _, m := range all {
		switch m.Kind() {
		case release.KindNew:
			p.Counts.New++
		case release.KindChanged:
			p.Counts.Changed++
		case release.KindUnpublish:
			p.Counts.Unpublish++
		}
		if m.Seen {
			p.Counts.Seen++
		}
		if m.Unchanged {
			p.Counts.Unchanged++
		}
		for _, path := range m.Changed {
			paths[path]++
		}
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		p.Paths = append(p.Paths, PathCount{path, paths[path]})
	}
	slices.SortStableFunc(p.Paths, func(a, b PathCount) int { return cmp.Compare(b.Count, a.Count) })
}

// members returns all members of r, without what only their content says.
func (rs *Releases) members(ctx context.Context, actor core.Actor, r *release.Release) ([]Member, error) {
	stored, err := rs.stores.Releases.Members(ctx, r.ProjectID, r.ID, r.State == release.Open)
	if err != nil {
		return nil, err
	}
	marks, err := rs.stores.Releases.Marks(ctx, r.ProjectID, r.ID, actor.UserID())
	if err != nil {
		return nil, err
	}
	seen := make(map[int64]string, len(marks))
	for _, m := range marks {
		seen[m.EntryID] = m.ContentHash
	}
	collections, err := collectionsOf(ctx, rs.stores, r.ProjectID)
	if err != nil {
		return nil, err
	}
	before, err := rs.decided(ctx, actor, r)
	if err != nil {
		return nil, err
	}
	all := make([]Member, len(stored))
	for i, m := range stored {
		if c := collections[m.CollectionID]; c != nil { // fields can be secret by now
			if c.Hides(m.TitleFieldID) {
				m.Title = ""
			}
			m.Changed = slices.DeleteFunc(m.Changed, func(place string) bool { return !c.ShowsPlace(place) })
		}
		if r.State == release.Open {
			m.ContentHash, m.Title, m.Changed = "", "", nil
		}
		hash, marked := seen[m.EntryID]
		last, known := before[m.EntryID]
		all[i] = Member{
			Member: m, Seen: marked && r.State != release.Open && hash == m.ContentHash,
			Unchanged: known && r.State != release.Open && last.Action == m.Action && last.ContentHash == m.ContentHash &&
				last.BaseNumber == m.BaseNumber && last.BaseHash == m.BaseHash,
		}
	}
	return all, nil
}

// sealedAs seals members as a submission would now or, of a release that is not open, as it was submitted.
func (rs *Releases) sealedAs(ctx context.Context, actor core.Actor, project *core.Project, r *release.Release, members []release.Member) (*sealer, error) {
	if r.State == release.Open {
		return rs.sealer(ctx, actor, project, members)
	}
	s := rs.newSealer(actor, project, r.RequestID != 0) // whatever governs the Project by now
	return s, s.seal(ctx, members)
}

// complete sets what the content of members of r says: of those of an open release what would be submitted now, of
// others whether their draft differs from it.
func (rs *Releases) complete(ctx context.Context, actor core.Actor, project *core.Project, r *release.Release, members []Member) error {
	if len(members) == 0 || actor.RoleInProject(project) == "" { // a holder of a custom role sees no drafts
		return nil
	}
	stored := make([]release.Member, len(members))
	for i, m := range members {
		stored[i] = m.Member
	}
	s, err := rs.sealedAs(ctx, actor, project, r, stored)
	if err != nil {
		return err
	}
	for i, now := range s.all {
		m := &members[i]
		switch {
		case r.State == release.Open:
			m.Title, m.ContentHash, m.Dropped = now.Title, now.ContentHash, now.dropped
		case m.Action == schedule.Publish && m.From == 0:
			m.ContentChanged = now.gone || now.item.ContentHash != m.ContentHash
		}
	}
	return nil
}

// decided returns the members of the round of the actor's latest decision, by entry id; none without a decision.
func (rs *Releases) decided(ctx context.Context, actor core.Actor, r *release.Release) (map[int64]review.RequestItem, error) {
	if r.Rounds == 0 || actor.User == nil {
		return nil, nil
	}
	rounds, err := rs.stores.Requests.ReleaseRequests(ctx, r.ProjectID, r.ID, 0, maxRounds)
	if err != nil {
		return nil, err
	}
	requestIDs := make([]int64, len(rounds))
	for i := range rounds {
		requestIDs[i] = rounds[i].ID
	}
	actions, err := rs.stores.Requests.Actions(ctx, r.ProjectID, requestIDs...)
	if err != nil {
		return nil, err
	}
	var latest int64
	for _, a := range actions { // oldest first
		if a.Type.Decision() && a.Actor.Kind == "user" && a.Actor.ID == actor.User.ID {
			latest = a.RequestID
		}
	}
	if latest == 0 {
		return nil, nil
	}
	items, err := rs.stores.Requests.Members(ctx, r.ProjectID, latest)
	byEntry := make(map[int64]review.RequestItem, len(items))
	for _, i := range items {
		byEntry[i.EntryID] = i
	}
	return byEntry, err
}

// maxRounds is the number of latest rounds that are searched for a decision.
const maxRounds = 100
