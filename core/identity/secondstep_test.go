package identity_test

import (
	"context"
	"encoding/base32"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"imprimatur/adapters/password"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/identity"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

const here = "192.0.2.1"

// withApp gives the person an authenticator app, and returns its secret and the recovery codes. The
// time of the code that confirmed it has passed.
func (w *fixture) withApp(t testing.TB, name string) (text string, codes []string) {
	t.Helper()
	actor := w.signedIn(t, name)
	app := must(w.apps.SetUp(t.Context(), actor))(t)
	codes = must(w.apps.Confirm(t.Context(), actor, w.code(t, app.Secret, 0)))(t)
	w.clock.pass(time.Minute)
	return app.Secret, codes
}

// signedIn returns the person as the actor of a new session.
func (w *fixture) signedIn(t testing.TB, name string) core.Actor {
	t.Helper()
	return must(w.authenticator.Session(t.Context(), w.signIn(t, name), account.Exempt{SecondFactor: true}))(t)
}

// code returns the code of the app at a time from now.
func (w *fixture) code(t testing.TB, text string, after time.Duration) string {
	t.Helper()
	return must(totp.GenerateCode(text, w.clock.now.Add(after)))(t)
}

// begin takes the first step of a sign-in in a new browser.
func (w *fixture) begin(t testing.TB, name string) identity.SecondStep {
	t.Helper()
	step := must(w.sessions.SignIn(t.Context(), identity.SignIn{Email: name + "@example.org", Password: right, Client: identity.Client{Address: here}}))(t)
	if step.Session != "" || step.Ticket == "" || step.Actor.User != nil {
		t.Fatalf("the first step gave %+v", step)
	}
	return identity.SecondStep{Client: identity.Client{Address: here, Device: step.Device}, Ticket: step.Ticket}
}

// finish takes the second step.
func (w *fixture) finish(ctx context.Context, step identity.SecondStep, proof identity.Evidence) (identity.SignedIn, error) {
	step.Proof = proof
	return w.sessions.SecondStep(ctx, step)
}

func wantCode(t testing.TB, err error, code string) {
	t.Helper()
	if err == nil || asError(t, err).Code != code {
		t.Errorf("error %v, want code %q", err, code)
	}
}

func TestSecondStep(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text, codes := w.withApp(t, "editor")
	step := w.begin(t, "editor")
	done := must(w.finish(t.Context(), step, identity.Evidence{TOTP: w.code(t, text, 0)}))(t)
	if done.Actor.UserID() != w.people["editor"] || !w.open(t.Context(), done.Session) {
		t.Errorf("signed in as %+v", done.Actor)
	}
	if known := w.sessions.KnownBrowser(done.Device, "editor@example.org"); known == "" {
		t.Error("the browser is not known afterwards")
	}
	recovered := must(w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{Recovery: " " + strings.ToUpper(strings.ReplaceAll(codes[3], "-", " ")) + "\n"}))(t)
	if !w.open(t.Context(), recovered.Session) {
		t.Error("a recovery code does not sign in")
	}
	_, err := w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{Recovery: codes[3]})
	wantCode(t, err, "wrong_second_factor")
}

// A code counts once, at its time or half a minute from it.
func TestCodesCountOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text, _ := w.withApp(t, "editor")
	other, _ := w.withApp(t, "viewer")
	try := func(code string) error {
		_, err := w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{TOTP: code})
		return err
	}
	for name, code := range map[string]string{
		"a minute old": w.code(t, text, -time.Minute), "of the next minute": w.code(t, text, time.Minute),
		"of another account": w.code(t, other, 0), "letters": "abcdef", "too long": w.code(t, text, 0) + "0", "too short": w.code(t, text, 0)[:5],
	} {
		if err := try(code); err == nil || asError(t, err).Code != "wrong_second_factor" {
			t.Errorf("%s: %v", name, err)
		}
	}
	previous, present, following := w.code(t, text, -30*time.Second), w.code(t, text, 0), w.code(t, text, 30*time.Second)
	ok(t, try(present[:3]+" "+present[3:]))
	wantCode(t, try(present), "wrong_second_factor")
	wantCode(t, try(previous), "wrong_second_factor") // older than the one that was used
	ok(t, try(following))
	wantCode(t, try(following), "wrong_second_factor")
}

