package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/definition/schema"
)

// SchemaFile has the definitions of a Project as a file.
type SchemaFile struct {
	Schema string `json:"schema" doc:"The components and collections of the Project in YAML. Equal definitions have equal bytes." example:"format: 1\ncomponents: []\ncollections:\n  - key: articles\n    name: Articles\n    fields:\n      - name: title\n        type: text\n"`
	Base   string `json:"base" doc:"Identifies the definitions." example:"8f3c5a0e9b7d4c21aa06f1e2d3c4b5a6"`
}

// SchemaFileOf returns s for a response.
func SchemaFileOf(s schema.Schema) SchemaFile {
	return SchemaFile{Schema: string(s.Text), Base: s.Base}
}

// SchemaPlanning asks what a file would change.
type SchemaPlanning struct {
	Schema string `json:"schema" doc:"The components and collections of the Project in YAML, at most 1 MiB." example:"format: 1\ncomponents: []\ncollections:\n  - key: articles\n    name: Articles\n    fields:\n      - name: title\n        type: text\n"`
}

// SchemaApplying asks to make the definitions of a Project those of a file.
type SchemaApplying struct {
	Schema      string `json:"schema" doc:"The components and collections of the Project in YAML, at most 1 MiB." example:"format: 1\ncomponents: []\ncollections:\n  - key: articles\n    name: Articles\n    fields:\n      - name: title\n        type: text\n"`
	Base        string `json:"base" doc:"That of the plan: the file is applied only to the definitions that the plan was made for." example:"8f3c5a0e9b7d4c21aa06f1e2d3c4b5a6"`
	AllowRemove bool   `json:"allowRemove,omitempty" doc:"Allows the changes that have removes true." example:"false"`
	Acknowledge bool   `json:"acknowledge,omitempty" doc:"Confirms the changes in acknowledge of the plan." example:"false"`
}

// Options returns in for the use case.
func (in SchemaApplying) Options() schema.Options {
	return schema.Options{Base: in.Base, AllowRemove: in.AllowRemove, Acknowledge: in.Acknowledge}
}

// SchemaPlan says what a file changes.
type SchemaPlan struct {
	Base        string         `json:"base" doc:"Identifies the definitions that the file was compared with." example:"8f3c5a0e9b7d4c21aa06f1e2d3c4b5a6"`
	Changes     []SchemaChange `json:"changes" nullable:"false" doc:"Empty if the definitions are those of the file."`
	Refused     []SchemaPlace  `json:"refused" nullable:"false" example:"[]"`
	Acknowledge []SchemaPlace  `json:"acknowledge" nullable:"false" doc:"What readers of published entries would see. Empty unless a workflow governs the Project." example:"[]"`
	Removes     bool           `json:"removes" doc:"Whether a change has removes true, so that applying the file needs allowRemove." example:"false"`
}

// SchemaPlace is a place in the definitions and what the file does there.
type SchemaPlace struct {
	Path    string `json:"path" example:"collections.articles.fields.title"`
	Message string `json:"message" example:"readers no longer see its values"`
}

// SchemaChange is one difference between the definitions and a file.
type SchemaChange struct {
	Path     string         `json:"path" doc:"Of a component, a collection or one of its fields." example:"collections.articles.fields.title"`
	Change   string         `json:"change" enum:"added,removed,changed" example:"changed"`
	Options  []SchemaOption `json:"options" nullable:"false" doc:"The options that differ, if change is changed. order has the names of the fields."`
	Removes  bool           `json:"removes,omitempty" doc:"Whether values are no longer shown." example:"false"`
	Restores bool           `json:"restores,omitempty" doc:"Whether the added field gets back the values that entries still have." example:"false"`
	Stored   *int64         `json:"stored,omitempty" example:"480"`
	Public   *int64         `json:"public,omitempty" doc:"Those of stored whose published version has such a value." example:"412"`
}

// SchemaOption is an option before and after; null is the default.
type SchemaOption struct {
	Name   string      `json:"name" example:"required"`
	Before ValueOrNull `json:"before" doc:"null: the default."`
	After  ValueOrNull `json:"after" doc:"null: the default."`
}

// TransformSchema implements huma.SchemaTransformer.
func (SchemaPlan) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"refused": "Changes of the type, multiple or target of a field, which are not possible. A file with one is not applied; changes has the others.",
	})
}

// TransformSchema implements huma.SchemaTransformer.
func (SchemaChange) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"stored": "The number of entries with a value that is removed or hidden, or that does not meet the new options. Omitted means that none was counted.",
	})
}

// SchemaPlanOf returns p for a response.
func SchemaPlanOf(p schema.Plan) SchemaPlan {
	places := func(list []core.FieldError) []SchemaPlace {
		return Each(list, func(f core.FieldError) SchemaPlace { return SchemaPlace{f.Location, f.Message} })
	}
	return SchemaPlan{
		Base: p.Base, Refused: places(p.Refused), Acknowledge: places(p.Acknowledge), Removes: p.Removes(),
		Changes: Each(p.Changes, func(c schema.Change) SchemaChange {
			return SchemaChange{
				Path: c.Path, Change: string(c.Kind), Removes: c.Removes, Restores: c.Restores, Stored: c.Stored, Public: c.Public,
				Options: Each(c.Options, func(o schema.Option) SchemaOption {
					return SchemaOption{o.Name, ValueOrNull(o.Before), ValueOrNull(o.After)}
				}),
			}
		}),
	}
}
