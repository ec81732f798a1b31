package identity_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"imprimatur/adapters/password"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/identity"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, email, password string
		want                  core.Kind
	}{
		{"right", "editor@example.org", right, core.KindInternal},
		{"e-mail in another case", "Editor@Example.ORG", right, core.KindInternal},
		{"wrong password", "editor@example.org", right + "x", core.KindUnauthenticated},
		{"password in another case", "editor@example.org", strings.ToUpper(right), core.KindUnauthenticated},
		{"no password", "editor@example.org", "", core.KindUnauthenticated},
		{"unknown e-mail", "unknown@example.org", right, core.KindUnauthenticated},
		{"no e-mail", "", right, core.KindUnauthenticated},
		{"an endless e-mail", strings.Repeat("a", 1<<20), right, core.KindUnauthenticated},
		{"account not active", "viewer@example.org", right, core.KindUnauthenticated},
		{"account not active and wrong password", "viewer@example.org", "wrong", core.KindUnauthenticated},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			no := false
			must(w.users.Update(t.Context(), system, w.people["viewer"], access.UserChange{Active: &no}))(t)
			in, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: test.email, Password: test.password, Client: identity.Client{Address: "192.0.2.1"}})
			wantKind(t, err, test.want)
			if test.want != core.KindInternal {
				if want := "wrong_credentials: the e-mail or the password is wrong"; err.Error() != want {
					t.Errorf("error %q, want %q for every reason", err, want)
				}
				return
			}
			found := must(w.authenticator.Session(t.Context(), in.Session, account.Exempt{}))(t)
			for _, a := range []core.Actor{in.Actor, found} {
				if a.UserID() != w.people["editor"] || len(a.Grants) != 1 || a.Grants[0].Role != core.RoleEditor {
					t.Errorf("signed in as %+v", a)
				}
			}
		})
	}
}

// A failed sign-in is an event about the account, or about none when the e-mail is unknown.
func TestFailedSignInsAreEvents(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, email := range []string{"editor@example.org", "unknown@example.org"} {
		wantKind(t, w.try(t, identity.SignIn{Email: email, Password: "wrong", Client: identity.Client{Address: "192.0.2.1"}}), core.KindUnauthenticated)
	}
	var subjects []int64
	for _, event := range must(w.stores.Events.Events(t.Context(), ports.EventQuery{Type: event.SessionFailed, Limit: 10}))(t) {
		subjects = append(subjects, event.SubjectID)
	}
	slices.Sort(subjects)
	if !slices.Equal(subjects, []int64{0, w.people["editor"]}) {
		t.Errorf("failed sign-ins of %v", subjects)
	}
}

// checks is a hasher that records its calls.
type checks struct {
	mu     sync.Mutex
	hashes []string
}

func (c *checks) Hash(context.Context, string) (string, error) { return "hash", nil }
func (c *checks) Matches(_ context.Context, _, hash string) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hashes = append(c.hashes, hash)
	return false, nil
}

// Hashing dominates the time of a sign-in, so that every attempt with a password must check the same number
// of hashes: two for a password that is written in another form than the normal one.
func TestEverySignInChecksAsManyHashes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	no := false
	must(w.users.Update(t.Context(), system, w.people["viewer"], access.UserChange{Active: &no}))(t)
	for password, want := range map[string]int{right: 1, "cre\u0300me bru\u0302le\u0301e": 2} {
		for _, email := range []string{"editor@example.org", "unknown@example.org", "viewer@example.org", ""} {
			hasher := &checks{}
			sessions := identity.NewSessions(w.stores, w.tx, hasher, w.clock, w.secret, passkeys)
			_, err := sessions.SignIn(t.Context(), identity.SignIn{Email: email, Password: password, Client: identity.Client{Address: "192.0.2.1"}})
			wantKind(t, err, core.KindUnauthenticated)
			if len(hasher.hashes) != want {
				t.Errorf("%q with %q: %d hashes checked, want %d", email, password, len(hasher.hashes), want)
			}
		}
	}
}

