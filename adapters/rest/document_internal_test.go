package rest

import (
	"iter"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/assert"

	"imprimatur/core/event"
)

// Every POST except signIn accepts an Idempotency-Key. A key belongs to a caller, and signIn has
// none.
// Operations of previews, of signing in, of links and of second factors do not: their responses, which would be stored, have
// secrets, and what they count counts once anyway.
func TestEveryPostAcceptsAKey(t *testing.T) {
	keyless := []string{"checkRelease", "markReleaseMembers", "tryWorkflow", "planSchema", "planPublicSchema", // which give the same each time
		"lookUpSignIn", "beginProviderSignIn", "finishProviderSignIn", "endProviderSessions", "lookUpProviderSignOut", "requestProviderLink", "tryIdentityProvider", "linkMyAccount", "verifyAtProvider",
		"previewContent", "challengeApproval", "challengeApprovalRelease", "signIn", "finishSignIn", "verifySession", "requestPasskey", "beginPasskey", "finishPasskey", "setUpApp", "confirmApp", "renewRecoveryCodes",
		"invite", "resendInvitation", "lookAtInvitation", "acceptInvitation", "requestPasswordReset", "lookAtPasswordReset", "finishPasswordReset", "changeMyEmail", "lookAtMyEmail", "confirmMyEmail"}
	t.Parallel()
	posts := 0
	for path, item := range New(Deps{}).set.Document(emptyDocument(), examples()).Paths {
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
	document := New(Deps{}).set.Document(emptyDocument(), examples())
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

// Generators make types of schemas and of security schemes, and few tell names apart by case. A
// scheme that is named like a schema, a response or a tag makes them fail.
func TestSecuritySchemesHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	document := New(Deps{}).set.Document(emptyDocument(), examples())
	components := document.Components
	taken := map[string]bool{}
	for _, names := range []iter.Seq[string]{
		maps.Keys(components.Schemas.Map()), maps.Keys(components.Responses), maps.Keys(components.Parameters), maps.Keys(components.Headers),
	} {
		for name := range names {
			taken[strings.ToLower(name)] = true
		}
	}
	for _, tag := range document.Tags {
		taken[strings.ToLower(tag.Name)] = true
	}
	for _, item := range document.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				taken[strings.ToLower(op.OperationID)] = true
			}
		}
	}
	assert.Len(t, components.SecuritySchemes, 3)
	for name := range components.SecuritySchemes {
		assert.False(t, taken[strings.ToLower(name)], name)
	}
}

// Clients switch over the types of events, so the document lists them.
func TestTypesOfEventsAreListed(t *testing.T) {
	t.Parallel()
	document := New(Deps{}).set.Document(emptyDocument(), examples())
	describeMessages(document)
	schemas := document.Components.Schemas.Map()
	for _, place := range []struct{ schema, member string }{{"Event", "type"}, {"DeliveredEvent", "type"}, {"Notice", "event"}} {
		assert.Len(t, schemas[place.schema].Properties[place.member].Enum, len(event.Types()), "%s.%s", place.schema, place.member)
	}
	for _, schema := range []string{"Webhook", "ListedWebhook", "WebhookInput", "WebhookChange"} {
		patterns := schemas[schema].Properties["events"].Items.Enum
		assert.Subset(t, patterns, []any{"*", "entry.*", "entry.published", "collection.*"}, schema)
		for _, pattern := range patterns {
			assert.True(t, event.IsPattern(pattern.(string)), "%s: %s", schema, pattern)
		}
	}
}
