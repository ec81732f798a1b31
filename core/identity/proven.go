package identity

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// mustHaveProven returns core.KindForbidden with code "verify_first" for a user that has neither given
// a fresh proof nor just signed in. Changes after which another person could come in need it: factors
// that are added, and the address, which passwords are reset by. Otherwise the holder of a stolen session
// could stay. Sessions and proofs have the time of the database.
func mustHaveProven(ctx context.Context, stores ports.Stores, actor core.Actor) error {
	now, err := stores.Clock.Now(ctx)
	if err != nil || actor.Proof.Fresh(now) {
		return err
	}
	session, err := stores.Sessions.Session(ctx, actor.Session)
	if err != nil || (core.Proof{At: session.CreatedAt}).Fresh(now) {
		return err
	}
	return core.VerifyFirst()
}

// mustVerify returns core.KindForbidden with code "verify_first" for a user that has not given a fresh
// proof, even after a sign-in.
func mustVerify(ctx context.Context, stores ports.Stores, actor core.Actor) error {
	now, err := stores.Clock.Now(ctx)
	if err != nil || actor.Proof.Fresh(now) {
		return err
	}
	return core.VerifyFirst()
}
