package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/event"
)

// The reason for which readers no longer see an entry is kept with the event, by every way to take it away.
func TestReasonsAreInTheEvents(t *testing.T) {
	t.Parallel()
	w := setup(t)
	long := strings.Repeat("ä", 501)
	for name, c := range map[string]struct {
		event string
		take  func(entry, reason string) answer
	}{
		"unpublished": {string(event.EntryUnpublished), func(entry, reason string) answer {
			return w.send(http.MethodPost, entry+"/unpublish", `{"reason":"`+reason+`"}`, w.as("editor"))
		}},
		"trashed": {string(event.EntryTrashed), func(entry, reason string) answer {
			return w.send(http.MethodDelete, entry+"?reason="+reason, "", w.as("editor"))
		}},
		"destroyed": {string(event.EntryDestroyed), func(entry, reason string) answer {
			w.send(http.MethodDelete, entry, "", w.as("editor")) // the second time it is in the trash already
			return w.send(http.MethodDelete, entry+"/permanent?reason="+reason, "", w.as("projectAdmin"))
		}},
	} {
		id := itoa(w.submit("The "+name, "editor"))
		entry := w.content("/content/" + id)
		require.Equal(t, http.StatusUnprocessableEntity, c.take(entry, long).StatusCode, name)
		require.Less(t, c.take(entry, "Wrong").StatusCode, 300, name)
		events := w.must(w.send(http.MethodGet, "/api/projects/"+itoa(w.project.ID)+"/events?type="+c.event+"&entry="+id, "", w.as("projectAdmin")))["data"].([]any)
		require.Len(t, events, 1, name)
		assert.Equal(t, "Wrong", events[0].(map[string]any)["reason"], name)
	}
}

// The answer of each way to submit names the steps that no user can approve.
func TestSubmissionsNameUnreachableSteps(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.govern()
	require.NoError(t, w.stores.CustomRoles.Unassign(t.Context(), w.role.ID, w.users["editor"].ID))
	require.NoError(t, w.stores.CustomRoles.Unassign(t.Context(), w.role.ID, w.users["holder"].ID))
	want := []any{map[string]any{
		"code": "unreachable", "message": "no user can approve step 2 at present", "stepOrder": 2.0, "stepLabel": "Legal",
		"stepId": 2.0, "reasons": []any{"no active user has the role of the step"},
	}}

	created := w.must(w.send(http.MethodPost, w.content("/content"), `{"published":true,"fields":{"title":"A"}}`, w.as("editor")))
	assert.Equal(t, want, created["warnings"])
	draft := w.must(w.send(http.MethodPost, w.content("/content"), `{"fields":{"title":"B"}}`, w.as("editor")))
	assert.Nil(t, draft["warnings"])
	changed := w.must(w.send(http.MethodPatch, w.content("/content/"+itoa(int64(draft["id"].(float64)))), `{"published":true,"fields":{"title":"C"}}`, w.as("editor"), header("If-Match", `"1"`)))
	assert.Equal(t, want, changed["warnings"])
	draft = w.must(w.send(http.MethodPost, w.content("/content"), `{"fields":{"title":"D"}}`, w.as("editor")))
	sent := w.send(http.MethodPost, w.content("/content/"+itoa(int64(draft["id"].(float64)))+"/publish"), `{}`, w.as("editor"))
	require.Equal(t, http.StatusAccepted, sent.StatusCode)
	assert.Equal(t, want, sent.json(t)["warnings"])
}

// A single read whose related entries pass the limit of a response shows them by id and says so in a header,
// unless the request names a depth.
func TestSingleReadsSayThatTheyAreShortened(t *testing.T) {
	t.Parallel()
	w := setup(t)
	pages := &core.Collection{
		ProjectID: w.project.ID, Slug: "pages", Name: "Pages", NextFieldID: 3, Version: 1, CreatedAt: w.project.CreatedAt, UpdatedAt: w.project.CreatedAt,
		Fields: []*core.Field{
			{ID: 1, Name: "body", Type: core.TypeBlocks, Multiple: true, Components: []string{w.hero.Slug}},
			{ID: 2, Name: "near", Type: core.TypeRelation, Multiple: true, Collection: "pages"},
		},
	}
	require.NoError(t, w.stores.Collections.Insert(t.Context(), pages))
	all, err := w.stores.Collections.Collections(t.Context(), w.project.ID)
	require.NoError(t, err)
	schema := core.Schema{Project: w.project, Collection: pages, Collections: all}
	add := func(document string) *core.Entry {
		e := &core.Entry{
			ProjectID: w.project.ID, CollectionID: pages.ID, Locale: "en", Version: 1, Draft: core.Document(document), Published: core.Document(document),
			PublishedAt: w.entry.CreatedAt, CreatedAt: w.entry.CreatedAt, UpdatedAt: w.entry.CreatedAt, ReleasedAt: w.entry.CreatedAt,
		}
		require.NoError(t, w.stores.Entries.Insert(t.Context(), schema, e))
		return e
	}
	item := `{"_key":"k","_type":"` + w.hero.Slug + `"}`
	items := item + strings.Repeat(","+item, core.MaxItems-1)
	var groups []string
	for range 11 {
		groups = append(groups, fmt.Sprint(add(`{"body":[`+items+`],"near":[]}`).Group))
	}
	holder := add(`{"body":[],"near":[` + strings.Join(groups, ",") + `]}`)

	path := w.public("/collections/pages/entries/" + itoa(holder.ID))
	shown := w.send(http.MethodGet, path, "", w.bearer("full"))
	require.Equal(t, http.StatusOK, shown.StatusCode, string(shown.body))
	assert.Equal(t, "relations", shown.Header.Get("X-Shortened"))
	assert.Contains(t, string(shown.body), fmt.Sprintf(`"near":[{"id":%s,"collection":"pages"}`, groups[0]))
	w.problem(http.StatusBadRequest, "too_large", http.MethodGet, path+"?depth=1", "", w.bearer("full"))
	few := w.send(http.MethodGet, path+"?fields=body", "", w.bearer("full"))
	require.Equal(t, http.StatusOK, few.StatusCode)
	assert.Empty(t, few.Header.Get("X-Shortened"))
}
