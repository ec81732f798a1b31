package endpoint

import (
	"regexp"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
)

// Query parameters that several routes share.
var (
	OffsetParam     = windowParam("offset", "The number of items to skip.", 0, nil)
	LimitParam      = windowParam("limit", "The number of items to return, 1 to 500. Default: 25. A value out of range is an error.", 1, new(500.0))
	TimestampsParam = FlagParam("timestamps", "Adds createdAt and updatedAt to each entry.")
	TenantParam     = &QueryParam{
		Name: "tenantId", In: "query", Description: "The tenant that manages the accounts.",
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: new(1.0)}, Example: 1,
	}
)

// listingParams document the parameters that parseList reads.
func listingParams() []*QueryParam {
	return []*QueryParam{
		{
			Name: "where", In: "query", Style: "deepObject", Explode: new(true),
			Description: "Conditions that must all hold: `where[field]=v` for equality or `where[field][operator]=v`. " + operatorHelp,
			Schema:      conditionsSchema(),
			Examples: map[string]*huma.Example{
				"equality":    {Summary: "where[category]=news", Value: map[string]any{"category": "news"}},
				"operators":   {Summary: "where[views][gte]=100&where[title][like]=peace", Value: map[string]any{"views": map[string]any{"gte": "100"}, "title": map[string]any{"like": "peace"}}},
				"oneOf":       {Summary: "where[region][in][]=Asia&where[region][in][]=Africa", Value: map[string]any{"region": map[string]any{"in": []string{"Asia", "Africa"}}}},
				"oneRelation": {Summary: "where[country.region]=Europe", Value: map[string]any{"country.region": "Europe"}},
			},
		},
		{
			Name: "or", In: "query", Style: "deepObject", Explode: new(true),
			Description: "Numbered groups of conditions: `or[0][field][operator]=v&or[1][field]=w`. All conditions of at least one group " +
				"must hold, in addition to those of where.",
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
			Description: "The locale of the entries, with its fallbacks. Default: the default locale of the Project. `*` returns the entries of all locales without fallbacks.",
		},
		{
			Name: "state", In: "query", Example: "published",
			Schema:      &huma.Schema{Type: huma.TypeString, Enum: []any{"published", "only_draft", "with_draft"}},
			Description: "The entries and their version: published returns the published versions, only_draft the drafts of unpublished entries, with_draft the drafts of all entries.",
		},
		OffsetParam, LimitParam, TimestampsParam,
		FlagParam("count", "Adds meta.total. The response takes longer."),
	}
}

func statusParam() *QueryParam {
	var names []any
	for _, status := range core.ListedStatuses() {
		names = append(names, string(status))
	}
	return &QueryParam{
		Name: "status", In: "query", Example: string(core.StatusInReview), Schema: &huma.Schema{Type: huma.TypeString, Enum: names},
		Description: "The entries with this status. It is the status of the entry in the locale that the list returns. Omitted means all.",
	}
}

const operatorHelp = "Operators: like (case-insensitive substring), not, in, not_in, lt, lte, gt, gte, between, not_between, null, not_null. " +
	"Operators with several values accept `a,b` or a repeated `[]=`; null and not_null accept no value. " +
	"`relation.field` is a field of a related entry. Limits: 50 conditions, 500 values per condition, 5000 values in total, 4096 bytes per value."

// conditionsSchema returns the schema of conditions: by field name a value, or values by
// operator.
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

func windowParam(name, about string, least float64, most *float64) *QueryParam {
	return &QueryParam{
		Name: name, In: "query", Description: about, Example: map[string]int{"offset": 0, "limit": 25}[name],
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &least, Maximum: most},
	}
}

// PageParams returns the parameters of a list in pages. items names what the list has, and
// perPage is the default number of them on a page.
func PageParams(items string, perPage int) []*QueryParam {
	return []*QueryParam{
		{
			Name: "page", In: "query", Description: "The number of the page, starting at 1.", Example: 1,
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: new(1.0), Default: 1},
		},
		{
			Name: "perPage", In: "query", Description: "The number of " + items + " per page.", Example: perPage,
			Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: new(1.0), Maximum: new(float64(core.MaxPerPage)), Default: perPage},
		},
	}
}

// FlagParam returns a query parameter that is true or false; default: false.
func FlagParam(name, about string) *QueryParam {
	return &QueryParam{
		Name: name, In: "query", Description: about, Example: true,
		Schema: &huma.Schema{Type: huma.TypeBoolean, Default: false},
	}
}

// pathParams has the descriptions of all path parameters by name.
var pathParams = map[string]string{
	"projectUuid":  "The Project's UUID.",
	"projectId":    "The Project's id.",
	"tenantId":     "The tenant's id.",
	"departmentId": "The department's id.",
	"customRoleId": "The custom role's id.",
	"userId":       "The user's id.",
	"sessionId":    "The session's id.",
	"tokenId":      "The token's id.",
	"collectionId": "The collection's id.",
	"contentId":    "The entry's id.",
	"entryId":      "The entry's id.",
	"mediaId":      "The media item's id.",
	"slug":         "The collection's slug.",
	"name":         "The field's name.",
	"number":       "The number of the revision or publication.",
}

var pathName = regexp.MustCompile(`\{(\w+)\}`)

// pathComponents returns the shared path parameters.
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
			p.Schema, p.Example = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: new(1.0)}, 1
		}
		components[name] = p
	}
	return components
}
