package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core/assistant"
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
	for n := range assistant.MaxAssistants {
		w.newAssistant(fmt.Sprint(n), "viewer")
		if n == assistant.MaxAssistants-2 { // the matrix has one
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
	for n := range assistant.DefaultBudget.WritesPerMinute + 20 {
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

// Reviewers see which fields an assistant changed since the last publication.
func TestFieldsOfAssistantsInReviews(t *testing.T) {
	t.Parallel()
	w := setup(t)
	one := w.content("/content/" + itoa(w.entry.ID))
	w.must(w.send(http.MethodPatch, one, `{"fields":{"views":7}}`, w.bearer("byEditor"))) // becomes public
	w.must(w.send(http.MethodPost, one+"/publish", "", w.as("editor")))
	w.govern()
	assisted := func(path string) any { return w.must(w.send(http.MethodGet, path, "", w.as("viewer")))["assistants"] }
	byEditor := map[string]any{"kind": "assistant", "id": w.idOf("byEditor"), "name": "byEditor (editor)", "madeBy": float64(w.users["editor"].ID)}
	want := []any{map[string]any{"field": "title", "by": byEditor}}

	w.must(w.send(http.MethodPatch, one, `{"fields":{"title":"By the assistant"}}`, w.bearer("byEditor")))
	release := w.ownRelease("byEditor", w.entry.ID)
	assert.Equal(t, want, assisted(release+"/members/"+itoa(w.entry.ID)))
	require.Equal(t, http.StatusAccepted, w.send(http.MethodPost, release+"/publish", "", w.bearer("byEditor")).StatusCode)
	assert.Equal(t, want, assisted(release+"/members/"+itoa(w.entry.ID)))
	w.must(w.send(http.MethodPost, release+"/approval/withdraw", "", w.as("editor")))

	require.Equal(t, http.StatusAccepted, w.send(http.MethodPost, one+"/publish", "", w.as("editor")).StatusCode)
	assert.Equal(t, want, assisted(one+"/approval/diff"))
	w.must(w.send(http.MethodPatch, one, `{"fields":{"views":8}}`, w.bearer("byEditor"))) // after the submission
	assert.Equal(t, want, assisted(one+"/approval/diff"))
	w.must(w.send(http.MethodPatch, one, `{"published":false}`, w.as("editor")))
	w.must(w.send(http.MethodPatch, one, `{"fields":{"views":9}}`, w.as("editor")))
	require.Equal(t, http.StatusAccepted, w.send(http.MethodPost, one+"/publish", "", w.as("editor")).StatusCode)
	assert.Len(t, assisted(one+"/approval/diff"), 2)
}

// A user undoes what an assistant did in a run, where nobody wrote since and readers do not see it.
func TestUndoOfRuns(t *testing.T) {
	t.Parallel()
	w := setup(t)
	runs := "/api/projects/" + itoa(w.project.ID) + "/assistant-runs"
	assert.Empty(t, w.must(w.send(http.MethodGet, runs, "", w.as("viewer")))["data"])
	draft := func(title, caller string) string {
		return fmt.Sprint(w.must(w.send(http.MethodPost, w.content("/content"), fmt.Sprintf(`{"fields":{"title":%q}}`, title), w.bearerOr(caller)))["id"])
	}
	write := func(id, title, caller string) {
		w.must(w.send(http.MethodPatch, w.content("/content/"+id), fmt.Sprintf(`{"fields":{"title":%q}}`, title), w.bearerOr(caller)))
	}
	title := func(id string) any {
		return w.must(w.send(http.MethodGet, w.content("/content/"+id), "", w.as("editor")))["fields"].(map[string]any)["title"]
	}
	own, followed, public := draft("Own", "editor"), draft("Followed", "editor"), draft("Public", "editor")
	made, madeAndPublished := draft("Made", "byEditor"), draft("Shown", "byEditor")
	for _, id := range []string{own, followed, public} {
		write(id, "By the assistant", "byEditor")
	}
	write(own, "By the assistant again", "byEditor")
	write(followed, "By the editor", "editor")
	for _, id := range []string{public, madeAndPublished} {
		w.must(w.send(http.MethodPost, w.content("/content/"+id+"/publish"), "", w.as("editor")))
	}

	page := w.must(w.send(http.MethodGet, runs, "", w.as("viewer")))
	require.Len(t, page["data"], 1)
	run := page["data"].([]any)[0].(map[string]any)
	assert.Equal(t, "byEditor (editor)", run["by"].(map[string]any)["name"])
	assert.EqualValues(t, 2, run["created"])
	assert.EqualValues(t, 3, run["changed"])
	assert.Len(t, run["drafts"], 5)
	assert.Empty(t, w.must(w.send(http.MethodGet, runs+"?page=2", "", w.as("viewer")))["data"])

	undo := fmt.Sprintf("%s/%.0f/undo", runs, run["id"])
	w.problem(http.StatusForbidden, "forbidden", http.MethodPost, undo, "", w.as("viewer"))
	assert.Equal(t, http.StatusUnauthorized, w.send(http.MethodPost, undo, "", w.bearer("byEditor")).StatusCode)
	w.problem(http.StatusNotFound, "not_found", http.MethodPost, runs+"/999999/undo", "", w.as("editor"))
	done := w.must(w.send(http.MethodPost, undo, "", w.as("editor")))
	assert.EqualValues(t, 1, done["restored"])
	assert.EqualValues(t, 1, done["trashed"])
	reasons := map[string]any{}
	for _, kept := range done["kept"].([]any) {
		reasons[fmt.Sprint(kept.(map[string]any)["entryId"])] = kept.(map[string]any)["reason"]
	}
	assert.Equal(t, map[string]any{followed: "changed_since", public: "published", madeAndPublished: "published"}, reasons)
	assert.Equal(t, "Own", title(own))
	assert.Equal(t, "By the editor", title(followed))
	assert.Equal(t, "By the assistant", title(public))
	assert.Equal(t, http.StatusNotFound, w.send(http.MethodGet, w.content("/content/"+made), "", w.as("editor")).StatusCode)
	again := w.must(w.send(http.MethodPost, undo, "", w.as("editor")))
	assert.EqualValues(t, 0, again["restored"])
	assert.Len(t, again["kept"], 5)
}

// An entry that a run created and that is in review stays until the request ends. The draft of another one is undone, and
// its request stays as it is.
func TestUndoOfRunsInReview(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	id := fmt.Sprint(w.must(w.send(http.MethodPost, w.content("/content"), `{"fields":{"title":"Made"}}`, w.bearer("byEditor")))["id"])
	require.Equal(t, http.StatusAccepted, w.send(http.MethodPost, w.content("/content/"+id+"/publish"), "", w.bearer("byEditor")).StatusCode)
	runs := "/api/projects/" + itoa(w.project.ID) + "/assistant-runs"
	run := w.must(w.send(http.MethodGet, runs, "", w.as("viewer")))["data"].([]any)[0].(map[string]any)
	assert.EqualValues(t, 1, run["requests"])
	undo := fmt.Sprintf("%s/%.0f/undo", runs, run["id"])
	kept := w.must(w.send(http.MethodPost, undo, "", w.as("editor")))["kept"].([]any)[0].(map[string]any)
	assert.Equal(t, "in_review", kept["reason"])
	w.must(w.send(http.MethodPatch, w.content("/content/"+id), `{"published":false}`, w.as("editor")))
	assert.EqualValues(t, 1, w.must(w.send(http.MethodPost, undo, "", w.as("editor")))["trashed"])

	old := w.content("/content/" + fmt.Sprint(w.must(w.send(http.MethodPost, w.content("/content"), `{"fields":{"title":"Before"}}`, w.as("editor")))["id"]))
	w.must(w.send(http.MethodPatch, old, `{"fields":{"title":"Changed"}}`, w.bearer("byEditor")))
	require.Equal(t, http.StatusAccepted, w.send(http.MethodPost, old+"/publish", "", w.bearer("byEditor")).StatusCode)
	submitted := w.must(w.send(http.MethodGet, old+"/approval", "", w.as("viewer")))
	assert.EqualValues(t, 1, w.must(w.send(http.MethodPost, undo, "", w.as("editor")))["restored"])
	request := w.must(w.send(http.MethodGet, old+"/approval", "", w.as("viewer")))
	assert.Equal(t, []any{"pending", submitted["contentHash"], true}, []any{request["status"], request["contentHash"], request["contentChanged"]})
	draft := w.must(w.send(http.MethodGet, old, "", w.as("editor")))
	assert.Equal(t, "Before", draft["fields"].(map[string]any)["title"])
}

// bearerOr returns the credential of an assistant or a user.
func (w *world) bearerOr(caller string) with {
	if _, user := w.users[caller]; user {
		return w.as(caller)
	}
	return w.bearer(caller)
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