func TestFailedSignInsAreLimited(t *testing.T) {
	t.Parallel()
	const here, there = "192.0.2.1", "198.51.100.7"
	account := func(i int) string { return fmt.Sprintf("user%d@example.org", i) }
	for _, test := range []struct {
		name                     string
		failures                 int
		fail                     func(i int) (email, address string)
		then                     time.Duration
		email, password, address string
		want                     core.Kind
	}{
		{
			name: "of one account, from whatever addresses", failures: 10,
			fail:  func(i int) (string, string) { return "editor@example.org", fmt.Sprintf("203.0.113.%d", i) },
			email: "editor@example.org", password: right, address: there, want: core.KindTooManyRequests,
		}, {
			name: "of one account in every spelling", failures: 10,
			fail:  func(i int) (string, string) { return []string{"EDITOR@example.org", "Editor@Example.org"}[i%2], here },
			email: "editor@example.org", password: right, address: there, want: core.KindTooManyRequests,
		}, {
			name: "of an account that does not exist", failures: 10,
			fail:  func(int) (string, string) { return "unknown@example.org", here },
			email: "unknown@example.org", password: right, address: there, want: core.KindTooManyRequests,
		}, {
			name: "from one address, whatever the accounts", failures: 100,
			fail:  func(i int) (string, string) { return account(i), here },
			email: "editor@example.org", password: right, address: here, want: core.KindTooManyRequests,
		}, {
			name: "but a few of one account do not lock its address out", failures: 10,
			fail:  func(int) (string, string) { return "viewer@example.org", here },
			email: "editor@example.org", password: right, address: here, want: core.KindInternal,
		}, {
			name: "nor do 99 of others", failures: 99,
			fail:  func(i int) (string, string) { return account(i), here },
			email: "editor@example.org", password: right, address: here, want: core.KindInternal,
		}, {
			name: "from one IPv6 network", failures: 100,
			fail:  func(i int) (string, string) { return account(i), fmt.Sprintf("2001:db8::%x", i+1) },
			email: "editor@example.org", password: right, address: "2001:db8::ffff", want: core.KindTooManyRequests,
		}, {
			name: "and an IPv4 address written as IPv6 is the same", failures: 100,
			fail:  func(i int) (string, string) { return account(i), "::ffff:" + here },
			email: "editor@example.org", password: right, address: here, want: core.KindTooManyRequests,
		}, {
			name: "but not for others elsewhere", failures: 100,
			fail:  func(i int) (string, string) { return account(i), here },
			email: "editor@example.org", password: right, address: there, want: core.KindInternal,
		}, {
			name: "for fifteen minutes", failures: 10,
			fail:  func(int) (string, string) { return "editor@example.org", here },
			then:  15 * time.Minute,
			email: "editor@example.org", password: right, address: here, want: core.KindInternal,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // attempts after the tenth failure of an address wait
				w := setup(t)
				for i := range test.failures {
					email, address := test.fail(i)
					wantKind(t, w.try(t, identity.SignIn{Email: email, Password: "wrong", Client: identity.Client{Address: address}}), core.KindUnauthenticated)
				}
				w.clock.pass(test.then)
				err := w.try(t, identity.SignIn{Email: test.email, Password: test.password, Client: identity.Client{Address: test.address}})
				wantKind(t, err, test.want)
				if err == nil {
					return
				}
				if after := asError(t, err).RetryAfter; after <= 0 || after > 15*time.Minute {
					t.Errorf("retry after %v", after)
				}
			})
		})
	}
}

// try attempts to sign in.
func (w *fixture) try(t *testing.T, in identity.SignIn) error {
	t.Helper()
	_, err := w.sessions.SignIn(t.Context(), in)
	return err
}

// The failures of strangers do not lock out a browser in which the user has signed in before, and
// the failures in that browser do not lock out others.
func TestKnownBrowsersHaveTheirOwnLimit(t *testing.T) {
	t.Parallel()
	const here, there = "192.0.2.1", "198.51.100.7"
	w := setup(t)
	device := w.sessions.Device("", "editor@example.org")
	both := w.sessions.Device(device, "viewer@example.org")
	try := func(email, password, address, device string) error {
		return w.try(t, identity.SignIn{Email: email, Password: password, Client: identity.Client{Address: address, Device: device}})
	}
	for range 10 {
		wantKind(t, try("editor@example.org", "wrong", here, ""), core.KindUnauthenticated)
	}
	wantKind(t, try("editor@example.org", right, there, ""), core.KindTooManyRequests)
	for _, other := range []string{
		w.sessions.Device("", "viewer@example.org"), device + "x", device[:len(device)-1], strings.Repeat("A", 26) + device[26:], "x", ".", strings.Repeat(".", 300),
		identity.NewSessions(w.stores, w.tx, &checks{}, w.clock, secret.New(), passkeys).Device("", "editor@example.org"),
	} {
		wantKind(t, try("editor@example.org", right, there, other), core.KindTooManyRequests)
	}
	ok(t, try("EDITOR@example.org", right, here, device))
	for range 10 {
		wantKind(t, try("editor@example.org", "wrong", here, both), core.KindUnauthenticated)
	}
	wantKind(t, try("editor@example.org", right, there, both), core.KindTooManyRequests)
	ok(t, try("viewer@example.org", right, here, both))
	w.clock.pass(15 * time.Minute)
	ok(t, try("editor@example.org", right, here, device))
	ok(t, try("editor@example.org", right, there, ""))
}

