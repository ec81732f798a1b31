package rest

import (
	"net/http"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/core"
	"imprimatur/core/access"
)

// project is a container of collections, entries and media.
type project struct {
	ID              int64               `json:"id" example:"1"`
	UUID            string              `json:"uuid" format:"uuid" doc:"Identifies the Project in the content API." example:"7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f"`
	TenantID        int64               `json:"tenantId" example:"1"`
	DepartmentID    *int64              `json:"departmentId" doc:"null means none." example:"1"`
	Name            string              `json:"name" example:"World Desk"`
	Actions         projectActions      `json:"actions" nullable:"false"`
	DefaultLocale   string              `json:"defaultLocale" example:"en"`
	Locales         []string            `json:"locales" nullable:"false" doc:"In the order in which they were added." example:"[\"en\",\"de\",\"fr\"]"`
	Fallbacks       map[string][]string `json:"fallbacks" example:"{\"de-AT\":[\"de\"]}"`
	UploadLimit     int64               `json:"uploadLimit" doc:"The largest size of an uploaded file, in bytes." example:"20971520"`
	AllowedOrigins  []string            `json:"allowedOrigins" nullable:"false" doc:"The origins of the pages from which browsers may call the content API; * means all." example:"[\"https://www.example.com\"]"`
	PreviewURL      *string             `json:"previewUrl" example:"https://www.example.com/{locale}/news/{slug}?version={version}"`
	RevisionLimit   int64               `json:"revisionLimit" doc:"The number of revisions that an entry keeps, not counting those that a request or a publication refers to; 0 means all." example:"100"`
	PublicationDays *int64              `json:"publicationDays" example:"1825"`
	KeepLocation    bool                `json:"keepLocation" example:"false"`
	CreatedAt       string              `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt       string              `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

type projectChange struct {
	Name            *string                   `json:"name,omitempty" example:"World Desk"`
	DepartmentID    endpoint.Optional[int64]  `json:"departmentId,omitempty" doc:"null means none. Only tenant admins may change it." example:"1"`
	DefaultLocale   *string                   `json:"defaultLocale,omitempty" example:"de"`
	Locales         *[]string                 `json:"locales,omitempty" maxItems:"60" doc:"The present locales in their order, followed by new ones." example:"[\"en\",\"de\",\"fr\",\"ja\"]"`
	Fallbacks       *map[string][]string      `json:"fallbacks,omitempty" doc:"Replaces all fallbacks." example:"{\"de-AT\":[\"de\"]}"`
	UploadLimit     *int64                    `json:"uploadLimit,omitempty" doc:"In bytes." example:"20971520"`
	AllowedOrigins  *[]string                 `json:"allowedOrigins,omitempty" maxItems:"50" doc:"Replaces all of them." example:"[\"https://www.example.com\"]"`
	PreviewURL      endpoint.Optional[string] `json:"previewUrl,omitempty" example:"https://www.example.com/{locale}/news/{slug}?version={version}"`
	RevisionLimit   *int64                    `json:"revisionLimit,omitempty" doc:"The number of revisions that an entry keeps; 0 means all." example:"100"`
	PublicationDays endpoint.Optional[int64]  `json:"publicationDays,omitempty" example:"1825"`
	KeepLocation    *bool                     `json:"keepLocation,omitempty" example:"false"`
	Acknowledge     bool                      `json:"acknowledge,omitempty" example:"false"`
}

// showProject returns a function that shows a Project to actor.
func showProject(actor core.Actor) func(*core.Project) project {
	return func(p *core.Project) project {
		out := project{
			ID: p.ID, UUID: p.UUID, TenantID: p.TenantID, DepartmentID: core.NullIfZero(p.DepartmentID), Name: p.Name,
			Actions:       access.AllowedActions(actor, access.PlaceOf(p)),
			DefaultLocale: p.DefaultLocale, Locales: p.Locales, Fallbacks: p.Fallbacks, UploadLimit: p.UploadLimit, AllowedOrigins: p.AllowedOrigins, RevisionLimit: p.RevisionLimit,
			PreviewURL:      core.NullIfZero(p.PreviewURL),
			PublicationDays: core.NullIfZero(p.PublicationDays), KeepLocation: p.KeepLocation,
			CreatedAt: core.FormatTime(p.CreatedAt), UpdatedAt: core.FormatTime(p.UpdatedAt),
		}
		if out.AllowedOrigins == nil {
			out.AllowedOrigins = []string{}
		}
		if out.Fallbacks == nil {
			out.Fallbacks = map[string][]string{}
		}
		return out
	}
}

// describeProjects adds the descriptions of members that are too long for tags.
func (a *API) describeProjects() {
	const (
		address = "The address of an entry's page on the website. Placeholders after the host are replaced by values of the entry, percent-encoded: " +
			"{id}, {collection} (its slug), {locale}, {version} (draft or published) and the single-valued text and slug fields by their names, " +
			"such as {slug}."
		days = "How many days after their end publications are kept, with the media that they name; at " +
			"least a year, and as long as they are the newest of their entry."
		keep = "Whether pictures are stored as they are uploaded. Otherwise metadata that says where a picture was " +
			"taken is removed from JPEG, PNG, WebP and GIF files; the picture stays the same."
	)
	endpoint.Describe[project](a.set, endpoint.Members{
		"fallbacks": "For each locale, the locales to try after it. A locale without fallbacks drops its " +
			"subtags one by one. The default locale always comes last.",
		"previewUrl":      address + " An entry without one of the values has no page. null means none.",
		"publicationDays": days + " null means for ever.",
		"keepLocation":    keep,
	})
	endpoint.Describe[access.ProjectInput](a.set, endpoint.Members{
		"allowedOrigins":  "The origins of the pages from which browsers may call the content API, spelt as in the Origin header. Default: *, which means all.",
		"publicationDays": days + " Omitted, null or 0 means for ever.",
		"keepLocation":    keep + " Default: false.",
	})
	endpoint.Describe[projectChange](a.set, endpoint.Members{
		"previewUrl":      address + " At most 2000 characters. A placeholder that no collection of the Project has a field for is refused. null means none.",
		"publicationDays": days + " null or 0 means for ever.",
		"keepLocation":    keep + " It applies to later uploads; an operator cleans earlier ones with the command media clean.",
		"acknowledge": "Confirms a change of defaultLocale, locales or fallbacks that readers of published " +
			"entries see. Required only if a workflow governs the Project.",
	})
}

func (a *API) registerProjects() {
	a.describeProjects()
	const tag, ofTenant, one = "Projects", "/api/tenants/{tenantId}/projects", "/api/projects/{projectId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: "/api/projects", ID: "listProjects", Tag: tag, Action: access.SignedIn,
		Title: "List projects", About: "Returns the Projects of all tenants that the caller may see, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[project], error) {
		return endpoint.ListOf(showProject(c.Actor))(a.Organisation.Projects(c.Context(), c.Actor))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: ofTenant, ID: "listTenantProjects", Tag: tag, Action: access.ViewTenant,
		Title: "List a tenant's projects", About: "Returns the Projects that the caller may see, ordered by id.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.List[project], error) {
		return endpoint.ListOf(showProject(c.Actor))(a.Organisation.TenantProjects(c.Context(), c.Actor, c.Place.Tenant.ID))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: ofTenant, ID: "createProject", Tag: tag, Action: access.CreateProject, Idempotent: true,
		Title: "Add a project", About: "Adds an empty Project with a new UUID.", Status: http.StatusCreated,
	}, func(c *endpoint.Call, in access.ProjectInput) (project, error) {
		return endpoint.Shown(showProject(c.Actor))(a.Organisation.CreateProject(c.Context(), c.Actor, c.Place.Tenant.ID, in))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getProject", Tag: tag, Action: access.ViewProject,
		Title: "Read a project", About: "Returns one Project.",
	}, func(c *endpoint.Call, _ endpoint.None) (project, error) {
		return showProject(c.Actor)(c.Project()), nil
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateProject", Tag: tag, Action: access.UpdateProject,
		Title: "Change a project",
		About: "Changes the members that the body contains. Locales can be added but not removed, because content refers to them. " +
			"While the workflow or an open request of the Project uses a custom role of its department, the department cannot change: the status is 409 `in_use`, and the problem lists them. " + aboutGoverned,
		Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in projectChange) (project, error) {
		return endpoint.Shown(showProject(c.Actor))(a.Organisation.UpdateProject(c.Context(), c.Actor, c.Project(), access.ProjectChange{
			Name: in.Name, DepartmentID: in.DepartmentID.Optional, DefaultLocale: in.DefaultLocale,
			Locales: in.Locales, Fallbacks: in.Fallbacks, UploadLimit: in.UploadLimit, AllowedOrigins: in.AllowedOrigins, RevisionLimit: in.RevisionLimit,
			PreviewURL: in.PreviewURL.Optional, PublicationDays: in.PublicationDays.Optional, KeepLocation: in.KeepLocation,
			Acknowledged: in.Acknowledge,
		}))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteProject", Tag: tag, Action: access.DeleteProject,
		Title: "Remove a project", About: "Also removes all its content.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Organisation.DeleteProject(c.Context(), c.Actor, c.Project())
	})
}
