package reading

import (
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// ScheduleFilter selects schedules.
type ScheduleFilter struct {
	CollectionID int64     // 0: every collection
	Mine         bool      // only schedules that the actor made
	Failed       bool      // only schedules that failed and will be retried
	Done         bool      // what took place in [From, To) instead of schedules, latest first; not Failed
	From, To     time.Time // as in schedule.Query
	// Offset and Limit are as in query.Query.
	Offset, Limit *int64
}

// Scheduled is a schedule with the details that a calendar shows.
type Scheduled struct {
	schedule.Schedule

	Done bool // it took place at DueAt

	Locale        string
	ReleaseNumber string // empty: no workflow governed the entry when it was scheduled
	Title         string // of the version that becomes public or is unpublished, or the name of the release; empty: none
}

// SchedulePage is one window of schedules.
type SchedulePage struct {
	Schedules     []Scheduled
	Offset, Limit int64
	HasMore       bool
}

// Schedules lists the schedules of the Projects, ordered by the time of the next attempt.
func (d *Drafts) Schedules(ctx context.Context, actor core.Actor, projects []*core.Project, f ScheduleFilter) (*SchedulePage, error) {
	c := checker{}
	page := &SchedulePage{
		Offset: c.within("offset", f.Offset, 0, 0, query.MaxOffset), Limit: c.within("limit", f.Limit, query.DefaultLimit, 1, query.MaxLimit),
	}
	if !f.To.IsZero() && !f.To.After(f.From) {
		c.fault("to", core.FormatTime(f.To), "must be later than from")
	}
	if f.Done && (f.From.IsZero() || f.To.IsZero() || f.To.Sub(f.From) > schedule.MaxDone) {
		c.fault("done", true, "needs from and to, at most %d days apart", schedule.MaxDone/(24*time.Hour))
	}
	err := c.err()
	if err != nil {
		return nil, err
	}
	q := schedule.Query{
		CollectionID: f.CollectionID, Failed: f.Failed, From: f.From, To: f.To, Offset: page.Offset, Limit: page.Limit + 1,
	}
	for _, p := range projects {
		q.ProjectIDs = append(q.ProjectIDs, p.ID)
	}
	if f.Mine {
		q.UserID = actor.UserID()
	}
	if f.Done {
		page.Schedules, err = d.done(ctx, q)
	} else {
		page.Schedules, err = d.scheduled(ctx, q)
	}
	if int64(len(page.Schedules)) > page.Limit {
		page.Schedules, page.HasMore = page.Schedules[:page.Limit], true
	}
	return page, err
}

func (d *Drafts) scheduled(ctx context.Context, q schedule.Query) ([]Scheduled, error) {
	found, err := d.stores.Schedules.Schedules(ctx, q)
	if err != nil {
		return nil, err
	}
	return d.Scheduled(ctx, found)
}

func (d *Drafts) done(ctx context.Context, q schedule.Query) ([]Scheduled, error) {
	if q.Failed {
		return nil, nil // what took place has not failed
	}
	found, err := d.stores.Schedules.Done(ctx, q)
	if err != nil {
		return nil, err
	}
	all := make([]Scheduled, len(found))
	for i, done := range found {
		all[i] = Scheduled{Schedule: done.Schedule, Done: true, Title: done.ReleaseName}
	}
	return all, d.describeAll(ctx, all)
}

// Scheduled adds the details to schedules, in the same order. It reads the entries and the requests
// of each Project together.
func (d *Drafts) Scheduled(ctx context.Context, schedules []schedule.Schedule) ([]Scheduled, error) {
	all := make([]Scheduled, len(schedules))
	for i, s := range schedules {
		all[i].Schedule = s
	}
	return all, d.describeAll(ctx, all)
}

func (d *Drafts) describeAll(ctx context.Context, all []Scheduled) error {
	byProject := map[int64][]*Scheduled{}
	for i := range all {
		byProject[all[i].ProjectID] = append(byProject[all[i].ProjectID], &all[i])
	}
	for id, some := range byProject {
		if err := d.describe(ctx, id, some); err != nil {
			return err
		}
	}
	return nil
}

// describe adds the details to schedules of one Project.
func (d *Drafts) describe(ctx context.Context, projectID int64, schedules []*Scheduled) error {
	var entryIDs, requestIDs []int64
	for _, s := range schedules {
		entryIDs = append(entryIDs, s.EntryID)
		if s.RequestID != 0 {
			requestIDs = append(requestIDs, s.RequestID)
		}
	}
	entries, err := d.stores.Entries.Entries(ctx, projectID, entryIDs)
	if err != nil {
		return err
	}
	requests, err := d.stores.Requests.ByIDs(ctx, projectID, requestIDs)
	if err != nil {
		return err
	}
	collections, err := d.reader.schemas.Collections(ctx, projectID)
	if err != nil {
		return err
	}
	names, err := d.releaseNames(ctx, projectID, schedules)
	if err != nil {
		return err
	}
	schema := core.Schema{Collections: collections}
	for _, s := range schedules {
		var version core.Document
		if i := slices.IndexFunc(entries, func(e core.Entry) bool { return e.ID == s.EntryID }); i >= 0 {
			s.Locale, version = entries[i].Locale, entries[i].Draft
			if s.Action == schedule.Unpublish && !s.Done || s.Done && entries[i].Published != nil {
				version = entries[i].Published
			}
		}
		if i := slices.IndexFunc(requests, func(r review.Request) bool { return r.ID == s.RequestID }); i >= 0 {
			s.ReleaseNumber = requests[i].ReleaseNumber()
			if item := requests[i].ItemOf(s.EntryID); item != nil && s.Action == schedule.Publish {
				version = item.Fields()
			}
		}
		if c := schema.ByID(s.CollectionID); c != nil {
			s.Title = c.Title(version)
		}
		if s.ReleaseID != 0 && !s.Done {
			s.Title = names[s.ReleaseID]
		}
	}
	return nil
}

// releaseNames returns the names of the releases that wait for their time, by id, if schedules have one.
func (d *Drafts) releaseNames(ctx context.Context, projectID int64, schedules []*Scheduled) (map[int64]string, error) {
	if !slices.ContainsFunc(schedules, func(s *Scheduled) bool { return s.ReleaseID != 0 && !s.Done }) {
		return nil, nil
	}
	waiting, err := d.stores.Releases.Releases(ctx, release.Query{
		ProjectID: projectID, States: []release.State{release.Approved}, Limit: release.MaxOpen,
	})
	names := make(map[int64]string, len(waiting))
	for _, r := range waiting {
		names[r.ID] = r.Name
	}
	return names, err
}
