package rest

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest/internal/jsonbody"
	"imprimatur/adapters/wire"
	"imprimatur/core"
)

// places returns the faults that Decode finds in a body, with their locations.
func places(t *testing.T, body string, into any) []string {
	t.Helper()
	err := jsonbody.Decode([]byte(body), into)
	if err == nil {
		return nil
	}
	var invalid *core.Error
	require.True(t, errors.As(err, &invalid), err)
	assert.Equal(t, core.KindInvalid, invalid.Kind, body)
	var found []string
	for _, fault := range invalid.Fields {
		found = append(found, fault.Location+" "+fault.Message)
	}
	return found
}

func TestNullIsNotOmitted(t *testing.T) {
	t.Parallel()
	const fault = " must not be null"
	assert.Equal(t, []string{"body" + fault}, places(t, "null", new(wire.EntryWrite)))
	assert.Equal(t, []string{"body" + fault}, places(t, " null\n", new(wire.EntryWrite)))
	assert.Equal(t,
		[]string{"fields" + fault, "locale" + fault, "publishAt" + fault, "published" + fault, "translationOf" + fault},
		places(t, `{"published":null,"locale":null,"publishAt":null,"translationOf":null,"fields":null}`, new(wire.EntryWrite)))
	assert.Empty(t, places(t, `{"fields":{"title":null}}`, new(wire.EntryWrite)), "null clears a field")
	assert.Equal(t, []string{"tags[1]" + fault}, places(t, `{"tags":["a",null]}`, new(wire.MediaChange)))
	assert.Empty(t, places(t, `{"tags":null,"caption":null,"alt":null,"focalPoint":null,"folder":null}`, new(wire.MediaChange)))
	assert.Equal(t, []string{"abilities[0]" + fault}, places(t, `{"name":"x","abilities":[null],"expiresAt":null}`, new(wire.TokenInput)))
	assert.Equal(t, []string{"fallbacks.de" + fault, "fallbacks.fr[1]" + fault, "locales[0]" + fault},
		places(t, `{"fallbacks":{"de":null,"fr":["en",null]},"locales":[null]}`, new(wire.ProjectChange)))
	assert.Equal(t, []string{"steps[0]" + fault, "steps[1].stepOrder" + fault}, places(t, `{"steps":[null,{"stepOrder":null,"stepLabel":null}]}`, new(wire.WorkflowInput)))
	assert.Equal(t, []string{"fields[0].choices" + fault, "fields[0].name" + fault}, places(t, `{"fields":[{"name":null,"choices":null,"min":null,"default":null}]}`, new(wire.CollectionInput)))
}

// Only members of type Optional or with the tag nullable accept null, in the bodies of all routes.
func TestOnlyNullableMembersAcceptNull(t *testing.T) {
	t.Parallel()
	for id, body := range New(Deps{}).set.Bodies() {
		for i := range body.NumField() {
			field := body.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			optional := strings.HasPrefix(field.Type.Name(), "Optional[")
			accepts := optional || field.Tag.Get("nullable") == "true" || field.Type == reflect.TypeFor[json.RawMessage]()
			found := places(t, `{"`+name+`":null}`, reflect.New(body).Interface())
			if accepts != (len(found) == 0) || !accepts && found[0] != name+" must not be null" {
				t.Errorf("%s, with %s null: %v", id, name, found)
			}
		}
	}
}

// A number of a body is refused if a double does not give it back.
func TestInexactNumbersAreRefused(t *testing.T) {
	t.Parallel()
	const inexact = " must be a number that a 64-bit double holds exactly"
	for _, number := range []string{"1e-400", "123456789123456.12345", "9007199254740993"} {
		assert.Equal(t, []string{"min" + inexact}, places(t, `{"name":"a","type":"number","min":`+number+`}`, new(wire.FieldInput)), number)
		assert.Equal(t, []string{"max" + inexact}, places(t, `{"max":`+number+`}`, new(wire.FieldChange)), number)
	}
	assert.Empty(t, places(t, `{"min":1.10,"max":1e20}`, new(wire.FieldChange)))
}
