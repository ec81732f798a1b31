package sqlstore

import (
	"context"

	"imprimatur/adapters/sqlstore/archive"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
	"imprimatur/core/event"
)

// projectStore implements ports.ProjectStore.
type projectStore struct{ sqldb.Conn }

// projects are the Projects. A deleted one has no Tenant.
var projects = sqldb.NewTableOf("projects", "project", func(p *core.Project) []sqldb.Column {
	return []sqldb.Column{
		{Name: "id", Kind: "bigint", Of: &p.ID, Fixed: true},
		{Name: "uuid", Kind: "text", Of: &p.UUID, Fixed: true},
		{Name: "tenant_id", Kind: "bigint", Of: &p.TenantID, Fixed: true},
		{Name: "department_id", Kind: "bigint", Of: sqldb.NullIfZero(&p.DepartmentID)},
		{Name: "name", Kind: "text", Of: &p.Name},
		{Name: "default_locale", Kind: "text", Of: &p.DefaultLocale},
		{Name: "locales", Kind: "text", Of: sqldb.InJSON(&p.Locales)},
		{Name: "fallbacks", Kind: "text", Of: sqldb.InJSON(&p.Fallbacks)},
		{Name: "locale_index", Kind: "text", Of: sqldb.InJSON(&p.Index)},
		{Name: "reindexing", Kind: "boolean", Of: sqldb.Derived(func() any { return !p.Settled() })},
		{Name: "upload_limit", Kind: "bigint", Of: &p.UploadLimit},
		{Name: "allowed_origins", Kind: "text", Of: sqldb.InJSON(&p.AllowedOrigins)},
		{Name: "preview_url", Kind: "text", Of: &p.PreviewURL},
		{Name: "preview_origins", Kind: "text", Of: sqldb.InJSON(&p.PreviewOrigins)},
		{Name: "revision_limit", Kind: "bigint", Of: &p.RevisionLimit},
		{Name: "publication_days", Kind: "bigint", Of: &p.PublicationDays},
		{Name: "keep_location", Kind: "boolean", Of: &p.KeepLocation},
		{Name: "shared_cache", Kind: "bigint", Of: &p.SharedCache},
		{Name: "workflow", Kind: "text"},
		{Name: "created_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.CreatedAt), Fixed: true},
		{Name: "updated_at", Kind: "bigint", Of: (*sqldb.Instant)(&p.UpdatedAt)},
	}
})

var archivedProjects = archive.Table{Table: projects.Table, Key: "id", IDs: archive.PlainIDs}.Added("preview_origins", "[]")

func (s projectStore) Projects(ctx context.Context, tenantID int64) ([]*core.Project, error) {
	return projects.AllNew(ctx, s.Conn, " WHERE tenant_id = ? ORDER BY id", tenantID)
}

func (s projectStore) Project(ctx context.Context, id int64) (*core.Project, error) {
	return s.project(ctx, "id = ?", id)
}

func (s projectStore) ProjectByUUID(ctx context.Context, uuid string) (*core.Project, error) {
	if !sqldb.Storable(uuid) {
		return nil, core.NotFound("project")
	}
	return s.project(ctx, "uuid = ?", uuid)
}

// project locks the row until the transaction ends: the index stores positions in its locales.
func (s projectStore) project(ctx context.Context, condition string, arg any) (*core.Project, error) {
	return projects.OneNew(ctx, s.Conn, " WHERE "+condition+" AND tenant_id IS NOT NULL"+s.ForShare(), arg)
}

func (s projectStore) ProjectsByIDs(ctx context.Context, ids []int64) ([]*core.Project, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return projects.AllNew(ctx, s.Conn, " WHERE id ? AND tenant_id IS NOT NULL ORDER BY id", sqldb.AmongIDs(ids))
}

// Hold reads after it has the lock, so that it sees the last change.
func (s projectStore) Hold(ctx context.Context, id int64) (*core.Project, error) {
	if err := s.LockBy(ctx, s.DB.Dialect.HoldProject(), id); err != nil {
		return nil, err
	}
	return s.held(ctx, id)
}

func (s projectStore) held(ctx context.Context, id int64) (*core.Project, error) {
	return projects.OneNew(ctx, s.Conn, liveProject, id)
}

// liveProject is the end of the SELECT of a Project. It is part of every write, so its text stays prepared.
const liveProject = " WHERE id = ? AND tenant_id IS NOT NULL"

func (s projectStore) TryHold(ctx context.Context, id int64) (*core.Project, bool, error) {
	held, err := s.TryLockBy(ctx, s.DB.Dialect.TryHoldProject(), id)
	if err != nil || !held {
		return nil, false, err
	}
	p, err := s.held(ctx, id)
	return p, err == nil, err
}

func (s projectStore) Lock(ctx context.Context, id int64) error {
	return s.LockBy(ctx, s.DB.Dialect.LockProject(), id)
}

func (s projectStore) Insert(ctx context.Context, p *core.Project) error {
	return projects.Add(ctx, s.Conn, p, &p.ID, func() event.Event {
		return event.Event{Type: event.ProjectCreated, TenantID: p.TenantID, ProjectID: p.ID}
	})
}

func (s projectStore) Update(ctx context.Context, p *core.Project) error {
	return s.Change(ctx, func(ctx context.Context, in sqldb.Conn) error {
		before, err := projectStore{in}.Project(ctx, p.ID)
		if err != nil {
			return err
		}
		return projects.Put(ctx, in, p,
			event.Event{Type: event.ProjectUpdated, TenantID: before.TenantID, ProjectID: p.ID}, "id = ?", p.ID)
	})
}

func (s projectStore) Delete(ctx context.Context, id int64) error {
	return entryStore(s).change(ctx, func(ctx context.Context, entries entryStore) error {
		project, err := projectStore(entries).Project(ctx, id)
		if err != nil {
			return err
		}
		if _, err := entries.Exec(ctx, "UPDATE projects SET tenant_id = NULL, department_id = NULL, workflow = NULL, reindexing = false WHERE id = ?", id); err != nil {
			return err
		}
		entries.Record(event.Event{Type: event.ProjectDeleted, TenantID: project.TenantID, ProjectID: id})
		if err := entries.empty(ctx, []string{"tokens", "schedules"}, ofProject, id); err != nil {
			return err
		}
		if err := entries.empty(ctx, []string{"project_members"}, "scope_id = ?", id); err != nil {
			return err
		}
		return entries.begin(ctx, deleted{Deletion: core.Deletion{ProjectID: id}})
	})
}
