package rest

import (
	"net/http"
	"slices"
	"strings"

	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/delivery"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

const webhooksTag = "Webhooks"

func (a *API) registerWebhooks() {
	const tag, all, one = webhooksTag, "/api/projects/{projectId}/webhooks", "/api/projects/{projectId}/webhooks/{webhookId}"
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: all, ID: "listWebhooks", Tag: tag, Action: access.ManageWebhooks,
		Title: "List a project's webhooks", About: "Returns all webhooks without their secrets, ordered by id, each with the result of its latest delivery.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.List[wire.ListedWebhook], error) {
		found, err := a.Webhooks.List(c.Context(), c.Project())
		return wire.ListOf(found, err, func(l delivery.ListedWebhook) wire.ListedWebhook {
			return wire.ListedWebhookOf(l, a.Webhooks.Headers(l.Webhook))
		})
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: all, ID: "createWebhook", Tag: tag, Action: access.ManageWebhooks, Idempotent: true,
		Title: "Create a webhook", Status: http.StatusCreated, Fails: []core.Kind{core.KindConflict},
		About: "From now on, events of the project are sent to the address as Standard Webhooks specifies: signed, at least once, and again after failures for up to 3 days. " +
			"This response is the only one that contains the secret. A project has at most 20 webhooks.",
	}, func(c *endpoint.Call, in wire.WebhookInput) (wire.Webhook, error) {
		made, signing, err := a.Webhooks.Create(c.Context(), c.Actor, c.Project(), in.Change())
		return a.withSecret(made, signing, err)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: one, ID: "getWebhook", Tag: tag, Action: access.ManageWebhooks,
		Title: "Read a webhook", About: "Returns one webhook without its secret.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Webhook, error) {
		found, err := a.Webhooks.Webhook(c.Context(), c.Project(), c.ID("webhookId"))
		return wire.Shown(found, err, a.shownWebhook)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPatch, Path: one, ID: "updateWebhook", Tag: tag, Action: access.ManageWebhooks,
		Title: "Change a webhook", About: "Changes the members that the body contains. Switched off, its messages that are not delivered are parked.",
	}, func(c *endpoint.Call, in wire.WebhookChange) (wire.Webhook, error) {
		found, err := a.Webhooks.Update(c.Context(), c.Actor, c.Project(), c.ID("webhookId"), in.Change())
		return wire.Shown(found, err, a.shownWebhook)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodDelete, Path: one, ID: "deleteWebhook", Tag: tag, Action: access.ManageWebhooks,
		Title: "Remove a webhook", About: "Also removes its deliveries; nothing more is sent.",
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Webhooks.Delete(c.Context(), c.Actor, c.Project(), c.ID("webhookId"))
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/rotate", ID: "rotateWebhookSecret", Tag: tag, Action: access.ManageWebhooks, Idempotent: true,
		Title: "Give a webhook a new secret", About: "This response is the only one that contains it. For 24 hours the previous secret signs, too.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Webhook, error) {
		rotated, signing, err := a.Webhooks.Rotate(c.Context(), c.Actor, c.Project(), c.ID("webhookId"))
		return a.withSecret(rotated, signing, err)
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/test", ID: "testWebhook", Tag: tag, Action: access.ManageWebhooks, Idempotent: true, Status: http.StatusAccepted,
		Title: "Test a webhook", About: "Sends a message of the type webhook.test. The list of deliveries shows how it went.",
	}, func(c *endpoint.Call, _ endpoint.None) (wire.Delivery, error) {
		sent, err := a.Webhooks.Test(c.Context(), c.Actor, c.Project(), c.ID("webhookId"))
		return wire.DeliveryOf(delivery.Logged{Delivery: sent}), err
	})
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: one + "/replay", ID: "replayWebhook", Tag: tag, Action: access.ManageWebhooks, Idempotent: true, Status: http.StatusAccepted,
		Title: "Deliver events again", About: "Sends the events since a time again that the webhook is for: at most 10,000, else the request is 422 with their number. The webhook must be on.", Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, in wire.Replay) (wire.Replayed, error) {
		if in.Since.IsZero() {
			return wire.Replayed{}, core.Invalid(core.FieldError{Location: "since", Message: "is required"})
		}
		count, err := a.Webhooks.Replay(c.Context(), c.Actor, c.Project(), c.ID("webhookId"), in.Since)
		return wire.Replayed{Events: count}, err
	})
	a.registerDeliveries(tag, one+"/deliveries")
}

var deliveryStatuses = wire.Each(webhook.DeliveryStatuses(), func(s webhook.DeliveryStatus) string { return string(s) })

func (a *API) registerDeliveries(tag, path string) {
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodGet, Path: path, ID: "listDeliveries", Tag: tag, Action: access.ManageWebhooks,
		Title: "List the deliveries of a webhook", About: "Returns the messages with all attempts to send them. They are kept for 30 days after their end.",
		Query: []*endpoint.QueryParam{
			endpoint.EnumParam("status", "Only deliveries with this status.", nil, deliveryStatuses...),
			endpoint.IDParam("after", "Only older deliveries: `meta.next` of the list before.", 31),
			endpoint.LimitParam,
		},
	}, func(c *endpoint.Call, _ endpoint.None) (wire.DeliveryList, error) { return a.listDeliveries(c) })
	endpoint.Handle(a.set, endpoint.Operation{
		Method: http.MethodPost, Path: path + "/{deliveryId}/retry", ID: "retryDelivery", Tag: tag, Action: access.ManageWebhooks, Idempotent: true,
		Title: "Send a delivery again", About: "Sends it now, whatever its status is. The webhook must be on.", Fails: []core.Kind{core.KindConflict},
	}, func(c *endpoint.Call, _ endpoint.None) (endpoint.None, error) {
		return endpoint.None{}, a.Webhooks.Retry(c.Context(), c.Actor, c.Project(), c.ID("webhookId"), c.ID("deliveryId"))
	})
}

func (a *API) listDeliveries(c *endpoint.Call) (wire.DeliveryList, error) {
	_, limit, err := checkWindow(nil, c.Int("limit"))
	if err != nil {
		return wire.DeliveryList{}, err
	}
	if status, given := c.Params["status"]; given && !slices.Contains(deliveryStatuses, status) {
		return wire.DeliveryList{}, endpoint.BadParameter("status", "must be one of "+strings.Join(deliveryStatuses, ", "))
	}
	q := ports.DeliveryQuery{
		ProjectID: c.Project().ID, WebhookID: c.ID("webhookId"), Status: webhook.DeliveryStatus(c.Params["status"]), Before: c.Positive("after"), Limit: int(limit) + 1,
	}
	if err := c.BadQuery(); err != nil {
		return wire.DeliveryList{}, err
	}
	found, err := a.Webhooks.Deliveries(c.Context(), q)
	if err != nil {
		return wire.DeliveryList{}, err
	}
	list := wire.DeliveryList{Meta: wire.DeliveryMeta{Limit: limit, HasMore: int64(len(found)) > limit}}
	if list.Meta.HasMore {
		found = found[:limit]
		list.Meta.Next = &found[limit-1].ID
	}
	list.Data = wire.Each(found, wire.DeliveryOf)
	return list, nil
}

func (a *API) shownWebhook(w webhook.Webhook) wire.Webhook {
	return wire.WebhookOf(w, a.Webhooks.Headers(w))
}

func (a *API) withSecret(w webhook.Webhook, signing string, err error) (wire.Webhook, error) {
	if err != nil {
		return wire.Webhook{}, err
	}
	shown := a.shownWebhook(w)
	shown.Secret = signing
	return shown, nil
}
