package rest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/secret"
)

// preview makes a preview as the user and returns the header with its secret.
func (w *world) preview(entry int64, body, user string) with {
	w.t.Helper()
	made := w.must(w.send(http.MethodPost, w.content("/content/"+itoa(entry)+"/preview"), body, w.as(user)))
	return header("Authorization", "Bearer "+made["token"].(string))
}

// shown returns the titles of the list in a preview, in its order by id.
func (w *world) shown(preview with, query string) (titles []any) {
	w.t.Helper()
	for _, e := range w.must(w.send(http.MethodGet, w.public("/collections/articles/entries?sort=id:asc"+query), "", preview))["data"].([]any) {
		titles = append(titles, e.(map[string]any)["title"])
	}
	return titles
}

func TestPreviewOfADraft(t *testing.T) {
	t.Parallel()
	w := setup(t)
	own := w.content("/content/" + itoa(w.entry.ID))
	w.must(w.send("PATCH", own, `{"keepPublished":true,"fields":{"title":"Beta","views":9,"note":"secret"}}`, w.as("editor")))
	never := w.must(w.send("POST", w.content("/content"), `{"fields":{"title":"Never public"}}`, w.as("editor")))
	single := w.public("/collections/articles/entries/" + itoa(w.entry.ID))
	draft := w.preview(w.entry.ID, `{"of":"draft"}`, "editor")

	read := w.send("GET", single, "", draft)
	assert.Equal(t, "Beta", w.must(read)["title"])
	assert.Equal(t, "no-store", read.Header.Get("Cache-Control"))
	assert.Empty(t, read.Header.Get("ETag"))
	assert.NotContains(t, string(read.body), "note")
	assert.Equal(t, []any{"Beta"}, w.shown(draft, ""))
	// Its place is that of the published version.
	assert.Equal(t, []any{"Beta"}, w.shown(draft, "&where[title]=Alpha&where[views]=1"))
	assert.Empty(t, w.shown(draft, "&where[title]=Beta"))
	// Readers, and the cache that they share, do not see it.
	assert.Equal(t, "Alpha", w.must(w.send("GET", single, "", w.bearer("read")))["title"])
	assert.Equal(t, "Beta", w.must(w.send("GET", single, "", draft))["title"])
	// The preview follows the draft.
	w.must(w.send("PATCH", own, `{"keepPublished":true,"fields":{"title":"Gamma"}}`, w.as("editor")))
	assert.Equal(t, "Gamma", w.must(w.send("GET", single, "", draft))["title"])

	// Other entries are those that readers see, or all drafts.
	id := int64(never["id"].(float64))
	assert.Equal(t, 404, w.send("GET", w.public("/collections/articles/entries/"+itoa(id)), "", draft).StatusCode)
	w.problem(403, "forbidden", "GET", w.public("/collections/articles/entries?state=with_draft"), "", draft)
	drafts := w.preview(id, `{"of":"draft","others":"drafts"}`, "viewer")
	assert.Equal(t, []any{"Gamma", "Never public"}, w.shown(drafts, ""))
	assert.Equal(t, []any{"Gamma"}, w.shown(drafts, "&where[title]=Gamma"))
	assert.Equal(t, "Gamma", w.must(w.send("GET", single, "", drafts))["title"])
	// An entry that was never public is found by its id.
	alone := w.preview(id, `{"of":"draft","others":"published"}`, "editor")
	assert.Equal(t, "Never public", w.must(w.send("GET", w.public("/collections/articles/entries/"+itoa(id)), "", alone))["title"])
	assert.Equal(t, "Never public", w.must(w.send("GET", w.public("/collections/articles/entries/"+itoa(id)+"?locale=fr"), "", alone))["title"])
	assert.Equal(t, []any{"Alpha"}, w.shown(alone, ""))
}

func TestPreviewOfASnapshot(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	entry := w.submit("As sealed", "editor")
	single := w.public("/collections/articles/entries/" + itoa(entry))
	snapshot := w.preview(entry, `{"of":"snapshot"}`, "viewer")
	w.must(w.send("PATCH", w.content("/content/"+itoa(entry)), `{"fields":{"title":"Changed since"}}`, w.as("editor")))
	assert.Equal(t, "As sealed", w.must(w.send("GET", single, "", snapshot))["title"])
	assert.Equal(t, "Changed since", w.must(w.send("GET", single, "", w.preview(entry, `{"of":"draft"}`, "viewer")))["title"])
	w.must(w.decide(entry, "reject", `{"comment":"no"}`, "projectAdmin"))
	w.problem(401, "unauthenticated", "GET", single, "", snapshot)
	w.problem(404, "not_found", "POST", w.content("/content/"+itoa(entry)+"/preview"), `{"of":"snapshot"}`, w.as("editor"))
}

