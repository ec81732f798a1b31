package graphql

import (
	"net/http"
	"strings"

	"imprimatur/adapters/httpx"
)

// mediaType is one of the two response formats.
type mediaType struct {
	contentType []string // as a header's value
	// badQuery is the status for a query that is not executed. Clients of
	// application/json treat any status other than 200 as a network failure.
	badQuery int
}

var (
	responseJSON = mediaType{[]string{"application/graphql-response+json; charset=utf-8"}, http.StatusBadRequest}
	plainJSON    = mediaType{[]string{"application/json; charset=utf-8"}, http.StatusOK}
	vary         = []string{"Accept, Accept-Encoding, Authorization, Origin"}
)

// negotiate selects the response format by the Accept header. The default, also for
// "*/*", is application/json. It returns false, with application/json for the error
// response, when the client accepts neither.
func negotiate(accept []string) (mediaType, bool) {
	if len(accept) == 0 {
		return plainJSON, true
	}
	modern, named := quality(accept, "application", "graphql-response+json")
	plain, _ := quality(accept, "application", "json")
	switch {
	case modern == 0 && plain == 0:
		return plainJSON, false
	case plain == 0, named && modern >= plain:
		return responseJSON, true
	default:
		return plainJSON, true
	}
}

// wantsPage reports whether a browser requests a page.
func wantsPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	html, named := quality(r.Header["Accept"], "text", "html")
	modern, _ := quality(r.Header["Accept"], "application", "graphql-response+json")
	plain, _ := quality(r.Header["Accept"], "application", "json")
	return named && html > 0 && html >= modern && html >= plain
}

// quality returns the quality, 0 to 1, that an Accept header gives to a media type by its
// most specific range. named reports whether that range names the type.
func quality(accept []string, kind, subtype string) (q float64, named bool) {
	best := -1
	for _, header := range accept {
		for part := range strings.SplitSeq(header, ",") {
			mediaRange, params, _ := strings.Cut(part, ";")
			specific := specificity(strings.ToLower(strings.TrimSpace(mediaRange)), kind, subtype)
			if specific > best {
				best, q = specific, httpx.Quality(params)
			}
		}
	}
	return q, best == 2
}

// specificity is 2 for the type itself, 1 for kind/*, 0 for */*, else -1.
func specificity(mediaRange, kind, subtype string) int {
	switch mediaRange {
	case kind + "/" + subtype:
		return 2
	case kind + "/*":
		return 1
	case "*/*":
		return 0
	}
	return -1
}
