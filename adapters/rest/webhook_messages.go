package rest

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/wire"
)

// describeMessages adds the requests that webhooks get to document.
func describeMessages(document *huma.OpenAPI) {
	document.Webhooks = map[string]*huma.PathItem{}
	for _, m := range []struct {
		name, id, title, about string
		body                   reflect.Type
	}{
		{"event", "receiveEvent", "An event", "One change of the project. type is that of the event.", reflect.TypeFor[wire.Message[wire.DeliveredEvent]]()},
		{"batch", "receiveBatch", "Several events", "The changes that a webhook with coalesce has gathered, in one message. type is batch.", reflect.TypeFor[wire.Message[wire.EventBatch]]()},
		{"test", "receiveTest", "A test", "A message on request of an admin. type is webhook.test.", reflect.TypeFor[wire.Message[wire.WebhookTest]]()},
	} {
		document.Webhooks[m.name] = &huma.PathItem{Post: &huma.Operation{
			OperationID: m.id, Tags: []string{webhooksTag}, Summary: m.title,
			Description: m.about + " The headers follow Standard Webhooks, whose libraries check the signature. A message can arrive more than once, and later than a newer one.",
			Security:    []map[string][]string{{}},
			Parameters: []*huma.Param{
				messageHeader("webhook-id", "The same in each attempt of a delivery, and random: no other delivery has it, also after a restore.", "dlv_3jv6tyzq2dz5a7lw4mfkq2cxoe"),
				messageHeader("webhook-timestamp", "When the attempt was made, in seconds since 1970.", "1767366245"),
				messageHeader("webhook-signature", "v1, and the HMAC-SHA256 of the id, the timestamp and the body; after a rotation several, separated by spaces.", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
			},
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
				"application/json": {Schema: document.Components.Schemas.Schema(m.body, true, "")},
			}},
			Responses: map[string]*huma.Response{
				"2XX": {Description: "The message is delivered, if the response comes within 15 seconds."},
				"410": {Description: http.StatusText(http.StatusGone) + ": switches the webhook off."},
				"4XX": {Description: "The message is sent again later, after Retry-After if given."},
				"5XX": {Description: "The message is sent again later, after Retry-After if given."},
			},
		}}
	}
}

func messageHeader(name, about, example string) *huma.Param {
	return &huma.Param{Name: name, In: "header", Required: true, Description: about, Schema: &huma.Schema{Type: huma.TypeString}, Example: example}
}