// Of many sign-ins with one code at once, one succeeds.
func TestConcurrentUsesOfACode(t *testing.T) {
	t.Parallel()
	for name, proof := range map[string]func(w *fixture, text string, codes []string) identity.Evidence{
		"of an app": func(w *fixture, text string, _ []string) identity.Evidence {
			return identity.Evidence{TOTP: w.code(t, text, 0)}
		},
		"of a recovery": func(_ *fixture, _ string, codes []string) identity.Evidence {
			return identity.Evidence{Recovery: codes[0]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			text, codes := w.withApp(t, "editor")
			given := proof(w, text, codes)
			var all sync.WaitGroup
			var succeeded atomic.Int32
			for range 8 {
				step := w.begin(t, "editor")
				all.Go(func() {
					if _, err := w.finish(t.Context(), step, given); err == nil {
						succeeded.Add(1)
					}
				})
			}
			all.Wait()
			if succeeded.Load() != 1 {
				t.Errorf("%d sign-ins with one code", succeeded.Load())
			}
		})
	}
}

// A ticket counts for its account, in its browser, for ten minutes and until the password changes.
func TestTickets(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, w *fixture, step *identity.SecondStep){
		"another browser": func(_ *testing.T, w *fixture, step *identity.SecondStep) {
			step.Device = w.sessions.Device("", "editor@example.org")
		},
		"no browser":    func(_ *testing.T, _ *fixture, step *identity.SecondStep) { step.Device = "" },
		"ten minutes":   func(_ *testing.T, w *fixture, _ *identity.SecondStep) { w.clock.pass(identity.TicketLifetime) },
		"no ticket":     func(_ *testing.T, _ *fixture, step *identity.SecondStep) { step.Ticket = "" },
		"a changed one": func(_ *testing.T, _ *fixture, step *identity.SecondStep) { step.Ticket = "A" + step.Ticket[1:] + "A" },
		"a new password": func(t *testing.T, w *fixture, _ *identity.SecondStep) {
			ok(t, w.passwords.Set(t.Context(), system, w.people["editor"], identity.PasswordChange{New: "a fresh password"}))
		},
		"not active": func(t *testing.T, w *fixture, _ *identity.SecondStep) {
			no := false
			must(w.users.Update(t.Context(), system, w.people["editor"], access.UserChange{Active: &no}))(t)
		},
		"not active for a time": func(t *testing.T, w *fixture, _ *identity.SecondStep) {
			for _, active := range []bool{false, true} {
				must(w.users.Update(t.Context(), system, w.people["editor"], access.UserChange{Active: &active}))(t)
			}
		},
		"the end of all sessions": func(t *testing.T, w *fixture, _ *identity.SecondStep) {
			ok(t, w.stores.Sessions.DeleteByUser(t.Context(), w.people["editor"]))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			text, _ := w.withApp(t, "editor")
			step := w.begin(t, "editor")
			spoil(t, w, &step)
			_, err := w.finish(t.Context(), step, identity.Evidence{TOTP: w.code(t, text, 0)})
			wantCode(t, err, "sign_in_again")
		})
	}
	w := setup(t)
	text, _ := w.withApp(t, "editor")
	w.withApp(t, "viewer")
	_, err := w.finish(t.Context(), w.begin(t, "viewer"), identity.Evidence{TOTP: w.code(t, text, 0)})
	wantCode(t, err, "wrong_second_factor")
}

// A ticket finishes one sign-in.
func TestTicketsCountOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text, codes := w.withApp(t, "editor")
	step, other := w.begin(t, "editor"), w.begin(t, "editor")
	_, err := w.finish(t.Context(), step, identity.Evidence{TOTP: "000000"})
	wantCode(t, err, "wrong_second_factor") // does not end it
	must(w.finish(t.Context(), step, identity.Evidence{TOTP: w.code(t, text, 0)}))(t)
	_, err = w.finish(t.Context(), step, identity.Evidence{Recovery: codes[0]})
	wantCode(t, err, "sign_in_again")
	must(w.finish(t.Context(), other, identity.Evidence{Recovery: codes[0]}))(t) // which was not used up
}

// usedMeanwhile are recovery codes of which each is found, and none counts when it is used.
type usedMeanwhile struct{ ports.RecoveryCodeStore }

func (usedMeanwhile) Has(context.Context, int64, [32]byte) (bool, error) { return true, nil }

