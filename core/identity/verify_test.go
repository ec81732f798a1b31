package identity_test

import (
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/identity"
)

func (w *fixture) verify(t testing.TB, session string, given identity.Evidence) (core.Proof, error) {
	t.Helper()
	return w.sessions.Verify(t.Context(), w.present(t, session), identity.Verification{Client: identity.Client{Address: here}, Proof: given})
}

// present returns the actor of the session.
func (w *fixture) present(t testing.TB, session string) core.Actor {
	t.Helper()
	return must(w.authenticator.Session(t.Context(), session, account.Exempt{}))(t)
}

func TestVerifyWithThePassword(t *testing.T) {
	t.Parallel()
	w := setup(t)
	one, other := w.signIn(t, "editor"), w.signIn(t, "editor")
	proof := must(w.verify(t, one, identity.Evidence{Password: right}))(t)
	if want := (core.Proof{At: w.clock.now, Way: core.WayPassword}); proof != want || w.present(t, one).Proof != want {
		t.Errorf("proof %+v, of the session %+v, want %+v", proof, w.present(t, one).Proof, want)
	}
	if proof := w.present(t, other).Proof; proof != (core.Proof{}) {
		t.Errorf("another session of the user has the proof %+v", proof)
	}
	for location, given := range map[string]identity.Evidence{
		"password": {Password: "wrong"}, "totp": {TOTP: "123456"}, "recovery": {Recovery: "abcd"},
	} {
		_, err := w.verify(t, one, given)
		wantFaults(t, err, location)
	}
	for _, given := range []identity.Evidence{{}, {Password: right, TOTP: "123456"}} {
		_, err := w.verify(t, one, given)
		wantKind(t, err, core.KindInvalid)
	}
}

// The password alone is no proof of a user that has a second factor, and a recovery code of none.
func TestVerifyWithTheSecondFactor(t *testing.T) {
	t.Parallel()
	w := setup(t)
	session := w.signIn(t, "editor")
	text, codes := w.withApp(t, "editor")
	used := w.code(t, text, 0)
	for location, given := range map[string]identity.Evidence{
		"password": {Password: right}, "recovery": {Recovery: codes[0]}, "totp": {TOTP: w.code(t, text, time.Hour)},
	} {
		_, err := w.verify(t, session, given)
		wantFaults(t, err, location)
	}
	if proof := w.present(t, session).Proof; proof != (core.Proof{}) {
		t.Errorf("the session has the proof %+v", proof)
	}
	proof := must(w.verify(t, session, identity.Evidence{TOTP: used}))(t)
	if proof.Way != core.WayTOTP || !proof.Until().Equal(w.clock.now.Add(5*time.Minute)) {
		t.Errorf("proof %+v", proof)
	}
	_, err := w.verify(t, session, identity.Evidence{TOTP: used})
	wantFaults(t, err, "totp")
}

// Proofs and sessions have the time of the database, as decisions do: the clocks of processes differ.
func TestProofsHaveTheTimeOfTheDatabase(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-time.Hour, time.Hour} {
		w := setupAhead(t, ahead)
		session := w.signIn(t, "editor")
		must(w.apps.SetUp(t.Context(), w.present(t, session)))(t) // just signed in
		w.clock.pass(core.ProofLifetime)
		_, err := w.apps.SetUp(t.Context(), w.present(t, session))
		wantCode(t, err, "verify_first")
		proof := must(w.verify(t, session, identity.Evidence{Password: right}))(t)
		if now := must(w.stores.Clock.Now(t.Context()))(t); !proof.At.Equal(now) || !now.Equal(w.clock.now.Add(ahead)) {
			t.Errorf("proof at %v, database at %v", proof.At, now)
		}
		must(w.apps.SetUp(t.Context(), w.present(t, session)))(t)
		_, codes := w.withApp(t, "viewer")
		recovered := must(w.finish(t.Context(), w.begin(t, "viewer"), identity.Evidence{Recovery: codes[0]}))(t)
		ok(t, w.factors.RemoveApp(t.Context(), w.present(t, recovered.Session)))
	}
}

// A session lets nobody guess the password.
func TestVerifyIsLimited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	session := w.signIn(t, "editor")
	for range 10 {
		_, err := w.verify(t, session, identity.Evidence{Password: "wrong"})
		wantFaults(t, err, "password")
	}
	_, err := w.verify(t, session, identity.Evidence{Password: right})
	wantKind(t, err, core.KindTooManyRequests)
	w.clock.pass(15 * time.Minute)
	must(w.verify(t, session, identity.Evidence{Password: right}))(t)
}
