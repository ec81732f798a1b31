package endpoint

import (
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/wire"
	"imprimatur/core/entrystatus"
	"imprimatur/core/query"
)

// Query parameters that several routes share.
var (
	OffsetParam     = IntParam("offset", "The number of items to skip.", 0, 0, nil, nil)
	LimitParam      = IntParam("limit", aboutLimit, 25, 1, new(500.0), nil)
	TimestampsParam = FlagParam("timestamps", "Adds createdAt and updatedAt to each entry.")
	FieldsParam     = TextParam("fields", "The members that each entry shows, besides id and locale: paths joined by commas. `country.name` is a member "+
		"of the related entries, `related.articles.title` one of those of a collection where a relation leads to several, `cover.alt` is a member of a media field, whose `id` is always shown, and `*` is every member that has no path of its own. Default: all.", "title,cover,country.name")
	DepthParam = IntParam("depth", "How many relations deep entries are whole, 0 to 3. Deeper ones are only `id` and `collection`. "+
		"A response has at most 2000 whole entries.", 2, 0, new(float64(query.MaxDepth)), query.DefaultDepth)
	AfterParam = TextParam("after", "A cursor: the value of `meta.next` in the page before. The response has the entries that follow, and costs the same on every page. "+
		"The conditions, sort, locale and state must be those of the page before; offset must be omitted.", "AcpVm3-bWwqqjgE")
	SearchParam = TextParam("search", "Words that the entry must have in its searchable texts, all of them, case and accents aside. The last word may be the beginning of one, from two characters on. "+
		"Words in quotation marks are a phrase. `e-mail` also finds `email`, and the other way round. At most 4 KB and 20 words. If no field of the collection is searchable, the status is 400. Without `sort`, entries with all words in their title come first, and then the newest.", `harbour "old town"`)
	AlternatesParam = FlagParam("alternates", "Adds `_alternates` to each entry: its public translations, itself included if it is public, with id, locale and slug, in the order of the locales of the Project.")
	ReferrersParam  = TextParam("referrers", "Adds `_referrers` to each entry: the published entries that refer to it in these fields, each with the largest number of entries, 1 to 20 (default 5), joined by commas, at most 3. "+
		"A field is a relation, rich text, or one with items. The entries serve the locale of the response, the newest come first, and their relations are only `id` and `collection`.", "articles.body:5")
	ByParam = TextParam("by", "The field whose values are counted: an enumeration, a boolean, a relation, a text with an index and at most 1000 different values, or, by year or by month, a date or a time such as `publishedAt:month`. "+
		"A field with several values counts an entry once for each of them. The status is 400 for a field without an index.", "category")
	ZoneParam     = TextParam("zone", "The time zone in which the years and months of a time begin. Default: UTC. A date is the same in every zone.", "Europe/Berlin")
	StatusParam   = statusParam()
	EditedByParam = IDParam("editedBy", "The entries whose latest change this user made: a write of the draft, a publication without a workflow, or a move to or from the trash. "+
		"Changes by tokens and commands belong to no user. Omitted means all.", 3)
	OutdatedParam = TextParam("outdated", "A locale of the Project. The list has the entries in other locales whose translation into this one is missing, "+
		"is in the trash, or was changed before them.", "de")
)

const aboutLimit = "The number of items to return, 1 to 500. Default: 25. A value out of range is an error."

