package rest_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"imprimatur/adapters/rest"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

var update = flag.Bool("update", false, "rewrite api/openapi.yaml")

// TestDocumentIsCommitted checks that api/openapi.yaml is the document of the present routes.
func TestDocumentIsCommitted(t *testing.T) {
	t.Parallel()
	const committed = "../../api/openapi.yaml"
	generated := rest.New(rest.Deps{}).OpenAPI()
	if *update {
		require.NoError(t, os.WriteFile(committed, generated, 0o644))
	}
	present, err := os.ReadFile(committed)
	require.NoError(t, err)
	require.Equal(t, string(generated), string(present), "api/openapi.yaml is stale: go test ./adapters/rest -run TestDocumentIsCommitted -update")
}

// TestMessagesMatchTheDocument compares what webhooks get with the schemas of the document.
func TestMessagesMatchTheDocument(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(rest.New(rest.Deps{}).OpenAPI())
	require.NoError(t, err)
	events := []event.Event{
		{ID: 7, Type: event.EntryPublished, At: time.Now(), ProjectID: 2, Collection: "articles", EntryID: 4, Group: 3, Locale: "en", Slug: "a", ContentHash: "9f86", Actor: core.ActorRef{Kind: "user", ID: 9}},
		{ID: 8, Type: event.MediaDeleted, At: time.Now(), ProjectID: 2, SubjectID: 12, Actor: core.ActorRef{Kind: "system"}},
	}
	for schema, message := range map[string]ports.WebhookMessage{
		"DeliveredEventMessage": {Delivery: webhook.Delivery{Type: string(event.EntryPublished)}, Events: events[:1]},
		"EventBatchMessage":     {Delivery: webhook.Delivery{Type: webhook.DeliveryBatch, Count: 200}, Events: events},
		"WebhookTestMessage":    {Delivery: webhook.Delivery{Type: webhook.DeliveryTest, ProjectID: 2, WebhookID: 5, CreatedAt: time.Now()}},
	} {
		body, err := json.Marshal(wire.MessageOf(message, func(*event.Event) []string { return []string{"kq3Zb8v1Yxw"} }))
		require.NoError(t, err)
		var value any
		require.NoError(t, json.Unmarshal(body, &value))
		require.NoError(t, document.Components.Schemas[schema].Value.VisitJSON(value), "%s: %s", schema, body)
	}
}
