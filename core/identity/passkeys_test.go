package identity_test

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/identity"
	"imprimatur/ports"
)

// device is a browser with one passkey.
type device struct {
	at      virtualwebauthn.RelyingParty
	options virtualwebauthn.AuthenticatorOptions
	key     virtualwebauthn.Credential
}

func newDevice() *device {
	return &device{at: virtualwebauthn.RelyingParty{ID: "cms.example", Origin: "https://cms.example"}, key: newKey()}
}

// newKey returns a key that virtualwebauthn encodes correctly: it drops leading zeros of coordinates.
func newKey() virtualwebauthn.Credential {
	for {
		if key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2); len(key.Key.AttestationData()) == 77 {
			return key
		}
	}
}

func (d *device) create(made identity.PasskeyCreation) []byte {
	d.options.UserHandle = made.UserHandle
	return []byte(virtualwebauthn.CreateAttestationResponse(d.at, virtualwebauthn.NewAuthenticatorWithOptions(d.options), d.key, virtualwebauthn.AttestationOptions{Challenge: made.Challenge}))
}

// answer answers a challenge, with the next count.
func (d *device) answer(challenge []byte) []byte {
	d.key.Counter++
	return []byte(virtualwebauthn.CreateAssertionResponse(d.at, virtualwebauthn.NewAuthenticatorWithOptions(d.options), d.key, virtualwebauthn.AssertionOptions{Challenge: challenge}))
}

func (w *fixture) challenge(t testing.TB) []byte {
	t.Helper()
	return must(w.passkeys.Request())(t).Challenge
}

// withPasskey gives the person a passkey.
func (w *fixture) withPasskey(t testing.TB, name string) (*device, account.Passkey) {
	t.Helper()
	actor, d := w.signedIn(t, name), newDevice()
	return d, must(w.passkeys.Add(t.Context(), actor, d.create(must(w.passkeys.Create(t.Context(), actor))(t)), "Phone"))(t)
}

func (w *fixture) useAlone(t testing.TB, assertion []byte) (identity.SignedIn, error) {
	return w.sessions.SignInWithPasskey(t.Context(), identity.Client{Address: here}, assertion)
}

func TestPasskeySignsInAlone(t *testing.T) {
	t.Parallel()
	w := setup(t)
	d, p := w.withPasskey(t, "editor")
	w.clock.pass(time.Hour)
	in := must(w.useAlone(t, d.answer(w.challenge(t))))(t)
	if in.Actor.UserID() != w.people["editor"] || !w.open(t.Context(), in.Session) {
		t.Errorf("signed in as %+v", in.Actor)
	}
	if w.sessions.KnownBrowser(in.Device, "editor@example.org") == "" {
		t.Error("the browser is not known afterwards")
	}
	all := must(w.passkeys.List(t.Context(), w.actor(t, "editor")))(t)
	p.LastUsedAt, p.SignCount = w.clock.now, 1
	if len(all) != 1 || all[0].LastUsedAt != p.LastUsedAt || all[0].SignCount != 1 || all[0].Name != "Phone" {
		t.Errorf("%+v", all)
	}
}