// A sign-in whose code another request uses first is a failure like any other.
func TestALostRaceIsAFailure(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.withApp(t, "editor")
	stores := w.stores
	stores.Recovery = usedMeanwhile{stores.Recovery}
	w.sessions = identity.NewSessions(stores, w.tx, password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1}), w.clock, w.secret, passkeys)
	step := w.begin(t, "editor")
	for n := range 10 {
		_, err := w.finish(t.Context(), step, identity.Evidence{Recovery: "mfrg-gzdf-mztw-q2lk"})
		wantCode(t, err, "wrong_second_factor")
		if w.failures(t) != n+1 {
			t.Errorf("%d failures after %d lost races", w.failures(t), n+1)
		}
	}
	_, err := w.finish(t.Context(), step, identity.Evidence{Recovery: "mfrg-gzdf-mztw-q2lk"})
	wantKind(t, err, core.KindTooManyRequests)
}

// The next step names only what the person has.
func TestNextWays(t *testing.T) {
	t.Parallel()
	w := setup(t)
	next := func(name string) []core.Way {
		return must(w.sessions.SignIn(t.Context(), identity.SignIn{Email: name + "@example.org", Password: right, Client: identity.Client{Address: here}}))(t).Next
	}
	w.withPasskey(t, "viewer")
	if got := next("viewer"); !slices.Equal(got, []core.Way{core.WayPasskey}) {
		t.Errorf("with a passkey alone: %v", got)
	}
	_, codes := w.withApp(t, "editor")
	for n, code := range codes {
		if got := next("editor"); !slices.Equal(got, []core.Way{core.WayTOTP, core.WayRecovery}) {
			t.Errorf("after %d codes: %v", n, got)
		}
		must(w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{Recovery: code}))(t)
	}
	if got := next("editor"); !slices.Equal(got, []core.Way{core.WayTOTP}) {
		t.Errorf("without codes: %v", got)
	}
}

// Codes are guessed as slowly as passwords: the right password does not reset their failures.
func TestGuessesOfCodesAreLimited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text, _ := w.withApp(t, "editor")
	for range 10 {
		_, err := w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{TOTP: "000000"})
		wantCode(t, err, "wrong_second_factor")
	}
	_, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: right, Client: identity.Client{Address: here}})
	wantKind(t, err, core.KindTooManyRequests)
	w.clock.pass(15 * time.Minute)
	step := w.begin(t, "editor")
	for range 10 {
		_, err := w.finish(t.Context(), step, identity.Evidence{TOTP: "000000"})
		wantCode(t, err, "wrong_second_factor")
	}
	_, err = w.finish(t.Context(), step, identity.Evidence{TOTP: w.code(t, text, 0)})
	wantKind(t, err, core.KindTooManyRequests)
}

func TestEvidenceHasOneMember(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text, codes := w.withApp(t, "editor")
	step := w.begin(t, "editor")
	for _, proof := range []identity.Evidence{{}, {TOTP: w.code(t, text, 0), Recovery: codes[0]}} {
		_, err := w.finish(t.Context(), step, proof)
		wantKind(t, err, core.KindInvalid)
	}
	_, err := w.finish(t.Context(), step, identity.Evidence{Password: right}) // no second step
	wantCode(t, err, "wrong_second_factor")
}

// The secret and the address of an app are those that authenticator apps know: oathtool is one.
func TestAppsKnowTheSecret(t *testing.T) {
	t.Parallel()
	oathtool, err := exec.LookPath("oathtool")
	if err != nil {
		t.Fatal("install oathtool, for example with apt-get install oathtool")
	}
	w := setup(t)
	actor := w.signedIn(t, "editor")
	app := must(w.apps.SetUp(t.Context(), actor))(t)
	if want := "otpauth://totp/Imprimatur:editor%40example.org?algorithm=SHA1&digits=6&issuer=Imprimatur&period=30&secret=" + app.Secret; app.URI != want {
		t.Errorf("address %q, want %q", app.URI, want)
	}
	if raw := must(base32.StdEncoding.DecodeString(app.Secret))(t); len(raw) != 20 {
		t.Errorf("the secret has %d bytes", len(raw))
	}
	code := must(exec.CommandContext(t.Context(), oathtool, "--totp", "--base32", "--now", w.clock.now.Format("2006-01-02 15:04:05 UTC"), app.Secret).Output())(t)
	must(w.apps.Confirm(t.Context(), actor, string(code)))(t)
}

