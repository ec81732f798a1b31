package service

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/fx"
	"go.uber.org/zap"

	"imprimatur/adapters/egress"
	"imprimatur/adapters/webhook"
	"imprimatur/app/config"
	"imprimatur/core/delivery"
	"imprimatur/core/notices"
	"imprimatur/ports"
)

// deliveryModule provides the use cases of webhooks.
var deliveryModule = fx.Module("delivery", fx.Provide(
	newEgress,
	webhook.New,
	func(s *webhook.Sender) ports.WebhookSender { return s },
	func(s *webhook.Sender) ports.Addresses { return s },
	delivery.NewWebhooks,
	func(cfg config.Config) *notices.Notifier { return notices.NewNotifier(cfg.Mails()) },
	notices.NewReminding,
	notices.New,
	func(stores ports.Stores, tx ports.Tx, notifier *notices.Notifier) *delivery.Distributor {
		return delivery.NewDistributor(stores.Outbox, tx, notifier)
	},
	delivery.NewDispatcher,
	delivery.NewOperations,
))

// newEgress returns the client of requests to addresses that users give.
func newEgress(cfg config.Config) (*egress.Client, error) {
	allowed, err := egress.ParseAllowed(cfg.WebhookAllow)
	if err != nil {
		return nil, startFault("setting --webhook-allow: %v", err)
	}
	return egress.New(allowed), nil
}

// deliveringModule runs the worker that sends messages.
var deliveringModule = fx.Module("delivering", fx.Invoke(startDelivering))

const (
	// deliveryInterval is how often a process looks for events and due deliveries of other processes.
	deliveryInterval = 250 * time.Millisecond
)

// delivering makes deliveries from events and sends them, in a loop.
type delivering struct {
	*loop
	distributor *delivery.Distributor
	dispatcher  *delivery.Dispatcher
	paused      pauseCheck
}

func startDelivering(
	lifecycle fx.Lifecycle, log *zap.Logger, jobs *jobs, distributor *delivery.Distributor, dispatcher *delivery.Dispatcher, paused pauseCheck, changes ports.Changes, stores ports.Stores, registry *prometheus.Registry, tracer ports.Tracer,
) {
	d := &delivering{distributor: distributor, dispatcher: dispatcher, paused: paused}
	d.loop = newLoop(jobs, "deliveries", "deliveries are delayed", deliveryInterval, d.deliver)
	distributor.Observe = func(eventID int64, err error) {
		log.Error("an event cannot be distributed, it is tried again", zap.Int64("event", eventID), zap.Error(err))
	}
	dispatcher.Observe, dispatcher.Tracer = d.observe(registry), tracer
	registry.MustRegister(queues{stores, []queue{
		{outboxEvents, outboxAge, stores.Outbox.Backlog}, {waitingDeliveries, lateDeliveries, stores.Deliveries.Waiting},
	}})
	stop := changes.Subscribe(func(ports.Change) { d.poke() })
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	lifecycle.Append(fx.StartStopHook(
		func() { running.Go(func() { d.run(ctx) }) },
		func() {
			stop()
			cancel()
			running.Wait()
			dispatcher.Wait()
		},
	))
}

// deliver makes deliveries of some events and begins to send due ones. more reports whether there may
// be more to do now.
func (d *delivering) deliver(ctx context.Context) (more bool, err error) {
	if paused, err := d.paused(ctx); err != nil || paused {
		return false, err
	}
	if more, err = d.distributor.Distribute(ctx); err != nil {
		return false, err
	}
	_, err = d.dispatcher.Dispatch(ctx, d.poke)
	return more, err
}
