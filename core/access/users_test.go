package access_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/identity"
)

func TestCreateUser(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, test := range []struct {
		name string
		in   access.UserInput
		want []string
	}{
		{"least", access.UserInput{Email: "a@b.example", Name: "A", Password: "0246813579"}, nil},
		{"letters beyond ASCII", access.UserInput{Email: "jürgen@b.example", Name: "Jürgen", Password: "мой пароль"}, nil},
		{"everything wrong", access.UserInput{}, []string{"email", "name", "password"}},
		{"e-mail without a domain", access.UserInput{Email: "a", Name: "A", Password: "0246813579"}, []string{"email"}},
		{"e-mail with a name", access.UserInput{Email: "A <a@b.example>", Name: "A", Password: "0246813579"}, []string{"email"}},
		{"two e-mails", access.UserInput{Email: "a@b.example, c@d.example", Name: "A", Password: "0246813579"}, []string{"email"}},
		{"e-mail with a line break", access.UserInput{Email: "a@b.example\r\nX: y", Name: "A", Password: "0246813579"}, []string{"email"}},
		{"e-mail that is too long", access.UserInput{Email: strings.Repeat("a", 250) + "@b.example", Name: "A", Password: "0246813579"}, []string{"email"}},
		{"password of nine", access.UserInput{Email: "d@b.example", Name: "A", Password: "024681357"}, []string{"password"}},
		{"password of nine in more bytes", access.UserInput{Email: "d@b.example", Name: "A", Password: "ééééééééé"}, []string{"password"}},
		{"common password", access.UserInput{Email: "d@b.example", Name: "A", Password: "1q2w3e4r5t"}, []string{"password"}},
		{"common password in another case", access.UserInput{Email: "d@b.example", Name: "A", Password: "BasketBall"}, []string{"password"}},
		{"longest password", access.UserInput{Email: "e@b.example", Name: "A", Password: strings.Repeat("xy", 512)}, nil},
		{"endless password", access.UserInput{Email: "d@b.example", Name: "A", Password: strings.Repeat("x", 1025)}, []string{"password"}},
		{"password that is no text", access.UserInput{Email: "d@b.example", Name: "A", Password: "0246813579\xff"}, []string{"password"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := w.users.Create(t.Context(), w.actor(t, "tenant"), w.meridian.ID, test.in)
			wantFaults(t, err, test.want...)
			if err == nil {
				return
			}
			for _, fault := range asError(t, err).Fields {
				if fault.Value != nil {
					t.Errorf("the fault at %s shows %v", fault.Location, fault.Value)
				}
			}
		})
	}
}

func TestOneMailboxHasOneAccount(t *testing.T) {
	t.Parallel()
	w := setup(t)
	create := func(email string) (core.User, error) {
		return w.users.Create(t.Context(), w.actor(t, "tenant"), w.meridian.ID, access.UserInput{Email: email, Name: "A", Password: "0246813579"})
	}
	user, err := create("Ann@xn--bcher-kva.example")
	if err != nil || user.Email != "ann@bücher.example" {
		t.Fatalf("%s: %v", user.Email, err)
	}
	if _, err := create("ann@bücher.example"); asError(t, err).Code != "email_taken" {
		t.Errorf("a second account: %v", err)
	}
}

func TestEmailsAreLowerCaseAndUnique(t *testing.T) {
	t.Parallel()
	w := setup(t)
	user := must(w.users.Create(t.Context(), system, w.meridian.ID, access.UserInput{Email: "Ada@Example.Org", Name: "Ada", Password: right}))(t)
	if user.Email != "ada@example.org" || !user.Active || user.SuperAdmin || user.TenantID != w.meridian.ID {
		t.Errorf("created %+v", user)
	}
	if strings.Contains(user.PasswordHash, right) {
		t.Error("the password is stored in clear text")
	}
	_, err := w.users.Create(t.Context(), system, 0, access.UserInput{Email: "ADA@example.org", Name: "Ada", Password: right})
	wantKind(t, err, core.KindConflict)
	_, err = w.users.Update(t.Context(), system, w.people["editor"], access.UserChange{Email: ptr("aDa@example.org")})
	wantKind(t, err, core.KindConflict)
	if w.signIn(t, "ADA") == "" {
		t.Error("no session")
	}
}

func TestOnlySuperAdminsCreateSuperAdmins(t *testing.T) {
	t.Parallel()
	w := setup(t)
	in := access.UserInput{Email: "root@example.org", Name: "Root", Password: right, SuperAdmin: true}
	_, err := w.users.Create(t.Context(), w.actor(t, "tenant"), w.meridian.ID, in)
	wantKind(t, err, core.KindForbidden)
	user := must(w.users.Create(t.Context(), w.actor(t, "super"), 0, in))(t)
	if !user.SuperAdmin {
		t.Errorf("created %+v", user)
	}
}

