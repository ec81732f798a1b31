package wire

import (
	"cmp"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/definition"
	"imprimatur/core/release"
	"imprimatur/core/slug"
	"imprimatur/core/writing"
)

// PublicCollection is a collection as the content API shows it.
type PublicCollection struct {
	Slug        string        `json:"slug" example:"articles"`
	Name        string        `json:"name" example:"Articles"`
	Description string        `json:"description" example:"What the desk writes."`
	Singleton   bool          `json:"singleton" doc:"Whether the collection holds a single entry with its translations." example:"false"`
	Fields      []PublicField `json:"fields" nullable:"false" doc:"In display order, without secret fields."`
}

// PublicField is one field of a PublicCollection.
type PublicField struct {
	Name        string          `json:"name" example:"title"`
	Label       string          `json:"label" example:"Title"`
	Help        string          `json:"help,omitempty" doc:"What editors should know about the field." example:"As short as a headline."`
	Type        PublicFieldType `json:"type" example:"text"`
	Required    bool            `json:"required" example:"true"`
	Multiple    bool            `json:"multiple" doc:"Whether the value is a list." example:"false"`
	Choices     []string        `json:"choices,omitempty" doc:"The values of an enumeration." example:"[\"news\",\"opinion\"]"`
	Collection  string          `json:"collection,omitempty" doc:"For a relation to one collection: its slug. The collection stays." example:"countries"`
	Collections []string        `json:"collections,omitempty" doc:"For a relation to several collections, in place of collection: their slugs. Its entries have the member _collection." example:"[\"articles\",\"people\"]"`
	Component   string          `json:"component,omitempty" doc:"For a group: the slug of the component of its items." example:"seo"`
	Components  []string        `json:"components,omitempty" doc:"For blocks: the slugs of the components of their items." example:"[\"hero\",\"quote\"]"`
}

// PublicCollectionOf returns c for a response of the content API.
func PublicCollectionOf(c *core.Collection) PublicCollection {
	return PublicCollection{Slug: c.Slug, Name: c.Name, Description: c.Description, Singleton: c.Singleton, Fields: publicFields(c.Fields)}
}

// publicFields returns the fields that are not secret.
func publicFields(fields []*core.Field) []PublicField {
	shown := []PublicField{}
	for _, f := range fields {
		if !f.Secret() {
			shown = append(shown, PublicField{
				f.Name, f.Label, f.Help, PublicFieldType(f.Type), f.Required, f.Multiple, f.Choices, f.Collection, f.Collections, f.Component, f.Components,
			})
		}
	}
	return shown
}