// Everything else than a fresh assertion of a passkey of an active account is refused alike.
func TestPasskeysAreRefused(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]func(w *fixture, d *device) []byte{
		"no JSON": func(*fixture, *device) []byte { return []byte("{") },
		"another origin": func(w *fixture, d *device) []byte {
			d.at.Origin = "https://evil.example"
			return d.answer(w.challenge(t))
		},
		"another host":       func(w *fixture, d *device) []byte { d.at.ID = "evil.example"; return d.answer(w.challenge(t)) },
		"not verified":       func(w *fixture, d *device) []byte { d.options.UserNotVerified = true; return d.answer(w.challenge(t)) },
		"another challenge":  func(_ *fixture, d *device) []byte { return d.answer([]byte("a challenge of an attacker")) },
		"no challenge":       func(_ *fixture, d *device) []byte { return d.answer(nil) },
		"an unknown passkey": func(w *fixture, _ *device) []byte { return newDevice().answer(w.challenge(t)) },
		"of another user": func(w *fixture, d *device) []byte {
			d.options.UserHandle = []byte("other")
			return d.answer(w.challenge(t))
		},
		"a stolen id": func(w *fixture, d *device) []byte {
			thief := newDevice()
			thief.key.ID = d.key.ID
			return thief.answer(w.challenge(t))
		},
		"late": func(w *fixture, d *device) []byte {
			challenge := w.challenge(t)
			w.clock.pass(identity.ChallengeLifetime)
			return d.answer(challenge)
		},
		"for a creation": func(w *fixture, d *device) []byte {
			return d.answer(must(w.passkeys.Create(t.Context(), w.signedIn(t, "viewer")))(t).Challenge)
		},
		"used before": func(w *fixture, d *device) []byte {
			challenge := w.challenge(t)
			must(w.useAlone(t, d.answer(challenge)))(t)
			return d.answer(challenge)
		},
		"of an inactive account": func(w *fixture, d *device) []byte {
			u := *w.actor(t, "editor").User
			u.Active = false
			ok(t, w.stores.Users.Update(t.Context(), u))
			return d.answer(w.challenge(t))
		},
		"a counter that went back": func(w *fixture, d *device) []byte {
			d.key.Counter = 10
			must(w.useAlone(t, d.answer(w.challenge(t))))(t)
			d.key.Counter = 9
			return d.answer(w.challenge(t))
		},
		"a counter that stayed": func(w *fixture, d *device) []byte {
			d.key.Counter = 10
			must(w.useAlone(t, d.answer(w.challenge(t))))(t)
			d.key.Counter = 10
			return d.answer(w.challenge(t))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			d, _ := w.withPasskey(t, "editor")
			assertion := odd(w, d)
			before := w.failures(t)
			_, err := w.useAlone(t, assertion)
			wantKind(t, err, core.KindUnauthenticated)
			wantCode(t, err, "wrong_credentials")
			if message := asError(t, err).Message; message != "the passkey does not sign in" {
				t.Errorf("the message gives a reason: %s", message)
			}
			if after := w.failures(t); after != before+1 {
				t.Errorf("%d failures were counted", after-before)
			}
			copied := strings.HasPrefix(name, "a counter")
			if got := slices.Contains(w.eventTypes(t), event.FactorUsedBack); got != copied {
				t.Errorf("recorded as a copy: %v", got)
			}
		})
	}
}

// A passkey that is or was synced is on devices that count for themselves: its counter says nothing. The
// counter of one that is on a single device does.
func TestCountersOfSyncedPasskeys(t *testing.T) {
	t.Parallel()
	type use struct {
		synced bool
		count  uint32 // before the use, which adds one
		want   core.Kind
	}
	const refused, taken = core.KindUnauthenticated, core.KindInternal
	for name, uses := range map[string][]use{
		"synced":             {{true, 9, taken}, {true, 4, taken}, {true, 4, taken}, {true, 0, taken}},
		"synced meanwhile":   {{false, 9, taken}, {true, 4, taken}},
		"no longer synced":   {{true, 9, taken}, {false, 4, taken}, {false, 5, taken}, {false, 5, refused}},
		"not synced":         {{false, 9, taken}, {false, 4, refused}, {false, 9, refused}, {false, 10, taken}},
		"synced after a cut": {{false, 9, taken}, {false, 4, refused}, {true, 4, taken}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, d := setup(t), newDevice()
			d.options.BackupEligible = true
			actor := w.signedIn(t, "editor")
			must(w.passkeys.Add(t.Context(), actor, d.create(must(w.passkeys.Create(t.Context(), actor))(t)), "Phone"))(t)
			for _, use := range uses {
				d.options.BackupState, d.key.Counter = use.synced, use.count
				_, err := w.useAlone(t, d.answer(w.challenge(t)))
				wantKind(t, err, use.want)
			}
			refusals := slices.ContainsFunc(uses, func(u use) bool { return u.want == refused })
			if got := slices.Contains(w.eventTypes(t), event.FactorUsedBack); got != refusals {
				t.Errorf("recorded as a copy: %v, want %v", got, refusals)
			}
		})
	}
}