func TestPreviewOfAPublication(t *testing.T) {
	t.Parallel()
	w := setup(t)
	own := w.content("/content/" + itoa(w.entry.ID))
	w.must(w.send("PATCH", own, `{"published":true,"fields":{"title":"Second"}}`, w.as("editor")))
	single := w.public("/collections/articles/entries/" + itoa(w.entry.ID))
	assert.Equal(t, "Alpha", w.must(w.send("GET", single, "", w.preview(w.entry.ID, `{"of":{"publication":1}}`, "viewer")))["title"])
	assert.Equal(t, "Second", w.must(w.send("GET", single, "", w.preview(w.entry.ID, `{"of":{"publication":2}}`, "viewer")))["title"])
	w.problem(404, "not_found", "POST", own+"/preview", `{"of":{"publication":3}}`, w.as("viewer"))
}

// A preview ends with its time, its session, the entry, and the right of its user.
func TestPreviewsEnd(t *testing.T) {
	t.Parallel()
	ends := map[string]func(w *world, preview core.Preview){
		"time": func(w *world, p core.Preview) {
			p.ExpiresAt = time.Now().Add(-time.Second)
			p.Hash = secret.Hash(w.secrets["ended"])
			require.NoError(w.t, w.stores.Previews.Insert(w.t.Context(), p))
		},
		"session": func(w *world, _ core.Preview) {
			require.Equal(w.t, 204, w.send("DELETE", "/api/session", "", w.as("viewer")).StatusCode)
		},
		"trash": func(w *world, _ core.Preview) {
			require.Equal(w.t, 204, w.send("DELETE", w.content("/content/"+itoa(w.entry.ID)), "", w.as("editor")).StatusCode)
		},
		"trash, though it was restored": func(w *world, _ core.Preview) {
			require.Equal(w.t, 204, w.send("DELETE", w.content("/content/"+itoa(w.entry.ID)), "", w.as("editor")).StatusCode)
			w.must(w.send("POST", w.content("/content/"+itoa(w.entry.ID)+"/restore"), "", w.as("editor")))
		},
		"inactive": func(w *world, _ core.Preview) {
			w.must(w.send("PATCH", "/api/users/"+itoa(w.users["viewer"].ID), `{"active":false}`, w.as("super")))
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			preview := w.preview(w.entry.ID, `{"of":"draft"}`, "viewer")
			single := w.public("/collections/articles/entries/" + itoa(w.entry.ID))
			require.Equal(t, 200, w.send("GET", single, "", preview).StatusCode)
			w.secrets["ended"] = access.NewPreviewSecret()
			end(w, core.Preview{
				Session: secret.Hash(w.cookies["viewer"]), ProjectID: w.project.ID, CollectionID: w.articles.ID, EntryID: w.entry.ID,
				Of: core.PreviewDraft, CreatedAt: time.Now(),
			})
			if name == "time" {
				preview = w.bearer("ended")
			}
			w.problem(401, "unauthenticated", "GET", single, "", preview)
		})
	}
	t.Run("role", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		preview := w.preview(w.entry.ID, `{"of":"draft"}`, "viewer")
		require.NoError(t, w.stores.Grants.Remove(t.Context(), core.Grant{
			UserID: w.users["viewer"].ID, TenantID: w.tenant.ID, DepartmentID: w.department.ID, ProjectID: w.project.ID, Role: core.RoleViewer,
		}))
		w.problem(404, "not_found", "GET", w.public("/collections/articles/entries"), "", preview)
	})
	t.Run("the oldest of a session", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		first := w.preview(w.entry.ID, `{"of":"draft"}`, "viewer")
		for i := range core.MaxPreviews {
			later := core.Preview{
				Hash: secret.Hash(access.NewPreviewSecret()), Session: secret.Hash(w.cookies["viewer"]), ProjectID: w.project.ID, CollectionID: w.articles.ID,
				EntryID: w.entry.ID, Of: core.PreviewDraft, CreatedAt: time.Now().Add(time.Duration(i+1) * time.Second), ExpiresAt: time.Now().Add(time.Hour),
			}
			require.NoError(t, w.stores.Previews.Insert(t.Context(), later))
		}
		w.problem(401, "unauthenticated", "GET", w.public("/collections/articles/entries"), "", first)
	})
}

