package approval

import (
	"context"
	"maps"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// DefaultPerPage is the number of items on a page unless the client requests another number.
const DefaultPerPage = 25

// Inbox lists the requests that wait for a user or otherwise concern the user, in every Project
// where the user has a role or holds a custom role.
type Inbox struct{ stores ports.Stores }

// NewInbox returns an Inbox that reads from stores.
func NewInbox(stores ports.Stores) *Inbox { return &Inbox{stores} }

// InboxFilter selects a page of a list of an inbox. The zero value is the first page of all
// pending requests, oldest first.
type InboxFilter struct {
	query.Window

	List      review.InboxList
	ProjectID int64  // 0: every Project
	Commented bool   // only requests with open comments
	Delegated *bool  // as review.InboxQuery.Delegated
	Overdue   bool   // only requests that are overdue
	Sort      string // one of Sorts; empty: the first of them
}

// Sorts returns the values of InboxFilter.Sort for a list, the default first.
func Sorts(list review.InboxList) []string {
	return map[review.InboxList][]string{
		review.InboxPending:   {"submittedAt:asc", "submittedAt:desc", "submittedAt", "dueAt:asc", "dueAt:desc", "dueAt"},
		review.InboxSubmitted: {"submittedAt:desc", "submittedAt:asc", "submittedAt", "dueAt:asc", "dueAt:desc", "dueAt"},
		review.InboxReturned:  {"submittedAt:desc", "submittedAt:asc", "submittedAt"},
		review.InboxScheduled: {"scheduledPublishAt:asc", "scheduledPublishAt:desc", "scheduledPublishAt"},
		review.InboxDecided:   {"decidedAt:desc", "decidedAt:asc", "decidedAt"},
	}[list]
}

// List returns a page of a list of the actor's inbox. An invalid filter is core.KindBadRequest
// and names the parameter: page, perPage, project or sort.
func (i *Inbox) List(ctx context.Context, actor core.Actor, f InboxFilter) (page query.Page[View], err error) {
	if err := f.Check(DefaultPerPage); err != nil {
		return page, err
	}
	if err := f.check(); err != nil {
		return page, err
	}
	q := review.InboxQuery{
		List: f.List, Reach: review.ReachOf(actor), ProjectID: f.ProjectID, Commented: f.Commented, Delegated: f.Delegated,
		Overdue: f.Overdue, ByDeadline: strings.HasPrefix(f.Sort, "dueAt"), Descending: strings.HasSuffix(f.Sort, ":desc"), Offset: f.Offset(), Limit: f.PerPage,
	}
	requests, err := i.stores.Requests.Inbox(ctx, q)
	if err != nil {
		return page, err
	}
	total, err := i.stores.Requests.InboxCount(ctx, q)
	if err != nil {
		return page, err
	}
	views, err := i.views(ctx, actor, requests[:min(int64(len(requests)), f.PerPage)])
	return query.Page[View]{Items: views, Window: f.Window, Total: total, HasMore: len(requests) > len(views)}, err
}

// Find returns up to limit requests that the actor may see and whose release number is text, one of
// each Tenant at most. It returns none if text is no release number.
func (i *Inbox) Find(ctx context.Context, actor core.Actor, text string, limit int64) ([]View, error) {
	number, ok := review.ParseReleaseNumber(text)
	if !ok {
		return nil, nil
	}
	requests, err := i.stores.Requests.Inbox(ctx, review.InboxQuery{List: review.InboxNumbered, Reach: review.ReachOf(actor), Number: number, Limit: limit})
	if err != nil {
		return nil, err
	}
	return i.views(ctx, actor, requests[:min(int64(len(requests)), limit)])
}

// check sets the default of f.Sort and checks f.
func (f *InboxFilter) check() error {
	sorts := Sorts(f.List)
	if f.Sort == "" {
		f.Sort = sorts[0]
	}
	switch {
	case f.ProjectID < 0:
		return core.BadParameter("project", f.ProjectID, "must be the id of a project")
	case !slices.Contains(sorts, f.Sort):
		return core.BadParameter("sort", nil, "must be one of "+strings.Join(sorts, ", "))
	default:
		return nil
	}
}

// views returns requests as the actor sees them. It reads the data of all requests of one
// Project at once.
func (i *Inbox) views(ctx context.Context, actor core.Actor, requests []review.Request) ([]View, error) {
	views := make([]View, len(requests))
	byProject := map[int64][]*View{}
	for n, r := range requests {
		views[n] = View{Request: r, Actions: []review.Action{}}
		byProject[r.ProjectID] = append(byProject[r.ProjectID], &views[n])
	}
	projects, err := i.stores.Projects.ProjectsByIDs(ctx, slices.Sorted(maps.Keys(byProject)))
	if err != nil {
		return nil, err
	}
	for _, project := range projects {
		if err := fill(ctx, i.stores, actor, project, byProject[project.ID]); err != nil {
			return nil, err
		}
	}
	return views, nil
}

// fill completes the views of one Project's requests as actor sees them: whether the actor can
// act, the actions, the title, whether the content has changed, the deciders and, if the
// item has a Snapshot, Shown. The number of SQL statements does not depend on the number of
// views.
func fill(ctx context.Context, stores ports.Stores, actor core.Actor, project *core.Project, views []*View) error {
	ids, entryIDs := make([]int64, len(views)), make([]int64, 0, len(views))
	for n, v := range views {
		if ids[n] = v.Request.ID; v.Request.Release == nil {
			entryIDs = append(entryIDs, v.Request.Item().EntryID)
		}
	}
	actions, err := stores.Requests.Actions(ctx, project.ID, ids...)
	if err != nil {
		return err
	}
	collections, err := stores.Collections.Collections(ctx, project.ID)
	if err != nil {
		return err
	}
	entries, err := stores.Entries.Entries(ctx, project.ID, entryIDs)
	if err != nil {
		return err
	}
	schema := core.Schema{Project: project, Collections: collections}
	drafts, err := draftHashes(ctx, stores.Media, schema, entries)
	if err != nil {
		return err
	}
	reviewers, err := stores.Grants.Reviewers(ctx, project.TenantID, project.DepartmentID, project.ID)
	if err != nil {
		return err
	}
	for _, v := range views {
		v.Actions = slices.DeleteFunc(slices.Clone(actions), func(a review.Action) bool { return a.RequestID != v.Request.ID })
		v.judge(actor, project)
		v.review(reviewers)
		if v.Request.Release != nil {
			v.Title = v.Request.Title()
			continue
		}
		item := v.Request.Item()
		v.ContentChanged = drafts[item.EntryID] != v.Request.ContentHash()
		collection := schema.ByID(item.CollectionID) // nil when it was deleted
		v.Title = titleOf(item, collection)
		if item.Snapshot != nil {
			v.Shown = shown(item, collection)
		}
	}
	return nil
}

// draftHashes returns the content hashes of the drafts of entries by entry id, with the current
// words of their media. It omits entries of deleted collections.
func draftHashes(ctx context.Context, media ports.MediaStore, schema core.Schema, entries []core.Entry) (map[int64]string, error) {
	var shown core.References
	for i := range entries {
		if c := schema.ByID(entries[i].CollectionID); c != nil {
			shown.Join(c.References(entries[i].Draft))
		}
	}
	shown.Settle()
	library, err := ports.MediaShown(ctx, media, schema.Project.ID, shown)
	if err != nil {
		return nil, err
	}
	hashes := make(map[int64]string, len(entries))
	for i := range entries {
		e := &entries[i]
		if c := schema.ByID(e.CollectionID); c != nil {
			_, hashes[e.ID], _ = c.Snapshot(e.Locale, e.Draft, c.Seal(e.Draft, library))
		}
	}
	return hashes, nil
}

// Summary counts the requests that wait for the actor, those that the actor submitted, those that came
// back to the actor, and the scheduled ones.
func (i *Inbox) Summary(ctx context.Context, actor core.Actor) (review.InboxSummary, error) {
	return i.stores.Requests.InboxSummary(ctx, review.ReachOf(actor))
}

// FailedFilter selects a page of the failed publications. The zero value is the first page of all
// Projects.
type FailedFilter struct {
	query.Window

	ProjectID int64 // 0: every Project
}

// Failed returns the publications and ends of publications that have failed and will be tried
// again, in the Projects that the actor is an admin of, ordered by the time of the next attempt.
// An invalid filter is core.KindBadRequest and names the parameter.
func (i *Inbox) Failed(ctx context.Context, actor core.Actor, f FailedFilter) (page query.Page[schedule.Schedule], err error) {
	if err := f.Check(DefaultPerPage); err != nil {
		return page, err
	}
	projects, err := i.projects(ctx, actor, core.RoleAdmin)
	if err != nil {
		return page, err
	}
	var ids []int64
	for _, p := range projects {
		if f.ProjectID == 0 || p.ID == f.ProjectID {
			ids = append(ids, p.ID)
		}
	}
	q := schedule.Query{ProjectIDs: ids, Failed: true, Offset: f.Offset(), Limit: f.PerPage}
	found, err := i.stores.Schedules.Schedules(ctx, q)
	if err != nil {
		return page, err
	}
	total, err := i.stores.Schedules.Count(ctx, q)
	return query.Page[schedule.Schedule]{Items: found, Window: f.Window, Total: total, HasMore: q.Offset+int64(len(found)) < total}, err
}

// projects returns the Projects in which the actor has at least the role.
func (i *Inbox) projects(ctx context.Context, actor core.Actor, least core.Role) ([]*core.Project, error) {
	tenants, err := i.tenants(ctx, actor)
	if err != nil {
		return nil, err
	}
	var found []*core.Project
	for _, tenant := range tenants {
		projects, err := i.stores.Projects.Projects(ctx, tenant)
		if err != nil {
			return nil, err
		}
		for _, p := range projects {
			if actor.RoleInProject(p).Includes(least) {
				found = append(found, p)
			}
		}
	}
	return found, nil
}

// tenants returns the ids of the Tenants that actor has a role or a custom role in.
func (i *Inbox) tenants(ctx context.Context, actor core.Actor) ([]int64, error) {
	var ids []int64
	for _, g := range actor.Grants {
		ids = append(ids, g.TenantID)
	}
	for _, r := range actor.CustomRoles {
		ids = append(ids, r.TenantID)
	}
	if actor.User != nil && actor.User.SuperAdmin {
		tenants, err := i.stores.Tenants.Tenants(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range tenants {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