// A device cookie fits in a header, keeps the latest accounts and does not contain them.
func TestDeviceCookie(t *testing.T) {
	t.Parallel()
	w := setup(t)
	device := ""
	for i := range 20 {
		device = w.sessions.Device(device, fmt.Sprintf("user%d@example.org", i))
	}
	device = w.sessions.Device(device, "editor@example.org")
	if len(device) > 256 || strings.ContainsAny(device, "@;, \"") || w.sessions.Device(device, "Editor@Example.org") != device {
		t.Errorf("device cookie %q", device)
	}
	for range 10 {
		wantKind(t, w.try(t, identity.SignIn{Email: "editor@example.org", Password: "wrong", Client: identity.Client{Address: "192.0.2.1"}}), core.KindUnauthenticated)
	}
	ok(t, w.try(t, identity.SignIn{Email: "editor@example.org", Password: right, Client: identity.Client{Device: device}}))
}

// From the tenth failure of an address on, its attempts wait before a password is checked, whether
// the account exists or not. The waiting ends with the request, and few can wait at once.
func TestFurtherAttemptsFromAnAddressWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := setup(t)
		took := func(email, password, device string) time.Duration {
			began := time.Now()
			_ = w.try(t, identity.SignIn{Email: email, Password: password, Client: identity.Client{Address: "192.0.2.1", Device: device}})
			return time.Since(began)
		}
		for i := range 10 {
			if got := took(fmt.Sprintf("user%d@example.org", i), "wrong", ""); got != 0 {
				t.Errorf("attempt %d waited %v", i+1, got)
			}
		}
		if got := took("editor@example.org", right, w.sessions.Device("", "editor@example.org")); got != 0 {
			t.Errorf("a known browser waited %v", got)
		}
		for i, email := range []string{"editor@example.org", "viewer@example.org", "unknown@example.org"} {
			if got, want := took(email, "wrong", ""), time.Duration(i+1)*200*time.Millisecond; got != want {
				t.Errorf("%s waited %v, want %v", email, got, want)
			}
		}
		for i := range 20 {
			took(fmt.Sprintf("further%d@example.org", i), "wrong", "")
		}
		if got := took("editor@example.org", right, ""); got != 2*time.Second {
			t.Errorf("waited %v, want at most 2 s", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		hasher := &checks{}
		sessions := identity.NewSessions(w.stores, w.tx, hasher, w.clock, w.secret, passkeys)
		errs := make(chan error)
		const attempts = 30
		for range attempts {
			go func() {
				_, err := sessions.SignIn(ctx, identity.SignIn{Email: "editor@example.org", Password: right, Client: identity.Client{Address: "192.0.2.1"}})
				errs <- err
			}()
		}
		for range attempts - 20 {
			wantKind(t, <-errs, core.KindTooManyRequests)
		}
		cancel()
		for range 20 {
			wantKind(t, <-errs, core.KindUnavailable)
		}
		if len(hasher.hashes) != 0 {
			t.Errorf("%d passwords checked while waiting", len(hasher.hashes))
		}
	})
}

// Failures of all processes count: each process has Sessions of its own on one database.
func TestFailedSignInsAreLimitedOverAllProcesses(t *testing.T) {
	t.Parallel()
	w := setup(t)
	hasher := password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1})
	processes := []*identity.Sessions{w.sessions, identity.NewSessions(w.stores, w.tx, hasher, w.clock, w.secret, passkeys)}
	try := func(process int, password string) error {
		_, err := processes[process].SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: password, Client: identity.Client{Address: "192.0.2.1"}})
		return err
	}
	for i := range 10 {
		wantKind(t, try(i%2, "wrong"), core.KindUnauthenticated)
		w.clock.pass(time.Minute)
	}
	for process := range processes {
		err := try(process, right)
		wantKind(t, err, core.KindTooManyRequests)
		if after := asError(t, err).RetryAfter; after != 5*time.Minute {
			t.Errorf("retry after %v, want the rest of fifteen minutes", after)
		}
	}
	w.clock.pass(5 * time.Minute)
	ok(t, try(1, right))
}

