package rest

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/content"
)

const aboutAPI = `A headless content platform: organisations manage content and deliver it to applications.

**Content API**, under /public/v2: for applications. They authenticate with a token of a Project: ` + "`Authorization: Bearer …`" + `.
Session cookies are ignored.

**Dashboard API**, under /api: for signed-in users. They authenticate with a session cookie; bearer tokens are ignored.
Requests that change data must come from pages of this service (checked by Origin and Sec-Fetch-Site).

The status is 404 when the caller may not see a resource, and 403 when the caller may see it but not perform the operation.
Unknown query parameters and unknown, repeated or misspelt members of a body are rejected, never ignored.
Errors are RFC 9457 problems. Times are RFC 3339 in UTC with milliseconds. Ids are positive and never reused.`

// document is the OpenAPI document during its construction.
type document struct{ *huma.OpenAPI }

// documented is an operation with its request and response types.
type documented struct {
	op           *operation
	takes, gives reflect.Type
}

// newDocument returns the OpenAPI document of the operations.
func newDocument(operations []documented) *huma.OpenAPI {
	d := document{emptyDocument()}
	for _, o := range operations {
		d.AddOperation(d.describe(*o.op, o.takes, o.gives))
	}
	return d.OpenAPI
}

func emptyDocument() *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", schemaName)
	registry.RegisterTypeAlias(reflect.TypeFor[core.FieldType](), reflect.TypeFor[fieldType]())
	registry.RegisterTypeAlias(reflect.TypeFor[content.Managed](), reflect.TypeFor[managedEntry]())
	registry.RegisterTypeAlias(reflect.TypeFor[shownMedia](), reflect.TypeFor[mediaItem]())
	registry.RegisterTypeAlias(reflect.TypeFor[shownChange](), reflect.TypeFor[changedMedia]())
	registry.RegisterTypeAlias(reflect.TypeFor[content.Versions](), reflect.TypeFor[versions]())
	registry.RegisterTypeAlias(reflect.TypeFor[approval.CurrentStep](), reflect.TypeFor[orNull[approval.WorkflowStep]]())
	registry.RegisterTypeAlias(reflect.TypeFor[approval.Snapshot](), reflect.TypeFor[snapshot]())
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Imprimatur", Version: "2.0.0", Description: aboutAPI,
			Contact: &huma.Contact{Name: "The operator of this service"},
			License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "This service."}},
		Tags: []*huma.Tag{
			{Name: "Public content", Description: "Reading and writing content with a token."},
			{Name: "Public media", Description: "Reading and writing media files with a token. The bytes are under /files, at the URLs that the items contain; they need no credential."},
			{Name: "Session", Description: "Signing in to the dashboard API."},
			{Name: "Tenants", Description: "Organisations."},
			{Name: "Departments", Description: "Parts of a tenant whose Projects share an approval workflow."},
			{Name: "Custom roles", Description: "Named approver roles of a department."},
			{Name: "Projects", Description: "Containers of collections, entries and media."},
			{Name: "Members", Description: "Roles of users in tenants, departments and Projects."},
			{Name: "Users", Description: "User accounts."},
			{Name: "Tokens", Description: "Credentials for the content API of a Project."},
			{Name: "Collections", Description: "User-defined types of content and their fields."},
			{Name: "Content", Description: "Drafts, publishing and the trash."},
			{Name: "Approval workflows", Description: "The review steps that content must pass before publication."},
			{Name: "Approval", Description: "Approval requests, decisions and the audit record."},
			{Name: "Approval inbox", Description: "Requests that wait for the caller, across all Projects."},
			{Name: "Media", Description: "The media library of a Project."},
		},
		Components: &huma.Components{
			Schemas:    registry,
			Parameters: pathComponents(),
			Headers:    headerComponents(),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"token":   {Type: "http", Scheme: "bearer", Description: "A Project's API token."},
				"session": {Type: "apiKey", In: "cookie", Name: "imprimatur_session", Description: "Set by sign-in. With https its name has the prefix __Host-."},
			},
		},
	}
}

// schemaNames are the names of the schemas that are not called as their Go types.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[approval.ShownRequest](): "ApprovalRequest",
	reflect.TypeFor[approval.ShownAction]():  "ApprovalAction",
	reflect.TypeFor[approval.ShownAudit]():   "ApprovalAudit",
}

// schemaName returns the name of the schema for a Go type: "Tenant", and "TenantList" or
// "UserPage" for generic lists.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name := cmp.Or(schemaNames[t], t.Name())
	if name == "" {
		name = hint
	}
	outer, inner, generic := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	if !generic {
		return capital(name)
	}
	return capital(inner[strings.LastIndexByte(inner, '.')+1:]) + capital(outer)
}

