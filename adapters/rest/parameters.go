package rest

import (
	"regexp"

	"github.com/danielgtaylor/huma/v2"
)

// The query parameters that routes share.
var (
	offsetParam     = windowParam("offset", "How many to skip.", 0, nil)
	limitParam      = windowParam("limit", "How many to return: 1 to 500, 25 unless given. Out of range is an error.", 1, ptr(500.0))
	timestampsParam = flagParam("timestamps", "Adds createdAt and updatedAt.")
	tenantParam     = &queryParam{
		Name: "tenantId", In: "query", Description: "The tenant that looks after the accounts.",
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0)}, Example: 1,
	}
)

// listingParams document what parseList reads.
func listingParams() []*queryParam {
	return []*queryParam{
		{
			Name: "where", In: "query", Style: "deepObject", Explode: ptr(true),
			Description: "Conditions that all hold: `where[field]=v` for equality or `where[field][operator]=v`. " + operatorHelp,
			Schema:      conditionsSchema(),
			Examples: map[string]*huma.Example{
				"equality":    {Summary: "where[category]=news", Value: map[string]any{"category": "news"}},
				"operators":   {Summary: "where[views][gte]=100&where[title][like]=peace", Value: map[string]any{"views": map[string]any{"gte": "100"}, "title": map[string]any{"like": "peace"}}},
				"oneOf":       {Summary: "where[region][in][]=Asia&where[region][in][]=Africa", Value: map[string]any{"region": map[string]any{"in": []string{"Asia", "Africa"}}}},
				"oneRelation": {Summary: "where[country.region]=Europe", Value: map[string]any{"country.region": "Europe"}},
			},
		},
		{
			Name: "or", In: "query", Style: "deepObject", Explode: ptr(true),
			Description: "Numbered groups of conditions: `or[0][field][operator]=v&or[1][field]=w`. Conditions of one group all hold, " +
				"of the groups at least one does, and the whole holds together with where.",
			Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: conditionsSchema()},
			Examples: map[string]*huma.Example{
				"groups": {Summary: "or[0][featured]=true&or[1][views][gt]=1000", Value: map[string]any{"0": map[string]any{"featured": "true"}, "1": map[string]any{"views": map[string]any{"gt": "1000"}}}},
			},
		},
		{
			Name: "sort", In: "query", Schema: &huma.Schema{Type: huma.TypeString, Default: "id:desc"}, Example: "publishedOn:desc,title",
			Description: "`field`, `field:asc` or `field:desc`, up to three joined by commas. Nulls come last in both directions; the id breaks ties.",
		},
		{
			Name: "locale", In: "query", Schema: &huma.Schema{Type: huma.TypeString}, Example: "de",
			Description: "The locale to serve, with its fallbacks; the Project's default unless given. `*` returns the entries of all locales, without fallback.",
		},
		{
			Name: "state", In: "query", Example: "published",
			Schema:      &huma.Schema{Type: huma.TypeString, Enum: []any{"published", "only_draft", "with_draft"}},
			Description: "Which entries, and which version of each: published; only_draft, those never published or taken back; with_draft, the draft of every entry.",
		},
		offsetParam, limitParam, timestampsParam,
		flagParam("count", "Adds meta.total, which costs a count."),
	}
}

const operatorHelp = "Operators: like (contains, in any case), not, in, not_in, lt, lte, gt, gte, between, not_between, null, not_null. " +
	"Those of several values take `a,b` or a repeated `[]=`; null and not_null take none. " +
	"A field of a related entry is named `relation.field`. At most 50 conditions, 500 values each and 5000 in all, 4096 bytes a value."

// conditionsSchema is an object of field name to value, or to operators and values.
func conditionsSchema() *huma.Schema {
	text := &huma.Schema{Type: huma.TypeString}
	operand := &huma.Schema{OneOf: []*huma.Schema{text, {Type: huma.TypeArray, Items: text}}}
	return &huma.Schema{
		Type: huma.TypeObject,
		AdditionalProperties: &huma.Schema{OneOf: []*huma.Schema{
			text, {Type: huma.TypeObject, AdditionalProperties: operand},
		}},
	}
}

func windowParam(name, about string, least float64, most *float64) *queryParam {
	return &queryParam{
		Name: name, In: "query", Description: about, Example: map[string]int{"offset": 0, "limit": 25}[name],
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &least, Maximum: most},
	}
}

func flagParam(name, about string) *queryParam {
	return &queryParam{
		Name: name, In: "query", Description: about, Example: true,
		Schema: &huma.Schema{Type: huma.TypeBoolean, Default: false},
	}
}

// pathParams describes every parameter that stands in a path.
var pathParams = map[string]string{
	"projectUuid":  "The Project's UUID.",
	"projectId":    "The Project's id.",
	"tenantId":     "The tenant's id.",
	"departmentId": "The department's id.",
	"customRoleId": "The custom role's id.",
	"userId":       "The user's id.",
	"tokenId":      "The token's id.",
	"collectionId": "The collection's id.",
	"contentId":    "The entry's id.",
	"entryId":      "The entry's id.",
	"mediaId":      "The media item's id.",
	"slug":         "The collection's slug.",
	"name":         "The field's name.",
}

var pathName = regexp.MustCompile(`\{(\w+)\}`)

// pathComponents returns the shared parameters that paths refer to.
func pathComponents() map[string]*huma.Param {
	components := map[string]*huma.Param{}
	for name, about := range pathParams {
		p := &huma.Param{Name: name, In: "path", Required: true, Description: about}
		switch name {
		case "projectUuid":
			p.Schema, p.Example = &huma.Schema{Type: huma.TypeString, Format: "uuid"}, "7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f"
		case "slug":
			p.Schema, p.Example = &huma.Schema{Type: huma.TypeString}, "articles"
		case "name":
			p.Schema, p.Example = &huma.Schema{Type: huma.TypeString}, "title"
		default:
			p.Schema, p.Example = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: ptr(1.0)}, 1
		}
		components[name] = p
	}
	return components
}

func ptr[T any](v T) *T { return &v }
