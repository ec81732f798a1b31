package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core/review"
)

// Condition describes review.Condition.
type Condition struct {
	Collections []string              `json:"collections,omitempty" nullable:"false" doc:"The slugs of collections." example:"[\"articles\"]"`
	Locales     []string              `json:"locales,omitempty" nullable:"false" doc:"The locales of entries." example:"[\"de\"]"`
	Fields      []string              `json:"fields,omitempty" nullable:"false" example:"[\"title\",\"seo\"]"`
	Actions     []review.ChangeAction `json:"actions,omitempty" nullable:"false" example:"[\"first\"]"`
}

const (
	aboutFields = "The places of fields, such as title, seo.title or body.hero.title; each covers what is below it. @media are the words of media. " +
		"An entry that is not published has changed every field that it has. They need exactly one of collections. A change meets a place that the collection " +
		"no longer has, because it cannot be judged."
	aboutActions = "first: an entry that readers do not see is published; publish: an entry is published, also a first time; unpublish: an entry goes offline."
)

// TransformSchema implements huma.SchemaTransformer.
func (Condition) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describeCondition(s)
}

func describeCondition(s *huma.Schema) *huma.Schema {
	s.Properties["actions"].Items.Enum = Each(review.ChangeActions, func(a review.ChangeAction) any { return string(a) })
	return describe(s, members{"fields": aboutFields, "actions": aboutActions})
}

// ConditionInput is a review.Condition of a request body.
type ConditionInput struct {
	Collections []string `json:"collections,omitempty" nullable:"false" minItems:"1" maxItems:"100" doc:"The slugs of collections. They need not exist." example:"[\"articles\"]"`
	Locales     []string `json:"locales,omitempty" nullable:"false" minItems:"1" maxItems:"100" doc:"The locales of entries." example:"[\"de\"]"`
	Fields      []string `json:"fields,omitempty" nullable:"false" minItems:"1" maxItems:"100" example:"[\"title\",\"seo\"]"`
	Actions     []string `json:"actions,omitempty" nullable:"false" minItems:"1" maxItems:"3" example:"[\"first\"]"`
}

// TransformSchema implements huma.SchemaTransformer.
func (ConditionInput) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describeCondition(s)
}