// A success resets the failures of the account, but not those of the address.
func TestSuccessResetsOnlyTheAccount(t *testing.T) {
	t.Parallel()
	const here, there = "192.0.2.1", "198.51.100.7"
	synctest.Test(t, func(t *testing.T) {
		w := setup(t)
		try := func(email, password, address string) error {
			return w.try(t, identity.SignIn{Email: email, Password: password, Client: identity.Client{Address: address}})
		}
		for range 9 {
			wantKind(t, try("editor@example.org", "wrong", here), core.KindUnauthenticated)
		}
		ok(t, try("editor@example.org", right, here))
		for range 9 {
			wantKind(t, try("Editor@example.org", "wrong", there), core.KindUnauthenticated)
		}
		ok(t, try("editor@example.org", right, there))
		for i := range 91 { // the hundredth from here
			wantKind(t, try(fmt.Sprintf("user%d@example.org", i), "wrong", here), core.KindUnauthenticated)
		}
		wantKind(t, try("editor@example.org", right, here), core.KindTooManyRequests)
	})
}

func TestSuccessfulSignInsAreNotLimited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for range 30 {
		w.signIn(t, "editor")
	}
}

// Concurrent attempts are limited like sequential ones.
func TestConcurrentGuessesAreLimited(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var mu sync.Mutex
	kinds := map[core.Kind]int{}
	var done sync.WaitGroup
	for range 60 {
		done.Go(func() {
			_, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: "wrong", Client: identity.Client{Address: "192.0.2.1"}})
			mu.Lock()
			defer mu.Unlock()
			kinds[core.KindOf(err)]++
		})
	}
	done.Wait()
	if kinds[core.KindUnauthenticated] != 10 || kinds[core.KindTooManyRequests] != 50 {
		t.Errorf("errors by kind: %v, want 10 wrong and 50 limited", kinds)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	for _, test := range []struct {
		name string
		do   func(t *testing.T, w *fixture, id string)
		open bool
	}{
		{"not by themselves", func(*testing.T, *fixture, string) {}, true},
		{"not just before their lifetime ends", func(_ *testing.T, w *fixture, _ string) { w.clock.pass(identity.SessionLifetime - time.Millisecond) }, true},
		{"after their lifetime", func(_ *testing.T, w *fixture, _ string) { w.clock.pass(identity.SessionLifetime) }, false},
		{"at sign-out", func(t *testing.T, w *fixture, id string) {
			ok(t, w.sessions.SignOut(t.Context(), core.Actor{System: true}, id))
		}, false},
		{"not at another user's sign-out", func(t *testing.T, w *fixture, _ string) {
			ok(t, w.sessions.SignOut(t.Context(), core.Actor{System: true}, w.signIn(t, "viewer")))
			ok(t, w.sessions.SignOut(t.Context(), core.Actor{System: true}, "no such session"))
		}, true},
		{"when the user signs in again", func(t *testing.T, w *fixture, id string) {
			_, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: right, Client: identity.Client{Previous: id}})
			ok(t, err)
		}, false},
		{"when another user signs in in the same browser", func(t *testing.T, w *fixture, id string) {
			_, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: "viewer@example.org", Password: right, Client: identity.Client{Previous: id}})
			ok(t, err)
		}, false},
		{"not when a sign-in fails", func(t *testing.T, w *fixture, id string) {
			_, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: "wrong", Client: identity.Client{Previous: id}})
			wantKind(t, err, core.KindUnauthenticated)
		}, true},
		{"at a change of the password", func(t *testing.T, w *fixture, _ string) {
			ok(t, w.passwords.Set(t.Context(), w.actor(t, "editor"), w.people["editor"], identity.PasswordChange{Current: right, New: "another password"}))
		}, false},
		{"when an admin sets the password", func(t *testing.T, w *fixture, _ string) {
			ok(t, w.passwords.Set(t.Context(), w.actor(t, "tenant"), w.people["editor"], identity.PasswordChange{New: "another password"}))
		}, false},
		{"at deactivation, permanently", func(t *testing.T, w *fixture, _ string) {
			must(w.users.Update(t.Context(), system, w.people["editor"], access.UserChange{Active: &no}))(t)
			must(w.users.Update(t.Context(), system, w.people["editor"], access.UserChange{Active: &yes}))(t)
		}, false},
		{"not at a change of the name", func(t *testing.T, w *fixture, _ string) {
			name := "Edda"
			must(w.users.Update(t.Context(), system, w.people["editor"], access.UserChange{Name: &name}))(t)
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			id := w.signIn(t, "editor")
			if !w.open(t.Context(), id) {
				t.Fatal("the session is not open initially")
			}
			test.do(t, w, id)
			if got := w.open(t.Context(), id); got != test.open {
				t.Errorf("open: %v, want %v", got, test.open)
			}
		})
	}
}