// Collection is a user-defined content type as the dashboard API shows it.
type Collection struct {
	ID          int64   `json:"id" example:"1"`
	ProjectID   int64   `json:"projectId" example:"1"`
	Slug        string  `json:"slug" doc:"Identifies the collection in the content API. Only a file of definitions changes it." example:"articles"`
	Name        string  `json:"name" example:"Articles"`
	Description string  `json:"description" example:"What the desk writes."`
	Icon        Icon    `json:"icon" example:"article"`
	PreviewURL  *string `json:"previewUrl" example:"https://www.example.com/preview/{slug}?locale={locale}"`
	Singleton   bool    `json:"singleton" doc:"Whether the collection holds a single entry with its translations." example:"false"`
	Searches    bool    `json:"searches" doc:"Whether searches can find entries: a text of the collection, or of components of its items, is searchable." example:"true"`
	Fields      []Field `json:"fields" nullable:"false" doc:"In display order."`
	Version     int64   `json:"version" doc:"Incremented with every change of this definition." example:"1"`
	CreatedAt   string  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string  `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// aboutCollectionPreview is the description of Collection.PreviewURL.
const aboutCollectionPreview = "The address at which a site draws a preview of an entry, framed by the dashboard. Placeholders after the host are replaced by values of " +
	"the entry, percent-encoded: {id}, {group}, {locale}, and single texts, slugs, enumerations, numbers and dates of the collection by their names, such as {slug}."

// TransformSchema implements huma.SchemaTransformer.
func (Collection) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{"previewUrl": aboutCollectionPreview + " null means none."})
}

// CollectionOf returns c for a response of the dashboard API.
func CollectionOf(c *core.Collection) Collection {
	return Collection{
		ID: c.ID, ProjectID: c.ProjectID, Slug: c.Slug, Name: c.Name, Description: c.Description, Icon: Icon(c.Icon), PreviewURL: core.NullIfZero(c.PreviewURL), Singleton: c.Singleton,
		Searches: c.Searches(), Fields: Each(c.Fields, FieldOf), Version: c.Version,
		CreatedAt: core.FormatTime(c.CreatedAt), UpdatedAt: core.FormatTime(c.UpdatedAt),
	}
}

// Field is one field of a collection with all options.
type Field struct {
	Name     string         `json:"name" pattern:"^[a-z][A-Za-z0-9_]*$" doc:"Immutable." example:"title"`
	Label    string         `json:"label" example:"Title"`
	Help     string         `json:"help,omitempty" doc:"What editors should know about the field, shown below its control." example:"As short as a headline."`
	Type     core.FieldType `json:"type" doc:"Immutable. Values of text, slug, email, color and enumeration have at most 1,000 bytes, of url 2,000." example:"text"`
	Required bool           `json:"required" example:"true"`
	Unique   bool           `json:"unique" doc:"Whether values are unique within the collection and one locale. Entries in the trash do not count." example:"false"`
	Multiple bool           `json:"multiple" doc:"Whether the value is a list. Immutable." example:"false"`
	Hidden   bool           `json:"hidden" doc:"Whether its values are excluded from responses, filters and sorts." example:"false"`
	Min      *float64       `json:"min,omitempty" doc:"Minimum of a number, of the length of a text, or of the number of values if multiple." example:"1"`
	Max      *float64       `json:"max,omitempty" doc:"Maximum of a number, of the length of a text, or of the number of values if multiple." example:"200"`
	Pattern  string         `json:"pattern,omitempty" doc:"An RE2 expression that the whole value must match." example:"[A-Z].*"`

	PatternMessage string     `json:"patternMessage,omitempty" doc:"The message about values that do not match the pattern. Omitted means one that quotes the pattern." example:"must begin with a capital letter"`
	Choices        []string   `json:"choices,omitempty" doc:"The values of an enumeration." example:"[\"news\",\"opinion\"]"`
	Source         string     `json:"source,omitempty" doc:"For a slug: the field from which it is generated." example:"title"`
	Style          slug.Style `json:"style,omitempty" enum:"ascii,unicode" doc:"For a slug: a-z and 0-9, or letters and digits of any script in lower case." example:"ascii"`
	Path           bool       `json:"path,omitempty" doc:"For a slug: whether it can have several parts, joined by /." example:"false"`

	Collection  string          `json:"collection,omitempty" doc:"For a relation to one collection: its slug. The collection stays." example:"countries"`
	Collections []string        `json:"collections,omitempty" doc:"For a relation to several collections, in place of collection: their slugs. Its entries have the member _collection." example:"[\"articles\",\"people\"]"`
	Component   string          `json:"component,omitempty" doc:"For a group: the slug of the component of its items. The component stays." example:"seo"`
	Components  []string        `json:"components,omitempty" doc:"For blocks: the slugs of the components of their items." example:"[\"hero\",\"quote\"]"`
	Default     json.RawMessage `json:"default,omitempty" doc:"The value in new entries that do not set the field."`
	Filterable  bool            `json:"filterable,omitempty" doc:"For a field of a component: whether filters may name it, as in seo.title or body.hero.title." example:"false"`
	Indexed     bool            `json:"indexed" doc:"Whether filters and sorts use an index." example:"true"`
	Searchable  bool            `json:"searchable" doc:"Whether searches of entries find the words of the text, and like uses an index, which costs writes." example:"false"`
}

// FieldOf returns f for a response of the dashboard API.
func FieldOf(f *core.Field) Field {
	return Field{
		Name: f.Name, Label: f.Label, Type: f.Type, Required: f.Required, Unique: f.Unique, Multiple: f.Multiple,
		Hidden: f.Hidden, Min: f.Min, Max: f.Max, Pattern: f.Pattern, Choices: f.Choices, Source: f.Source,
		Collection: f.Collection, Collections: f.Collections, Component: f.Component, Components: f.Components,
		Filterable: f.Filterable, Default: f.Default, Indexed: f.Slot != "" || f.Listed(), Searchable: f.Searchable,
		Help: f.Help, PatternMessage: f.PatternMessage, Style: styleOf(f), Path: f.Path,
	}
}

// styleOf returns the style of a slug field, "" for other fields.
func styleOf(f *core.Field) slug.Style {
	if f.Type != core.TypeSlug {
		return ""
	}
	return cmp.Or(f.Style, slug.ASCII)
}

// CollectionInput defines a collection.
type CollectionInput struct {
	Slug        string       `json:"slug" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" doc:"Unique in the Project. Only a file of definitions changes it." example:"articles"`
	Name        string       `json:"name" example:"Articles"`
	Description string       `json:"description,omitempty" example:"What the desk writes."`
	Icon        Icon         `json:"icon,omitempty" doc:"Shown for the collection in the dashboard. Omitted means article." example:"article"`
	PreviewURL  string       `json:"previewUrl,omitempty" maxLength:"2000" example:"https://www.example.com/preview/{slug}?locale={locale}"`
	Singleton   bool         `json:"singleton,omitempty" doc:"Whether the collection holds a single entry with its translations." example:"false"`
	Fields      []FieldInput `json:"fields,omitempty" doc:"In display order."`
}

