package memory

import (
	"context"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/core/discussion"
	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
	"imprimatur/core/webhook"
)

type projects struct{ conn }

func (s projects) Projects(ctx context.Context, tenantID int64) ([]*core.Project, error) {
	return s.list(ctx, func(p *core.Project) bool { return p.TenantID == tenantID })
}

func (s projects) ProjectsByIDs(ctx context.Context, ids []int64) ([]*core.Project, error) {
	return s.list(ctx, func(p *core.Project) bool { return slices.Contains(ids, p.ID) })
}

func (s projects) list(ctx context.Context, match func(*core.Project) bool) ([]*core.Project, error) {
	return view(ctx, s.conn, func(st *state) ([]*core.Project, error) {
		return byID(&st.projects, match, copyProject), nil
	})
}

func (s projects) Project(ctx context.Context, id int64) (*core.Project, error) {
	return view(ctx, s.conn, func(st *state) (*core.Project, error) {
		p, err := st.project(id)
		if err != nil {
			return nil, err
		}
		return copyProject(p), nil
	})
}

func (s projects) ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error) {
	return view(ctx, s.conn, func(st *state) (*core.Project, error) {
		p, ok := st.projects.find(func(p *core.Project) bool { return p.UUID == uuid })
		if !ok {
			return nil, core.NotFound("project")
		}
		return copyProject(p), nil
	})
}

// Hold never waits: transactions run one after another.
func (s projects) Hold(ctx context.Context, id int64) (*core.Project, error) {
	return s.Project(ctx, id)
}

// TryHold always succeeds for an existing Project.
func (s projects) TryHold(ctx context.Context, id int64) (*core.Project, bool, error) {
	p, err := s.Project(ctx, id)
	return p, err == nil, err
}

// Lock does nothing: transactions run one after another.
func (s projects) Lock(context.Context, int64) error { return nil }

func (s projects) Insert(ctx context.Context, p *core.Project) error {
	return s.change(ctx, func(st *state) error {
		if st.projects.any(func(o *core.Project) bool { return o.UUID == p.UUID }) {
			return core.Conflict("uuid_taken", "a project of that uuid exists")
		}
		p.ID = st.projects.next()
		st.projects.put(p.ID, copyProject(p))
		st.record(event.Event{Type: event.ProjectCreated, ProjectID: p.ID})
		return nil
	})
}

func (s projects) Update(ctx context.Context, p *core.Project) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.project(p.ID)
		if err != nil {
			return err
		}
		next := copyProject(p)
		next.UUID, next.TenantID, next.CreatedAt = old.UUID, old.TenantID, old.CreatedAt
		st.projects.put(next.ID, next)
		st.record(event.Event{Type: event.ProjectUpdated, ProjectID: p.ID})
		return nil
	})
}

func (s projects) Delete(ctx context.Context, id int64) error {
	return s.change(ctx, func(st *state) error {
		if _, err := st.project(id); err != nil {
			return err
		}
		st.removeGrants(scope{projectID: id})
		st.tokens.removeIf(func(_ int64, t core.Token) bool { return t.ProjectID == id })
		st.webhooks.removeIf(func(_ int64, w webhook.Webhook) bool { return w.ProjectID == id })
		st.removeDeliveries(func(d webhook.Delivery) bool { return d.ProjectID == id })
		st.reminders.removeIf(func(_ stayAt, r reminder) bool { return r.ProjectID == id })
		st.removeNotices(func(n notice.Notice) bool { return n.ProjectID == id })
		st.tokenUsage.removeIf(func(key tokenDay, _ core.TokenUsage) bool { return key.projectID == id })
		st.entries.removeIf(func(_ int64, e core.Entry) bool { return e.ProjectID == id })
		st.collections.removeIf(func(_ int64, c *core.Collection) bool { return c.ProjectID == id })
		st.components.removeIf(func(_ int64, c *core.Component) bool { return c.ProjectID == id })
		st.media.removeIf(func(_ int64, m core.MediaItem) bool { return m.ProjectID == id })
		st.kept.removeIf(func(_ int64, m core.MediaItem) bool { return m.ProjectID == id })
		st.releaseBlobs(id)
		st.removeReleases(id)
		st.workflows.remove(scope{projectID: id})
		st.comments.removeIf(func(_ int64, c discussion.Comment) bool { return c.ProjectID == id })
		st.requests.removeIf(func(_ int64, r review.Request) bool { return r.ProjectID == id })
		st.actions.removeIf(func(_ int64, a review.Action) bool { return a.ProjectID == id })
		st.pastGroups.removeIf(func(at pastGroup, _ string) bool { return at.projectID == id })
		st.origins.removeIf(func(at originKey, _ core.Origin) bool { return at.projectID == id })
		st.schedules.removeIf(func(at scheduleKey, _ schedule.Schedule) bool { return at.projectID == id })
		st.revisions.removeIf(func(at revisionKey, _ core.Revision) bool { return at.entry.projectID == id })
		st.former.removeIf(func(at entryKey, _ []formerSlug) bool { return at.projectID == id })
		st.publications.removeIf(func(at entryKey, _ []core.Publication) bool { return at.projectID == id })
		st.record(event.Event{Type: event.ProjectDeleted, ProjectID: id})
		st.projects.remove(id)
		return nil
	})
}

// localeFills implements ports.LocaleFillStore. It keeps no positions, because Serve has nothing to do.
type localeFills struct{ conn }

func (s localeFills) Unsettled(ctx context.Context) ([]int64, error) {
	return view(ctx, s.conn, func(st *state) (ids []int64, err error) {
		for _, p := range byID(&st.projects, func(p *core.Project) bool { return !p.Settled() }, copyProject) {
			ids = append(ids, p.ID)
		}
		return ids, nil
	})
}

func (localeFills) Take(context.Context, *core.Project) (after int64, taken bool, err error) {
	return 0, true, nil
}

func (localeFills) Reach(context.Context, *core.Project, int64) error { return nil }

func (s localeFills) Save(ctx context.Context, p *core.Project) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.project(p.ID)
		if err != nil {
			return err
		}
		next := copyProject(old)
		next.Index = p.Index
		st.projects.put(next.ID, next)
		return nil
	})
}

// deletions implements ports.DeletionStore. Nothing is left of what this store deletes.
type deletions struct{}

func (deletions) Deletions(context.Context) ([]core.Deletion, error) { return nil, nil }

func (deletions) DeleteSome(context.Context, core.Deletion, int) (done, taken bool, err error) {
	return true, false, nil
}

func (st *state) project(id int64) (*core.Project, error) {
	p, ok := st.projects.get(id)
	return found(p, ok, "project")
}

func copyProject(p *core.Project) *core.Project {
	c := *p
	c.Locales, c.AllowedOrigins = slices.Clone(p.Locales), slices.Clone(p.AllowedOrigins)
	c.PreviewOrigins = slices.Clone(p.PreviewOrigins)
	c.Fallbacks = maps.Clone(p.Fallbacks)
	for locale, chain := range c.Fallbacks {
		c.Fallbacks[locale] = slices.Clone(chain)
	}
	return &c
}
