package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/delivery"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

func TestOperations(t *testing.T) {
	t.Parallel()
	w := setup(t)
	operations := delivery.NewOperations(w.Stores, w.Store)
	down, up := w.create(t, "down", nil), w.create(t, "up", nil)
	w.receiver.answers = map[string]ports.WebhookAnswer{"down": {Code: 500, Body: "no"}}
	w.record(t, event.MediaCreated, event.MediaDeleted)
	w.deliver(t)
	w.receiver.take()

	list := func(s delivery.Selection, limit int) (ids []int64) {
		t.Helper()
		found, err := operations.List(t.Context(), s, limit)
		require.NoError(t, err)
		for _, d := range found {
			require.Equal(t, d.WebhookID, d.Webhook.ID)
			require.Len(t, d.Log, 1)
			ids = append(ids, d.ID)
		}
		return ids
	}
	all := list(delivery.Selection{}, 10)
	require.Len(t, all, 4)
	require.IsDecreasing(t, all)
	require.Equal(t, all[:3], list(delivery.Selection{}, 3))
	waiting := list(delivery.Selection{Status: webhook.DeliveryWaiting}, 10)
	require.Equal(t, list(delivery.Selection{WebhookID: down.ID}, 10), waiting)
	require.Empty(t, list(delivery.Selection{ProjectID: w.Project.ID + 1}, 10))
	delivered := list(delivery.Selection{WebhookID: up.ID}, 10)

	_, err := operations.Park(t.Context(), delivery.Selection{IDs: []int64{waiting[0], delivered[0]}})
	require.ErrorIs(t, err, core.ErrConflict)
	_, err = operations.Park(t.Context(), delivery.Selection{IDs: []int64{waiting[0], 999}})
	require.ErrorIs(t, err, core.ErrNotFound)
	_, _, err = operations.Retry(t.Context(), delivery.Selection{WebhookID: up.ID, IDs: waiting})
	require.ErrorIs(t, err, core.ErrNotFound)
	_, err = operations.Park(t.Context(), delivery.Selection{WebhookID: 999})
	require.ErrorIs(t, err, core.ErrNotFound)
	require.Equal(t, waiting, list(delivery.Selection{Status: webhook.DeliveryWaiting}, 10))

	parked, err := operations.Park(t.Context(), delivery.Selection{})
	require.NoError(t, err)
	require.Equal(t, 2, parked)
	require.Equal(t, waiting, list(delivery.Selection{Status: webhook.DeliveryParked}, 10))
	w.receiver.answers = nil
	retried, left, err := operations.Retry(t.Context(), delivery.Selection{WebhookID: down.ID})
	require.NoError(t, err)
	require.Equal(t, []int{2, 0}, []int{retried, left})
	w.deliver(t)
	require.ElementsMatch(t, []string{"down media.created", "down media.deleted"}, w.receiver.take())
	retried, _, err = operations.Retry(t.Context(), delivery.Selection{IDs: []int64{delivered[0], delivered[0]}})
	require.NoError(t, err)
	require.Equal(t, 1, retried)
	w.deliver(t)
	require.Len(t, w.receiver.take(), 1)
}

// TestOperationsOnWebhooksThatAreOff checks that deliveries stay parked while their webhook is off.
func TestOperationsOnWebhooksThatAreOff(t *testing.T) {
	t.Parallel()
	w := setup(t)
	operations := delivery.NewOperations(w.Stores, w.Store)
	hook := w.create(t, "site", func(in *delivery.Change) {
		in.Coalesce = core.Optional[delivery.Coalesce]{Given: true, Value: &delivery.Coalesce{Quiet: 10, Most: 25}}
	})
	w.record(t, event.MediaCreated)
	w.deliver(t)
	parked, err := operations.Park(t.Context(), delivery.Selection{Status: webhook.DeliveryWaiting})
	require.NoError(t, err)
	require.Zero(t, parked)
	parked, err = operations.Park(t.Context(), delivery.Selection{WebhookID: hook.ID})
	require.NoError(t, err)
	require.Equal(t, 1, parked)
	off := false
	_, err = w.webhooks.Update(t.Context(), w.Actor, w.Project, hook.ID, delivery.Change{Active: &off})
	require.NoError(t, err)
	retried, left, err := operations.Retry(t.Context(), delivery.Selection{Status: webhook.DeliveryParked})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, []int{retried, left})
	found, err := operations.List(t.Context(), delivery.Selection{}, 1)
	require.NoError(t, err)
	_, _, err = operations.Retry(t.Context(), delivery.Selection{IDs: []int64{found[0].ID}})
	require.ErrorIs(t, err, core.ErrConflict)
	require.Equal(t, webhook.DeliveryParked, found[0].Status)
}
