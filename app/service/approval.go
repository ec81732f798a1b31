package service

import (
	"go.uber.org/fx"

	"imprimatur/core/approval"
	"imprimatur/core/content"
	"imprimatur/ports"
)

// approvalModule provides the use cases about approval, and with them what decides
// whether content goes public.
var approvalModule = fx.Module("approval", fx.Provide(
	newAlarm,
	func(clock ports.Clock, alarm alarm) ports.PublishGate { return approval.NewGate(clock, alarm.ring) },
	func(clock ports.Clock) ports.Publisher { return content.NewReleaser(clock) },
	newApprovalDeps,
	approval.NewWorkflows,
	approval.NewReviews,
	approval.NewInbox,
	approval.NewExporter,
	approval.NewWorker,
))

type approvalParts struct {
	fx.In

	Stores    ports.Stores
	Tx        ports.Tx
	Publisher ports.Publisher
	Clock     ports.Clock
	Alarm     alarm
}

func newApprovalDeps(p approvalParts) approval.Deps {
	return approval.Deps{
		Stores: p.Stores, Tx: p.Tx, Publisher: p.Publisher, Clock: p.Clock, Wake: p.Alarm.ring,
	}
}

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
