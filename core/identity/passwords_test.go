package identity_test

import (
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/identity"
)

// A wrong current password counts as a failed sign-in, and failed sign-ins count for it.
func TestGuessesOfTheCurrentPasswordAreLimited(t *testing.T) {
	t.Parallel()
	const here, there = "192.0.2.1", "198.51.100.7"
	w := setup(t)
	editor, id := w.actor(t, "editor"), w.people["editor"]
	set := func(current, address string) error {
		return w.passwords.Set(t.Context(), editor, id, identity.PasswordChange{Current: current, New: "a fresh password", Address: address})
	}
	signIn := func() error {
		_, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: "Editor@example.org", Password: right, Client: identity.Client{Address: there}})
		return err
	}
	for range 10 {
		wantFaults(t, set("wrong", here), "current")
	}
	wantKind(t, set("wrong", there), core.KindTooManyRequests)
	wantKind(t, set(right, there), core.KindTooManyRequests)
	wantKind(t, signIn(), core.KindTooManyRequests)
	ok(t, w.passwords.Set(t.Context(), w.actor(t, "tenant"), w.people["viewer"], identity.PasswordChange{New: "a fresh password", Address: here}))
	w.clock.pass(15 * time.Minute)
	ok(t, signIn())
	ok(t, set(right, here))
}

func TestSetPassword(t *testing.T) {
	t.Parallel()
	const fresh = "a fresh password"
	for _, test := range []struct {
		name   string
		caller string
		change identity.PasswordChange
		faults []string
	}{
		{"own password", "editor", identity.PasswordChange{Current: right, New: fresh}, nil},
		{"own password, wrong current one", "editor", identity.PasswordChange{Current: "wrong", New: fresh}, []string{"current"}},
		{"own password, no current one", "editor", identity.PasswordChange{New: fresh}, []string{"current"}},
		{"everything wrong", "editor", identity.PasswordChange{New: "short"}, []string{"current", "new"}},
		{"own password again", "editor", identity.PasswordChange{Current: right, New: right}, []string{"new"}},
		{"a common one", "editor", identity.PasswordChange{Current: right, New: "Password123"}, []string{"new"}},
		{"another user's", "tenant", identity.PasswordChange{New: fresh}, nil},
		{"another user's too short", "tenant", identity.PasswordChange{New: "short"}, []string{"new"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			err := w.passwords.Set(t.Context(), w.actor(t, test.caller), w.people["editor"], test.change)
			wantFaults(t, err, test.faults...)
			good, bad := fresh, right
			if err == nil {
				must := w.actor(t, "editor").User.MustChangePassword
				if must != (test.caller == "tenant") {
					t.Errorf("the user must change the password: %v", must)
				}
			}
			if err != nil {
				good, bad = right, fresh
			}
			_, err = w.sessions.SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: good})
			ok(t, err)
			_, err = w.sessions.SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: bad})
			wantKind(t, err, core.KindUnauthenticated)
		})
	}
}

// A user whose password another user has set can only change it. Commands of the operator do not
// require that.
func TestFirstPasswordMustBeChanged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	tenant := w.actor(t, "tenant")
	create := func(actor core.Actor, email string) (core.User, string) {
		user := must(w.users.Create(t.Context(), actor, w.meridian.ID, access.UserInput{Email: email, Name: "New", Password: right}))(t)
		in, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: email, Password: right})
		ok(t, err)
		return user, in.Session
	}
	_, id := create(system, "operator@example.org")
	must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t)

	user, id := create(tenant, "new@example.org")
	wantRequired := func(err error) {
		t.Helper()
		wantKind(t, err, core.KindForbidden)
		if code := asError(t, err).Code; code != "password_change_required" {
			t.Errorf("code %q", code)
		}
	}
	_, err := w.authenticator.Session(t.Context(), id, account.Exempt{})
	wantRequired(err)
	actor := must(w.authenticator.Session(t.Context(), id, account.Exempt{PasswordChange: true}))(t)
	if !actor.User.MustChangePassword {
		t.Error("the session does not say so")
	}
	ok(t, w.organisation.GiveRole(t.Context(), system, w.newsroom, w.legalRole.ID, user.ID))
	must(w.members.Set(t.Context(), system, access.ScopeTenant, access.Place{Tenant: w.meridian}, user.ID, core.RoleTenantAdmin))(t)
	actor = must(w.authenticator.Session(t.Context(), id, account.Exempt{PasswordChange: true}))(t)
	wantRequired(w.passwords.Set(t.Context(), actor, w.people["editor"], identity.PasswordChange{New: "a fresh password"}))
	ok(t, w.passwords.Set(t.Context(), actor, user.ID, identity.PasswordChange{Current: right, New: "a fresh password"}))
	fresh := func(password string) string {
		in, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: "new@example.org", Password: password})
		ok(t, err)
		return in.Session
	}
	must(w.authenticator.Session(t.Context(), fresh("a fresh password"), account.Exempt{}))(t)
	ok(t, w.passwords.Set(t.Context(), tenant, user.ID, identity.PasswordChange{New: "a second one"}))
	_, err = w.authenticator.Session(t.Context(), fresh("a second one"), account.Exempt{})
	wantRequired(err)
}

