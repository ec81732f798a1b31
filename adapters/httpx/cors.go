package httpx

import (
	"net/http"
	"slices"
)

// The values are shared between answers: net/http only reads them.
var (
	anyOrigin      = []string{"*"}
	exposedHeaders = []string{"ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"}
	varyOrigin     = []string{"Origin"}
	preflightAge   = []string{"86400"} // seconds: a day
)

// CrossOrigin lets browsers call next from pages of other origins, without credentials:
// all of them until AllowOrigins narrows it to those of a Project. So errors that come
// before any Project is known can be read, and name nothing of one.
//
// Answers of next differ by the Origin header and have to say so in Vary.
func CrossOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Vary"] = varyOrigin
		if r.Header["Origin"] != nil { // other callers need no more headers
			h["Access-Control-Allow-Origin"] = anyOrigin
			h["Access-Control-Expose-Headers"] = exposedHeaders
		}
		next.ServeHTTP(w, r)
	})
}

// AllowOrigins narrows CrossOrigin to pages of the origins, "*" being all. Requests that
// are no browser's are answered as they were.
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

// WriteAnyOrigin lets pages of every origin read an answer, whatever caches stand
// between.
func WriteAnyOrigin(h http.Header) {
	h["Access-Control-Allow-Origin"] = anyOrigin
	h["Access-Control-Expose-Headers"] = anyOrigin
}

// IsPreflight reports whether a browser asks if a page may send a request.
func IsPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header["Origin"] != nil && r.Header["Access-Control-Request-Method"] != nil
}

// WritePreflight answers a preflight: the methods, and every header that the page wants
// to send. None is a credential that a browser adds by itself.
func WritePreflight(w http.ResponseWriter, r *http.Request, methods string) {
	h := w.Header()
	delete(h, "Access-Control-Expose-Headers") // of no use here
	if h["Access-Control-Allow-Origin"] != nil {
		h["Access-Control-Allow-Methods"] = []string{methods}
		if wanted := r.Header["Access-Control-Request-Headers"]; len(wanted) > 0 {
			h["Access-Control-Allow-Headers"] = wanted
		}
		h["Access-Control-Max-Age"] = preflightAge
	}
	w.WriteHeader(http.StatusNoContent)
}
