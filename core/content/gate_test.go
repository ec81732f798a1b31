package content_test

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// openGate is a gate without workflows: writes publish content themselves.
type openGate struct{}

func (openGate) Governs(context.Context, ports.Stores, *core.Project, int64) (bool, error) {
	return false, nil
}

func (openGate) Submit(context.Context, ports.Stores, core.Actor, core.Schema, *core.Entry, core.Period) error {
	return core.Conflict("not_gated", "no workflow governs the project")
}

func (openGate) Reschedule(context.Context, ports.Stores, core.Actor, *core.Project, int64, core.Times) (bool, error) {
	return false, nil
}

func (openGate) Schedule(_ context.Context, _ ports.Stores, _ core.Actor, _ *core.Entry, period core.Period) error {
	return core.Invalid(core.FieldError{Location: "publishAt", Value: core.FormatTime(period.From), Message: "nothing publishes later here"})
}

func (openGate) End(context.Context, ports.Stores, core.Actor, *core.Entry, time.Time) error {
	return nil
}

func (openGate) Withdraw(context.Context, ports.Stores, core.Actor, *core.Entry) error { return nil }

func (openGate) Close(context.Context, ports.Stores, core.Actor, int64, int64) error { return nil }

func (openGate) Redefine(context.Context, ports.Stores, core.Schema, core.Schema, bool) error {
	return nil
}

func (openGate) Regovern(context.Context, ports.Stores, *core.Project) error { return nil }

func (openGate) Approvals(context.Context, ports.Stores, int64, []int64) (map[int64]core.ApprovalSummary, error) {
	return nil, nil
}
