package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
)

const myAssistants = "/api/me/assistants"

// newAssistant makes an assistant of a user by the API, under a name, and returns its id.
func (w *world) newAssistant(name, user string) string {
	w.t.Helper()
	made := w.must(w.send(http.MethodPost, myAssistants, fmt.Sprintf(`{"name":%q,"projects":[%d],"expiresIn":30,"drafts":true}`, name, w.project.ID), w.as(user)))
	w.secrets[name] = made["secret"].(string)
	return fmt.Sprint(made["id"])
}

func TestAssistantsAreMadeAndRevoked(t *testing.T) {
	t.Parallel()
	w := setup(t)
	read := func() int { return w.send(http.MethodGet, w.content("/content"), "", w.bearer("Claude")).StatusCode }
	id := w.newAssistant("Claude", "editor")
	require.True(t, strings.HasPrefix(w.secrets["Claude"], "ima_"))
	require.Equal(t, http.StatusOK, read())

	listed := w.send(http.MethodGet, myAssistants, "", w.as("editor"))
	assert.NotContains(t, string(listed.body), w.secrets["Claude"])
	assert.Contains(t, string(listed.body), `"name":"Claude"`)
	assert.NotContains(t, string(listed.body), "revokedAssistant")
	assert.NotContains(t, string(listed.body), "expiredAssistant")
	assert.NotContains(t, string(w.send(http.MethodGet, myAssistants, "", w.as("projectAdmin")).body), "Claude")

	w.problem(http.StatusNotFound, "not_found", http.MethodDelete, myAssistants+"/"+id, "", w.as("super"))
	for range 2 {
		require.Equal(t, http.StatusNoContent, w.send(http.MethodDelete, myAssistants+"/"+id, "", w.as("editor")).StatusCode)
	}
	require.Equal(t, http.StatusUnauthorized, read())
}

func TestAssistantsOfUsersThatMayNotAct(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world){
		"deactivated": func(w *world) {
			w.must(w.send(http.MethodPatch, "/api/users/"+itoa(w.users["editor"].ID), `{"active":false}`, w.as("super")))
			w.must(w.send(http.MethodPatch, "/api/users/"+itoa(w.users["editor"].ID), `{"active":true}`, w.as("super"))) // the assistant stays revoked
		},
		"must change the password": func(w *world) {
			editor := w.users["editor"]
			editor.MustChangePassword = true
			require.NoError(w.t, w.stores.Users.Update(w.t.Context(), editor))
		},
		"switched off": func(w *world) {
			w.must(w.send(http.MethodPatch, "/api/tenants/"+itoa(w.tenant.ID), `{"assistants":false}`, w.as("super")))
		},
		"lost the role": func(w *world) {
			w.send(http.MethodDelete, "/api/projects/"+itoa(w.project.ID)+"/members/"+itoa(w.users["editor"].ID), "", w.as("super"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.newAssistant("Claude", "editor")
			end(w)
			got := w.send(http.MethodGet, w.content("/content"), "", w.bearer("Claude")).StatusCode
			assert.Contains(t, []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}, got)
		})
	}
}

func TestFaultsOfNewAssistants(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for body, location := range map[string]string{
		`{"name":"","projects":[1],"expiresIn":30}`:                                "name",
		`{"name":"` + strings.Repeat("é", 61) + `","projects":[1],"expiresIn":3}`:  "name",
		`{"name":"Claude","projects":[1],"expiresIn":91}`:                          "expiresIn",
		`{"name":"Claude","projects":[1],"expiresIn":0}`:                           "expiresIn",
		`{"name":"Claude","projects":[],"expiresIn":3}`:                            "projects",
		fmt.Sprintf(`{"name":"Claude","projects":[%d],"expiresIn":3}`, w.other.ID): "projects[0]",
		`{"name":"Claude","projects":[1,999],"expiresIn":3}`:                       "projects[1]",
	} {
		w.wantFault(location, w.send(http.MethodPost, myAssistants, body, w.as("editor")))
	}
	tenant := w.tenant
	tenant.Assistants = false
	require.NoError(t, w.stores.Tenants.Update(t.Context(), tenant))
	w.wantFault("projects[0]", w.send(http.MethodPost, myAssistants, `{"name":"Claude","projects":[1],"expiresIn":3}`, w.as("editor")))
	tenant.Assistants = true
	require.NoError(t, w.stores.Tenants.Update(t.Context(), tenant))
	for n := range core.MaxAssistants {
		w.newAssistant(fmt.Sprint(n), "viewer")
		if n == core.MaxAssistants-2 { // the matrix has one
			break
		}
	}
	w.problem(http.StatusConflict, "too_many_assistants", http.MethodPost, myAssistants, `{"name":"Claude","projects":[1],"expiresIn":3}`, w.as("viewer"))
}