func TestSessionIDs(t *testing.T) {
	t.Parallel()
	w := setup(t)
	first, second := w.signIn(t, "editor"), w.signIn(t, "editor")
	if first == second {
		t.Error("two sign-ins have one id")
	}
	for _, id := range []string{"", "x", strings.Repeat("A", len(first)), first + "A", strings.ToLower(first)} {
		if w.open(t.Context(), id) {
			t.Errorf("%q opens a session", id)
		}
	}
	preset := strings.Repeat("A", len(first))
	in, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: "editor@example.org", Password: right, Client: identity.Client{Previous: preset}})
	ok(t, err)
	if in.Session == preset {
		t.Error("the client chose the id of its session")
	}
}

// A revoked role has no effect from the next request on.
func TestSessionsUseCurrentRoles(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.signIn(t, "editor")
	must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t)
	ok(t, w.members.Remove(t.Context(), w.actor(t, "project"), access.ScopeProject, access.PlaceOf(w.worldDesk), w.people["editor"]))
	if actor := must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t); len(actor.Grants) != 0 {
		t.Errorf("roles: %+v", actor.Grants)
	}
	ok(t, w.organisation.GiveRole(t.Context(), system, w.newsroom, w.legalRole.ID, w.people["editor"]))
	if actor := must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t); len(actor.CustomRoles) != 1 {
		t.Errorf("custom roles: %v", actor.CustomRoles)
	}
	ok(t, w.organisation.DeleteCustomRole(t.Context(), core.Actor{System: true}, w.newsroom.ID, w.legalRole.ID))
	if actor := must(w.authenticator.Session(t.Context(), id, account.Exempt{}))(t); len(actor.CustomRoles) != 0 {
		t.Errorf("custom roles after their removal: %v", actor.CustomRoles)
	}
}

func TestListAndEndSessions(t *testing.T) {
	t.Parallel()
	w := setup(t)
	editor, viewer := w.actor(t, "editor"), w.actor(t, "viewer")
	signIn := func(person, agent string) string {
		in, err := w.sessions.SignIn(t.Context(), identity.SignIn{Email: person + "@example.org", Password: right, Client: identity.Client{Address: "192.0.2.1", UserAgent: agent}})
		ok(t, err)
		return in.Session
	}
	signIn("viewer", "")
	expired := signIn("editor", "")
	w.clock.pass(identity.SessionLifetime - time.Minute)
	first, second, third := signIn("editor", "Lynx\xff"), signIn("editor", strings.Repeat("x", 1000)), signIn("editor", "")
	w.clock.pass(time.Minute)
	sessions := must(w.sessions.List(t.Context(), editor))(t)
	if len(sessions) != 3 || sessions[0].Hash != secret.Hash(third) || sessions[2].UserAgent != "Lynx" || sessions[2].Address != "192.0.2.1" {
		t.Errorf("sessions: %+v", sessions)
	}
	if agent := sessions[1].UserAgent; len(agent) > 210 {
		t.Errorf("a User-Agent of %d bytes", len(agent))
	}
	wantKind(t, w.sessions.End(t.Context(), viewer, sessions[2].ID), core.KindNotFound)
	wantKind(t, w.sessions.End(t.Context(), editor, sessions[2].ID+100), core.KindNotFound)
	open := func() (are []bool) {
		for _, id := range []string{first, second, third} {
			are = append(are, w.open(t.Context(), id))
		}
		return are
	}
	if got := open(); !slices.Equal(got, []bool{true, true, true}) {
		t.Errorf("open before: %v", got)
	}
	ok(t, w.sessions.End(t.Context(), editor, sessions[2].ID))
	wantKind(t, w.sessions.End(t.Context(), editor, sessions[2].ID), core.KindNotFound)
	if got := open(); !slices.Equal(got, []bool{false, true, true}) {
		t.Errorf("open after one has ended: %v", got)
	}
	for range 2 {
		ok(t, w.sessions.EndOthers(t.Context(), editor, third))
		if got := open(); !slices.Equal(got, []bool{false, false, true}) {
			t.Errorf("open after the others have ended: %v", got)
		}
	}
	if len(must(w.sessions.List(t.Context(), viewer))(t)) != 0 || w.open(t.Context(), expired) {
		t.Error("an expired session is open")
	}
}
