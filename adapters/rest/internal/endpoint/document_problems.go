package endpoint

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/httpx"
	"imprimatur/core"
)

// problemTexts has, for each error kind, the name and description of its response and the texts
// of the example.
var problemTexts = map[core.Kind]struct{ name, about, code, detail, location, fault string }{
	core.KindBadRequest: {
		"BadRequest", "The query, a header or the syntax of the body is invalid. The problem names the location.",
		"bad_parameter", "parameter limit must be a whole number", "limit", "must be a whole number",
	},
	core.KindInvalid: {
		"Invalid", "The body is well formed, but it contains invalid values or unknown members. The problem lists all errors.",
		"invalid", "some values are not valid", "fields.title", "is required",
	},
	core.KindUnauthenticated: {
		"Unauthenticated", "The credential is missing, repeated or invalid.",
		"unauthenticated", "a valid credential is required", "", "",
	},
	core.KindForbidden: {
		"Forbidden", "The caller may see the resource but not perform the operation, the request comes from a page of another site, or the user must first change the password (`password_change_required`).",
		"forbidden", "this needs the ability create", "", "",
	},
	core.KindNotFound: {
		"NotFound", "The resource does not exist, or the caller may not see it.",
		"not_found", "no such project", "", "",
	},
	core.KindGone: {
		"Gone", "The link was used, has expired, was withdrawn or replaced, or what it offers no longer exists; or the changes after the cursor are no longer kept.",
		"invitation_expired", "the invitation has expired; ask for another one", "", "",
	},
	core.KindConflict: {
		"Conflict", "The state of the resource does not allow the operation, or a name is already in use.",
		"locale_taken", "the entry has a translation in that locale", "", "",
	},
	core.KindPreconditionFailed: {
		"PreconditionFailed", "The version in If-Match is not the current one.",
		"precondition_failed", "If-Match is not the ETag of the current version", "", "",
	},
	core.KindTooLarge: {
		"TooLarge", "The body exceeds its size limit.",
		"body_too_large", "body must be at most 4194304 bytes", "", "",
	},
	core.KindUnsupportedMedia: {
		"UnsupportedMediaType", "The body, or the file in it, has an unsupported type.",
		"unsupported_media_type", "body must be application/json in UTF-8, not compressed", "", "",
	},
	core.KindTooManyRequests: {
		"TooManyRequests", "The rate limit of the token is exceeded. Retry after the seconds in Retry-After.",
		"rate_limited", "rate limit of this token exceeded, retry later", "", "",
	},
	core.KindUnavailable: {
		"Unavailable", "The service is overloaded or a dependency is unavailable. Retry later.",
		"unavailable", "database unavailable", "", "",
	},
	core.KindStorageFull: {
		"StorageFull", "The storage is full.",
		"storage_full", "no space left for files", "", "",
	},
	core.KindInternal: {
		"Internal", "An internal error. It is logged with the requestId.",
		"internal", "internal server error", "", "",
	},
}

// problem returns the name of the response component for errors of kind on op. It adds the
// component if the document does not have it yet. Operations with the same authentication
// share components.
func (d document) problem(op Operation, kind core.Kind) string {
	text := problemTexts[kind]
	name, family := text.name, "Session"
	if op.byToken() {
		family = "Token"
	}
	name = family + name
	outcome := Outcome{About: text.about, Gives: reflect.TypeFor[httpx.Problem]()}
	if kind == core.KindConflict && op.Conflict != nil {
		outcome, name = *op.Conflict, capital(op.Conflict.Gives.Name())
	}
	if kind == core.KindPreconditionFailed && op.Stale != nil {
		outcome, name = *op.Stale, family+capital(op.Stale.Gives.Name())
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
	if outcome.Example == nil {
		outcome.Example = example
	}
	if shown := d.examples[name].Responses[strconv.Itoa(status)]; shown != nil {
		outcome.Example = shown
	}
	components.Responses[name] = &huma.Response{
		Description: outcome.About, Headers: headerRefs(headers...),
		Content: map[string]*huma.MediaType{httpx.ProblemType: {Schema: d.schema(outcome.Gives), Example: plainJSON(outcome.Example)}},
	}
	return name
}

func examplePath(op Operation) string {
	if op.byToken() {
		return "/public/v2/projects/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/collections/articles/entries"
	}
	return "/api/projects/1/collections/1/content"
}
