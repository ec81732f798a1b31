package rest

import (
	"embed"
	"encoding/json"
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
)

const aboutAPI = `A headless content platform: organisations manage content and deliver it to applications.

**Content API**, under /public/v2: for applications. They authenticate with a token of a Project: ` + "`Authorization: Bearer …`" + `.
Session cookies are ignored.

**Dashboard API**, under /api: for signed-in users. They authenticate with a session cookie; bearer tokens are ignored.
Requests that change data must come from pages of this service (checked by Origin and Sec-Fetch-Site).

The status is 404 when the caller may not see a resource, and 403 when the caller may see it but not perform the operation.
Unknown query parameters and unknown, repeated or misspelt members of a body are rejected, never ignored.
Errors are RFC 9457 problems. Times are RFC 3339 in UTC with milliseconds. Ids are positive and never reused.`

// emptyDocument returns the OpenAPI document without operations.
func emptyDocument() *huma.OpenAPI {
	registry := huma.NewMapRegistry("#/components/schemas/", endpoint.SchemaName(schemaNames))
	for document, description := range wire.Documents {
		registry.RegisterTypeAlias(document, description)
	}
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
			{Name: "Me", Description: "The caller's own sessions and settings."},
			{Name: "Tenants", Description: "Organisations."},
			{Name: "Departments", Description: "Parts of a tenant whose Projects share an approval workflow."},
			{Name: "Custom roles", Description: "Named approver roles of a department."},
			{Name: "Projects", Description: "Containers of collections, entries and media."},
			{Name: "Members", Description: "Roles of users in tenants, departments and Projects."},
			{Name: "Users", Description: "User accounts."},
			{Name: "Invitations", Description: "Links by mail with which people get an account or roles."},
			{Name: "Identity providers", Description: "Connections of a tenant to OpenID providers, and the domains of addresses that belong to them."},
			{Name: "Tokens", Description: "Credentials for the content API of a Project."},
			{Name: "Collections", Description: "User-defined types of content and their fields."},
			{Name: "Components", Description: "Named lists of fields that collections and other components use."},
			{Name: "Schema", Description: "The definitions of a Project as a file."},
			{Name: "Content", Description: "Drafts, publishing and the trash."},
			{Name: "Assistants", Description: "Programs that draft and propose content for a user, over MCP or this API."},
			{Name: "Delegations", Description: "Users that decide steps of workflows on behalf of others, for a time."},
			{Name: "Releases", Description: "Entries that are reviewed together and published at one time."},
			{Name: "Approval workflows", Description: "The review steps that content must pass before publication."},
			{Name: "Publications", Description: "The versions of entries that readers saw, and their proofs."},
			{Name: "Approval", Description: "Approval requests, decisions and the audit record."},
			{Name: "Approval inbox", Description: "Requests that wait for the caller or that the caller submitted, scheduled ones and decisions, across all Projects."},
			{Name: "Search", Description: "What the caller may open, in all Projects."},
			{Name: "Media", Description: "The media library of a Project."},
			{Name: "Events", Description: "The record of all changes."},
			{Name: webhooksTag, Description: "Addresses that get the events of a Project."},
		},
		Components: &huma.Components{
			Schemas: registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				"assistantToken": {Type: "http", Scheme: "bearer", Description: "The token of an assistant, which a user makes at /api/me/assistants."},
				"projectToken":   {Type: "http", Scheme: "bearer", Description: "A Project's API token."},
				"sessionCookie":  {Type: "apiKey", In: "cookie", Name: "imprimatur_session", Description: "Set by sign-in. With https its name has the prefix __Host-."},
			},
		},
	}
}

// schemaNames has the names of the schemas that differ from those of their Go types.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[requestPage]():   "RequestPage",
	reflect.TypeFor[failedPage]():    "FailedPage",
	reflect.TypeFor[publishedPage](): "PublishedPage",
	reflect.TypeFor[mediaPage]():     "MediaPage",
	reflect.TypeFor[revisionPage]():  "RevisionPage",
	reflect.TypeFor[managedPage]():   "ManagedPage",
	reflect.TypeFor[managedList]():   "ManagedList",
}

// The reader of the OpenAPI document: @stoplight/elements 9.0.25 as published, compressed with Brotli.
//
//go:embed elements/index.html elements/*.br
var elements embed.FS

//go:embed elements/LICENSE
var licenceElements string

//go:embed elements/web-components.min.js.LICENSE.txt
var licencesInElements string

// Licences returns the licences of the reader of the document, and of the works inside of it.
func Licences() string { return licenceElements + "\n" + licencesInElements }

// The examples of requests, and responses that the program gave to them. The test of the examples
// rewrites the responses that have become different: go test ./test/e2e -run TestExamples -update. What is
// embedded is examples.json in gzip, which a test compares with it: gzip -9nkf adapters/rest/examples.json.
//
//go:embed examples.json.gz
var recorded []byte

// examples returns the examples of operations by id, and those of shared responses by name.
func examples() (all map[string]endpoint.Examples) {
	if err := json.Unmarshal(httpx.Unzip(recorded), &all); err != nil {
		panic("rest: examples.json: " + err.Error())
	}
	return all
}

// docsPolicy is the Content-Security-Policy of the reader. It allows its own scripts and styles,
// and requests to this service.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

// serveDocument serves the OpenAPI document and its reader without authentication. It creates the
// document at the first request, to save start time and memory.
func (a *API) serveDocument() {
	a.document = sync.OnceValue(func() *huma.OpenAPI {
		described := a.set.Document(emptyDocument(), examples())
		describeMessages(described)
		return described
	})
	a.yaml = sync.OnceValue(func() []byte { return must(a.document().YAML()) })
	a.template = sync.OnceValues(a.newTemplate)
	a.static("/openapi.json", httpx.NewStatic("application/json", func() []byte { return must(json.Marshal(a.document())) }))
	a.static("/openapi.yaml", httpx.NewStatic("application/yaml", a.yaml))
	a.static("/docs", httpx.NewStatic("text/html; charset=utf-8", element("index.html")))
	a.static("/docs/web-components.min.js", httpx.NewBrotliStatic("text/javascript; charset=utf-8", element("web-components.min.js.br")))
	a.static("/docs/styles.min.css", httpx.NewBrotliStatic("text/css; charset=utf-8", element("styles.min.css.br")))
}

// element returns a function that reads a file of elements.
func element(name string) func() []byte {
	return func() []byte { return must(elements.ReadFile("elements/" + name)) }
}

// must returns body. It panics on an error, which would be a bug: all data is compiled in.
func must(body []byte, err error) []byte {
	if err != nil {
		panic("rest: the documentation is broken: " + err.Error())
	}
	return body
}

// static serves one file of the documentation at a path.
func (a *API) static(at string, body *httpx.Static) {
	a.mux.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) {
		httpx.WritePagePolicy(w.Header(), docsPolicy)
		body.Write(w, r)
	})
}
