package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"imprimatur/core"
)

// Fault maps an error of the driver to a core.Error. thing names the kind of resource in the
// message. Fault returns an error that is a core.Error unchanged.
func (db *DB) Fault(err error, thing string) error {
	var known *core.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, sql.ErrNoRows):
		return core.NotFound(thing)
	case errors.Is(err, context.DeadlineExceeded):
		return unavailable(err)
	case errors.Is(err, context.Canceled):
		return err
	}
	switch db.Dialect.Fault(err) {
	case FaultUnique:
		return &core.Error{Kind: core.KindConflict, Code: "taken", Message: "a conflicting " + thing + " already exists", Err: err}
	case FaultReference:
		return &core.Error{Kind: core.KindConflict, Code: "in_use", Message: "the " + thing + " is in use or refers to a missing resource", Err: err}
	case FaultRetry, FaultUnavailable:
		return unavailable(err)
	default:
		return fmt.Errorf("sqlstore: %s: %w", thing, err)
	}
}