func TestListUsers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, test := range []struct {
		name          string
		tenant        int64
		search        string
		offset, limit int64
		want          []string
		more          bool
	}{
		{"a tenant's", w.elsewhere.ID, "", 0, 25, []string{"neighbour"}, false},
		{"all users", 0, "", 0, 3, []string{"super", "tenant", "department"}, true},
		{"the last page", 0, "", 9, 2, []string{"outsider", "neighbour"}, false},
		{"beyond the end", 0, "", 11, 2, []string{}, false},
		{"by a part of the name", 0, "EIGH", 0, 25, []string{"neighbour"}, false},
		{"by name, a tenant's", w.meridian.ID, "neighbour", 0, 25, []string{}, false},
		{"by e-mail, the first page", 0, "@", 0, 3, []string{"super", "tenant", "department"}, true},
		{"by e-mail, the last page", 0, "@", 9, 2, []string{"outsider", "neighbour"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			page, more, err := w.users.List(t.Context(), system, test.tenant, test.search, test.offset, test.limit)
			ok(t, err)
			if got := names(page, func(a access.Account) string { return a.Name }); !slices.Equal(got, test.want) || more != test.more {
				t.Errorf("%q, more %v; want %q, %v", got, more, test.want, test.more)
			}
		})
	}
}

// The operations that each caller may perform on a user: view it, change its name, e-mail or
// active flag, set its password.
func TestPolicyOfAccounts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		caller, user              string
		see, name, email, actives string
		password                  string
	}{
		{"editor", "editor", "yes", "yes", "403", "403", "yes"},
		{"tenant", "tenant", "yes", "yes", "yes", "yes", "yes"},
		{"tenant", "editor", "yes", "yes", "yes", "yes", "yes"},
		{"tenant", "legal", "yes", "yes", "yes", "yes", "yes"},
		{"super", "tenant", "yes", "yes", "yes", "yes", "yes"},
		{"super", "outsider", "yes", "yes", "yes", "yes", "yes"},

		{"viewer", "editor", "-", "-", "-", "-", "-"},
		{"project", "editor", "-", "-", "-", "-", "-"},
		{"department", "editor", "-", "-", "-", "-", "-"},
		{"tenant", "neighbour", "-", "-", "-", "-", "-"},
		{"tenant", "outsider", "-", "-", "-", "-", "-"},
		{"tenant", "super", "-", "-", "-", "-", "-"},
		{"outsider", "super", "-", "-", "-", "-", "-"},

		// A user of the tenant with permissions that the tenant's admin does not have.
		{"tenant", "traveller", "yes", "403", "403", "403", "403"},
		{"tenant", "approver abroad", "yes", "403", "403", "403", "403"},
		{"tenant", "platform's own", "yes", "403", "403", "403", "403"},
	} {
		t.Run(test.caller+" to "+test.user, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			w.addUnusualAccounts(t)
			id := w.people[test.user]
			actor := func() core.Actor { return w.actor(t, test.caller) }

			_, err := w.users.User(t.Context(), actor(), id)
			wantKind(t, err, outcomes[test.see])
			_, err = w.users.Update(t.Context(), actor(), id, access.UserChange{Name: ptr("New")})
			wantKind(t, err, outcomes[test.name])
			_, err = w.users.Update(t.Context(), actor(), id, access.UserChange{Email: ptr("new@example.org")})
			wantKind(t, err, outcomes[test.email])
			err = w.passwords.Set(t.Context(), actor(), id, identity.PasswordChange{Current: right, New: "another password"})
			wantKind(t, err, outcomes[test.password])
			_, err = w.users.Update(t.Context(), actor(), id, access.UserChange{Active: ptr(false)})
			wantKind(t, err, outcomes[test.actives])
		})
	}
}

// addUnusualAccounts creates users of Meridian with permissions outside of it.
func (w *fixture) addUnusualAccounts(t *testing.T) {
	t.Helper()
	add := func(name string, super bool) int64 {
		user := must(w.users.Create(t.Context(), system, w.meridian.ID, access.UserInput{
			Email: strings.ReplaceAll(name, " ", ".") + "@unusual.example", Name: name, Password: right, SuperAdmin: super,
		}))(t)
		w.people[name] = user.ID
		return user.ID
	}
	add("platform's own", true)
	must(w.members.Set(t.Context(), system, access.ScopeProject, inProject(w.film), add("traveller", false), core.RoleViewer))(t)
	abroad := must(w.organisation.CreateCustomRole(t.Context(), core.Actor{System: true}, w.studio, "Cut"))(t)
	ok(t, w.organisation.GiveRole(t.Context(), system, w.studio, abroad.ID, add("approver abroad", false)))
}