// On a Project without a workflow, an assistant only drafts: nothing that it does changes what readers see.
func TestAssistantsNeverPublish(t *testing.T) {
	t.Parallel()
	for _, user := range []string{"bySuper", "byAdmin", "byEditor"} {
		t.Run(user, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			require.Equal(t, http.StatusOK, w.send(http.MethodPost, w.content("/content/"+itoa(w.entry.ID)+"/publish"), "", w.as("editor")).StatusCode)
			public := func() string {
				return string(w.send(http.MethodGet, w.public("/collections/articles/entries?timestamps=true"), "", w.bearer("read")).body)
			}
			before, one := public(), w.content("/content/"+itoa(w.entry.ID))
			changed := w.must(w.send(http.MethodPatch, one, `{"fields":{"title":"Drafted"}}`, w.bearer(user)))
			assert.Equal(t, true, changed["hasUnpublishedChanges"])
			assert.Equal(t, "published", changed["state"])
			for _, body := range []string{
				`{"published":true}`, `{"published":false}`, `{"published":true,"publishAt":"2100-01-02T15:04:05Z"}`, `{"published":true,"unpublishAt":"2100-01-02T15:04:05Z"}`,
				`{"published":true,"publishedAt":"2020-01-02T15:04:05Z"}`, `{"createdAt":"2020-01-02T15:04:05Z"}`, `{"published":false,"fields":{"title":"Away"}}`,
			} {
				w.problem(http.StatusForbidden, "forbidden", http.MethodPatch, one, body, w.bearer(user))
			}
			w.problem(http.StatusForbidden, "forbidden", http.MethodPost, w.content("/content"), `{"published":true,"fields":{"title":"New"}}`, w.bearer(user))
			w.problem(http.StatusForbidden, "forbidden", http.MethodPost, one+"/publish", "", w.bearer(user))
			w.problem(http.StatusForbidden, "forbidden", http.MethodPost, one+"/publish", `{"publishAt":"2100-01-02T15:04:05Z"}`, w.bearer(user))
			for method, path := range map[string]string{
				http.MethodDelete: one, http.MethodPost: one + "/unpublish", http.MethodPut: w.content("") + "/members",
			} {
				assert.Contains(t, []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusMethodNotAllowed}, w.send(method, path, "", w.bearer(user)).StatusCode, path)
			}
			release := w.ownRelease(user, w.entry.ID)
			w.problem(http.StatusForbidden, "forbidden", http.MethodPost, release+"/publish", "", w.bearer(user))
			assert.Equal(t, before, public())
		})
	}
}

// ownRelease opens a release of an assistant with an entry, and returns its path.
func (w *world) ownRelease(assistant string, entry int64) string {
	w.t.Helper()
	all := "/api/projects/" + itoa(w.project.ID) + "/releases"
	release := all + "/" + fmt.Sprint(w.must(w.send(http.MethodPost, all, `{"name":"Proposed"}`, w.bearer(assistant)))["id"])
	w.must(w.send(http.MethodPost, release+"/members", fmt.Sprintf(`{"members":[{"entryId":%d}]}`, entry), w.bearer(assistant)))
	return release
}

