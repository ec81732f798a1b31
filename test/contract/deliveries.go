package contract

import (
	"context"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/core/webhook"
	"imprimatur/ports"
)

// Deliveries checks a ports.WebhookStore, ports.Outbox, ports.DeliveryStore and ports.DeliveryLog.
func Deliveries(t *testing.T, open Factory) {
	runSequentially(t, open, cases{ // cases take the events of others
		"keeps webhooks":                        keepsWebhooks,
		"takes events for webhooks once":        takesEventsOnce,
		"takes events in parallel once":         takesEventsInParallel,
		"keeps events of a failed transaction":  keepsOutgoingEvents,
		"delivers until it is delivered":        delivers,
		"claims fairly":                         claimsFairly,
		"claims in parallel once":               claimsInParallel,
		"gathers events":                        gathers,
		"parks, retries and forgets":            parks,
		"adds nothing to a webhook that is off": holdsWebhooks,
	})
}

func (w *fixture) newWebhook(t reporter) webhook.Webhook {
	t.Helper()
	hook := webhook.Webhook{
		ProjectID: w.project.ID, Name: "Site", URL: "https://example.org/hook", Events: []string{"entry.*"}, Collections: []string{"articles"}, Locales: []string{"en", "fr"},
		Imports: true, Active: true, Quiet: 10 * time.Second, Most: time.Minute, Secrets: []byte{1, 0, 2}, CreatedBy: 7, CreatedAt: at(1), UpdatedAt: at(2),
	}
	requireNoError(t, w.Webhooks.Insert(t.Context(), &hook))
	return hook
}

func keepsWebhooks(t *testing.T, w *fixture) {
	hook, other := w.newWebhook(t), w.newWebhook(t)
	assertEqual(t, result(w.Webhooks.Webhook(t.Context(), w.project.ID, hook.ID))(t), hook)
	assertEqual(t, result(w.Webhooks.Webhooks(t.Context(), w.project.ID))(t), []webhook.Webhook{hook, other})
	elsewhere := w.otherProject(t)
	abroad := elsewhere.newWebhook(t)
	everywhere := slices.DeleteFunc(result(w.DeliveryLog.Receivers(t.Context()))(t), func(found webhook.Webhook) bool { return found.ID < hook.ID })
	assertEqual(t, everywhere, []webhook.Webhook{hook, other, abroad})
	requireNoError(t, w.Webhooks.Delete(t.Context(), elsewhere.project.ID, abroad.ID))
	assertEqual(t, result(w.Webhooks.Webhooks(t.Context(), elsewhere.project.ID))(t), []webhook.Webhook(nil))
	_, err := w.Webhooks.Webhook(t.Context(), elsewhere.project.ID, hook.ID)
	requireError(t, err, core.ErrNotFound)

	changed := hook
	changed.Name, changed.URL, changed.Events, changed.Collections, changed.Locales = "Site 2", "https://example.org/2", []string{"*"}, nil, nil
	changed.Imports, changed.Active, changed.Quiet, changed.Most, changed.Secrets, changed.OffReason, changed.UpdatedAt = false, false, 0, 0, []byte{3}, webhook.OffGone, at(9)
	changed.FailingSince = at(4)
	stored := changed
	changed.CreatedBy, changed.CreatedAt = 99, at(99)
	requireNoError(t, w.Webhooks.Update(t.Context(), changed))
	assertEqual(t, result(w.Webhooks.Webhook(t.Context(), w.project.ID, hook.ID))(t), stored)
	requireNoError(t, w.Webhooks.NoteFailing(t.Context(), w.project.ID, hook.ID, time.Time{}))
	stored.FailingSince = time.Time{}
	assertEqual(t, result(w.Webhooks.Webhook(t.Context(), w.project.ID, hook.ID))(t), stored)

	changed.ProjectID = elsewhere.project.ID
	requireError(t, w.Webhooks.Update(t.Context(), changed), core.ErrNotFound)
	requireError(t, w.Webhooks.Delete(t.Context(), elsewhere.project.ID, hook.ID), core.ErrNotFound)
	requireNoError(t, w.Webhooks.Delete(t.Context(), w.project.ID, hook.ID))
	requireError(t, w.Webhooks.Delete(t.Context(), w.project.ID, hook.ID), core.ErrNotFound)
	changed.ProjectID = 1 << 40
	requireError(t, w.Webhooks.Insert(t.Context(), &changed), core.ErrNotFound)
}

