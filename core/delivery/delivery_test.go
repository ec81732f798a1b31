package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/delivery"
	"imprimatur/core/event"
	"imprimatur/core/secret"
	"imprimatur/core/webhook"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// world is a Project with webhooks, whose receivers are a fake.
type world struct {
	*contenttest.Fixture
	webhooks    *delivery.Webhooks
	distributor *delivery.Distributor
	dispatcher  *delivery.Dispatcher
	receiver    *receiver
	key         secret.Key
}

func setup(t *testing.T) *world {
	t.Helper()
	w := &world{Fixture: contenttest.New(t), receiver: &receiver{}}
	key := secret.New()
	w.key = key
	w.webhooks = delivery.NewWebhooks(w.Stores, w.Store, addresses{}, key, w.Clock)
	w.distributor = delivery.NewDistributor(w.Stores.Outbox, w.Store, nothing{})
	w.dispatcher = delivery.NewDispatcher(w.Stores, w.Store, w.receiver, key)
	return w
}

// failing is a Notifier that fails for events of one type.
type failing event.Type

func (f failing) Notify(_ context.Context, _ ports.Stores, events []event.Event) error {
	if slices.ContainsFunc(events, func(e event.Event) bool { return e.Type == event.Type(f) }) {
		return errors.New("broken")
	}
	return nil
}

// nothing makes no notices.
type nothing struct{}

func (nothing) Notify(context.Context, ports.Stores, []event.Event) error { return nil }

// addresses refuses those that contain "private".
type addresses struct{}

func (addresses) Fault(_ context.Context, url string) string {
	if strings.Contains(url, "private") {
		return "must be public"
	}
	return ""
}

// receiver answers by the URL of a message, 200 if it has no answer for it.
type receiver struct {
	mu      sync.Mutex
	got     []ports.WebhookMessage
	answers map[string]ports.WebhookAnswer
}

func (r *receiver) Send(_ context.Context, m ports.WebhookMessage) ports.WebhookAnswer {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, m)
	if answer, ok := r.answers[m.URL]; ok {
		return answer
	}
	return ports.WebhookAnswer{Code: 200}
}

// take returns what was sent since the last call: the URL and the types of events of each message.
func (r *receiver) take() (sent []string) {
	for _, m := range r.got {
		text := m.URL
		for _, e := range m.Events {
			text += " " + string(e.Type)
		}
		sent = append(sent, text)
	}
	r.got = nil
	return sent
}

// deliver distributes all events and sends all due deliveries.
func (w *world) deliver(t *testing.T) {
	t.Helper()
	for more := true; more; {
		var err error
		more, err = w.distributor.Distribute(t.Context())
		require.NoError(t, err)
	}
	for begun := true; begun; {
		var err error
		begun, err = w.dispatcher.Dispatch(t.Context(), func() {})
		require.NoError(t, err)
		w.dispatcher.Wait()
	}
}

func (w *world) pass(d time.Duration) { w.Clock.Time = w.Clock.Time.Add(d) }

func (w *world) create(t *testing.T, url string, change func(*delivery.Change)) webhook.Webhook {
	t.Helper()
	name, events := "Site", []string{"media.*"}
	in := delivery.Change{Name: &name, URL: &url, Events: &events}
	if change != nil {
		change(&in)
	}
	made, signing, err := w.webhooks.Create(t.Context(), w.Actor, w.Project, in)
	require.NoError(t, err)
	require.Regexp(t, `^whsec_[A-Za-z0-9+/]{43}=$`, signing)
	return made
}

