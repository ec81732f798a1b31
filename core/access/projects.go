package access

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"imprimatur/core"
	"imprimatur/ports"
)

// ProjectInput describes a new Project.
type ProjectInput struct {
	Name            string
	DepartmentID    *int64
	DefaultLocale   string
	Locales         []string
	Fallbacks       map[string][]string
	UploadLimit     *int64
	AllowedOrigins  *[]string
	PreviewOrigins  []string
	RevisionLimit   *int64
	PublicationDays *int64
	KeepLocation    bool
	SharedCache     int64 // seconds
}

// Projects returns every Project that actor may see, ordered by id.
func (o *Organisation) Projects(ctx context.Context, actor core.Actor) ([]*core.Project, error) {
	tenants, err := o.Tenants(ctx, actor)
	if err != nil {
		return nil, err
	}
	var seen []*core.Project
	for _, tenant := range tenants {
		projects, err := o.TenantProjects(ctx, actor, tenant.ID)
		if err != nil {
			return nil, err
		}
		seen = append(seen, projects...)
	}
	slices.SortFunc(seen, func(a, b *core.Project) int { return cmp.Compare(a.ID, b.ID) })
	return seen, nil
}

// TenantProjects returns the tenant's Projects that actor may see, ordered by id.
func (o *Organisation) TenantProjects(ctx context.Context, actor core.Actor, tenantID int64) ([]*core.Project, error) {
	projects, err := o.projects.Projects(ctx, tenantID)
	return slices.DeleteFunc(slices.Clone(projects), func(p *core.Project) bool {
		return !Sees(actor, PlaceOf(p))
	}), err
}

// CreateProject adds a Project to the tenant, under a new random UUID.
func (o *Organisation) CreateProject(ctx context.Context, actor core.Actor, tenantID int64, in ProjectInput) (*core.Project, error) {
	project := in.project()
	project.UUID, project.TenantID = uuid.NewString(), tenantID
	project.CreatedAt = o.clock.Now()
	project.UpdatedAt = project.CreatedAt
	err := o.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		wrong := check(project)
		if err := wrong.department(ctx, stores.Departments, project); err != nil {
			return err
		}
		if err := wrong.Err(); err != nil {
			return err
		}
		return stores.Projects.Insert(ctx, project)
	})
	if err != nil {
		return nil, err
	}
	return project, nil
}

// project returns the new Project, with defaults for the members that in omits.
func (in ProjectInput) project() *core.Project {
	p := &core.Project{
		Name: in.Name, DefaultLocale: in.DefaultLocale, Locales: in.Locales,
		Fallbacks: in.Fallbacks, UploadLimit: core.DefaultUploadLimit, AllowedOrigins: []string{AnyOrigin},
		RevisionLimit: DefaultRevisionLimit, KeepLocation: in.KeepLocation, SharedCache: in.SharedCache,
		PreviewOrigins: in.PreviewOrigins,
	}
	if len(p.Locales) == 0 {
		p.Locales = []string{cmp.Or(p.DefaultLocale, "en")}
	}
	p.DefaultLocale = cmp.Or(p.DefaultLocale, p.Locales[0])
	core.Assign(&p.DepartmentID, in.DepartmentID)
	core.Assign(&p.UploadLimit, in.UploadLimit)
	core.Assign(&p.RevisionLimit, in.RevisionLimit)
	core.Assign(&p.PublicationDays, in.PublicationDays)
	core.Assign(&p.AllowedOrigins, in.AllowedOrigins)
	return p
}

// DeleteProject removes a Project and everything in it.
func (o *Organisation) DeleteProject(ctx context.Context, actor core.Actor, project *core.Project) error {
	return o.tx.DoAlone(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, project.ID); err != nil {
			return err
		}
		return stores.Projects.Delete(ctx, project.ID)
	})
}