// Apps read the label in different ways: nothing in it may have a meaning.
func TestTheLabelOfAnAppIsEscaped(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, email := range []string{"ed+test@example.org", "a&b=c?d#e@example.org", "100%/2@example.org", `"a:b c"@example.org`, "\u043f\u043e\u0447\u0442\u0430@example.org"} {
		must(w.users.Update(t.Context(), system, w.people["editor"], access.UserChange{Email: &email}))(t)
		actor := w.actor(t, "editor")
		actor.Proof = core.Proof{At: w.clock.now, Way: core.WayPassword}
		uri := must(w.apps.SetUp(t.Context(), actor))(t).URI
		label, _, _ := strings.Cut(strings.TrimPrefix(uri, "otpauth://totp/Imprimatur:"), "?")
		if strings.Trim(label, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~%") != "" {
			t.Errorf("label %q", label)
		}
		parsed := must(url.Parse(uri))(t)
		if parsed.Path != "/Imprimatur:"+email || parsed.Query().Get("issuer") != "Imprimatur" || parsed.Fragment != "" {
			t.Errorf("%q is read as %+v", uri, parsed)
		}
	}
}

// Codes are those of the app and of the paper, however a keyboard writes them.
func TestCodesOfEveryKeyboard(t *testing.T) {
	t.Parallel()
	wide := func(code string) string {
		return strings.Map(func(r rune) rune {
			if r > ' ' && r <= '~' {
				return r - '!' + '\uff01'
			}
			return r
		}, code)
	}
	w := setup(t)
	text, codes := w.withApp(t, "editor")
	code := wide(w.code(t, text, 0))
	must(w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{TOTP: code[:9] + "\u3000" + code[9:] + " "}))(t)
	must(w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{Recovery: wide(strings.ToUpper(codes[0]))}))(t)
	_, err := w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{TOTP: code})
	wantCode(t, err, "wrong_second_factor")
}

func TestSetUpApp(t *testing.T) {
	t.Parallel()
	w := setup(t)
	actor := w.signedIn(t, "editor")
	_, err := w.apps.Confirm(t.Context(), actor, "123456")
	wantCode(t, err, "no_pending_factor")
	first := must(w.apps.SetUp(t.Context(), actor))(t)
	app := must(w.apps.SetUp(t.Context(), actor))(t)
	for _, code := range []string{"", "123", w.code(t, first.Secret, 0)} {
		_, err := w.apps.Confirm(t.Context(), actor, code)
		wantFaults(t, err, "code")
	}
	w.alone(t, "editor") // an app that is not confirmed is no second factor
	codes := must(w.apps.Confirm(t.Context(), actor, w.code(t, app.Secret, 0)))(t)
	if len(codes) != 10 || len(codes[0]) != 19 || codes[0] == codes[1] {
		t.Errorf("recovery codes %q", codes)
	}
	if own := must(w.factors.Own(t.Context(), actor))(t); own != (identity.OwnFactors{TOTP: true, Recovery: 10}) {
		t.Errorf("own factors %+v", own)
	}
	_, err = w.apps.SetUp(t.Context(), actor)
	wantCode(t, err, "factor_exists")
	_, err = w.apps.Confirm(t.Context(), actor, w.code(t, app.Secret, 0))
	wantCode(t, err, "no_pending_factor")
	stored := must(w.stores.TOTP.TOTP(t.Context(), actor.UserID()))(t)
	if strings.Contains(string(stored.Secret), app.Secret) {
		t.Error("the secret is stored as it is")
	}
	if _, err := secret.New().Open(secret.TOTP, stored.Secret, nil); err == nil {
		t.Error("another key reads the secret")
	}
}

// alone requires that the password alone signs the person in.
func (w *fixture) alone(t testing.TB, name string) { w.signIn(t, name) }