// Failures of strangers do not count against a new password.
func TestANewPasswordForgetsFailedSignIns(t *testing.T) {
	t.Parallel()
	w := setup(t)
	attempt := func(password string) error {
		return w.try(t, identity.SignIn{Email: "editor@example.org", Password: password, Client: identity.Client{Address: "192.0.2.1"}})
	}
	for range 10 {
		wantKind(t, attempt("wrong"), core.KindUnauthenticated)
	}
	wantKind(t, attempt(right), core.KindTooManyRequests)
	ok(t, w.passwords.Set(t.Context(), system, w.people["editor"], identity.PasswordChange{New: "a fresh password"}))
	ok(t, attempt("a fresh password"))
}

// A known browser has a limit of its own here too: strangers cannot keep users from changing
// their password.
func TestStrangersDoNotPreventAChangeOfThePassword(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for range 10 {
		wantKind(t, w.try(t, identity.SignIn{Email: "editor@example.org", Password: "wrong", Client: identity.Client{Address: "192.0.2.1"}}), core.KindUnauthenticated)
	}
	change := identity.PasswordChange{Current: right, New: "a fresh password", Address: "192.0.2.1"}
	wantKind(t, w.passwords.Set(t.Context(), w.actor(t, "editor"), w.people["editor"], change), core.KindTooManyRequests)
	change.Browser = w.sessions.KnownBrowser(w.sessions.Device("", "editor@example.org"), "editor@example.org")
	ok(t, w.passwords.Set(t.Context(), w.actor(t, "editor"), w.people["editor"], change))
}

// A password is the same in whatever form a keyboard writes it, wherever it is set and asked for.
func TestPasswordsOfEveryKeyboard(t *testing.T) {
	t.Parallel()
	const composed, decomposed = "cr\u00e8me br\u00fbl\u00e9e", "cre\u0300me bru\u0302le\u0301e"
	for _, forms := range [][2]string{{composed, decomposed}, {decomposed, composed}, {"correct \ufb01sh", "correct fish"}} {
		w := newDesk(t, true)
		id := w.people["editor"]
		signIn := func(password string) error {
			return w.try(t, identity.SignIn{Email: "editor@example.org", Password: password, Client: identity.Client{Address: here}})
		}
		ok(t, w.passwords.Set(t.Context(), system, id, identity.PasswordChange{New: forms[0]}))
		ok(t, signIn(forms[0]))
		ok(t, signIn(forms[1]))
		wantKind(t, signIn(strings.ToUpper(forms[1])), core.KindUnauthenticated)
		wantFaults(t, w.passwords.Set(t.Context(), w.actor(t, "editor"), id, identity.PasswordChange{Current: forms[1], New: forms[0]}), "new")
		in := must(w.sessions.SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: forms[1], Client: identity.Client{Address: here}}))(t)
		must(w.sessions.Verify(t.Context(), in.Actor, identity.Verification{Client: identity.Client{Address: here}, Proof: identity.Evidence{Password: forms[1]}}))(t)

		must(w.users.Create(t.Context(), system, w.meridian.ID, access.UserInput{Email: "new@example.org", Name: "New", Password: forms[1]}))(t)
		ok(t, w.try(t, identity.SignIn{Email: "new@example.org", Password: forms[0], Client: identity.Client{Address: here}}))

		ok(t, w.resets.Request(t.Context(), "editor@example.org", here))
		must(w.resets.Finish(t.Context(), secretIn(w.letters(t)[0].Path), forms[1]))(t)
		ok(t, signIn(forms[0]))

		w.invite(t, "project")
		must(w.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: secretIn(w.letters(t)[0].Path), Name: "Ida", Password: forms[1]}))(t)
		ok(t, w.try(t, identity.SignIn{Email: "ida@example.org", Password: forms[0], Client: identity.Client{Address: here}}))
	}
}