// listingParams document the parameters that parseList reads.
func listingParams() []*QueryParam {
	return []*QueryParam{
		{
			Name: "where", In: "query", Style: "deepObject", Explode: new(true),
			Description: "Conditions that must all hold: `where[field]=v` for equality or `where[field][operator]=v`. " + operatorHelp,
			Schema:      conditionsSchema(),
			Examples: map[string]*huma.Example{
				"equality":     {Summary: "where[category]=news", Value: map[string]any{"category": "news"}},
				"operators":    {Summary: "where[views][gte]=100&where[title][like]=peace", Value: map[string]any{"views": map[string]any{"gte": "100"}, "title": map[string]any{"like": "peace"}}},
				"oneOf":        {Summary: "where[category][in][]=news&where[category][in][]=opinion", Value: map[string]any{"category": map[string]any{"in": []string{"news", "opinion"}}}},
				"translations": {Summary: "where[_group]=42", Value: map[string]any{"_group": "42"}},
				"oneRelation":  {Summary: "where[country.region]=Europe", Value: map[string]any{"country.region": "Europe"}},
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
			Description: "`field`, `field:asc` or `field:desc`, up to three joined by commas. Texts are ordered by their letters without accents and case " +
				"(apple, Äpple, Zebra), then by code point, in every locale and on every database. Nulls come last in both directions; the id breaks ties. " +
				"Entries are not sorted by the types longtext, richtext, url, json, relation and media, nor by lists.",
		},
		TextParam("locale", "The locale of the entries, with its fallbacks. Default: the default locale of the Project. "+
			"`*` returns the entries of all locales without fallbacks.", "de"),
		EnumParam("state", "The entries and their version: published returns the published versions, only_draft the drafts of "+
			"unpublished entries, with_draft the drafts of all entries.", nil, "published", "only_draft", "with_draft"),
		OffsetParam, LimitParam, TimestampsParam,
		FlagParam("count", "Adds meta.total. The response takes longer."),
	}
}

func statusParam() *QueryParam {
	names := wire.Each(entrystatus.Listed(), func(s entrystatus.Status) string { return string(s) })
	p := EnumParam("status", "The entries with this status. It is the status of the entry in the locale that the list returns. "+
		"Omitted means all.", nil, names...)
	p.Example = string(entrystatus.InReview)
	return p
}

var operatorHelp = "Operators: " + operatorNames() + ". " +
	"Texts are equal by code point, and compared by lt, gt and between in the order of `sort`; longtext and richtext take only like, null and not_null, and url is not compared by order. " +
	"Operators with several values accept `a,b` or a repeated `[]=`; null and not_null accept no value. " +
	"`_group` finds the translations of an entry by the id of any of them: it takes only equality, once, in where. " +
	"`relation.field` is a field of a related entry; if the relation leads to several collections, each of them has the field, with the same type. " +
	"`author.desk.name` is a field two relations away, which lead to one collection each; a request takes 2 such conditions. " +
	"Limits: 50 conditions, 500 conditions times locales read (counted once for each collection that its relations lead to; all locales with `locale=*`, otherwise those of the fallback chain), 500 values per condition, 5000 values in total, 4096 bytes per value."

// operatorNames lists the names of the operators.
func operatorNames() string {
	var names []string
	for _, o := range query.Operators {
		name := string(o.Op)
		if o.About != "" {
			name += " (" + o.About + ")"
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// conditionsSchema returns the schema of conditions: an object that maps each field name to a value
// or to an object of values by operator.
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

// PageParams returns the parameters of a list in pages. items names the items of the list, and
// perPage is the default number of items per page.
func PageParams(items string, perPage int) []*QueryParam {
	return []*QueryParam{
		IntParam("page", "The number of the page, starting at 1.", 1, 1, nil, 1),
		IntParam("perPage", "The number of "+items+" per page.", perPage, 1, new(float64(query.MaxPerPage)), perPage),
	}
}

// IntParam returns a query parameter that is a whole number from least to most. nil means no
// maximum or no default.
func IntParam(name, about string, example int, least float64, most *float64, byDefault any) *QueryParam {
	return &QueryParam{
		Name: name, In: "query", Description: about, Example: example,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &least, Maximum: most, Default: byDefault},
	}
}

// IDParam returns a query parameter that is the id of a resource.
func IDParam(name, about string, example int) *QueryParam {
	return IntParam(name, about, example, 1, nil, nil)
}

// TextParam returns a query parameter that is any text.
func TextParam(name, about, example string) *QueryParam {
	return &QueryParam{
		Name: name, In: "query", Description: about, Example: example, Schema: &huma.Schema{Type: huma.TypeString},
	}
}

// TimeParam returns a query parameter that is a time, for Call.Time or Call.Bound.
func TimeParam(name, about, example string) *QueryParam {
	p := TextParam(name, about, example)
	p.Schema.Format = "date-time"
	return p
}

// EnumParam returns a query parameter that is one of values; the first one is the example. nil
// means no default.
func EnumParam(name, about string, byDefault any, values ...string) *QueryParam {
	p := TextParam(name, about, values[0])
	p.Schema.Enum, p.Schema.Default = wire.Each(values, func(value string) any { return value }), byDefault
	return p
}

// FlagParam returns a query parameter that is true or false; default: false.
func FlagParam(name, about string) *QueryParam {
	return &QueryParam{
		Name: name, In: "query", Description: about, Example: true,
		Schema: &huma.Schema{Type: huma.TypeBoolean, Default: false},
	}
}

// pathParams describes all path parameters by name. Those without an example are ids or numbers.
// thing names what an id identifies; it is empty if the operation checks the parameter itself.
var pathParams = map[string]struct{ about, thing, example string }{
	"projectUuid":  {about: "The Project's UUID.", example: "7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f"},
	"projectId":    {about: "The Project's id."},
	"tenantId":     {about: "The tenant's id.", thing: "tenant"},
	"departmentId": {about: "The department's id."},
	"customRoleId": {about: "The custom role's id.", thing: "custom role"},
	"userId":       {about: "The user's id.", thing: "user"},
	"assistantId":  {about: "The assistant's id.", thing: "assistant"},
	"runId":        {about: "The run's id.", thing: "run"},
	"delegationId": {about: "The delegation's id.", thing: "delegation"},
	"providerId":   {about: "The identity provider's id.", thing: "identity provider"},
	"invitationId": {about: "The invitation's id.", thing: "invitation"},
	"passkeyId":    {about: "The passkey's id.", thing: "passkey"},
	"sessionId":    {about: "The session's id.", thing: "session"},
	"tokenId":      {about: "The token's id.", thing: "token"},
	"webhookId":    {about: "The webhook's id.", thing: "webhook"},
	"deliveryId":   {about: "The delivery's id.", thing: "delivery"},
	"collectionId": {about: "The collection's id.", thing: "collection"},
	"componentId":  {about: "The component's id.", thing: "component"},
	"releaseId":    {about: "The release's id.", thing: "release"},
	"commentId":    {about: "The comment's id.", thing: "comment"},
	"contentId":    {about: "The entry's id.", thing: "entry"},
	"entryId":      {about: "The entry's id."},
	"mediaId":      {about: "The media item's id.", thing: "media item"},
	"slug":         {about: "The slug of the collection or component.", example: "articles"},
	"name":         {about: "The field's name.", example: "title"},
	"number":       {about: "The number of the revision or publication."},
}

var pathName = regexp.MustCompile(`\{(\w+)\}`)

// pathComponents returns the shared path parameters.
func pathComponents() map[string]*huma.Param {
	components := map[string]*huma.Param{}
	for name, param := range pathParams {
		p := IDParam(name, param.about, 1)
		if param.example != "" {
			p = TextParam(name, param.about, param.example)
		}
		p.In, p.Required = "path", true
		components[name] = p
	}
	components["projectUuid"].Schema.Format = "uuid"
	return components
}