// takeAll empties the outbox but for the excepted events, and returns those of the Project.
func (w *fixture) takeAll(t reporter, except ...int64) (events []event.Event) {
	t.Helper()
	for {
		taken := result(w.Outbox.Take(t.Context(), 3, except...))(t)
		if len(taken) == 0 {
			return events
		}
		for _, e := range taken {
			if e.ProjectID == w.project.ID {
				events = append(events, e)
			}
		}
	}
}

func (w *fixture) record(t reporter, kinds ...event.Type) {
	t.Helper()
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		for _, kind := range kinds {
			if err := s.Events.Record(ctx, event.Event{Type: kind, ProjectID: w.project.ID, Group: 5, Slug: "a-b"}); err != nil {
				return err
			}
		}
		return nil
	}))
}

func takesEventsOnce(t *testing.T, w *fixture) {
	w.takeAll(t)
	w.record(t, event.ProjectRepaired)
	assertEqual(t, w.takeAll(t), []event.Event(nil)) // no webhook
	w.newWebhook(t)
	w.otherProject(t).record(t, event.ProjectRepaired)
	w.record(t, event.ProjectRepaired, event.MediaCreated, event.MediaDeleted, event.MediaUpdated)
	count, oldest, err := w.Outbox.Backlog(t.Context())
	requireNoError(t, err)
	assertEqual(t, count, int64(5))
	if oldest.IsZero() {
		t.Error("no time of the oldest event")
	}
	taken := w.takeAll(t)
	assertEqual(t, kindsOf(taken), []event.Type{event.WebhookCreated, event.ProjectRepaired, event.MediaCreated, event.MediaDeleted, event.MediaUpdated})
	assertEqual(t, []any{taken[1].Group, taken[1].Slug}, []any{int64(5), "a-b"})
	assertEqual(t, w.takeAll(t), []event.Event(nil))
	again := result(w.Outbox.Events(t.Context(), []int64{taken[2].ID, taken[1].ID, 1 << 40}))(t)
	assertEqual(t, again, taken[1:3])
	count, _, err = w.Outbox.Backlog(t.Context())
	requireNoError(t, err)
	assertEqual(t, count, int64(0))
}

func kindsOf(events []event.Event) (kinds []event.Type) {
	for _, e := range events {
		kinds = append(kinds, e.Type)
	}
	return kinds
}

func takesEventsInParallel(t *testing.T, w *fixture) {
	w.newWebhook(t)
	w.takeAll(t)
	const many = 60
	for range many {
		w.record(t, event.MediaUpdated)
	}
	var mu sync.Mutex
	times := map[int64]int{}
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for {
				var taken []event.Event
				err := w.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) (err error) {
					taken, err = s.Outbox.Take(ctx, 7)
					return err
				})
				if err != nil {
					t.Error(err)
				}
				if err != nil || len(taken) == 0 {
					return
				}
				mu.Lock()
				for _, e := range taken {
					times[e.ID]++
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for _, e := range w.takeAll(t) {
		times[e.ID]++ // skipped at the end
	}
	assertEqual(t, len(times), many)
	for id, n := range times {
		assertEqual(t, []int64{id, int64(n)}, []int64{id, 1})
	}
}

func keepsOutgoingEvents(t *testing.T, w *fixture) {
	w.newWebhook(t)
	w.takeAll(t)
	w.record(t, event.MediaUpdated)
	var kept []int64
	requireError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		taken, err := s.Outbox.Take(ctx, 10)
		for _, e := range taken {
			kept = append(kept, e.ID)
		}
		if err != nil {
			return err
		}
		return core.NotFound("anything")
	}), core.ErrNotFound)
	w.record(t, event.MediaCreated)
	assertEqual(t, kindsOf(w.takeAll(t, kept...)), []event.Type{event.MediaCreated})
	assertEqual(t, kindsOf(w.takeAll(t)), []event.Type{event.MediaUpdated})
}

func (w *fixture) newDelivery(t reporter, hook webhook.Webhook, events ...int64) webhook.Delivery {
	t.Helper()
	d := webhook.Delivery{ProjectID: hook.ProjectID, WebhookID: hook.ID, Type: "media.created", Events: events, Count: len(events), Status: webhook.DeliveryWaiting}
	requireNoError(t, w.Deliveries.Insert(t.Context(), 0, &d))
	return d
}

