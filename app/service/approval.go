package service

import (
	"go.uber.org/fx"

	"imprimatur/core/approval"
	"imprimatur/core/content"
	"imprimatur/ports"
)

// approvalModule provides the use cases of approval, including the decision whether
// content becomes public.
var approvalModule = fx.Module("approval", fx.Provide(
	newAlarm,
	func(clock ports.Clock, alarm alarm) ports.PublishGate { return approval.NewGate(clock, alarm.ring) },
	func(clock ports.Clock) ports.Publisher { return content.NewReleaser(clock) },
	approval.NewWorkflows,
	func(stores ports.Stores, tx ports.Tx, publisher ports.Publisher, clock ports.Clock, alarm alarm) *approval.Reviews {
		return approval.NewReviews(stores, tx, publisher, clock, alarm.ring)
	},
	approval.NewInbox,
	approval.NewExporter,
	approval.NewWorker,
))

// alarm wakes what publishes on time in this process, when something was scheduled.
type alarm chan struct{}

func newAlarm() alarm { return make(alarm, 1) }

// ring never waits: an alarm that rings already is heard.
func (a alarm) ring() {
	select {
	case a <- struct{}{}:
	default:
	}
}