// Where a workflow governs, an assistant submits. What it wrote counts for its user, and the record names both.
func TestAssistantsSubmitForReview(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	strict := must1(w.stores.Workflows.ProjectWorkflow(t.Context(), w.project.ID))(t)
	strict.AllowSelfApproval = false
	require.NoError(t, w.stores.Workflows.Put(t.Context(), strict))

	made := w.must(w.send(http.MethodPost, w.content("/content"), `{"fields":{"title":"Drafted"}}`, w.bearer("byAdmin")))
	one := w.content("/content/" + fmt.Sprint(made["id"]))
	submitted := w.send(http.MethodPost, one+"/publish", "", w.bearer("byAdmin"))
	require.Equal(t, http.StatusAccepted, submitted.StatusCode, string(submitted.body))
	admin := w.users["projectAdmin"]
	by := map[string]any{"kind": "assistant", "id": w.idOf("byAdmin"), "name": "byAdmin (projectAdmin)", "madeBy": float64(admin.ID)}
	request := submitted.json(t)
	assert.Equal(t, by, request["submittedBy"])
	assert.Equal(t, []any{by}, request["contributors"])
	assert.Equal(t, by, request["actions"].([]any)[0].(map[string]any)["actor"])
	revision := w.must(w.send(http.MethodGet, one+"/revisions", "", w.as("editor")))["data"].([]any)[0].(map[string]any)
	assert.Equal(t, by, revision["by"])
	events := string(w.send(http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/events?actor=assistant:"+fmt.Sprint(by["id"]), "", w.as("super")).body)
	assert.Contains(t, events, `"kind":"assistant"`)

	w.problem(http.StatusForbidden, "forbidden", http.MethodPost, one+"/approval/approve", "", w.as("projectAdmin")) // its own work
	require.Equal(t, http.StatusUnauthorized, w.send(http.MethodPost, one+"/approval/approve", "", w.bearer("bySuper"), header("Sec-Fetch-Site", "same-origin")).StatusCode)
	comment := w.must(w.send(http.MethodPost, one+"/approval/comments", `{"text":"Please check the name."}`, w.bearer("byAdmin")))
	assert.Equal(t, map[string]any{"kind": "user", "id": float64(admin.ID), "name": "byAdmin (projectAdmin)"}, comment["by"])
	w.wantFault("must", w.send(http.MethodPost, one+"/approval/comments", `{"text":"Stop.","must":1}`, w.bearer("bySuper")))
	approved := w.must(w.send(http.MethodPost, one+"/approval/approve", "", w.as("super")))
	assert.Equal(t, "user", approved["actions"].([]any)[1].(map[string]any)["actor"].(map[string]any)["kind"])
}

func TestAssistantsProposeReleases(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	release := w.ownRelease("byEditor", w.entry.ID)
	for _, other := range []string{"byAdmin", "bySuper"} { // not their own release
		w.problem(http.StatusForbidden, "forbidden", http.MethodPost, release+"/members", fmt.Sprintf(`{"members":[{"entryId":%d}]}`, w.entry.ID), w.bearer(other))
		w.problem(http.StatusForbidden, "forbidden", http.MethodPost, release+"/publish", "", w.bearer(other))
	}
	w.problem(http.StatusForbidden, "forbidden", http.MethodPost, release+"/members", fmt.Sprintf(`{"members":[{"entryId":%d,"action":"unpublish"}]}`, w.entry.ID), w.bearer("byEditor"))
	w.problem(http.StatusForbidden, "forbidden", http.MethodPost, release+"/publish", `{"publishAt":"2100-01-02T15:04:05Z"}`, w.bearer("byEditor"))
	w.problem(http.StatusForbidden, "forbidden", http.MethodPost, "/api/projects/"+itoa(w.project.ID)+"/releases", `{"name":"Timed","publishAt":"2100-01-02T15:04:05Z"}`, w.bearer("byEditor"))
	submitted := w.send(http.MethodPost, release+"/publish", `{"comment":"Twenty translations"}`, w.bearer("byEditor"))
	require.Equal(t, http.StatusAccepted, submitted.StatusCode, string(submitted.body))
	assert.Equal(t, "assistant", submitted.json(t)["submittedBy"].(map[string]any)["kind"])
}

// Hidden fields do not exist for assistants, whatever their user may see.
func TestAssistantsAndHiddenFields(t *testing.T) {
	t.Parallel()
	w := setup(t)
	one := w.content("/content/" + itoa(w.entry.ID))
	require.Contains(t, string(w.send(http.MethodGet, one, "", w.as("editor")).body), "canary")
	for _, path := range []string{one, w.content("/content"), w.public("/collections"), w.public("/collections/articles/entries?state=with_draft")} {
		read := w.send(http.MethodGet, path, "", w.bearer("bySuper"))
		require.Equal(t, http.StatusOK, read.StatusCode, string(read.body))
		assert.NotContains(t, string(read.body), "canary")
		assert.NotContains(t, string(read.body), `"note"`)
	}
	w.wantFault("fields.note", w.send(http.MethodPatch, one, `{"fields":{"note":"Mine"}}`, w.bearer("bySuper")))
	assert.Equal(t, http.StatusBadRequest, w.send(http.MethodGet, w.content("/content?where[note]=canary"), "", w.bearer("bySuper")).StatusCode)
	w.problem(http.StatusForbidden, "forbidden", http.MethodGet, w.public("/collections/articles/entries?state=with_draft"), "", w.bearer("reader"))
}

// The assistants of a user share a budget of writes.
func TestBudgetOfAssistants(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.newAssistant("Second", "editor")
	one, refused := w.content("/content/"+itoa(w.entry.ID)), 0
	for n := range core.DefaultAssistantBudget.WritesPerMinute + 20 {
		res := w.send(http.MethodPatch, one, fmt.Sprintf(`{"fields":{"title":"Draft %d"}}`, n), w.bearer([]string{"byEditor", "Second"}[n%2]))
		if res.StatusCode == http.StatusTooManyRequests {
			refused++
			assert.NotEmpty(t, res.Header.Get("Retry-After"))
		}
	}
	assert.Equal(t, 20, refused)
	assert.Equal(t, http.StatusOK, w.send(http.MethodGet, one, "", w.bearer("byEditor")).StatusCode)
	assert.Equal(t, http.StatusOK, w.send(http.MethodPatch, one, `{"fields":{"title":"Another"}}`, w.bearer("byAdmin")).StatusCode)
}

// idOf returns the id of an assistant by its name, as in JSON.
func (w *world) idOf(assistant string) float64 {
	w.t.Helper()
	for _, u := range w.users {
		for _, a := range must1(w.stores.Assistants.AssistantsOf(w.t.Context(), u.ID))(w.t) {
			if a.Name == assistant {
				return float64(a.ID)
			}
		}
	}
	require.Fail(w.t, "no assistant "+assistant)
	return 0
}

// must1 returns a function that returns v, or fails the test with err.
func must1[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}