// TestOperationsOfPreviews calls every operation with a preview. Those that it may not call change nothing.
func TestOperationsOfPreviews(t *testing.T) {
	t.Parallel()
	may := []string{
		"getPublicProject", "getProjectDocument", "listPublicCollections", "getPublicCollection", "listPublicComponents", "getPublicComponent",
		"listEntries", "getEntry", "getSingleEntry", "searchEntries", "countEntries", "listReferrers", "listFormerSlugs",
	}
	w := setup(t)
	preview := w.preview(w.entry.ID, `{"of":"draft","others":"drafts"}`, "super")
	for _, route := range w.routes {
		if openToAll[route.ID] {
			continue
		}
		res := w.send(route.Method, w.target(route), strings.NewReplacer("{entry}", itoa(w.entry.ID)).Replace(bodies[route.ID]), preview)
		allowed := false
		for _, id := range may {
			allowed = allowed || id == route.ID
		}
		switch {
		case allowed:
			assert.NotContains(t, []int{401, 403}, res.StatusCode, "%s: %s", route.ID, res.body)
		case route.Action.Ability != "":
			assert.Equal(t, 403, res.StatusCode, "%s: %s", route.ID, res.body)
			assert.Contains(t, string(res.body), `"preview_only"`, route.ID)
		default:
			assert.Equal(t, 401, res.StatusCode, "%s: %s", route.ID, res.body)
		}
	}
	w.problem(403, "preview_only", "GET", w.public("/collections/articles/entries/"+itoa(w.entry.ID)+"?asOf=2026-01-01T00:00:00Z"), "", preview)
	w.problem(404, "not_found", "GET", "/public/v2/projects/"+w.other.UUID+"/collections", "", preview)
	w.problem(401, "unauthenticated", "GET", w.public("/collections?token="+access.NewPreviewSecret()), "")
	w.problem(401, "unauthenticated", "GET", w.public("/collections"), "", header("Authorization", "Bearer "+access.NewPreviewSecret()))
	for _, body := range []string{`{}`, `{"of":"other"}`, `{"of":{"publication":0}}`, `{"of":{"publication":1,"x":2}}`, `{"of":{}}`, `{"of":"draft","others":"all"}`} {
		res := w.send("POST", w.content("/content/"+itoa(w.entry.ID)+"/preview"), body, w.as("editor"))
		assert.Equal(t, 422, res.StatusCode, "%s: %s", body, res.body)
	}
}

// TestPreviewsOfOthers reads with previews what they are not of, and makes previews of what the user may not see.
func TestPreviewsOfOthers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := w.must(w.send("POST", w.content("/content"), `{"published":true,"fields":{"title":"Other"}}`, w.as("editor")))
	id := int64(other["id"].(float64))
	w.must(w.send("PATCH", w.content("/content/"+itoa(id)), `{"keepPublished":true,"fields":{"title":"canary"}}`, w.as("editor")))
	preview := w.preview(w.entry.ID, `{"of":"draft"}`, "editor")

	// Another entry is what readers see, in lists and by its id.
	assert.Equal(t, "Other", w.must(w.send("GET", w.public("/collections/articles/entries/"+itoa(id)), "", preview))["title"])
	for _, query := range []string{"", "?locale=*", "?alternates=true", "?count=true"} {
		assert.NotContains(t, string(w.send("GET", w.public("/collections/articles/entries"+query), "", preview).body), "canary", query)
	}
	assert.NotContains(t, string(w.send("GET", w.public("/search?q=canary"), "", preview).body), `"title":"canary"`)

	// The token counts in its header alone.
	carrier := &http.Request{Header: http.Header{}}
	preview(carrier)
	_, made, _ := strings.Cut(carrier.Header.Get("Authorization"), " ")
	require.True(t, strings.HasPrefix(made, "imv_"))
	for _, query := range []string{"?token=", "?access_token=", "?preview=", "?authorization=Bearer%20"} {
		w.problem(401, "unauthenticated", "GET", w.public("/collections"+query+made), "")
	}
	w.problem(401, "unauthenticated", "GET", w.content("/content/"+itoa(w.entry.ID)), "", preview)

	// A preview takes a session that may read drafts of this entry.
	own := w.content("/content/" + itoa(w.entry.ID) + "/preview")
	w.problem(401, "unauthenticated", "POST", own, `{"of":"draft"}`)
	w.problem(401, "unauthenticated", "POST", own, `{"of":"draft"}`, preview)
	w.problem(404, "not_found", "POST", own, `{"of":"draft"}`, w.as("outsider"))
	w.problem(404, "not_found", "POST", w.content("/content/999999/preview"), `{"of":"draft"}`, w.as("editor"))
	foreign := strings.Replace(own, "/projects/"+itoa(w.project.ID)+"/", "/projects/"+itoa(w.other.ID)+"/", 1)
	w.problem(404, "not_found", "POST", foreign, `{"of":"draft"}`, w.as("editor"))
}