// claim claims deliveries of one webhook.
func (w *fixture) claim(t reporter, hook webhook.Webhook, lease time.Duration) []webhook.Delivery {
	t.Helper()
	return result(w.Deliveries.Claim(t.Context(), 100, lease, func(id int64) int {
		if id == hook.ID {
			return 100
		}
		return 0
	}))(t)
}

// messages is the form of webhook.Delivery.Message.
var messages = regexp.MustCompile(`^dlv_[a-z2-7]{26}$`)

func delivers(t *testing.T, w *fixture) {
	hook := w.newWebhook(t)
	latest := func(w *fixture) []webhook.DeliveryResult {
		return result(w.DeliveryLog.Latest(t.Context(), w.project.ID))(t)
	}
	assertEqual(t, latest(w), []webhook.DeliveryResult(nil))
	d := w.newDelivery(t, hook, 4, 5)
	if !messages.MatchString(d.Message) {
		t.Errorf("the message %q", d.Message)
	}
	claimed := w.claim(t, hook, time.Hour)
	assertEqual(t, latest(w), []webhook.DeliveryResult{{WebhookID: hook.ID, Status: webhook.DeliveryWaiting, At: d.CreatedAt}})
	assertEqual(t, len(claimed), 1)
	assertEqual(t, []any{claimed[0].ID, claimed[0].Type, claimed[0].Events, claimed[0].Count, claimed[0].Attempts, claimed[0].Status}, []any{d.ID, "media.created", []int64{4, 5}, 2, 1, webhook.DeliveryWaiting})
	assertEqual(t, w.claim(t, hook, time.Hour), []webhook.Delivery(nil)) // leased

	failed := claimed[0]
	first := webhook.DeliveryAttempt{DeliveryID: d.ID, Number: 1, At: at(3), Took: 12 * time.Millisecond, Code: 500, Answer: "no"}
	requireNoError(t, w.Deliveries.Record(t.Context(), failed, first, 0))
	assertEqual(t, latest(w), []webhook.DeliveryResult{{WebhookID: hook.ID, Status: webhook.DeliveryWaiting, Attempts: 1, At: at(3), Code: 500}})
	requireError(t, w.Deliveries.Record(t.Context(), failed, webhook.DeliveryAttempt{Number: 2}, 0), core.ErrNotFound) // not begun
	claimed = w.claim(t, hook, time.Hour)
	assertEqual(t, claimed[0].Attempts, 2)
	assertEqual(t, []string{failed.Message, claimed[0].Message}, []string{d.Message, d.Message}) // repeats keep it
	delivered := claimed[0]
	delivered.Status = webhook.DeliveryDelivered
	second := webhook.DeliveryAttempt{DeliveryID: d.ID, Number: 2, At: at(4), Took: time.Second, Code: 0, Fault: "late"}
	requireNoError(t, w.Deliveries.Record(t.Context(), delivered, second, 0))
	assertEqual(t, w.claim(t, hook, time.Hour), []webhook.Delivery(nil))

	assertEqual(t, latest(w), []webhook.DeliveryResult{{WebhookID: hook.ID, Status: webhook.DeliveryDelivered, Attempts: 2, At: at(4)}})
	assertEqual(t, latest(w.otherProject(t)), []webhook.DeliveryResult(nil))

	query := ports.DeliveryQuery{ProjectID: w.project.ID, WebhookID: hook.ID, Limit: 10}
	found := result(w.DeliveryLog.Deliveries(t.Context(), query))(t)
	assertEqual(t, []any{len(found), found[0].Status, found[0].EndedAt.IsZero(), found[0].Attempts}, []any{1, webhook.DeliveryDelivered, false, 2})
	assertEqual(t, result(w.DeliveryLog.Attempts(t.Context(), w.project.ID, []int64{d.ID}))(t), []webhook.DeliveryAttempt{first, second})
	assertEqual(t, result(w.DeliveryLog.Attempts(t.Context(), w.otherProject(t).project.ID, []int64{d.ID}))(t), []webhook.DeliveryAttempt(nil))
}

