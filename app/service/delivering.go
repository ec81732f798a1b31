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
	"imprimatur/core"
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
	notices.NewNotifier,
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
	// deliveryPause is the time from the end of one look to the next, so that many small writes do not
	// cause a look each.
	deliveryPause = 20 * time.Millisecond
	// deliveryFailingPause is the time after a look that failed: a database that stops has enough to do.
	deliveryFailingPause = 2 * time.Second
	// deliveryRetention is how long ended deliveries are kept.
	deliveryRetention = 30 * 24 * time.Hour
	// deliveryBatch is the number of deliveries that one statement deletes.
	deliveryBatch = 500
)

// delivering makes deliveries from events and sends them, in a loop.
type delivering struct {
	distributor *delivery.Distributor
	dispatcher  *delivery.Dispatcher
	log         *zap.Logger
	wake        chan struct{}
}

func startDelivering(
	lifecycle fx.Lifecycle, log *zap.Logger, distributor *delivery.Distributor, dispatcher *delivery.Dispatcher, changes ports.Changes, stores ports.Stores, registry *prometheus.Registry,
) {
	d := &delivering{distributor: distributor, dispatcher: dispatcher, log: log, wake: make(chan struct{}, 1)}
	distributor.Observe = func(eventID int64, err error) {
		log.Error("an event cannot be distributed, it is tried again", zap.Int64("event", eventID), zap.Error(err))
	}
	dispatcher.Observe = d.observe(registry)
	registry.MustRegister(queues{stores})
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

// poke ends the wait of run.
func (d *delivering) poke() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// run delivers until ctx ends. It logs failures and continues.
func (d *delivering) run(ctx context.Context) {
	ticker := time.NewTicker(deliveryInterval)
	defer ticker.Stop()
	failing := false
	for {
		more, err := d.deliver(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			d.log.Error("deliveries are delayed", zap.Error(err))
		}
		failing = err != nil
		if more && err == nil {
			continue
		}
		after := deliveryPause
		if failing {
			after = deliveryFailingPause
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-d.wake:
		}
		if !pause(ctx, after) {
			return
		}
	}
}

// pause waits, and reports false if ctx ends before.
func pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// deliver makes deliveries of some events and begins to send due ones. more reports whether there may
// be more to do now.
func (d *delivering) deliver(ctx context.Context) (more bool, err error) {
	if more, err = d.distributor.Distribute(ctx); err != nil {
		return false, err
	}
	_, err = d.dispatcher.Dispatch(ctx, d.poke)
	return more, err
}

// deleteOldDeliveries deletes deliveries that ended long ago, by the clock of the database.
func deleteOldDeliveries(ctx context.Context, stores ports.Stores) error {
	now, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	return drain(ctx, func(ctx context.Context) (bool, error) {
		deleted, err := stores.DeliveryLog.DeleteBefore(ctx, now.Add(-deliveryRetention), deliveryBatch)
		return deleted == deliveryBatch, err
	})
}

// deleteOldNotices deletes notices that were made long ago, by the clock of the database.
func deleteOldNotices(ctx context.Context, stores ports.Stores) error {
	now, err := stores.Clock.Now(ctx)
	if err != nil {
		return err
	}
	return drain(ctx, func(ctx context.Context) (bool, error) {
		deleted, err := stores.Notices.DeleteBefore(ctx, now.Add(-core.NoticeRetention), deliveryBatch)
		return deleted == deliveryBatch, err
	})
}