// TransformSchema implements huma.SchemaTransformer.
func (CollectionInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{"previewUrl": aboutCollectionPreview + " Its origin is one of previewOrigins of the Project. Empty means none."})
}

// Input returns in for the use case.
func (in CollectionInput) Input() definition.CollectionInput {
	return definition.CollectionInput{
		Slug: in.Slug, Name: in.Name, Description: in.Description, Icon: core.Icon(in.Icon), PreviewURL: in.PreviewURL, Singleton: in.Singleton,
		Fields: Each(in.Fields, func(f FieldInput) definition.FieldInput { return definition.FieldInput(f) }),
	}
}

// FieldInput defines a field.
type FieldInput struct {
	Name     string         `json:"name" pattern:"^[a-z][A-Za-z0-9_]*$" doc:"Not a system key. The name of a removed field restores its values, and must have its type while there are any." example:"title"`
	Label    string         `json:"label,omitempty" example:"Title"`
	Help     string         `json:"help,omitempty" maxLength:"300" doc:"What editors should know about the field, shown below its control." example:"As short as a headline."`
	Type     core.FieldType `json:"type" example:"text"`
	Required bool           `json:"required,omitempty" example:"true"`
	Unique   bool           `json:"unique,omitempty" doc:"Whether values are unique within the collection and one locale. Entries in the trash do not count." example:"false"`
	Multiple bool           `json:"multiple,omitempty" doc:"Whether the value is a list." example:"false"`
	Hidden   bool           `json:"hidden,omitempty" doc:"Whether its values are excluded from responses, filters and sorts." example:"false"`
	Min      *float64       `json:"min,omitempty" nullable:"true" doc:"Minimum of a number, of the length of a text, or of the number of values if multiple." example:"1"`
	Max      *float64       `json:"max,omitempty" nullable:"true" doc:"Maximum of a number, of the length of a text, or of the number of values if multiple." example:"200"`
	Pattern  string         `json:"pattern,omitempty" doc:"An RE2 expression that the whole value must match." example:"[A-Z].*"`

	PatternMessage string     `json:"patternMessage,omitempty" doc:"The message about values that do not match the pattern. Omitted means one that quotes the pattern." example:"must begin with a capital letter"`
	Choices        []string   `json:"choices,omitempty" doc:"The values of an enumeration." example:"[\"news\",\"opinion\"]"`
	Source         string     `json:"source,omitempty" doc:"For a slug: the field from which it is generated." example:"title"`
	Style          slug.Style `json:"style,omitempty" enum:"ascii,unicode" doc:"For a slug: a-z and 0-9, or letters and digits of any script in lower case." example:"ascii"`
	Path           bool       `json:"path,omitempty" doc:"For a slug: whether it can have several parts, joined by /." example:"false"`

	Collection  string          `json:"collection,omitempty" doc:"For a relation to one collection: its slug. The collection stays." example:"countries"`
	Collections []string        `json:"collections,omitempty" doc:"For a relation to several collections, in place of collection: their slugs. Its entries have the member _collection." example:"[\"articles\",\"people\"]"`
	Component   string          `json:"component,omitempty" doc:"For a group: the slug of the component of its items." example:"seo"`
	Components  []string        `json:"components,omitempty" doc:"For blocks: the slugs of the components of their items." example:"[\"hero\",\"quote\"]"`
	Default     json.RawMessage `json:"default,omitempty" doc:"The value in new entries that do not set the field."`
	Filterable  bool            `json:"filterable,omitempty" doc:"For a field of a component: whether filters may name it, as in seo.title or body.hero.title." example:"false"`
	Indexed     *bool           `json:"indexed,omitempty" nullable:"true" doc:"Omitted or null means the default of the type." example:"true"`
	Searchable  bool            `json:"searchable,omitempty" doc:"Whether searches of entries find the words of the text, and like uses an index, which costs writes. Only for texts." example:"false"`
}

