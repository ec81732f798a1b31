package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/access"
)

// Texts of descriptions of several types.
const (
	aboutPreview = "The address of an entry's page on the website. Placeholders after the host are replaced by values of the entry, percent-encoded: " +
		"{id}, {collection} (its slug), {locale}, {version} (draft or published) and the single-valued text and slug fields by their names, " +
		"such as {slug}."
	aboutPreviewOrigins = "The origins of the sites that the dashboard may frame beside the form of an entry: https, or http on the same machine, " +
		"spelt as in the Origin header. previewUrl of each collection begins with one of them."
	aboutPublicationDays = "How many days after their end publications are kept, with the media that they name; at " +
		"least a year, and as long as they are the newest of their entry."
	aboutLocation = "Whether pictures are stored as they are uploaded. Otherwise metadata that says where a picture was " +
		"taken is removed from JPEG, PNG, WebP and GIF files; the picture stays the same."
	aboutSharedCache = "For how many seconds shared caches, such as a CDN, may keep reads of published entries, 0 to 86400. 0 means that they may not."
)

// Project is a container of collections, entries and media.
type Project struct {
	ID               int64               `json:"id" example:"1"`
	UUID             string              `json:"uuid" format:"uuid" doc:"Identifies the Project in the content API." example:"7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f"`
	TenantID         int64               `json:"tenantId" example:"1"`
	DepartmentID     *int64              `json:"departmentId" doc:"null means none." example:"1"`
	Name             string              `json:"name" example:"World Desk"`
	Actions          ProjectActions      `json:"actions" nullable:"false"`
	DefaultLocale    string              `json:"defaultLocale" example:"en"`
	Locales          []string            `json:"locales" nullable:"false" doc:"In the order in which they were added." example:"[\"en\",\"de\",\"fr\"]"`
	Fallbacks        map[string][]string `json:"fallbacks" example:"{\"de-AT\":[\"de\"]}"`
	LocalesReady     bool                `json:"localesReady" example:"true"`
	PendingFallbacks map[string][]string `json:"pendingFallbacks" example:"{}"`
	UploadLimit      int64               `json:"uploadLimit" doc:"The largest size of an uploaded file, in bytes." example:"20000000"`
	AllowedOrigins   []string            `json:"allowedOrigins" nullable:"false" doc:"The origins of the pages from which browsers may call the content API; * means all." example:"[\"https://www.example.com\"]"`
	PreviewURL       *string             `json:"previewUrl" example:"https://www.example.com/{locale}/news/{slug}?version={version}"`
	PreviewOrigins   []string            `json:"previewOrigins" nullable:"false" example:"[\"https://www.example.com\"]"`
	RevisionLimit    int64               `json:"revisionLimit" doc:"The number of revisions that an entry keeps, not counting those that a request or a publication refers to; 0 means all." example:"100"`
	PublicationDays  *int64              `json:"publicationDays" example:"1825"`
	KeepLocation     bool                `json:"keepLocation" example:"false"`
	SharedCache      int64               `json:"sharedCache" example:"0"`
	CreatedAt        string              `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt        string              `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// TransformSchema implements huma.SchemaTransformer.
func (Project) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"fallbacks": "For each locale, the locales to try after it. A locale without fallbacks drops its " +
			"subtags one by one. The default locale always comes last.",
		"localesReady": "Whether all fallbacks count. After a change of locales, defaultLocale or fallbacks of a Project with " +
			"many entries, these are indexed again in the background; until then requests get the entries that the fallbacks " +
			"from before the change say, and none of another locale for a new one.",
		"pendingFallbacks": "The locales whose fallbacks do not count yet, each with those that it will have.",
		"previewUrl":       aboutPreview + " An entry without one of the values has no page. null means none.",
		"previewOrigins":   aboutPreviewOrigins,
		"publicationDays":  aboutPublicationDays + " null means for ever.",
		"keepLocation":     aboutLocation,
		"sharedCache":      aboutSharedCache,
	})
}

