package endpoint

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
	"imprimatur/core/access"
)

// document is an OpenAPI document under construction.
type document struct {
	*huma.OpenAPI

	examples map[string]Examples
}

// Examples are the bodies of a request and of its responses.
type Examples struct {
	Request   any            `json:"request,omitempty"`
	Responses map[string]any `json:"responses,omitempty"` // by status
}

// documented is an operation with its request and response types.
type documented struct {
	op                *Operation
	request, response reflect.Type
}

// Document adds the operations of s to empty, an OpenAPI document without operations, and
// returns it. examples has the examples of operations by id, and those of shared responses by name.
// Other examples are those of the Operation or are built from the examples of the members.
func (s *Set) Document(empty *huma.OpenAPI, examples map[string]Examples) *huma.OpenAPI {
	d := document{empty, examples}
	d.Components.Parameters, d.Components.Headers = pathComponents(), headerComponents()
	for _, o := range s.documented {
		d.AddOperation(d.describe(d.withExamples(*o.op), o.request, o.response))
	}
	return d.OpenAPI
}

// withExamples returns op with the examples that d has of it.
func (d document) withExamples(op Operation) Operation {
	own := d.examples[op.ID]
	if own.Request != nil {
		op.Sends = own.Request
	}
	if shown := own.Responses[strconv.Itoa(op.Status)]; shown != nil {
		op.Example = shown
	}
	if shown := own.Responses["202"]; shown != nil && op.Accepted != nil {
		accepted := *op.Accepted
		accepted.Example = shown
		op.Accepted = &accepted
	}
	return op
}

// SchemaName returns a function for huma that names the schema of a Go type: "Tenant" for
// tenant, "TenantList" for List[tenant], "UserPage" for Page[user]. A type in names has the
// name given there.
func SchemaName(names map[reflect.Type]string) func(t reflect.Type, hint string) string {
	return func(t reflect.Type, hint string) string {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		name := cmp.Or(names[t], t.Name(), hint)
		outer, inner, generic := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		if !generic {
			return capital(name)
		}
		return capital(inner[strings.LastIndexByte(inner, '.')+1:]) + capital(outer)
	}
}

