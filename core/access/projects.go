package access

import (
	"context"

	"imprimatur/core"
)

// ProjectInput describes a new Project.
type ProjectInput struct {
	Name         string
	DepartmentID *int64 // of the same tenant; nil: none
	// DefaultLocale is one of Locales; when empty, the first of them.
	DefaultLocale string
	Locales       []string // BCP 47 tags, at most core.MaxLocales; when empty, DefaultLocale, else "en"
	Fallbacks     map[string][]string
	UploadLimit   *int64 // bytes; nil: core.DefaultUploadLimit
}

// ProjectChange changes the members of a Project that are not nil.
type ProjectChange struct {
	Name          *string
	DepartmentID  Optional[int64] // null: none; needs a tenant admin
	DefaultLocale *string
	Locales       *[]string // the present ones in their order, then new ones
	Fallbacks     *map[string][]string
	UploadLimit   *int64 // bytes
}

// Projects returns every Project that actor may see, ordered by id.
func (o *Organisation) Projects(ctx context.Context, actor core.Actor) ([]*core.Project, error) {
	return nil, nil
}

// TenantProjects returns the tenant's Projects that actor may see, ordered by id.
func (o *Organisation) TenantProjects(ctx context.Context, actor core.Actor, tenantID int64) ([]*core.Project, error) {
	return nil, nil
}

// CreateProject adds a Project to the tenant, under a new random UUID.
func (o *Organisation) CreateProject(ctx context.Context, tenantID int64, in ProjectInput) (*core.Project, error) {
	return nil, nil
}

// UpdateProject changes a Project and returns it as it is then.
func (o *Organisation) UpdateProject(ctx context.Context, actor core.Actor, project *core.Project, change ProjectChange) (*core.Project, error) {
	return nil, nil
}

// DeleteProject removes a Project and everything in it.
func (o *Organisation) DeleteProject(ctx context.Context, project *core.Project) error { return nil }