// Whoever takes over a session must not be able to stay: a change of factors needs a fresh proof.
func TestFactorsChangeAfterAProof(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text, _ := w.withApp(t, "editor")
	in := must(w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{TOTP: w.code(t, text, 0)}))(t)
	actor := func() core.Actor { return must(w.authenticator.Session(t.Context(), in.Session, account.Exempt{}))(t) }
	must(w.factors.RenewCodes(t.Context(), actor()))(t) // just signed in
	wantCode(t, w.factors.RemoveApp(t.Context(), actor()), "verify_first")
	w.clock.pass(core.ProofLifetime)
	_, err := w.factors.RenewCodes(t.Context(), actor())
	wantCode(t, err, "verify_first")
	ok(t, w.stores.Sessions.Verify(t.Context(), actor().Session, core.Proof{At: w.clock.now, Way: core.WayTOTP}))
	codes := must(w.factors.RenewCodes(t.Context(), actor()))(t)
	other := w.begin(t, "editor")
	ok(t, w.factors.RemoveApp(t.Context(), actor()))
	_, err = w.finish(t.Context(), other, identity.Evidence{Recovery: codes[0]})
	wantKind(t, err, core.KindUnauthenticated) // the codes went with the last factor
	w.alone(t, "editor")
	wantKind(t, w.factors.RemoveApp(t.Context(), actor()), core.KindNotFound)
	_, err = w.factors.RenewCodes(t.Context(), actor())
	wantCode(t, err, "no_factor")
}

// Who has lost the app signs in with a recovery code and replaces the app: the code is proof enough.
func TestALostAppIsReplaced(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, codes := w.withApp(t, "editor")
	in := must(w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{Recovery: codes[0]}))(t)
	actor := must(w.authenticator.Session(t.Context(), in.Session, account.Exempt{}))(t)
	ok(t, w.factors.RemoveApp(t.Context(), actor))
	app := must(w.apps.SetUp(t.Context(), actor))(t)
	must(w.apps.Confirm(t.Context(), actor, w.code(t, app.Secret, 0)))(t)
}

func TestResetFactors(t *testing.T) {
	t.Parallel()
	for caller, want := range map[string]core.Kind{
		"super": core.KindInternal, "tenant": core.KindInternal, "project": core.KindInternal, "viewer": core.KindNotFound, "editor": core.KindForbidden,
	} {
		t.Run(caller, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			session := w.signIn(t, "editor")
			w.withApp(t, "editor")
			wantKind(t, w.factors.Reset(t.Context(), w.actor(t, caller), w.people["editor"]), want)
			if w.open(t.Context(), session) == (want == core.KindInternal) {
				t.Error("sessions end exactly when the factors are removed")
			}
			if want == core.KindInternal {
				w.alone(t, "editor")
			} else {
				w.begin(t, "editor")
			}
		})
	}
}

// There is nothing to remove from a person without factors: no session ends, and no event says so.
func TestResetOfNoFactors(t *testing.T) {
	t.Parallel()
	w := setup(t)
	session := w.signIn(t, "editor")
	all := ports.EventQuery{Limit: 1000}
	before := len(must(w.stores.Events.Events(t.Context(), all))(t))
	ok(t, w.factors.Reset(t.Context(), w.actor(t, "super"), w.people["editor"]))
	wantKind(t, w.factors.Reset(t.Context(), w.actor(t, "viewer"), w.people["editor"]), core.KindNotFound)
	if !w.open(t.Context(), session) {
		t.Error("a session has ended")
	}
	if after := must(w.stores.Events.Events(t.Context(), all))(t); len(after) != before {
		t.Errorf("events %+v", after[before:])
	}
}

// Who may give only some of a person's roles may not remove the person's factors.
func TestResetFactorsNeedsEveryRole(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.withApp(t, "editor")
	ok(t, w.organisation.GiveRole(t.Context(), system, w.newsroom, w.legalRole.ID, w.people["editor"]))
	wantKind(t, w.factors.Reset(t.Context(), w.actor(t, "project"), w.people["editor"]), core.KindNotFound)
	wantKind(t, w.factors.Reset(t.Context(), w.actor(t, "project"), w.people["super"]), core.KindNotFound)
	w.begin(t, "editor")
}

// Another tenant in which a super admin has a role does not bind the super admin. The answer to a
// sign-in says who is bound.
func TestOtherTenantsDoNotBindSuperAdmins(t *testing.T) {
	t.Parallel()
	w := setup(t)
	other := must(w.organisation.CreateTenant(t.Context(), system, "Other"))(t)
	site := must(w.organisation.CreateProject(t.Context(), system, other.ID, access.ProjectInput{Name: "Site"}))(t)
	for _, name := range []string{"super", "viewer"} {
		must(w.members.Set(t.Context(), system, access.ScopeProject, access.Place{Tenant: other, Project: site}, w.people[name], core.RoleViewer))(t)
	}
	must(w.organisation.UpdateTenant(t.Context(), system, other.ID, access.TenantChange{SecondFactorFrom: core.Some(w.clock.now)}))(t)
	for name, bound := range map[string]bool{"super": false, "viewer": true, "editor": false} {
		in := must(w.sessions.SignIn(t.Context(), identity.SignIn{Client: identity.Client{Address: "127.0.0.1"}, Email: name + "@example.org", Password: right}))(t)
		_, err := w.authenticator.Session(t.Context(), in.Session, account.Exempt{})
		if in.Actor.NeedsFactor(w.clock.now) != bound || (err != nil) != bound {
			t.Errorf("%s: bound %v, %v, want %v", name, in.Actor.NeedsFactor(w.clock.now), err, bound)
		}
	}
}