func capital(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// describe returns the OpenAPI description of op.
func (d document) describe(op Operation, request, response reflect.Type) *huma.Operation {
	callers, credential := op.callers()
	o := &huma.Operation{
		Method: op.Method, Path: op.Path, OperationID: op.ID, Tags: []string{op.Tag}, Summary: op.Title,
		Description: op.About + "\n\n**Who may call:** " + callers + ".",
		Security:    op.security(credential),
		Responses:   map[string]*huma.Response{strconv.Itoa(op.Status): d.success(op, response, op.Example)},
	}
	for _, match := range pathName.FindAllStringSubmatch(op.Path, -1) {
		o.Parameters = append(o.Parameters, &huma.Param{Ref: "#/components/parameters/" + match[1]})
	}
	o.Parameters = append(o.Parameters, op.Query...)
	if op.Listing {
		o.Parameters = append(o.Parameters, listingParams()...)
	}
	if op.Counting {
		o.Parameters = append(o.Parameters, slices.DeleteFunc(listingParams(), func(p *QueryParam) bool { return slices.Contains(windowParams, p.Name) })...)
	}
	if op.Conditional {
		o.Parameters = append(o.Parameters, headerParam("If-None-Match", "ETags of responses that the client has. If one is current, the status is 304.", `"9f86d081884c7d659a2feaa0c55ad015"`))
		o.Responses["304"] = &huma.Response{Description: "The client has the current version.", Headers: headers(op)}
	}
	if op.Versioned && op.changesOne() {
		o.Parameters = append(o.Parameters, headerParam("If-Match", "ETags of reads or writes. If none of them is current, the status is 412. * matches any version; weak ETags match nothing. Without this header the last write wins.", `"7"`))
	}
	if op.Accepted != nil {
		o.Responses["202"] = d.success(op, op.Accepted.Gives, op.Accepted.Example)
		o.Responses["202"].Description = op.Accepted.About
	}
	if op.Idempotent {
		o.Parameters = append(o.Parameters, headerParam(idempotencyHeader, aboutIdempotency, "5f9c2d3e-8a41-4b6f-9d27-c0e1b2a3f456"))
	}
	if request != reflect.TypeFor[None]() {
		o.RequestBody = d.requestBody(op, request)
	}
	if op.Form != nil {
		o.RequestBody = op.formBody()
	}
	for _, kind := range op.failures() {
		o.Responses[strconv.Itoa(httpx.Status(kind))] = &huma.Response{Ref: "#/components/responses/" + d.problem(op, kind)}
	}
	return o
}

// callers returns a description of the allowed callers, and the required credential.
func (op Operation) callers() (allowed string, credential map[string][]string) {
	defer func() {
		if op.Action.Assistants != access.NoAssistants {
			allowed += "; or an assistant of such a user"
		}
		if op.Action.Assistants == access.AssistantsDraft {
			allowed += " that may draft"
		}
	}()
	switch {
	case op.Action == Anonymous:
		return "everyone, without a credential", map[string][]string{}
	case op.byToken():
		return op.Action.AllowedCallers(), map[string][]string{"projectToken": {}}
	default:
		return op.Action.AllowedCallers() + " (action `" + op.Action.Name + "`)", map[string][]string{"sessionCookie": {}}
	}
}

// security returns the credentials of op, of which a request has one.
func (op Operation) security(credential map[string][]string) []map[string][]string {
	all := []map[string][]string{credential}
	if op.Action.Assistants != access.NoAssistants {
		all = append(all, map[string][]string{"assistantToken": {}})
	}
	return all
}

func (op Operation) byToken() bool { return op.Action.Ability != "" }

// changesOne reports whether the operation changes an existing resource.
func (op Operation) changesOne() bool {
	return op.Method != http.MethodGet && (op.Method != http.MethodPost || strings.Contains(op.Path, "{contentId}"))
}

// failures returns the error kinds that the operation can return: op.Fails, and those that
// follow from its other properties.
func (op Operation) failures() []core.Kind {
	kinds := []core.Kind{core.KindBadRequest, core.KindInternal, core.KindUnavailable}
	if op.Action != Anonymous {
		kinds = append(kinds, core.KindUnauthenticated, core.KindForbidden)
	}
	if op.byToken() {
		kinds = append(kinds, core.KindTooManyRequests)
	}
	if op.Method != http.MethodGet {
		kinds = append(kinds, core.KindForbidden)
	}
	if strings.Contains(op.Path, "{") || op.Target != nil {
		kinds = append(kinds, core.KindNotFound)
	}
	if op.Method != http.MethodGet {
		kinds = append(kinds, core.KindTooLarge, core.KindUnsupportedMedia, core.KindInvalid)
	}
	if op.Versioned && op.changesOne() {
		kinds = append(kinds, core.KindPreconditionFailed)
	}
	if op.Idempotent {
		kinds = append(kinds, core.KindConflict)
	}
	kinds = append(kinds, op.Fails...)
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

func (d document) requestBody(op Operation, request reflect.Type) *huma.RequestBody {
	body := &huma.RequestBody{
		Required: !op.BodyOptional, Description: "At most 4 MB of JSON.", Content: d.content(request, op.Sends),
	}
	if op.FormEncoded {
		body.Description = "A form, or the same as JSON: at most 16 kB."
		body.Content[formEncoded] = body.Content["application/json"]
	}
	return body
}

// formBody returns the OpenAPI description of the form of an operation.
func (op Operation) formBody() *huma.RequestBody {
	file := &huma.Schema{
		Type: huma.TypeString, Format: "binary",
		Description: "The file with its name. Its type is detected from its bytes; the Content-Type of the part is ignored.",
	}
	form := &huma.Schema{
		Type: huma.TypeObject, Required: []string{filePart}, AdditionalProperties: false,
		Properties: map[string]*huma.Schema{filePart: file},
	}
	example := map[string]any{filePart: "(the bytes of harbour.jpg)"}
	for _, part := range op.Form {
		text := &huma.Schema{Type: huma.TypeString, Description: part.About}
		if part.Many {
			text = &huma.Schema{Type: huma.TypeArray, Description: part.About, Items: &huma.Schema{Type: huma.TypeString}}
		}
		form.Properties[part.Name], example[part.Name] = text, part.Example
	}
	return &huma.RequestBody{
		Required: true, Description: "A file of at most the Project's upload limit, 20 MB unless set.",
		Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: form, Example: example}},
	}
}