// ProjectOf returns a function that shows a Project to actor.
func ProjectOf(actor core.Actor) func(*core.Project) Project {
	return func(p *core.Project) Project {
		out := Project{
			ID: p.ID, UUID: p.UUID, TenantID: p.TenantID, DepartmentID: core.NullIfZero(p.DepartmentID), Name: p.Name,
			Actions:       access.AllowedActions(actor, access.PlaceOf(p)),
			DefaultLocale: p.DefaultLocale, Locales: p.Locales, Fallbacks: p.Fallbacks, UploadLimit: p.UploadLimit, AllowedOrigins: p.AllowedOrigins, RevisionLimit: p.RevisionLimit,
			PreviewURL: core.NullIfZero(p.PreviewURL), PreviewOrigins: p.PreviewOrigins, PendingFallbacks: map[string][]string{},
			PublicationDays: core.NullIfZero(p.PublicationDays), KeepLocation: p.KeepLocation, SharedCache: p.SharedCache,
			CreatedAt: core.FormatTime(p.CreatedAt), UpdatedAt: core.FormatTime(p.UpdatedAt),
		}
		for locale, chain := range p.PendingChains() {
			out.PendingFallbacks[locale] = chain[1:]
		}
		out.LocalesReady = len(out.PendingFallbacks) == 0
		if out.AllowedOrigins == nil {
			out.AllowedOrigins = []string{}
		}
		if out.PreviewOrigins == nil {
			out.PreviewOrigins = []string{}
		}
		if out.Fallbacks == nil {
			out.Fallbacks = map[string][]string{}
		}
		return out
	}
}

// ProjectInput describes a new Project.
type ProjectInput struct {
	Name            string              `json:"name" example:"World Desk"`
	DepartmentID    *int64              `json:"departmentId,omitempty" nullable:"true" doc:"A department of the same tenant; omitted or null means none." example:"1"`
	DefaultLocale   string              `json:"defaultLocale,omitempty" doc:"One of locales. Default: the first of them." example:"en"`
	Locales         []string            `json:"locales,omitempty" maxItems:"60" doc:"BCP 47 tags. Default: defaultLocale, or en." example:"[\"en\",\"de\",\"fr\"]"`
	Fallbacks       map[string][]string `json:"fallbacks,omitempty" doc:"For each locale, the locales to try after it." example:"{\"de-AT\":[\"de\"]}"`
	UploadLimit     *int64              `json:"uploadLimit,omitempty" doc:"In bytes. Default: 20 MB." example:"20000000"`
	AllowedOrigins  *[]string           `json:"allowedOrigins,omitempty" maxItems:"50" example:"[\"https://www.example.com\"]"`
	PreviewOrigins  []string            `json:"previewOrigins,omitempty" maxItems:"10" example:"[\"https://www.example.com\"]"`
	RevisionLimit   *int64              `json:"revisionLimit,omitempty" doc:"The number of revisions that an entry keeps; 0 means all. Default: 100." example:"100"`
	PublicationDays *int64              `json:"publicationDays,omitempty" nullable:"true" example:"1825"`
	KeepLocation    bool                `json:"keepLocation,omitempty" example:"false"`
	SharedCache     int64               `json:"sharedCache,omitempty" example:"3600"`
}

// TransformSchema implements huma.SchemaTransformer.
func (ProjectInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"allowedOrigins":  "The origins of the pages from which browsers may call the content API, spelt as in the Origin header. Default: *, which means all.",
		"previewOrigins":  aboutPreviewOrigins + " Default: none.",
		"publicationDays": aboutPublicationDays + " Omitted, null or 0 means for ever.",
		"keepLocation":    aboutLocation + " Default: false.",
		"sharedCache":     aboutSharedCache + " Default: 0.",
	})
}

