package endpoint

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

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
		"RateLimit-Policy": {"The quota q of the token for a window of w seconds; omitted without a quota.", `"default";q=600;w=60`},
		"RateLimit":        {"The remaining requests r for t seconds; omitted without a quota.", `"default";r=599;t=1`},
		"ETag":             {"The identifier of this response body, or the version of an entry or approval request.", `"7"`},
		"Location":         {"The path of the created resource.", "/public/v2/projects/7d0f2c1e-3b5a-4c8d-9e6f-1a2b3c4d5e6f/collections/articles/entries/42"},
		"Set-Cookie":       {"The session, HttpOnly and SameSite=Lax.", "imprimatur_session=…; Path=/; HttpOnly; SameSite=Lax"},
		"Retry-After":      {"The number of seconds to wait before a retry.", "1"},
		"WWW-Authenticate": {"The required credential.", `Bearer realm="imprimatur"`},
	} {
		components[name] = &huma.Header{Description: text[0], Schema: &huma.Schema{Type: huma.TypeString}, Example: text[1]}
	}
	return components
}