func (d document) success(op Operation, response reflect.Type, example any) *huma.Response {
	r := &huma.Response{Description: http.StatusText(op.Status) + ".", Headers: headers(op)}
	if response != reflect.TypeFor[None]() {
		r.Content = d.content(response, example)
		if op.Streams {
			r.Content = map[string]*huma.MediaType{"text/event-stream": r.Content["application/json"]}
		}
	}
	return r
}

func (d document) schema(t reflect.Type) *huma.Schema {
	return d.Components.Schemas.Schema(t, true, "")
}

// content describes a JSON body of a type; a pointer can be null. Without an example, one is
// generated from the schema.
func (d document) content(t reflect.Type, example any) map[string]*huma.MediaType {
	schema := d.schema(t)
	if t.Kind() == reflect.Pointer {
		schema = &huma.Schema{OneOf: []*huma.Schema{schema, {Type: "null"}}}
	}
	if example == nil {
		example = d.example(schema)
	} else {
		example = plainJSON(example)
	}
	return map[string]*huma.MediaType{"application/json": {Schema: schema, Example: example}}
}

// example generates an example from the examples of the members.
func (d document) example(s *huma.Schema) any {
	if s.Ref != "" {
		s = d.Components.Schemas.SchemaFromRef(s.Ref)
	}
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.OneOf) > 0:
		return d.example(s.OneOf[0])
	case s.Type == huma.TypeArray:
		return []any{d.example(s.Items)}
	case s.Type == huma.TypeObject:
		members := map[string]any{}
		for name, member := range s.Properties {
			if shown := d.example(member); shown != nil {
				members[name] = shown
			}
		}
		return members
	default:
		return nil
	}
}

// plainJSON converts v to the types of decoded JSON, which examples in the document must have.
func plainJSON(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("endpoint: cannot encode example: " + err.Error())
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		panic("endpoint: " + err.Error())
	}
	return plain
}

// headers returns references to the response headers of op.
func headers(op Operation) map[string]*huma.Param {
	names := []string{"X-Request-Id"}
	if op.byToken() {
		names = append(names, "RateLimit-Policy", "RateLimit")
	}
	if op.Conditional || op.Versioned && op.Status != http.StatusNoContent {
		names = append(names, "ETag")
	}
	return headerRefs(append(names, op.Headers...)...)
}

func headerRefs(names ...string) map[string]*huma.Param {
	refs := map[string]*huma.Param{}
	for _, name := range names {
		refs[name] = &huma.Param{Ref: "#/components/headers/" + name}
	}
	return refs
}

func headerParam(name, about, example string) *huma.Param {
	return &huma.Param{Name: name, In: "header", Description: about, Schema: &huma.Schema{Type: huma.TypeString}, Example: example}
}

func headerComponents() map[string]*huma.Header {
	components := map[string]*huma.Header{}
	for name, text := range map[string][2]string{
		"X-Request-Id":     {"The id to quote in support requests.", "BZQ3K5T7N2MXW4RVJ6PCYD1HGE"},
		"RateLimit-Policy": {"The quota q of the token in any w seconds; omitted if the token has no limit.", `"default";q=600;w=60`},
		"RateLimit":        {"The remaining requests r, and the seconds t until they are q again; omitted if the token has no limit.", `"default";r=599;t=60`},
		"ETag":             {"The identifier of this response body, or the version of an entry or approval request.", `"7"`},
		"X-Shortened":      {"`relations` if the request has no depth and its response would exceed a limit: relations then show the id and the collection of their entries. A depth in the request gives 400 instead.", "relations"},
		"Location":         {"The path of the created resource.", "/public/v2/projects/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/collections/articles/entries/42"},
		"Set-Cookie":       {"The session, HttpOnly and SameSite=Lax.", "imprimatur_session=…; Path=/; HttpOnly; SameSite=Lax"},
		"Retry-After":      {"The number of seconds to wait before a retry.", "1"},
		"WWW-Authenticate": {"The required credential.", `Bearer realm="imprimatur"`},
	} {
		components[name] = &huma.Header{Description: text[0], Schema: &huma.Schema{Type: huma.TypeString}, Example: text[1]}
	}
	return components
}