func TestOnlySuperAdminsChangeSuperAdmin(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, caller := range []string{"tenant", "editor"} {
		_, err := w.users.Update(t.Context(), w.actor(t, caller), w.people[caller], access.UserChange{SuperAdmin: ptr(true)})
		wantKind(t, err, core.KindForbidden)
	}
	raised := must(w.users.Update(t.Context(), w.actor(t, "super"), w.people["editor"], access.UserChange{SuperAdmin: ptr(true)}))(t)
	if !raised.SuperAdmin {
		t.Errorf("changed: %+v", raised)
	}
}

func TestLastSuperAdminIsKept(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.people["super"]
	demote := func(id int64) error {
		_, err := w.users.Update(t.Context(), system, id, access.UserChange{SuperAdmin: ptr(false)})
		return err
	}
	deactivate := func(id int64) error {
		_, err := w.users.Update(t.Context(), system, id, access.UserChange{Active: ptr(false)})
		return err
	}
	wantKind(t, demote(id), core.KindConflict)
	wantKind(t, deactivate(id), core.KindConflict)
	if e := (&core.Error{}); !errors.As(demote(id), &e) || e.Code != "last_way_in" {
		t.Errorf("code %q", e.Code)
	}

	second := must(w.users.Create(t.Context(), system, 0, access.UserInput{Email: "second@example.org", Name: "2", Password: right, SuperAdmin: true}))(t)
	ok(t, deactivate(second.ID))
	wantKind(t, demote(id), core.KindConflict) // the other super admin is inactive
	ok(t, demote(second.ID))                   // an inactive one may be demoted
	must(w.users.Update(t.Context(), system, second.ID, access.UserChange{SuperAdmin: ptr(true), Active: ptr(true)}))(t)
	ok(t, demote(id))
}

func TestUserChangeFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, err := w.users.Update(t.Context(), system, w.people["editor"], access.UserChange{Email: ptr("x"), Name: ptr("")})
	wantFaults(t, err, "email", "name")
	if user := must(w.users.User(t.Context(), system, w.people["editor"]))(t); user.Email != "editor@example.org" || user.Name != "editor" {
		t.Errorf("stored: %+v", user)
	}
	_, err = w.users.Update(t.Context(), system, 1<<40, access.UserChange{})
	wantKind(t, err, core.KindNotFound)
}

func TestSettings(t *testing.T) {
	t.Parallel()
	w := setup(t)
	text := core.Some[string]
	null := core.Optional[string]{Given: true}
	for _, test := range []struct {
		change access.SettingsChange
		want   core.Settings
		faults []string
	}{
		{access.SettingsChange{}, core.Settings{}, nil},
		{access.SettingsChange{Language: text("de"), TimeZone: text("Europe/Berlin"), Theme: ptr("dark")}, core.Settings{Language: "de", TimeZone: "Europe/Berlin", Theme: "dark"}, nil},
		{access.SettingsChange{TimeZone: text("UTC")}, core.Settings{Language: "de", TimeZone: "UTC", Theme: "dark"}, nil},
		{access.SettingsChange{Language: null, Theme: ptr("light")}, core.Settings{TimeZone: "UTC", Theme: "light"}, nil},
		{access.SettingsChange{TimeZone: null, Theme: ptr("system")}, core.Settings{}, nil},
		{access.SettingsChange{Language: text("fr"), TimeZone: text("Europe/Atlantis"), Theme: ptr("")}, core.Settings{}, []string{"language", "timeZone", "theme"}},
		{access.SettingsChange{Language: text(""), TimeZone: text("")}, core.Settings{}, []string{"language", "timeZone"}},
		{access.SettingsChange{TimeZone: text("Local")}, core.Settings{}, []string{"timeZone"}},
		{access.SettingsChange{TimeZone: text("../UTC")}, core.Settings{}, []string{"timeZone"}},
	} {
		got, err := w.users.UpdateSettings(t.Context(), w.actor(t, "viewer"), test.change)
		wantFaults(t, err, test.faults...)
		if stored := must(w.stores.Users.User(t.Context(), w.people["viewer"]))(t).Settings; stored != test.want || err == nil && got != test.want {
			t.Errorf("%+v gives %+v, stored %+v, want %+v", test.change, got, stored, test.want)
		}
	}
}