// failures returns the number of failed sign-ins.
func (w *fixture) failures(t testing.TB) (n int) {
	t.Helper()
	for _, kind := range w.eventTypes(t) {
		if kind == event.SessionFailed {
			n++
		}
	}
	return n
}

func (w *fixture) eventTypes(t testing.TB) (types []event.Type) {
	t.Helper()
	for _, e := range must(w.stores.Events.Events(t.Context(), ports.EventQuery{Limit: 1000}))(t) {
		types = append(types, e.Type)
	}
	return types
}

// An attacker that knows the id of a passkey can fail ten times for its account.
func TestPasskeyFailuresAreLimited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	d, _ := w.withPasskey(t, "editor")
	thief := newDevice()
	thief.key.ID = d.key.ID
	for range 10 {
		_, err := w.useAlone(t, thief.answer(w.challenge(t)))
		wantKind(t, err, core.KindUnauthenticated)
	}
	_, err := w.useAlone(t, d.answer(w.challenge(t)))
	wantKind(t, err, core.KindTooManyRequests)
	other, _ := w.withPasskey(t, "viewer")
	must(w.useAlone(t, other.answer(w.challenge(t))))(t)
}

// Passkeys of no account count for the address alone.
func TestUnknownPasskeysAreLimited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	d, _ := w.withPasskey(t, "editor")
	for range 9 { // the tenth attempt from an address is delayed
		_, err := w.useAlone(t, newDevice().answer(w.challenge(t)))
		wantKind(t, err, core.KindUnauthenticated)
	}
	must(w.useAlone(t, d.answer(w.challenge(t))))(t)
}

func TestPasskeyIsASecondStep(t *testing.T) {
	t.Parallel()
	w := setup(t)
	d, _ := w.withPasskey(t, "editor")
	other, _ := w.withPasskey(t, "viewer")
	step := w.begin(t, "editor")
	_, err := w.finish(t.Context(), step, identity.Evidence{Passkey: other.answer(w.challenge(t))})
	wantCode(t, err, "wrong_second_factor")
	_, err = w.finish(t.Context(), step, identity.Evidence{Passkey: d.answer(w.challenge(t)), TOTP: "123456"})
	wantKind(t, err, core.KindInvalid)
	done := must(w.finish(t.Context(), step, identity.Evidence{Passkey: d.answer(w.challenge(t))}))(t)
	if done.Actor.UserID() != w.people["editor"] || !w.open(t.Context(), done.Session) {
		t.Errorf("signed in as %+v", done.Actor)
	}
}

// Of many uses of an assertion at once, one succeeds.
func TestConcurrentUsesOfAnAssertion(t *testing.T) {
	t.Parallel()
	w := setup(t)
	d, _ := w.withPasskey(t, "editor")
	assertion := d.answer(w.challenge(t))
	var all sync.WaitGroup
	var succeeded atomic.Int32
	for range 8 {
		all.Go(func() {
			if _, err := w.useAlone(t, assertion); err == nil {
				succeeded.Add(1)
			}
		})
	}
	all.Wait()
	if succeeded.Load() != 1 {
		t.Errorf("%d sign-ins with one assertion", succeeded.Load())
	}
}

