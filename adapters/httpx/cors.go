package httpx

import (
	"net/http"
	"slices"
)

// The values are shared between responses: net/http only reads them.
var (
	anyOrigin      = []string{"*"}
	exposedHeaders = []string{"ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-Shortened"}
	varyOrigin     = []string{"Origin"}
	preflightAge   = []string{"86400"} // seconds: a day
)

// AllowAllOrigins allows browsers to read the response from pages of all origins, without
// credentials, until AllowOrigins restricts them to the origins of a Project. Errors that
// occur before the Project is known can thus be read by every page; they contain no data
// of a Project.
//
// The response then depends on the Origin header. A handler that sets Vary must name it.
func AllowAllOrigins(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Vary"] = varyOrigin
	if r.Header["Origin"] != nil { // other clients do not need the headers
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Expose-Headers"] = exposedHeaders
	}
}

// AllowOrigins restricts AllowAllOrigins to pages of the given origins; "*" means all. It
// does not affect requests without an Origin header.
func AllowOrigins(w http.ResponseWriter, r *http.Request, origins []string) {
	origin := r.Header["Origin"]
	if origin == nil || slices.Contains(origins, "*") {
		return
	}
	h := w.Header()
	if len(origin) == 1 && slices.Contains(origins, origin[0]) {
		h["Access-Control-Allow-Origin"] = origin
		return
	}
	delete(h, "Access-Control-Allow-Origin")
	delete(h, "Access-Control-Expose-Headers")
}

// WriteAnyOrigin allows pages of every origin to read a response. It does not depend on
// the request, so that caches can share the response.
func WriteAnyOrigin(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = anyOrigin
}

// IsPreflight reports whether r is a CORS preflight request.
func IsPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header["Origin"] != nil && r.Header["Access-Control-Request-Method"] != nil
}

// WritePreflight answers a preflight request with the methods and with every header that
// the page wants to send. No header is a credential that a browser adds by itself.
func WritePreflight(w http.ResponseWriter, r *http.Request, methods string) {
	h := w.Header()
	delete(h, "Access-Control-Expose-Headers") // not defined for preflights
	if h["Access-Control-Allow-Origin"] != nil {
		h["Access-Control-Allow-Methods"] = []string{methods}
		if wanted := r.Header["Access-Control-Request-Headers"]; len(wanted) > 0 {
			h["Access-Control-Allow-Headers"] = wanted
		}
		h["Access-Control-Max-Age"] = preflightAge
	}
	w.WriteHeader(http.StatusNoContent)
}