// A tenant that requires a second factor keeps those without from everything but its set-up.
func TestTenantsRequireASecondFactor(t *testing.T) {
	t.Parallel()
	w := setup(t)
	sessions := map[string]string{}
	for _, name := range []string{"tenant", "editor", "legal"} {
		sessions[name] = w.signIn(t, name)
	}
	from := w.clock.now.Add(time.Hour)
	must(w.organisation.UpdateTenant(t.Context(), system, w.meridian.ID, access.TenantChange{SecondFactorFrom: core.Some(from)}))(t)
	for name, id := range sessions {
		must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t)
		w.clock.now = from
		_, err := w.authenticator.Session(t.Context(), id, account.Exempt{PasswordChange: true})
		wantCode(t, err, "second_factor_required")
		must(w.authenticator.Session(t.Context(), id, account.Exempt{SecondFactor: true}))(t)
		w.clock.now = from.Add(-time.Hour)
		t.Log(name)
	}
	w.clock.now = from
	editor := func() core.Actor {
		return must(w.authenticator.Session(t.Context(), sessions["editor"], account.Exempt{SecondFactor: true}))(t)
	}
	_, err := w.apps.SetUp(t.Context(), editor())
	wantCode(t, err, "verify_first") // an open browser is no proof
	ok(t, w.stores.Sessions.Verify(t.Context(), editor().Session, core.Proof{At: from, Way: core.WayPassword}))
	actor := editor()
	app := must(w.apps.SetUp(t.Context(), actor))(t)
	must(w.apps.Confirm(t.Context(), actor, w.code(t, app.Secret, 0)))(t)
	must(w.authenticator.Session(t.Context(), sessions["editor"], account.Exempt{}))(t)
	must(w.organisation.UpdateTenant(t.Context(), system, w.meridian.ID, access.TenantChange{SecondFactorFrom: core.Null[time.Time]()}))(t)
	must(w.authenticator.Session(t.Context(), sessions["legal"], account.Exempt{}))(t)
}

// After the secret key was replaced, what it sealed is lost. A code is then wrong, and recovery codes
// still sign in.
func TestAppsUnderAnotherSecretKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text, codes := w.withApp(t, "editor")
	app := must(w.stores.TOTP.TOTP(t.Context(), w.people["editor"]))(t)
	app.Secret, app.Confirmed = secret.New().Seal(secret.TOTP, []byte(text), nil), false
	ok(t, w.stores.TOTP.Delete(t.Context(), app.UserID)) // Set keeps a confirmed app
	ok(t, w.stores.TOTP.Set(t.Context(), app))
	ok(t, w.stores.TOTP.Confirm(t.Context(), app.UserID, app.LastStep))
	_, err := w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{TOTP: w.code(t, text, 0)})
	wantCode(t, err, "wrong_second_factor")
	must(w.finish(t.Context(), w.begin(t, "editor"), identity.Evidence{Recovery: codes[0]}))(t)
}

// An app that was set up and not confirmed before the secret key was replaced is set up again.
func TestPendingAppsUnderAnotherSecretKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	actor := w.signedIn(t, "editor")
	app := must(w.apps.SetUp(t.Context(), actor))(t)
	stored := must(w.stores.TOTP.TOTP(t.Context(), w.people["editor"]))(t)
	stored.Secret = secret.New().Seal(secret.TOTP, []byte(app.Secret), nil)
	ok(t, w.stores.TOTP.Set(t.Context(), stored))
	_, err := w.apps.Confirm(t.Context(), actor, w.code(t, app.Secret, 0))
	wantCode(t, err, "no_pending_factor")
	again := must(w.apps.SetUp(t.Context(), actor))(t)
	must(w.apps.Confirm(t.Context(), actor, w.code(t, again.Secret, 0)))(t)
}