func claimsFairly(t *testing.T, w *fixture) {
	busy, idle, off := w.newWebhook(t), w.newWebhook(t), w.newWebhook(t)
	off.Active = false
	requireNoError(t, w.Webhooks.Update(t.Context(), off))
	var first []int64
	for n := range 5 {
		d := w.newDelivery(t, busy, int64(n))
		first = append(first, d.ID)
	}
	w.newDelivery(t, idle, 9)
	w.newDelivery(t, off, 9)
	test := w.newDelivery(t, off)
	later := webhook.Delivery{ProjectID: w.project.ID, WebhookID: idle.ID, Status: webhook.DeliveryWaiting}
	requireNoError(t, w.Deliveries.Insert(t.Context(), time.Hour, &later))
	claimed := result(w.Deliveries.Claim(t.Context(), 100, time.Hour, func(id int64) int {
		if id == busy.ID || id == idle.ID || id == off.ID {
			return 2
		}
		return 0
	}))(t)
	slices.SortFunc(claimed, func(a, b webhook.Delivery) int { return int(a.ID - b.ID) })
	assertEqual(t, ids(claimed, func(d webhook.Delivery) int64 { return d.ID }), append(first[:2:2], first[4]+1, test.ID))
	assertEqual(t, len(result(w.Deliveries.Claim(t.Context(), 1, time.Hour, func(int64) int { return 2 }))(t)), 1)
}

