package sqlstore

import (
	"context"

	"imprimatur/core"
	"imprimatur/core/event"
)

// projectStore implements ports.ProjectStore.
type projectStore struct{ conn }

// projects are the Projects. A deleted one has no Tenant.
var projects = rowsOf("projects", "project", func(p *core.Project) []member {
	return []member{
		{name: "id", kind: "bigint", of: &p.ID, fixed: true},
		{name: "uuid", kind: "text", of: &p.UUID, fixed: true},
		{name: "tenant_id", kind: "bigint", of: &p.TenantID, fixed: true},
		{name: "department_id", kind: "bigint", of: nullIfZero[int64]{&p.DepartmentID}},
		{name: "name", kind: "text", of: &p.Name},
		{name: "default_locale", kind: "text", of: &p.DefaultLocale},
		{name: "locales", kind: "text", of: inJSON[[]string]{&p.Locales}},
		{name: "fallbacks", kind: "text", of: inJSON[map[string][]string]{&p.Fallbacks}},
		{name: "locale_index", kind: "text", of: inJSON[core.LocaleIndex]{&p.Index}},
		{name: "reindexing", kind: "boolean", of: derived(func() any { return !p.Settled() })},
		{name: "upload_limit", kind: "bigint", of: &p.UploadLimit},
		{name: "allowed_origins", kind: "text", of: inJSON[[]string]{&p.AllowedOrigins}},
		{name: "preview_url", kind: "text", of: &p.PreviewURL},
		{name: "preview_origins", kind: "text", of: inJSON[[]string]{&p.PreviewOrigins}},
		{name: "revision_limit", kind: "bigint", of: &p.RevisionLimit},
		{name: "publication_days", kind: "bigint", of: &p.PublicationDays},
		{name: "keep_location", kind: "boolean", of: &p.KeepLocation},
		{name: "shared_cache", kind: "bigint", of: &p.SharedCache},
		{name: "workflow", kind: "text"},
		{name: "created_at", kind: "bigint", of: (*instant)(&p.CreatedAt), fixed: true},
		{name: "updated_at", kind: "bigint", of: (*instant)(&p.UpdatedAt)},
	}
})

var archivedProjects = archived{Table: projects.Table, key: "id", ids: plainIDs}.added("preview_origins", "[]")

func (s projectStore) Projects(ctx context.Context, tenantID int64) ([]*core.Project, error) {
	return projects.allNew(ctx, s.conn, " WHERE tenant_id = ? ORDER BY id", tenantID)
}

func (s projectStore) Project(ctx context.Context, id int64) (*core.Project, error) {
	return s.project(ctx, "id = ?", id)
}

func (s projectStore) ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error) {
	if !storable(uuid) {
		return nil, core.NotFound("project")
	}
	return s.project(ctx, "uuid = ?", uuid)
}

// project locks the row until the transaction ends: the index stores positions in its locales.
func (s projectStore) project(ctx context.Context, condition string, arg any) (*core.Project, error) {
	return projects.oneNew(ctx, s.conn, " WHERE "+condition+" AND tenant_id IS NOT NULL"+s.forShare(), arg)
}

func (s projectStore) ProjectsByIDs(ctx context.Context, ids []int64) ([]*core.Project, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return projects.allNew(ctx, s.conn, " WHERE id ? AND tenant_id IS NOT NULL ORDER BY id", amongIDs(ids))
}

// Hold reads after it has the lock, so that it sees the last change.
func (s projectStore) Hold(ctx context.Context, id int64) (*core.Project, error) {
	if err := s.lock(ctx, s.db.dialect.HoldProject(), id); err != nil {
		return nil, err
	}
	return s.held(ctx, id)
}

func (s projectStore) held(ctx context.Context, id int64) (*core.Project, error) {
	return projects.oneNew(ctx, s.conn, liveProject, id)
}

// liveProject is the end of the SELECT of a Project. It is part of every write, so its text stays prepared.
const liveProject = " WHERE id = ? AND tenant_id IS NOT NULL"

func (s projectStore) TryHold(ctx context.Context, id int64) (*core.Project, bool, error) {
	held, err := s.tryLock(ctx, s.db.dialect.TryHoldProject(), id)
	if err != nil || !held {
		return nil, false, err
	}
	p, err := s.held(ctx, id)
	return p, err == nil, err
}

func (s projectStore) Lock(ctx context.Context, id int64) error {
	return s.lock(ctx, s.db.dialect.LockProject(), id)
}

func (s projectStore) Insert(ctx context.Context, p *core.Project) error {
	return projects.add(ctx, s.conn, p, &p.ID, func() event.Event {
		return event.Event{Type: event.ProjectCreated, TenantID: p.TenantID, ProjectID: p.ID}
	})
}

func (s projectStore) Update(ctx context.Context, p *core.Project) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		before, err := projectStore{in}.Project(ctx, p.ID)
		if err != nil {
			return err
		}
		return projects.put(ctx, in, p,
			event.Event{Type: event.ProjectUpdated, TenantID: before.TenantID, ProjectID: p.ID}, "id = ?", p.ID)
	})
}

func (s projectStore) Delete(ctx context.Context, id int64) error {
	return entryStore(s).change(ctx, func(ctx context.Context, entries entryStore) error {
		project, err := projectStore(entries).Project(ctx, id)
		if err != nil {
			return err
		}
		if _, err := entries.exec(ctx, "UPDATE projects SET tenant_id = NULL, department_id = NULL, workflow = NULL, reindexing = false WHERE id = ?", id); err != nil {
			return err
		}
		entries.record(event.Event{Type: event.ProjectDeleted, TenantID: project.TenantID, ProjectID: id})
		if err := entries.empty(ctx, []string{"tokens", "schedules"}, ofProject, id); err != nil {
			return err
		}
		if err := entries.empty(ctx, []string{"project_members"}, "scope_id = ?", id); err != nil {
			return err
		}
		return entries.begin(ctx, deleted{Deletion: core.Deletion{ProjectID: id}})
	})
}