func TestAddsPasskeys(t *testing.T) {
	t.Parallel()
	w := setup(t)
	editor, viewer := w.signedIn(t, "editor"), w.signedIn(t, "viewer")
	options := must(w.passkeys.Create(t.Context(), editor))(t)
	d := newDevice()
	credential := d.create(options)
	_, err := w.passkeys.Add(t.Context(), viewer, credential, "")
	wantFaults(t, err, "credential")
	_, err = w.passkeys.Add(t.Context(), editor, []byte("{}"), "")
	wantFaults(t, err, "credential")
	for _, name := range []string{"a\nb", "a\u2028b", "\u202egnp", strings.Repeat("x", 101), "\xff"} {
		_, err = w.passkeys.Add(t.Context(), editor, credential, name)
		wantFaults(t, err, "name")
	}
	added := must(w.passkeys.Add(t.Context(), editor, credential, "  "))(t)
	if added.Name != "Passkey 1" || w.actor(t, "editor").User.Passkeys != 1 {
		t.Errorf("%+v", added)
	}
	_, err = w.passkeys.Add(t.Context(), editor, credential, "")
	wantFaults(t, err, "credential")
	// The same credential, for a new challenge and another account.
	_, err = w.passkeys.Add(t.Context(), viewer, d.create(must(w.passkeys.Create(t.Context(), viewer))(t)), "")
	wantFaults(t, err, "credential")
	if known := must(w.passkeys.Create(t.Context(), editor))(t).Known; len(known) != 1 || known[0].ID != added.ID {
		t.Errorf("excludes %+v", known)
	}
	late := must(w.passkeys.Create(t.Context(), editor))(t)
	w.clock.pass(identity.ChallengeLifetime)
	_, err = w.passkeys.Add(t.Context(), editor, newDevice().create(late), "")
	wantFaults(t, err, "credential")
	// Five minutes after the sign-in, a proof is needed.
	_, err = w.passkeys.Create(t.Context(), editor)
	wantCode(t, err, "verify_first")
	editor.Proof = core.Proof{At: w.clock.now, Way: core.WayPasskey}
	for n := range account.MaxPasskeys - 1 {
		must(w.passkeys.Add(t.Context(), editor, newDevice().create(must(w.passkeys.Create(t.Context(), editor))(t)), strconv.Itoa(n)))(t)
	}
	_, err = w.passkeys.Create(t.Context(), editor)
	wantCode(t, err, "too_many_passkeys")
}

func TestChangesPasskeys(t *testing.T) {
	t.Parallel()
	w := setup(t)
	d, p := w.withPasskey(t, "editor")
	editor, viewer := w.actor(t, "editor"), w.actor(t, "viewer")
	viewer.Proof = core.Proof{At: w.clock.now, Way: core.WayPassword}
	_, err := w.passkeys.Rename(t.Context(), viewer, p.ID, "stolen")
	wantKind(t, err, core.KindNotFound)
	wantKind(t, w.passkeys.Remove(t.Context(), viewer, p.ID), core.KindNotFound)
	_, err = w.passkeys.Rename(t.Context(), editor, p.ID, " ")
	wantFaults(t, err, "name")
	if renamed := must(w.passkeys.Rename(t.Context(), editor, p.ID, " Key "))(t); renamed.Name != "Key" || renamed.ID != p.ID {
		t.Errorf("%+v", renamed)
	}
	wantCode(t, w.passkeys.Remove(t.Context(), editor, p.ID), "verify_first")
	editor.Proof = core.Proof{At: w.clock.now, Way: core.WayPasskey}
	must(w.factors.RenewCodes(t.Context(), editor))(t)
	ok(t, w.passkeys.Remove(t.Context(), editor, p.ID))
	if own := must(w.factors.Own(t.Context(), editor))(t); own != (identity.OwnFactors{}) {
		t.Errorf("left: %+v", own)
	}
	_, err = w.useAlone(t, d.answer(w.challenge(t)))
	wantKind(t, err, core.KindUnauthenticated)
	w.signIn(t, "editor") // the password alone is enough again
}

func TestResetRemovesPasskeys(t *testing.T) {
	t.Parallel()
	w := setup(t)
	d, _ := w.withPasskey(t, "editor")
	ok(t, w.factors.Reset(t.Context(), w.actor(t, "super"), w.people["editor"]))
	_, err := w.useAlone(t, d.answer(w.challenge(t)))
	wantKind(t, err, core.KindUnauthenticated)
	if w.actor(t, "editor").User.Passkeys != 0 {
		t.Error("the passkey is left")
	}
}
