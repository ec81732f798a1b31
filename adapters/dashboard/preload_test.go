package dashboard_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var link = regexp.MustCompile(`<([^>]+)>; rel=`)

func TestStarts(t *testing.T) {
	t.Parallel()
	send := serve(t, withSession(signedIn))
	for path, call := range map[string]string{
		"/dashboard/":                                       "/api/approvals/pending?page=1&perPage=25",
		"/dashboard/inbox":                                  "/api/approvals/pending?page=1&perPage=25",
		"/dashboard/review/7/8/9":                           "/api/projects/7/collections/8/content/9/approval/diff",
		"/dashboard/projects/7/collections/8":               "/api/projects/7/collections",
		"/dashboard/projects/7/collections/8/entries/12345": "/api/projects/7/collections/8/content/12345",
	} {
		header := send("GET", path, "").Header().Get("Link")
		assert.Less(t, len(header), 3_000, "proxies limit the headers of a response to 4 kB")
		var files, calls []string
		for _, match := range link.FindAllStringSubmatch(header, -1) {
			if strings.HasPrefix(match[1], "/api/") {
				calls = append(calls, match[1])
				continue
			}
			files = append(files, match[1])
			assert.Equal(t, 200, send("GET", match[1], "").Code, match[1])
		}
		require.Greater(t, len(files), 3, path)
		assert.Regexp(t, "/assets/(early|index)-", files[0], "what every page needs comes first")
		assert.Contains(t, strings.Join(files[:2], " "), "/assets/index-")
		assert.Contains(t, calls, call)
		assert.NotContains(t, header, "{")
		filtered := send("GET", path+"?tab=x", "").Header().Get("Link")
		assert.Len(t, link.FindAllString(filtered, -1), len(files), "a query changes which calls a page makes")
	}
	for _, path := range []string{
		"/dashboard/calendar", "/dashboard/review/0/8/9", "/dashboard/review/7/8/x", "/dashboard/review/7/8/%3E%0d%0aX:y",
		"/dashboard/projects/7/collections/8/new", "/dashboard/projects/99999999999999999999/collections/8",
	} {
		w := send("GET", path, "")
		assert.Equal(t, 200, w.Code)
		assert.Empty(t, w.Header().Get("Link"), path)
	}
}