func (w *world) record(t *testing.T, types ...event.Type) {
	t.Helper()
	require.NoError(t, w.Store.Do(t.Context(), w.Actor, func(ctx context.Context, s ports.Stores) error {
		for _, kind := range types {
			if err := s.Events.Record(ctx, event.Event{Type: kind, ProjectID: w.Project.ID}); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (w *world) statuses(t *testing.T, id int64) (all []webhook.DeliveryStatus) {
	t.Helper()
	found, err := w.webhooks.Deliveries(t.Context(), ports.DeliveryQuery{ProjectID: w.Project.ID, WebhookID: id, Limit: 100})
	require.NoError(t, err)
	for _, d := range found {
		all = append(all, d.Status)
	}
	return all
}

func TestAnEventThatFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.create(t, "https://a.example", nil)
	w.distributor = delivery.NewDistributor(w.Stores.Outbox, w.Store, failing(event.MediaUpdated))
	var failed []int64
	w.distributor.Observe = func(id int64, err error) {
		require.EqualError(t, err, "broken")
		failed = append(failed, id)
	}
	w.record(t, event.MediaCreated, event.MediaUpdated, event.MediaDeleted)
	w.deliver(t)
	require.ElementsMatch(t, []string{"https://a.example media.created", "https://a.example media.deleted"}, w.receiver.take())
	require.Len(t, failed, 1)
	w.record(t, event.MediaCreated)
	w.deliver(t)
	require.Equal(t, []string{"https://a.example media.created"}, w.receiver.take())
	require.Len(t, failed, 1, "tried again at once")

	w.distributor = delivery.NewDistributor(w.Stores.Outbox, w.Store, nothing{})
	w.deliver(t)
	require.Equal(t, []string{"https://a.example media.updated"}, w.receiver.take())
}

// busy is a store that is unavailable for some calls.
type busy struct {
	ports.DeliveryStore
	calls int
}

func (b *busy) Record(ctx context.Context, d webhook.Delivery, a webhook.DeliveryAttempt, again time.Duration) error {
	if b.calls--; b.calls >= 0 {
		return core.ErrUnavailable
	}
	return b.DeliveryStore.Record(ctx, d, a, again)
}

func TestAnOutcomeOutlivesABusyDatabase(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := w.create(t, "https://a.example", nil)
	stores := w.Stores
	stores.Deliveries = &busy{w.Stores.Deliveries, 2}
	w.dispatcher = delivery.NewDispatcher(stores, w.Store, w.receiver, w.key)
	w.record(t, event.MediaCreated)
	w.deliver(t)
	require.Equal(t, []webhook.DeliveryStatus{webhook.DeliveryDelivered}, w.statuses(t, hook.ID))
	w.pass(time.Hour)
	w.deliver(t)
	require.Equal(t, []string{"https://a.example media.created"}, w.receiver.take())
}

func TestEventsReachTheirReceiversOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.record(t, event.MediaCreated) // before there is a webhook
	w.create(t, "one", nil)
	w.create(t, "two", func(in *delivery.Change) { *in.Events = []string{"media.deleted", "project.*"} })
	off := false
	w.create(t, "off", func(in *delivery.Change) { in.Active = &off })
	w.record(t, event.MediaCreated, event.MediaDeleted, event.WorkflowUpdated)
	w.deliver(t)
	require.ElementsMatch(t, []string{"one media.created", "one media.deleted", "two media.deleted"}, w.receiver.take())
	w.deliver(t)
	require.Empty(t, w.receiver.take())
}

func TestRetries(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := w.create(t, "down", nil)
	w.receiver.answers = map[string]ports.WebhookAnswer{"down": {Code: 503, RetryAfter: 20 * time.Second, Body: "no"}}
	w.record(t, event.MediaCreated)
	w.deliver(t)
	require.Len(t, w.receiver.take(), 1)
	w.pass(19 * time.Second)
	w.deliver(t)
	require.Empty(t, w.receiver.take())
	w.pass(time.Second)
	w.deliver(t)
	require.Len(t, w.receiver.take(), 1)
	hook, err := w.webhooks.Webhook(t.Context(), w.Project, hook.ID)
	require.NoError(t, err)
	require.False(t, hook.FailingSince.IsZero())

	w.receiver.answers = nil
	w.pass(time.Minute)
	w.deliver(t)
	require.Len(t, w.receiver.take(), 1)
	require.Equal(t, []webhook.DeliveryStatus{webhook.DeliveryDelivered}, w.statuses(t, hook.ID))
	found, err := w.webhooks.Deliveries(t.Context(), ports.DeliveryQuery{ProjectID: w.Project.ID, WebhookID: hook.ID, Limit: 10})
	require.NoError(t, err)
	require.Len(t, found[0].Log, 3)
	require.Equal(t, "no", found[0].Log[0].Answer)
	hook, err = w.webhooks.Webhook(t.Context(), w.Project, hook.ID)
	require.NoError(t, err)
	require.True(t, hook.FailingSince.IsZero())
}

func TestReceiversAreSwitchedOff(t *testing.T) {
	t.Parallel()
	for reason, answer := range map[webhook.OffReason]ports.WebhookAnswer{webhook.OffGone: {Code: 410}, webhook.OffFailing: {Fault: "no answer"}} {
		t.Run(string(reason), func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			hook := w.create(t, "receiver", nil)
			w.receiver.answers = map[string]ports.WebhookAnswer{"receiver": answer}
			began := w.Clock.Now()
			for hook.Active && w.Clock.Now().Sub(began) < 4*24*time.Hour {
				w.record(t, event.MediaUpdated)
				w.deliver(t)
				w.pass(time.Hour)
				var err error
				hook, err = w.webhooks.Webhook(t.Context(), w.Project, hook.ID)
				require.NoError(t, err)
			}
			require.Equal(t, reason, hook.OffReason)
			if reason == webhook.OffFailing {
				require.GreaterOrEqual(t, w.Clock.Now().Sub(began), webhook.MostFailing)
			}
			for _, status := range w.statuses(t, hook.ID) {
				require.Equal(t, webhook.DeliveryParked, status)
			}
			on := true
			hook, err := w.webhooks.Update(t.Context(), w.Actor, w.Project, hook.ID, delivery.Change{Active: &on})
			require.NoError(t, err)
			require.Empty(t, hook.OffReason)
			require.True(t, hook.FailingSince.IsZero())
		})
	}
}

func TestGathering(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.create(t, "batch", func(in *delivery.Change) {
		in.Coalesce = core.Optional[delivery.Coalesce]{Given: true, Value: &delivery.Coalesce{Quiet: 10, Most: 25}}
	})
	for range 3 { // at 0, 8 and 16 s
		w.record(t, event.MediaCreated)
		w.deliver(t)
		w.pass(8 * time.Second)
	}
	w.deliver(t)
	require.Empty(t, w.receiver.take()) // 24 s after the first, 8 s after the last
	w.pass(time.Second)
	w.deliver(t)
	require.Equal(t, []string{"batch media.created media.created media.created"}, w.receiver.take())
	for range webhook.DeliveryEvents + 5 {
		w.record(t, event.MediaUpdated)
	}
	w.deliver(t)
	w.pass(10 * time.Second)
	w.deliver(t)
	require.Equal(t, webhook.DeliveryEvents+5, w.receiver.got[0].Delivery.Count)
	require.Len(t, w.receiver.got[0].Events, webhook.DeliveryEvents)
}

func TestGatheredEventsStayTogether(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := w.create(t, "batch", func(in *delivery.Change) {
		in.Coalesce = core.Optional[delivery.Coalesce]{Given: true, Value: &delivery.Coalesce{Quiet: 10, Most: 25}}
	})
	w.record(t, event.MediaCreated, event.MediaDeleted)
	w.deliver(t)
	_, err := w.webhooks.Update(t.Context(), w.Actor, w.Project, hook.ID, delivery.Change{Coalesce: core.Optional[delivery.Coalesce]{Given: true}})
	require.NoError(t, err)
	w.pass(10 * time.Second)
	w.record(t, event.MediaUpdated)
	w.deliver(t)
	types := []string{w.receiver.got[0].Delivery.Type, w.receiver.got[1].Delivery.Type}
	require.ElementsMatch(t, []string{webhook.DeliveryBatch, "media.updated"}, types)
	require.ElementsMatch(t, []string{"batch media.created media.deleted", "batch media.updated"}, w.receiver.take())
}

func TestWebhooksThatAreOff(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := w.create(t, "site", nil)
	w.record(t, event.MediaCreated)
	w.deliver(t)
	off := false
	_, err := w.webhooks.Update(t.Context(), w.Actor, w.Project, hook.ID, delivery.Change{Active: &off})
	require.NoError(t, err)
	_, err = w.webhooks.Replay(t.Context(), w.Actor, w.Project, hook.ID, w.Clock.Now().Add(-time.Hour))
	require.ErrorIs(t, err, core.ErrConflict)
	require.ErrorIs(t, w.webhooks.Retry(t.Context(), w.Actor, w.Project, hook.ID, 1), core.ErrConflict)
}

func TestDeadReceiversGetOneRequestAtATime(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.create(t, "down", nil)
	w.receiver.answers = map[string]ports.WebhookAnswer{"down": {Fault: "no answer"}}
	for range 9 {
		w.record(t, event.MediaCreated)
	}
	_, err := w.distributor.Distribute(t.Context())
	require.NoError(t, err)
	for _, want := range []int{4, 1, 1} {
		_, err = w.dispatcher.Dispatch(t.Context(), func() {})
		require.NoError(t, err)
		w.dispatcher.Wait()
		require.Len(t, w.receiver.take(), want)
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := w.create(t, "site", func(in *delivery.Change) { in.Headers = &map[string]string{"X-Key": "abc"} })
	require.NotContains(t, string(hook.Secrets), "abc")
	require.Equal(t, []string{"X-Key"}, w.webhooks.Headers(hook))
	send := func() ports.WebhookMessage {
		t.Helper()
		_, err := w.webhooks.Test(t.Context(), w.Actor, w.Project, hook.ID)
		require.NoError(t, err)
		w.deliver(t)
		sent := w.receiver.got[0]
		w.receiver.take()
		return sent
	}
	first := send()
	require.Len(t, first.Secrets, 1)
	require.Equal(t, map[string]string{"X-Key": "abc"}, first.Headers)
	_, signing, err := w.webhooks.Rotate(t.Context(), w.Actor, w.Project, hook.ID)
	require.NoError(t, err)
	require.Equal(t, []string{signing, first.Secrets[0]}, send().Secrets)
	w.pass(23 * time.Hour)
	_, again, err := w.webhooks.Rotate(t.Context(), w.Actor, w.Project, hook.ID)
	require.NoError(t, err)
	require.Equal(t, []string{again, signing, first.Secrets[0]}, send().Secrets, "a second rotation ends no secret early")
	w.pass(time.Hour)
	require.Equal(t, []string{again, signing}, send().Secrets)
	w.pass(23 * time.Hour)
	require.Equal(t, []string{again}, send().Secrets)

	// The values of headers are not for the receiver at another host.
	_, err = w.webhooks.Update(t.Context(), w.Actor, w.Project, hook.ID, delivery.Change{URL: new("https://other.example.org/hook")})
	require.Contains(t, contenttest.FaultsOf(t, err), "headers")
	_, err = w.webhooks.Update(t.Context(), w.Actor, w.Project, hook.ID, delivery.Change{URL: new("https://other.example.org/hook"), Headers: &map[string]string{}})
	require.NoError(t, err)

	other := delivery.NewDispatcher(w.Stores, w.Store, w.receiver, secret.New())
	_, err = w.webhooks.Test(t.Context(), w.Actor, w.Project, hook.ID)
	require.NoError(t, err)
	_, err = other.Dispatch(t.Context(), func() {})
	require.NoError(t, err)
	other.Wait()
	require.Empty(t, w.receiver.take())
	found, err := w.webhooks.Deliveries(t.Context(), ports.DeliveryQuery{ProjectID: w.Project.ID, WebhookID: hook.ID, Limit: 1})
	require.NoError(t, err)
	require.Contains(t, found[0].Log[0].Fault, "another secret key")
}

func TestReplay(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := w.create(t, "site", nil)
	w.record(t, event.MediaCreated)
	w.pass(time.Minute)
	since := w.Clock.Now()
	w.record(t, event.MediaUpdated, event.WorkflowUpdated, event.MediaDeleted)
	w.deliver(t)
	w.receiver.take()
	count, err := w.webhooks.Replay(t.Context(), w.Actor, w.Project, hook.ID, since)
	require.NoError(t, err)
	require.Equal(t, 2, count)
	w.deliver(t)
	require.ElementsMatch(t, []string{"site media.updated", "site media.deleted"}, w.receiver.take())
}

func TestInvalidWebhooks(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := w.create(t, "site", nil)
	headers := map[string]string{"Host": "x", "content-type": "x", "webhook-id": "x", "a b": "x", "X-A": "a\nb", "X-B": strings.Repeat("x", 1001)}
	_, err := w.webhooks.Update(t.Context(), w.Actor, w.Project, hook.ID, delivery.Change{
		Name: new(strings.Repeat("x", 201)), URL: new("private"), Events: &[]string{"media.*", "nothing.*", "entry", "media.*", "*.", "user.*"}, Collections: &[]string{"nothing"}, Locales: &[]string{"de", "xx"}, Headers: &headers,
		Coalesce: core.Optional[delivery.Coalesce]{Given: true, Value: &delivery.Coalesce{Quiet: 10, Most: 9}},
	})
	var invalid *core.Error
	require.ErrorAs(t, err, &invalid)
	var locations []string
	for _, fault := range invalid.Fields {
		locations = append(locations, fault.Location)
	}
	require.ElementsMatch(t, []string{
		"name", "url", "events[1]", "events[2]", "events[3]", "events[4]", "events[5]", "collections[0]", "locales[1]", "coalesce.most",
		"headers.Host", "headers.content-type", "headers.webhook-id", "headers.a b", "headers.X-A", "headers.X-B",
	}, locations)
	for n := 1; n < 20; n++ {
		w.create(t, fmt.Sprint(n), nil)
	}
	_, _, err = w.webhooks.Create(t.Context(), w.Actor, w.Project, delivery.Change{Name: new("x"), URL: new("y"), Events: &[]string{"*"}})
	require.ErrorIs(t, err, core.ErrConflict)
}

// TestClockOfTheProcessJumps checks that rotated secrets go by the clock of the database.
func TestClockOfTheProcessJumps(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hook := w.create(t, "site", nil)
	send := func() int {
		t.Helper()
		_, err := w.webhooks.Test(t.Context(), w.Actor, w.Project, hook.ID)
		require.NoError(t, err)
		w.deliver(t)
		sent := w.receiver.got[0]
		w.receiver.take()
		return len(sent.Secrets)
	}
	for _, jump := range []time.Duration{-20 * 365 * 24 * time.Hour, 20 * 365 * 24 * time.Hour} {
		jumped := delivery.NewWebhooks(w.Stores, w.Store, addresses{}, w.key, &contenttest.Clock{Time: w.Clock.Now().Add(jump)})
		_, _, err := jumped.Rotate(t.Context(), w.Actor, w.Project, hook.ID)
		require.NoError(t, err)
		require.Equal(t, 2, send())
		w.pass(24 * time.Hour)
		require.Equal(t, 1, send())
		found, err := w.webhooks.Deliveries(t.Context(), ports.DeliveryQuery{ProjectID: w.Project.ID, WebhookID: hook.ID, Limit: 1})
		require.NoError(t, err)
		require.Equal(t, w.Clock.Now(), found[0].Log[0].At)
	}
}
