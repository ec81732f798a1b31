package contenttest

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// OpenGate is a gate without workflows: writes publish content themselves.
type OpenGate struct{}

func (OpenGate) Governs(context.Context, ports.Stores, *core.Project, int64) (bool, error) {
	return false, nil
}

func (OpenGate) Requested(context.Context, ports.Stores, int64, int64) (bool, error) {
	return false, nil
}

func (OpenGate) Submit(context.Context, ports.Stores, core.Actor, core.Schema, *core.Entry, core.Period, string) error {
	return core.Conflict("not_gated", "no workflow governs the project")
}

func (OpenGate) Reschedule(context.Context, ports.Stores, core.Actor, *core.Project, int64, core.Times) (bool, error) {
	return false, nil
}

func (OpenGate) Schedule(_ context.Context, _ ports.Stores, _ core.Actor, _ *core.Entry, period core.Period) error {
	return core.Invalid(core.FieldError{Location: "publishAt", Value: core.FormatTime(period.From), Message: "nothing publishes later here"})
}

func (OpenGate) End(context.Context, ports.Stores, core.Actor, *core.Entry, time.Time) error {
	return nil
}

func (OpenGate) Withdraw(context.Context, ports.Stores, core.Actor, *core.Entry, string) error {
	return nil
}

func (OpenGate) Close(context.Context, ports.Stores, core.Actor, int64, int64) error { return nil }

func (OpenGate) Redefine(context.Context, ports.Stores, core.Schema, core.Schema, bool) error {
	return nil
}

func (OpenGate) Regovern(context.Context, ports.Stores, *core.Project) error { return nil }