// CollectionChange changes the members of a collection that are not nil.
type CollectionChange struct {
	Name        *string          `json:"name,omitempty" example:"Articles"`
	Description *string          `json:"description,omitempty" example:"What the desk writes."`
	Icon        *Icon            `json:"icon,omitempty" example:"page"`
	PreviewURL  Optional[string] `json:"previewUrl,omitempty" example:"https://www.example.com/preview/{slug}?locale={locale}"`
	Singleton   *bool            `json:"singleton,omitempty" doc:"true requires that the collection has at most one translation group, the trash included." example:"false"`
	Order       []string         `json:"order,omitempty" over:"-" doc:"The names of all fields in their new order." example:"[\"title\",\"body\"]"`

	Acknowledge bool `json:"acknowledge,omitempty" over:"-" example:"false"`
}

// TransformSchema implements huma.SchemaTransformer.
func (CollectionChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"previewUrl":  aboutCollectionPreview + " Its origin is one of previewOrigins of the Project. null means none.",
		"acknowledge": AboutAcknowledge,
	})
}

// AboutAcknowledge describes the confirmation of a change of a definition.
const AboutAcknowledge = "Confirms a change that readers of published entries see. Required only if a workflow governs the Project."

// FieldChange changes options of a field. null removes an option.
type FieldChange struct {
	Label    *string           `json:"label,omitempty" example:"Headline"`
	Help     *string           `json:"help,omitempty" maxLength:"300" doc:"Empty means none." example:"As short as a headline."`
	Required *bool             `json:"required,omitempty" example:"true"`
	Unique   *bool             `json:"unique,omitempty" example:"false"`
	Hidden   *bool             `json:"hidden,omitempty" example:"false"`
	Min      Optional[float64] `json:"min,omitempty" example:"1"`
	Max      Optional[float64] `json:"max,omitempty" example:"200"`
	Pattern  *string           `json:"pattern,omitempty" doc:"Empty means none, and removes patternMessage." example:"[A-Z].*"`

	PatternMessage *string `json:"patternMessage,omitempty" maxLength:"300" doc:"Empty means one that quotes the pattern." example:"must begin with a capital letter"`

	Choices     *[]string                 `json:"choices,omitempty" example:"[\"news\",\"opinion\",\"sport\"]"`
	Source      *string                   `json:"source,omitempty" example:"title"`
	Style       *slug.Style               `json:"style,omitempty" enum:"ascii,unicode" example:"unicode"`
	Path        *bool                     `json:"path,omitempty" example:"true"`
	Collection  *string                   `json:"collection,omitempty" example:"countries"`
	Collections *[]string                 `json:"collections,omitempty" doc:"Entries keep references to a collection that is left out, but no response contains them." example:"[\"articles\",\"people\"]"`
	Component   *string                   `json:"component,omitempty" example:"seo"`
	Components  *[]string                 `json:"components,omitempty" doc:"Entries keep items of a component that is left out, but no response contains them." example:"[\"hero\",\"quote\"]"`
	Default     Optional[json.RawMessage] `json:"default,omitempty" doc:"null means none."`
	Indexed     Optional[bool]            `json:"indexed,omitempty" doc:"null means the default of the type." example:"true"`
	Filterable  *bool                     `json:"filterable,omitempty" example:"true"`
	Searchable  *bool                     `json:"searchable,omitempty" doc:"The words of existing entries are found once they are indexed in the background." example:"true"`

	Acknowledge bool `json:"acknowledge,omitempty" over:"-" example:"false"`
}

// TransformSchema implements huma.SchemaTransformer.
func (FieldChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{"acknowledge": AboutAcknowledge})
}

// Over returns in with the change applied.
func (change FieldChange) Over(in definition.FieldInput) definition.FieldInput {
	if change.Pattern != nil && *change.Pattern == "" || change.Pattern == nil && in.Pattern == "" {
		in.PatternMessage = ""
	}
	over(change, &in)
	return in
}

// PublicComponent is a component as the content API shows it.
type PublicComponent struct {
	Slug        string        `json:"slug" example:"hero"`
	Name        string        `json:"name" example:"Hero"`
	Description string        `json:"description" example:"The top of a page."`
	Fields      []PublicField `json:"fields" nullable:"false" doc:"In display order."`
}

// PublicComponentOf returns c for a response of the content API.
func PublicComponentOf(c *core.Component) PublicComponent {
	return PublicComponent{Slug: c.Slug, Name: c.Name, Description: c.Description, Fields: publicFields(c.Fields)}
}

