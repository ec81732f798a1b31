package identity

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Verification is an attempt of a signed-in user to prove again who they are.
type Verification struct {
	Client

	Proof Evidence
}

// wrongProofs are the messages for wrong evidence. The session is alive, so that they are faults of the
// input.
var wrongProofs = map[core.Way]string{
	core.WayPassword: "is wrong",
	core.WayTOTP:     "is wrong, or was used before",
	core.WayPasskey:  "is none of yours",
}

// Verify gives the session of actor a fresh Proof, and returns it. A user with a second factor must
// prove it; a recovery code is not accepted. Verify returns core.KindInvalid with a fault at the name of
// the way for wrong evidence, which counts as a failed sign-in, and for a way that is not accepted,
// which does not. It returns core.KindForbidden with the code provider_required for the password of a user that signs in by an
// identity provider alone. After too many failures it returns core.KindTooManyRequests. Evidence that counts once counts no
// more afterwards.
func (s *Sessions) Verify(ctx context.Context, actor core.Actor, in Verification) (core.Proof, error) {
	user, err := s.users.User(ctx, actor.UserID())
	if err != nil {
		return core.Proof{}, err
	}
	given, err := s.proofs.of(user, in.Proof)
	if err != nil {
		return core.Proof{}, err
	}
	if _, allowed := next(inside, given.way, user.HasFactor()); !allowed {
		return core.Proof{}, notAccepted(given.way, user.HasFactor())
	}
	if given.way == core.WayPassword {
		if err := s.rule.mustNotForbid(ctx, &user); err != nil {
			return core.Proof{}, err
		}
	}
	from := s.client(in.Client, user.Email)
	ok, err := s.attempts.check(ctx, from, &user, given.matches)
	if err != nil {
		return core.Proof{}, err
	}
	if !ok {
		return core.Proof{}, wrongProof(given.way)
	}
	return s.verify(ctx, actor, user, from, given)
}

// verify stores the proof, unless the account was changed or has failed too often since the evidence
// was checked, or the evidence was used meanwhile.
func (s *Sessions) verify(ctx context.Context, actor core.Actor, user core.User, from client, given evidence) (core.Proof, error) {
	proof := core.Proof{Way: given.way}
	err := s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := s.attempts.allowed(ctx, stores.SignIns, from); err != nil {
			return err
		}
		current, err := stores.Users.User(ctx, user.ID)
		if err != nil {
			return err
		}
		if current.PasswordHash != user.PasswordHash || current.HasFactor() != user.HasFactor() {
			return core.ErrChangedMeanwhile
		}
		if fresh, err := given.spend(ctx, stores); err != nil || !fresh {
			return orElse(err, wrongProof(given.way))
		}
		if err := s.attempts.succeeded(ctx, stores.SignIns, from); err != nil {
			return err
		}
		if proof.At, err = stores.Clock.Now(ctx); err != nil { // decisions, too, go by it
			return err
		}
		return stores.Sessions.Verify(ctx, actor.Session, proof)
	})
	if core.KindOf(err) == core.KindInvalid { // it was used meanwhile
		err = orElse(s.attempts.failed(ctx, s.attempts.budgets(from), &user), err)
	}
	if err != nil {
		return core.Proof{}, err
	}
	return proof, nil
}

func wrongProof(way core.Way) error {
	return core.Invalid(core.FieldError{Location: string(way), Message: wrongProofs[way]})
}

// notAccepted returns the error of a way that does not lead on for an account that has a second factor
// or none.
func notAccepted(way core.Way, hasFactor bool) error {
	switch {
	case way == core.WayPassword && hasFactor:
		return core.Invalid(core.FieldError{Location: string(way), Message: "is not enough: the account has a second factor, which is needed"})
	case way == core.WayRecovery:
		return core.Invalid(core.FieldError{Location: string(way), Message: "is for signing in only"})
	default:
		return core.Invalid(core.FieldError{Location: string(way), Message: "is no second factor of the account: give the password"})
	}
}
