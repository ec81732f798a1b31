package rest

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// problemTexts says of each kind of error when it comes, with an example.
var problemTexts = map[core.Kind]struct{ name, about, code, detail, location, fault string }{
	core.KindBadRequest: {
		"BadRequest", "The query, a header or the form of the body is wrong; the place is named.",
		"bad_parameter", "parameter limit must be a whole number", "limit", "must be a whole number",
	},
	core.KindInvalid: {
		"Invalid", "The body is well formed, but values in it break a rule, or members are unknown. Every fault is named.",
		"invalid", "some values are not valid", "fields.title", "is required",
	},
	core.KindUnauthenticated: {
		"Unauthenticated", "The credential is missing, given twice, or not valid.",
		"unauthenticated", "a valid credential is required", "", "",
	},
	core.KindForbidden: {
		"Forbidden", "The caller may see this but not do that to it, or the request comes from another site's page.",
		"forbidden", "this needs the ability create", "", "",
	},
	core.KindNotFound: {
		"NotFound", "There is no such thing, or the caller may not see it: the same words.",
		"not_found", "no such project", "", "",
	},
	core.KindConflict: {
		"Conflict", "The thing is not in a state for this, or a name is taken.",
		"conflict", "the entry has a translation in that locale already", "", "",
	},
	core.KindPreconditionFailed: {
		"PreconditionFailed", "The version in If-Match is not the current one.",
		"precondition_failed", "If-Match is not the ETag of the current version", "", "",
	},
	core.KindTooLarge: {
		"TooLarge", "The body is over its limit.",
		"body_too_large", "the body is over 4194304 bytes", "", "",
	},
	core.KindUnsupportedMedia: {
		"UnsupportedMediaType", "The body, or the file in it, is of a type that is not taken here.",
		"unsupported_media_type", "the body must be application/json", "", "",
	},
	core.KindTooManyRequests: {
		"TooManyRequests", "The budget is spent; Retry-After says when to come back.",
		"rate_limited", "this token has spent its requests for now", "", "",
	},
	core.KindUnavailable: {
		"Unavailable", "A part that this service needs is away; worth a retry.",
		"unavailable", "the database does not answer", "", "",
	},
	core.KindStorageFull: {
		"StorageFull", "There is no room left to keep what was sent.",
		"storage_full", "there is no room left for this file", "", "",
	},
	core.KindInternal: {
		"Internal", "A fault on our side. It is logged under requestId.",
		"internal", "something went wrong on our side", "", "",
	},
}

// problem returns the name of the shared response for errors of that kind on
// routes like op, which it adds when it is the first to ask.
func (d document) problem(op operation, kind core.Kind) string {
	text := problemTexts[kind]
	name, family := text.name, "Session"
	if op.byToken() {
		family = "Token"
	}
	name = family + name
	shows := outcome{about: text.about, gives: reflect.TypeFor[httpx.Problem]()}
	if kind == core.KindConflict && op.conflict != nil {
		shows, name = *op.conflict, capital(op.conflict.gives.Name())
	}
	components := d.Components
	if components.Responses == nil {
		components.Responses = map[string]*huma.Response{}
	}
	if components.Responses[name] != nil {
		return name
	}
	headers := []string{"X-Request-Id"}
	if op.byToken() && kind != core.KindUnauthenticated {
		headers = append(headers, "RateLimit-Policy", "RateLimit")
	}
	switch kind {
	case core.KindUnauthenticated:
		headers = append(headers, "WWW-Authenticate")
	case core.KindTooManyRequests, core.KindUnavailable:
		headers = append(headers, "Retry-After")
	}
	status := httpx.Status(kind)
	example := httpx.Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: text.detail, Code: text.code,
		Instance: examplePath(op), RequestID: "BZQ3K5T7N2MXW4RVJ6PCYD1HGE",
	}
	if text.fault != "" {
		example.Errors = []httpx.Fault{{Message: text.fault, Location: text.location}}
	}
	if shows.example == nil {
		shows.example = example
	}
	components.Responses[name] = &huma.Response{
		Description: shows.about, Headers: headerRefs(headers...),
		Content: map[string]*huma.MediaType{httpx.ProblemType: {Schema: d.schema(shows.gives), Example: plainJSON(shows.example)}},
	}
	return name
}

func examplePath(op operation) string {
	if op.byToken() {
		return "/public/v2/projects/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/collections/articles/entries"
	}
	return "/api/projects/1/collections/1/content"
}
