package sqlstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/uptrace/bun"

	"imprimatur/core"
)

// projectStore implements ports.ProjectStore.
type projectStore struct{ conn }

type projectRow struct {
	bun.BaseModel `bun:"table:projects,alias:p"`

	ID              int64 `bun:",pk,autoincrement"`
	UUID            string
	TenantID        int64
	DepartmentID    int64 `bun:",nullzero"`
	Name            string
	DefaultLocale   string
	Locales         encoded[[]string]
	Fallbacks       encoded[map[string][]string]
	LocaleIndex     encoded[core.LocaleIndex]
	Reindexing      bool
	UploadLimit     int64
	AllowedOrigins  encoded[[]string]
	PreviewURL      string
	PreviewOrigins  encoded[[]string]
	RevisionLimit   int64
	PublicationDays int64
	SharedCache     int64
	KeepLocation    bool
	CreatedAt       instant
	UpdatedAt       instant
}

// archivedProjects has the columns of projects in archives.
var archivedProjects = newArchived("projects", "id", plainIDs, "id bigint", "uuid text", "tenant_id bigint", "department_id bigint", "name text",
	"default_locale text", "locales text", "fallbacks text", "locale_index text", "reindexing boolean", "upload_limit bigint", "allowed_origins text",
	"preview_url text", "preview_origins text", "revision_limit bigint", "publication_days bigint", "keep_location boolean", "shared_cache bigint",
	"workflow text", "created_at bigint", "updated_at bigint",
).added("preview_origins", "[]")

func newProjectRow(p *core.Project) *projectRow {
	return &projectRow{
		ID: p.ID, UUID: p.UUID, TenantID: p.TenantID, DepartmentID: p.DepartmentID, Name: p.Name,
		DefaultLocale: p.DefaultLocale, Locales: encoded[[]string]{p.Locales},
		Fallbacks: encoded[map[string][]string]{p.Fallbacks}, LocaleIndex: encoded[core.LocaleIndex]{p.Index}, Reindexing: !p.Settled(), UploadLimit: p.UploadLimit,
		AllowedOrigins: encoded[[]string]{p.AllowedOrigins}, PreviewURL: p.PreviewURL, PreviewOrigins: encoded[[]string]{p.PreviewOrigins},
		RevisionLimit: p.RevisionLimit, PublicationDays: p.PublicationDays, SharedCache: p.SharedCache,
		KeepLocation: p.KeepLocation, CreatedAt: instant(p.CreatedAt), UpdatedAt: instant(p.UpdatedAt),
	}
}

func (r projectRow) core() *core.Project {
	return &core.Project{
		ID: r.ID, UUID: r.UUID, TenantID: r.TenantID, DepartmentID: r.DepartmentID, Name: r.Name,
		DefaultLocale: r.DefaultLocale, Locales: r.Locales.v, Fallbacks: r.Fallbacks.v, Index: r.LocaleIndex.v, UploadLimit: r.UploadLimit,
		AllowedOrigins: r.AllowedOrigins.v, PreviewURL: r.PreviewURL, PreviewOrigins: r.PreviewOrigins.v,
		RevisionLimit: r.RevisionLimit, PublicationDays: r.PublicationDays, SharedCache: r.SharedCache,
		KeepLocation: r.KeepLocation, CreatedAt: time.Time(r.CreatedAt), UpdatedAt: time.Time(r.UpdatedAt),
	}
}

func (s projectStore) Projects(ctx context.Context, tenantID int64) ([]*core.Project, error) {
	return all[projectRow](ctx, s.conn, "project", ordered("id", "tenant_id = ?", tenantID))
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
	return one[projectRow](ctx, s.conn, "project", func(q *bun.SelectQuery) *bun.SelectQuery {
		return s.locked(q.Where(condition, arg).Where("tenant_id IS NOT NULL"))
	})
}

func (s projectStore) ProjectsByIDs(ctx context.Context, ids []int64) ([]*core.Project, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return all[projectRow](ctx, s.conn, "project", ordered("id", "id IN (?) AND tenant_id IS NOT NULL", bun.List(ids)))
}

// Hold reads after it has the lock, so that it sees the last change.
func (s projectStore) Hold(ctx context.Context, id int64) (*core.Project, error) {
	if err := s.lock(ctx, s.db.dialect.HoldProject(), id); err != nil {
		return nil, err
	}
	return s.held(ctx, id)
}

// selectProject is part of every write, so its text stays prepared.
const selectProject = "SELECT id, uuid, tenant_id, department_id, name, default_locale, locales, fallbacks, locale_index," +
	" upload_limit, allowed_origins, preview_url, preview_origins, revision_limit, publication_days, keep_location, shared_cache, created_at, updated_at FROM projects" +
	" WHERE id = ? AND tenant_id IS NOT NULL"

func (s projectStore) held(ctx context.Context, id int64) (*core.Project, error) {
	return single(ctx, s.conn, "project", scanProject, selectProject, id)
}

func scanProject(rows Rows) (*core.Project, error) {
	var r projectRow
	var department sql.NullInt64
	err := rows.Scan(&r.ID, &r.UUID, &r.TenantID, &department, &r.Name, &r.DefaultLocale, &r.Locales, &r.Fallbacks, &r.LocaleIndex,
		&r.UploadLimit, &r.AllowedOrigins, &r.PreviewURL, &r.PreviewOrigins, &r.RevisionLimit, &r.PublicationDays, &r.KeepLocation, &r.SharedCache, &r.CreatedAt, &r.UpdatedAt)
	r.DepartmentID = department.Int64
	return r.core(), err
}

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
	r := newProjectRow(p)
	return s.insert(ctx, newRow{r, &r.ID, &p.ID}, "project", func() core.Event {
		return core.Event{Type: core.EventProjectCreated, TenantID: r.TenantID, ProjectID: r.ID}
	})
}

func (s projectStore) Update(ctx context.Context, p *core.Project) error {
	return s.change(ctx, func(ctx context.Context, in conn) error {
		before, err := projectStore{in}.Project(ctx, p.ID)
		if err != nil {
			return err
		}
		return in.update(ctx, newProjectRow(p), "project", core.Event{Type: core.EventProjectUpdated, TenantID: before.TenantID, ProjectID: p.ID},
			"department_id", "name", "default_locale", "locales", "fallbacks", "locale_index", "reindexing", "upload_limit", "allowed_origins", "preview_url",
			"preview_origins", "revision_limit", "publication_days", "keep_location", "shared_cache", "updated_at")
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
		entries.record(core.Event{Type: core.EventProjectDeleted, TenantID: project.TenantID, ProjectID: id})
		if err := entries.empty(ctx, []string{"tokens", "schedules"}, ofProject, id); err != nil {
			return err
		}
		if err := entries.empty(ctx, []string{"project_members"}, "scope_id = ?", id); err != nil {
			return err
		}
		return entries.begin(ctx, deleted{Deletion: core.Deletion{ProjectID: id}})
	})
}