// ProjectChange changes the members of a Project that a body contains.
type ProjectChange struct {
	Name            *string              `json:"name,omitempty" example:"World Desk"`
	DepartmentID    Optional[int64]      `json:"departmentId,omitempty" doc:"null means none. Only tenant admins may change it." example:"1"`
	DefaultLocale   *string              `json:"defaultLocale,omitempty" example:"de"`
	Locales         *[]string            `json:"locales,omitempty" maxItems:"60" doc:"The present locales in their order, followed by new ones." example:"[\"en\",\"de\",\"fr\",\"ja\"]"`
	Fallbacks       *map[string][]string `json:"fallbacks,omitempty" doc:"Replaces all fallbacks." example:"{\"de-AT\":[\"de\"]}"`
	UploadLimit     *int64               `json:"uploadLimit,omitempty" doc:"In bytes." example:"20000000"`
	AllowedOrigins  *[]string            `json:"allowedOrigins,omitempty" maxItems:"50" doc:"Replaces all of them." example:"[\"https://www.example.com\"]"`
	PreviewOrigins  *[]string            `json:"previewOrigins,omitempty" maxItems:"10" example:"[\"https://www.example.com\"]"`
	PreviewURL      Optional[string]     `json:"previewUrl,omitempty" example:"https://www.example.com/{locale}/news/{slug}?version={version}"`
	RevisionLimit   *int64               `json:"revisionLimit,omitempty" doc:"The number of revisions that an entry keeps; 0 means all." example:"100"`
	PublicationDays Optional[int64]      `json:"publicationDays,omitempty" example:"1825"`
	KeepLocation    *bool                `json:"keepLocation,omitempty" example:"false"`
	SharedCache     *int64               `json:"sharedCache,omitempty" example:"3600"`
	Acknowledge     bool                 `json:"acknowledge,omitempty" over:"-" example:"false"`
}

// TransformSchema implements huma.SchemaTransformer.
func (ProjectChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"previewUrl":      aboutPreview + " At most 2000 characters. A placeholder that no collection of the Project has a field for is refused. null means none.",
		"previewOrigins":  aboutPreviewOrigins + " Replaces all of them. An origin that the previewUrl of a collection begins with must stay.",
		"publicationDays": aboutPublicationDays + " null or 0 means for ever.",
		"keepLocation":    aboutLocation + " It applies to later uploads; an operator cleans earlier ones with the command media clean.",
		"sharedCache":     aboutSharedCache,
		"acknowledge": "Confirms a change of defaultLocale, locales or fallbacks that readers of published " +
			"entries see. Required only if a workflow governs the Project.",
	})
}

// PublicProject is a Project as the content API shows it.
type PublicProject struct {
	UUID          string              `json:"uuid" format:"uuid" example:"7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f"`
	Name          string              `json:"name" example:"World Desk"`
	DefaultLocale string              `json:"defaultLocale" example:"en"`
	Locales       []string            `json:"locales" nullable:"false" doc:"In the order in which they were added." example:"[\"en\",\"de\",\"fr\"]"`
	Fallbacks     map[string][]string `json:"fallbacks" nullable:"false" example:"{\"de-AT\":[\"de\",\"en\"]}"`
}

// TransformSchema implements huma.SchemaTransformer.
func (PublicProject) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"fallbacks": "For each locale, the locales in which a list in it looks for an entry after itself, in this order. A locale without any is left out.",
	})
}

// PublicProjectOf returns p for a response of the content API, with the fallbacks that count.
func PublicProjectOf(p *core.Project) PublicProject {
	out := PublicProject{UUID: p.UUID, Name: p.Name, DefaultLocale: p.DefaultLocale, Locales: p.Locales, Fallbacks: map[string][]string{}}
	for _, locale := range p.Locales {
		if chain := p.FallbackChain(locale); len(chain) > 1 {
			out.Fallbacks[locale] = chain[1:]
		}
	}
	return out
}