func capital(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// describe returns the documented form of op.
func (d document) describe(op operation, takes, gives reflect.Type) *huma.Operation {
	o := &huma.Operation{
		Method: op.method, Path: op.path, OperationID: op.id, Tags: []string{op.tag}, Summary: op.title,
		Description: op.about + "\n\n**Who may call:** " + whoMay(op),
		Security:    security(op),
		Responses:   map[string]*huma.Response{strconv.Itoa(op.status): d.success(op, gives, op.example)},
	}
	for _, match := range pathName.FindAllStringSubmatch(op.path, -1) {
		o.Parameters = append(o.Parameters, &huma.Param{Ref: "#/components/parameters/" + match[1]})
	}
	o.Parameters = append(o.Parameters, op.query...)
	if op.listing {
		o.Parameters = append(o.Parameters, listingParams()...)
	}
	if op.conditional {
		o.Parameters = append(o.Parameters, headerParam("If-None-Match", "ETags of responses that the client has. If one is current, the status is 304.", `"9f86d081884c7d659a2feaa0c55ad015"`))
		o.Responses["304"] = &huma.Response{Description: "The client has the current version.", Headers: headers(op)}
	}
	if op.versioned && op.changesOne() {
		o.Parameters = append(o.Parameters, headerParam("If-Match", "ETags of reads or writes. If none of them is current, the status is 412. * matches any version; weak ETags match nothing. Without this header the last write wins.", `"7"`))
	}
	if op.accepted != nil {
		o.Responses["202"] = d.success(op, op.accepted.gives, op.accepted.example)
		o.Responses["202"].Description = op.accepted.about
	}
	if op.idempotent {
		o.Parameters = append(o.Parameters, headerParam(idempotencyHeader, aboutIdempotency, "5f9c2d3e-8a41-4b6f-9d27-c0e1b2a3f456"))
	}
	if takes != reflect.TypeFor[none]() {
		o.RequestBody = d.requestBody(op, takes)
	}
	if op.form != nil {
		o.RequestBody = op.formBody()
	}
	for _, kind := range op.failures() {
		o.Responses[strconv.Itoa(httpx.Status(kind))] = &huma.Response{Ref: "#/components/responses/" + d.problem(op, kind)}
	}
	return o
}

func whoMay(op operation) string {
	if op.action == anonymous {
		return "everyone, without a credential."
	}
	return op.action.AllowedCallers() + "."
}

func security(op operation) []map[string][]string {
	switch {
	case op.action == anonymous:
		return []map[string][]string{{}}
	case op.byToken():
		return []map[string][]string{{"token": {}}}
	default:
		return []map[string][]string{{"session": {}}}
	}
}

func (op operation) byToken() bool { return op.action.Ability != "" }

// changesOne reports whether the operation changes an existing resource.
func (op operation) changesOne() bool {
	return op.method != http.MethodGet && (op.method != http.MethodPost || strings.Contains(op.path, "{contentId}"))
}

// failures returns the error kinds that the operation can return, including the common
// ones.
func (op operation) failures() []core.Kind {
	kinds := []core.Kind{core.KindBadRequest, core.KindInternal, core.KindUnavailable}
	if op.action != anonymous {
		kinds = append(kinds, core.KindUnauthenticated)
	}
	if op.byToken() {
		kinds = append(kinds, core.KindTooManyRequests)
	}
	if op.action.Role != "" || op.byToken() || op.method != http.MethodGet {
		kinds = append(kinds, core.KindForbidden)
	}
	if strings.Contains(op.path, "{") || op.target != nil {
		kinds = append(kinds, core.KindNotFound)
	}
	if op.method != http.MethodGet {
		kinds = append(kinds, core.KindTooLarge, core.KindUnsupportedMedia, core.KindInvalid)
	}
	if op.versioned && op.changesOne() {
		kinds = append(kinds, core.KindPreconditionFailed)
	}
	if op.idempotent {
		kinds = append(kinds, core.KindConflict)
	}
	kinds = append(kinds, op.fails...)
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

func (d document) requestBody(op operation, takes reflect.Type) *huma.RequestBody {
	schema := d.schema(takes)
	return &huma.RequestBody{
		Required: !op.bodyOptional, Description: "At most 4 MB of JSON.",
		Content: map[string]*huma.MediaType{"application/json": {Schema: schema, Example: d.exampleOr(op.sends, schema)}},
	}
}

func (d document) success(op operation, gives reflect.Type, example any) *huma.Response {
	r := &huma.Response{Description: http.StatusText(op.status) + ".", Headers: headers(op)}
	if gives != reflect.TypeFor[none]() {
		schema := d.schema(gives)
		r.Content = map[string]*huma.MediaType{"application/json": {Schema: schema, Example: d.exampleOr(example, schema)}}
	}
	return r
}

func (d document) schema(t reflect.Type) *huma.Schema {
	return d.Components.Schemas.Schema(t, true, "")
}
