package rest_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// schemaToken adds a token of the project admin that may make these changes.
func (w *world) schemaToken(name string, allowed core.SchemaAccess) {
	text := access.NewSecret()
	token := core.Token{
		ProjectID: w.project.ID, Name: name, Hash: secret.Hash(text), Abilities: []core.Ability{core.AbilityRead},
		AllowSchema: allowed, CreatedBy: w.users["projectAdmin"].ID, CreatedAt: time.Now(),
	}
	require.NoError(w.t, w.stores.Tokens.Insert(w.t.Context(), &token))
	w.secrets[name] = text
}

// A file goes from a token to the definitions and back; a token that may only change removes nothing.
func TestFilesOfDefinitions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.schemaToken("careful", core.SchemaChange)
	w.schemaToken("all", core.SchemaDestructive)
	path := "/public/v2/projects/" + w.project.UUID + "/schema"
	body := func(members map[string]any) string {
		content, err := json.Marshal(members)
		require.NoError(t, err)
		return string(content)
	}
	file := w.must(w.send("GET", path, "", w.bearer("careful")))
	text := file["schema"].(string)
	plan := w.must(w.send("POST", path+"/plan", body(map[string]any{"schema": text}), w.bearer("careful")))
	assert.Equal(t, []any{}, plan["changes"])
	assert.Equal(t, file["base"], plan["base"])

	more := text + "  - key: zones\n    name: Zones\n    fields:\n      - name: title\n        type: text\n"
	apply := func(caller, text string, base any, more map[string]any) answer {
		members := map[string]any{"schema": text, "base": base}
		for name, value := range more {
			members[name] = value
		}
		return w.send("POST", path+"/apply", body(members), w.bearer(caller))
	}
	applied := w.must(apply("careful", more, plan["base"], nil))
	assert.Equal(t, "collections.zones", applied["changes"].([]any)[0].(map[string]any)["path"])
	file = w.must(w.send("GET", path, "", w.bearer("careful")))
	assert.Equal(t, more, file["schema"])
	events, err := w.stores.Events.Events(t.Context(), ports.EventQuery{ProjectID: w.project.ID, Newest: true, Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, "careful (projectAdmin)", events[0].Actor.Name)

	for name, one := range map[string]struct {
		caller string
		more   map[string]any
		status int
		code   string
	}{
		"not allowed":       {"all", nil, http.StatusConflict, "removes"},
		"without the right": {"careful", map[string]any{"allowRemove": true}, http.StatusForbidden, "forbidden"},
		"acknowledges":      {"careful", map[string]any{"acknowledge": true}, http.StatusForbidden, "forbidden"},
		"before it moved":   {"all", map[string]any{"allowRemove": true, "base": plan["base"]}, http.StatusConflict, "schema_moved"},
		"reads only":        {"read", nil, http.StatusForbidden, "forbidden"},
	} {
		res := apply(one.caller, text, file["base"], one.more)
		assert.Equal(t, one.status, res.StatusCode, name)
		assert.Contains(t, string(res.body), `"code":"`+one.code+`"`, name)
	}
	w.must(apply("all", text, file["base"], map[string]any{"allowRemove": true}))

	res := w.send("POST", path+"/plan", body(map[string]any{"schema": strings.Replace(text, "type: text", "colour: red", 1)}), w.bearer("all"))
	assert.Equal(t, http.StatusUnprocessableEntity, res.StatusCode)
	assert.Contains(t, string(res.body), "unknown member")
}
