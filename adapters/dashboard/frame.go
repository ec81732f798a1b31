package dashboard

import (
	"net/http"
	"slices"
	"strings"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/pages"
	"imprimatur/core"
)

// framePage returns the handler of /dashboard/frame/{project}, the page in which the dashboard frames the sites of a
// Project. It is a page of its own, so that the policy of the pages with content allows no other sites. Its script
// passes messages on, see web/src/frame.ts. Only pages of the dashboard may frame it.
func framePage(around *pages.Pages, script string) http.HandlerFunc {
	body := []byte("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Preview</title>\n" +
		"<script type=\"module\" src=\"" + script + "\"></script>\n")
	return func(w http.ResponseWriter, r *http.Request) {
		var project struct{ PreviewOrigins []string }
		if !id.MatchString(r.PathValue("project")) || !around.Get(r, "/api/projects/"+r.PathValue("project"), &project) {
			httpx.WriteProblem(w, r, core.NotFound("project"))
			return
		}
		httpx.WritePagePolicy(w.Header(), framePolicy(project.PreviewOrigins))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Vary", "Accept-Encoding")
		httpx.WriteBody(w, r, http.StatusOK, body)
	}
}

// framePolicy returns the Content-Security-Policy of a page that frames these origins.
func framePolicy(origins []string) string {
	if len(origins) == 0 {
		origins = []string{"'none'"}
	}
	return strings.Join([]string{
		"default-src 'none'", "script-src 'self'", strings.Join(slices.Concat([]string{"frame-src"}, origins), " "),
		"form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'", "require-trusted-types-for 'script'",
	}, "; ")
}
