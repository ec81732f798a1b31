package service

import (
	"go.uber.org/fx"

	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/delegation"
	"imprimatur/core/fileurl"
	"imprimatur/core/publishing"
	"imprimatur/core/releasing"
	"imprimatur/core/writing"
	"imprimatur/ports"
)

// approvalModule provides the use cases of approval and the publisher, which has content become public.
var approvalModule = fx.Module("approval", fx.Provide(
	newWakeup,
	func(clock ports.Clock, wakeup wakeup, files []fileurl.Base) *publishing.Publisher {
		return publishing.New(clock, wakeup.send, files...)
	},
	func(publisher *publishing.Publisher) ports.Approval { return approval.NewRequests(publisher) },
	approval.NewWorkflows,
	approval.NewReviews,
	func(stores ports.Stores, tx ports.Tx, writer *writing.Writer, publisher *publishing.Publisher) *releasing.Releases {
		return releasing.New(stores, tx, writer, approval.NewRequests(publisher), publisher)
	},
	approval.NewInbox,
	func(stores ports.Stores, tx ports.Tx, clock ports.Clock) *delegation.Delegations {
		return delegation.New(stores, tx, clock, access.Standing{})
	},
	approval.NewExporter,
	func(schedules ports.DueSchedules, tx ports.Tx, publisher *publishing.Publisher, clock ports.Clock, releases *releasing.Releases) *approval.Worker {
		worker := approval.NewWorker(schedules, tx, publisher, clock)
		worker.PublishUngoverned = releases.PublishDue
		return worker
	},
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
