package identity

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// mustHaveProven returns core.KindForbidden with code "verify_first" for a user that has neither given
// a fresh proof nor just signed in. Changes after which another person could come in need it: factors
// that are added, and the address, which passwords are reset by. Otherwise whoever takes over a session
// could stay.
func mustHaveProven(ctx context.Context, sessions ports.SessionStore, actor core.Actor, clock ports.Clock) error {
	now := clock.Now()
	if actor.Proof.Fresh(now) {
		return nil
	}
	session, err := sessions.Session(ctx, actor.Session)
	if err != nil {
		return err
	}
	if (core.Proof{At: session.CreatedAt}).Fresh(now) {
		return nil
	}
	return core.VerifyFirst()
}
