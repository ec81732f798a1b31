package rest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"
)

// Every POST except signIn accepts an Idempotency-Key. A key belongs to a caller, and signIn has
// none.
// Operations of signing in, of links and of second factors do not: their responses, which would be stored, have
// secrets, and what they count counts once anyway.
func TestEveryPostAcceptsAKey(t *testing.T) {
	keyless := []string{"signIn", "finishSignIn", "verifySession", "requestPasskey", "beginPasskey", "finishPasskey", "setUpApp", "confirmApp", "renewRecoveryCodes",
		"invite", "resendInvitation", "lookAtInvitation", "acceptInvitation", "requestPasswordReset", "lookAtPasswordReset", "finishPasswordReset", "changeMyEmail", "lookAtMyEmail", "confirmMyEmail"}
	t.Parallel()
	posts := 0
	for path, item := range New(Deps{}).set.Document(emptyDocument()).Paths {
		if item.Post == nil || slices.Contains(keyless, item.Post.OperationID) {
			continue
		}
		posts++
		takes := slices.ContainsFunc(item.Post.Parameters, func(p *huma.Param) bool { return p.Name == "Idempotency-Key" })
		assert.True(t, takes, "POST %s", path)
	}
	assert.Greater(t, posts, 10)
}

// Long descriptions are in the methods TransformSchema of package wire, so that the types stay easy
// to read.
func TestTagsHaveShortDescriptions(t *testing.T) {
	t.Parallel()
	const longest = 120
	document := New(Deps{}).set.Document(emptyDocument())
	for name := range document.Components.Schemas.Map() {
		shape := document.Components.Schemas.TypeFromRef("#/components/schemas/" + name)
		if shape.Kind() != reflect.Struct {
			continue
		}
		for i := range shape.NumField() {
			field := shape.Field(i)
			assert.LessOrEqual(t, len(field.Tag.Get("doc")), longest, "%s of %s", field.Name, shape)
		}
	}
}