// Component is a named list of fields that collections and other components use, as the dashboard API
// shows it.
type Component struct {
	ID          int64   `json:"id" example:"1"`
	ProjectID   int64   `json:"projectId" example:"1"`
	Slug        string  `json:"slug" doc:"Identifies the component in fields and, as _type, in items. Only a file of definitions changes it." example:"hero"`
	Name        string  `json:"name" example:"Hero"`
	Description string  `json:"description" example:"The top of a page."`
	Fields      []Field `json:"fields" nullable:"false" doc:"In display order."`
	Version     int64   `json:"version" doc:"Incremented with every change of this definition." example:"1"`
	CreatedAt   string  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	UpdatedAt   string  `json:"updatedAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
}

// ComponentInput defines a component.
type ComponentInput struct {
	Slug        string       `json:"slug" pattern:"^[a-z0-9]+(-[a-z0-9]+)*$" doc:"Unique among the components of the Project. Only a file of definitions changes it." example:"hero"`
	Name        string       `json:"name" example:"Hero"`
	Description string       `json:"description,omitempty" example:"The top of a page."`
	Fields      []FieldInput `json:"fields,omitempty" doc:"In display order."`
}

// Input returns in for the use case.
func (in ComponentInput) Input() definition.CollectionInput {
	return CollectionInput{Slug: in.Slug, Name: in.Name, Description: in.Description, Fields: in.Fields}.Input()
}

// ComponentChange changes the members of a component that are not nil.
type ComponentChange struct {
	Name        *string  `json:"name,omitempty" example:"Hero"`
	Description *string  `json:"description,omitempty" example:"The top of a page."`
	Order       []string `json:"order,omitempty" over:"-" doc:"The names of all fields in their new order." example:"[\"title\",\"text\"]"`
}

// ComponentOf returns c for a response of the dashboard API.
func ComponentOf(c *core.Component) Component {
	return Component{
		ID: c.ID, ProjectID: c.ProjectID, Slug: c.Slug, Name: c.Name, Description: c.Description,
		Fields: Each(c.Fields, FieldOf), Version: c.Version,
		CreatedAt: core.FormatTime(c.CreatedAt), UpdatedAt: core.FormatTime(c.UpdatedAt),
	}
}

// DerivedSlug is the slug of a text.
type DerivedSlug struct {
	Slug string `json:"slug" doc:"Empty if the text has no letter or digit." example:"second-week"`
}

// Filling names the fields whose values another field gets.
type Filling struct {
	Fields []string `json:"fields" doc:"For a group: fields of the collection that its component has too, with name and type. Otherwise one field." example:"[\"seoTitle\",\"seoText\"]"`
	After  int64    `json:"after,omitempty" minimum:"0" doc:"The member after of the previous response. Omitted: from the first entry." example:"1200"`
}

// Filling returns in for the use case.
func (in Filling) Filling(field string) writing.Filling {
	return writing.Filling{Field: field, Fields: in.Fields, After: in.After}
}

// Filled is the result of a call that copies values into a field.
type Filled struct {
	Changed   int                   `json:"changed" doc:"The number of entries that the call changed." example:"480"`
	Governed  int                   `json:"governed" doc:"Published versions that stay without the value, because a workflow governs the entry: release publishes them." example:"0"`
	Release   OrNull[FilledRelease] `json:"release" doc:"The open release that has the drafts of these entries; null: there are none."`
	Scheduled int                   `json:"scheduled" doc:"Entries whose scheduled publication stays without the value." example:"1"`
	Trashed   int                   `json:"trashed" doc:"Published versions in the trash that stay without the value." example:"0"`
	Skipped   []Skipped             `json:"skipped" nullable:"false" maxItems:"100" doc:"Entries that stay as they are, for these faults. The call ends at the hundredth; the next one goes on after it." example:"[]"`
	After     *int64                `json:"after" doc:"Where the next call goes on; null when all entries are done." example:"1700"`
}

// FilledRelease is a release that publishes what a call filled.
type FilledRelease struct {
	ID   int64  `json:"id" example:"12"`
	Name string `json:"name" example:"Fill: Articles, Text"`
}

// Skipped is an entry that a call leaves as it is.
type Skipped struct {
	ID     int64        `json:"id" example:"573"`
	Faults []DraftFault `json:"faults" nullable:"false"`
}

// FilledOf returns done for a response of the dashboard API. release has the governed entries; nil: there are none.
func FilledOf(done writing.Filled, release *release.Release) Filled {
	f := Filled{Changed: done.Changed, Governed: len(done.Governed), Scheduled: done.Scheduled, Trashed: done.Trashed}
	f.Skipped = Each(done.Skipped, func(s writing.Skipped) Skipped {
		return Skipped{s.ID, Each(s.Faults, func(f core.FieldError) DraftFault { return DraftFault{f.Message, f.Location} })}
	})
	if release != nil {
		f.Release.Value = &FilledRelease{release.ID, release.Name}
	}
	if done.After != 0 {
		f.After = &done.After
	}
	return f
}