func claimsInParallel(t *testing.T, w *fixture) {
	hook := w.newWebhook(t)
	const many = 40
	for n := range many {
		w.newDelivery(t, hook, int64(n))
	}
	var mu sync.Mutex
	times := map[int64]int{}
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for range 10 {
				claimed, err := w.Deliveries.Claim(t.Context(), 5, time.Hour, func(id int64) int {
					if id == hook.ID {
						return 5
					}
					return 0
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, d := range claimed {
					times[d.ID]++
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	for _, d := range w.claim(t, hook, time.Hour) {
		times[d.ID]++ // skipped at the end
	}
	assertEqual(t, len(times), many)
	for id, n := range times {
		assertEqual(t, []int64{id, int64(n)}, []int64{id, 1})
	}
}

func gathers(t *testing.T, w *fixture) {
	hook := w.newWebhook(t)
	add := func(events ...int64) bool { return result(w.Deliveries.Gather(t.Context(), hook, events))(t) }
	assertEqual(t, add(1), false)
	d := webhook.Delivery{ProjectID: w.project.ID, WebhookID: hook.ID, Events: []int64{1}, Count: 1, Status: webhook.DeliveryGathering}
	requireNoError(t, w.Deliveries.Insert(t.Context(), hook.Quiet, &d))
	assertEqual(t, add(2, 3), true)
	stored := func() webhook.Delivery {
		return result(w.DeliveryLog.Deliveries(t.Context(), ports.DeliveryQuery{ProjectID: w.project.ID, WebhookID: hook.ID, Limit: 1}))(t)[0]
	}
	assertEqual(t, []any{stored().Events, stored().Count}, []any{[]int64{1, 2, 3}, 3})
	if wait := stored().DueAt.Sub(d.CreatedAt); wait < hook.Quiet || wait > hook.Quiet+5*time.Second {
		t.Errorf("due after %v", wait)
	}
	hook.Most = time.Second
	assertEqual(t, add(make([]int64, 2*webhook.DeliveryEvents)...), true)
	assertEqual(t, []any{len(stored().Events), stored().Count}, []any{webhook.DeliveryEvents, 3 + 2*webhook.DeliveryEvents})
	assertEqual(t, stored().DueAt.Sub(d.CreatedAt), time.Second)

	requireNoError(t, w.DeliveryLog.Retry(t.Context(), w.project.ID, hook.ID, d.ID))
	claimed := w.claim(t, hook, time.Hour)
	assertEqual(t, claimed[0].Status, webhook.DeliveryWaiting)
	assertEqual(t, add(4), false) // under way
}

func parks(t *testing.T, w *fixture) {
	hook, other := w.newWebhook(t), w.newWebhook(t)
	first, second, elsewhere := w.newDelivery(t, hook, 1), w.newDelivery(t, hook, 2), w.newDelivery(t, other, 3)
	waiting, due, err := w.Deliveries.Waiting(t.Context())
	requireNoError(t, err)
	if waiting < 3 || due.IsZero() || due.After(first.DueAt) {
		t.Errorf("%d deliveries wait, the first is due at %v", waiting, due)
	}
	assertEqual(t, result(w.DeliveryLog.Park(t.Context(), w.project.ID, hook.ID, elsewhere.ID))(t), 0)
	assertEqual(t, result(w.DeliveryLog.Park(t.Context(), w.project.ID, hook.ID, second.ID))(t), 1)
	assertEqual(t, result(w.DeliveryLog.Park(t.Context(), w.otherProject(t).project.ID, hook.ID))(t), 0)
	assertEqual(t, result(w.DeliveryLog.Park(t.Context(), w.project.ID, hook.ID))(t), 1)
	left, _, err := w.Deliveries.Waiting(t.Context())
	requireNoError(t, err)
	assertEqual(t, waiting-left, int64(2))
	assertEqual(t, result(w.DeliveryLog.Latest(t.Context(), w.project.ID))(t), []webhook.DeliveryResult{
		{WebhookID: hook.ID, Status: webhook.DeliveryParked, At: second.CreatedAt}, {WebhookID: other.ID, Status: webhook.DeliveryWaiting, At: elsewhere.CreatedAt},
	})
	query := ports.DeliveryQuery{ProjectID: w.project.ID, WebhookID: hook.ID, Status: webhook.DeliveryParked, Limit: 1}
	found := result(w.DeliveryLog.Deliveries(t.Context(), query))(t)
	assertEqual(t, ids(found, func(d webhook.Delivery) int64 { return d.ID }), []int64{second.ID})
	query.Before = second.ID
	found = result(w.DeliveryLog.Deliveries(t.Context(), query))(t)
	assertEqual(t, ids(found, func(d webhook.Delivery) int64 { return d.ID }), []int64{first.ID})

	requireError(t, w.DeliveryLog.Retry(t.Context(), w.project.ID, hook.ID, elsewhere.ID), core.ErrNotFound)
	requireNoError(t, w.DeliveryLog.Retry(t.Context(), w.project.ID, hook.ID, second.ID))
	assertEqual(t, ids(w.claim(t, hook, 0), func(d webhook.Delivery) int64 { return d.ID }), []int64{second.ID})

	_, err = w.Aging.Delete(t.Context(), ports.AgedDeliveries, time.Now().Add(time.Hour), 1000)
	requireNoError(t, err)
	query.Status, query.Before = "", 0
	found = result(w.DeliveryLog.Deliveries(t.Context(), query))(t)
	assertEqual(t, ids(found, func(d webhook.Delivery) int64 { return d.ID }), []int64{second.ID})
	requireNoError(t, w.Webhooks.Delete(t.Context(), w.project.ID, hook.ID))
	assertEqual(t, result(w.DeliveryLog.Deliveries(t.Context(), query))(t), []webhook.Delivery(nil))
}

// holdsWebhooks switches a webhook off while a transaction adds a delivery to it.
func holdsWebhooks(t *testing.T, w *fixture) {
	hook, off := w.newWebhook(t), w.newWebhook(t)
	off.Active = false
	requireNoError(t, w.Webhooks.Update(t.Context(), off))
	switched := make(chan error, 1)
	requireNoError(t, w.do(t, func(ctx context.Context, s ports.Stores) error {
		held, err := s.Outbox.Hold(ctx, w.project.ID)
		assertEqual(t, held, []webhook.Webhook{hook})
		if err != nil {
			return err
		}
		go func() {
			switched <- w.tx.Do(t.Context(), core.SystemActor, func(ctx context.Context, s ports.Stores) error {
				if err := s.Webhooks.Lock(ctx, w.project.ID, hook.ID); err != nil {
					return err
				}
				_, err := s.DeliveryLog.Park(ctx, w.project.ID, hook.ID)
				return err
			})
		}()
		select { // it must not end before this transaction
		case err := <-switched:
			switched <- err
		case <-time.After(500 * time.Millisecond):
		}
		d := webhook.Delivery{ProjectID: w.project.ID, WebhookID: hook.ID, Type: "media.created", Events: []int64{1}, Count: 1, Status: webhook.DeliveryWaiting}
		return s.Deliveries.Insert(ctx, 0, &d)
	}))
	requireNoError(t, <-switched)
	query := ports.DeliveryQuery{ProjectID: w.project.ID, WebhookID: hook.ID, Limit: 10}
	for _, d := range result(w.DeliveryLog.Deliveries(t.Context(), query))(t) {
		assertEqual(t, d.Status, webhook.DeliveryParked)
	}
}
