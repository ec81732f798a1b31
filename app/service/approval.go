package service

import (
	"go.uber.org/fx"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

// approvalModule provides the use cases of approval, and the gate that decides whether
// content becomes public.
var approvalModule = fx.Module("approval", fx.Provide(
	newWakeup,
	func(wakeup wakeup) (ports.PublishGate, ports.DefinitionGate) {
		gate := approval.NewGate(wakeup.send)
		return gate, gate
	},
	func(clock ports.Clock, files []core.FileBase) ports.Publisher {
		return writing.NewReleaser(clock, files...)
	},
	approval.NewWorkflows,
	func(stores ports.Stores, tx ports.Tx, publisher ports.Publisher, wakeup wakeup) *approval.Reviews {
		return approval.NewReviews(stores, tx, publisher, wakeup.send)
	},
	approval.NewInbox,
	approval.NewExporter,
	approval.NewWorker,
))

// wakeup notifies the publishing worker of this process of a new schedule.
type wakeup chan struct{}

func newWakeup() wakeup { return make(wakeup, 1) }

// send does not block: one pending notification is enough.
func (w wakeup) send() {
	select {
	case w <- struct{}{}:
	default:
	}
}
