package identity_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"imprimatur/adapters/password"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
)

// desk has invitations, resets and addresses of a fixture, and reads the letters that they send.
type desk struct {
	*fixture
	invitations *identity.Invitations
	resets      *identity.Resets
	addresses   *identity.Addresses
}

func newDesk(t *testing.T, mails bool) *desk {
	t.Helper()
	w := setup(t)
	hasher := password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1})
	post := letter.Post{Key: w.secret, On: mails}
	return &desk{
		w, identity.NewInvitations(w.stores, w.tx, hasher, access.Standing{}, w.clock, post),
		identity.NewResets(w.stores, w.tx, hasher, w.clock, post), identity.NewAddresses(w.stores, w.tx, w.clock, post),
	}
}

// letters returns the letters that wait, and takes them.
func (d *desk) letters(t *testing.T) (letters []letter.Letter) {
	t.Helper()
	for _, m := range must(d.stores.Mails.Claim(t.Context(), 100, time.Hour))(t) {
		if m.Letter != nil {
			letters = append(letters, must(letter.Open(d.secret, m.Letter))(t))
		}
	}
	return letters
}

func secretIn(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func wantErrorCode(t *testing.T, err error, code string) {
	t.Helper()
	if err == nil || asError(t, err).Code != code {
		t.Errorf("error %v, want the code %s", err, code)
	}
}

func (d *desk) editorOf() []core.Grant {
	return []core.Grant{{Role: core.RoleEditor, ProjectID: d.worldDesk.ID}}
}

// invite invites ida as an editor and returns the secret of the link.
func (d *desk) invite(t *testing.T, by string) (identity.Invited, string) {
	t.Helper()
	made := must(d.invitations.Create(t.Context(), d.actor(t, by), identity.InvitationInput{Email: "Ida@Example.org", Grants: d.editorOf(), Language: "de"}))(t)
	return made, secretIn(made.Path)
}

func TestInvite(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	made, text := d.invite(t, "project")
	if made.Email != "ida@example.org" || made.State != account.InvitationOpen || made.TenantID != d.meridian.ID || len(text) != 26 {
		t.Errorf("made %+v", made)
	}
	offer := must(d.invitations.Look(t.Context(), text))(t)
	if offer.HasAccount || offer.Inviter.Name != "project" || offer.Roles[0].Place != "World Desk" {
		t.Errorf("offer %+v", offer)
	}
	_, err := d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: text, Name: " ", Password: "short"})
	wantFaults(t, err, "name", "password")
	_, err = d.invitations.Accept(t.Context(), d.actor(t, "viewer"), identity.Acceptance{Secret: text})
	wantErrorCode(t, err, "other_account")
	user := must(d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: text, Name: "Ida", Password: "a long enough one"}))(t)
	grants, _, err := d.stores.Grants.UserGrants(t.Context(), user.ID)
	ok(t, err)
	if len(grants) != 1 || grants[0].Role != core.RoleEditor || user.TenantID != d.meridian.ID || user.Settings.Language != "de" || user.MustChangePassword {
		t.Errorf("accepted as %+v with %+v", user, grants)
	}
	_, err = d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: text, Name: "Ida", Password: "a long enough one"})
	wantErrorCode(t, err, "invitation_accepted")
	wantErrorCode(t, d.invitations.Revoke(t.Context(), d.actor(t, "project"), made.ID), "invitation_not_open")
}

func TestWhoInvites(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	project := func(role core.Role) identity.InvitationInput {
		return identity.InvitationInput{Email: "a@example.org", Grants: []core.Grant{{Role: role, ProjectID: d.worldDesk.ID}}}
	}
	tenant := identity.InvitationInput{Email: "a@example.org", Grants: []core.Grant{{Role: core.RoleTenantAdmin, TenantID: d.meridian.ID}}}
	custom := identity.InvitationInput{Email: "a@example.org", CustomRoles: []int64{d.legalRole.ID}}
	both := project(core.RoleViewer)
	both.Grants = append(both.Grants, tenant.Grants...)
	for n, test := range []struct {
		by   string
		in   identity.InvitationInput
		want core.Kind
	}{
		{"super", tenant, core.KindInternal},
		{"tenant", tenant, core.KindInternal},
		{"tenant", both, core.KindInternal},
		{"tenant", custom, core.KindInternal},
		{"project", project(core.RoleAdmin), core.KindInternal},
		{"project", tenant, core.KindForbidden},
		{"project", both, core.KindForbidden},
		{"project", custom, core.KindForbidden},
		{"editor", project(core.RoleViewer), core.KindForbidden},
		{"viewer", project(core.RoleViewer), core.KindForbidden},
		{"legal", project(core.RoleViewer), core.KindNotFound},
		{"super", project(core.RoleTenantAdmin), core.KindInvalid},
		{"super", project(core.RoleSuperAdmin), core.KindInvalid},
		{"super", identity.InvitationInput{Email: "a@example.org", Grants: []core.Grant{{Role: core.RoleViewer, ProjectID: 99}}}, core.KindNotFound},
		{"super", identity.InvitationInput{Email: "a@example.org", Grants: []core.Grant{{Role: core.RoleViewer}}}, core.KindInvalid},
		{"super", identity.InvitationInput{Email: "a@example.org"}, core.KindInvalid},
		{"super", identity.InvitationInput{Email: "a\n@example.org", Grants: d.editorOf()}, core.KindInvalid},
		{"super", identity.InvitationInput{Email: "a@example.org", Name: "a\r\nBcc: b", Grants: d.editorOf()}, core.KindInvalid},
	} {
		if test.in.Email == "a@example.org" { // one address has one open invitation
			test.in.Email = fmt.Sprintf("a%d@example.org", n)
		}
		_, err := d.invitations.Create(t.Context(), d.actor(t, test.by), test.in)
		wantKind(t, err, test.want)
	}
	for who, want := range map[string]int{"super": 5, "tenant": 5, "project": 1, "editor": 0} {
		page, more, err := d.invitations.List(t.Context(), d.actor(t, who), account.InvitationOpen, 0, 100)
		ok(t, err)
		if len(page) != want || more {
			t.Errorf("%s sees %d, want %d", who, len(page), want)
		}
	}
}

// What was allowed at the invitation is checked again at its acceptance.
// listed returns the invitations in a state that the admin of the tenant sees.
func (d *desk) listed(t *testing.T, state account.InvitationState) []identity.Invited {
	t.Helper()
	page, _, err := d.invitations.List(t.Context(), d.actor(t, "tenant"), state, 0, 100)
	ok(t, err)
	return page
}

// Of the invitations to an address that a person may withdraw, the newest stands.
func TestTheNewestInvitationStands(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(t *testing.T, d *desk, first identity.Invited) identity.Invited{
		"invited by the same": func(t *testing.T, d *desk, _ identity.Invited) identity.Invited {
			made, _ := d.invite(t, "project")
			return made
		},
		"invited by another": func(t *testing.T, d *desk, _ identity.Invited) identity.Invited {
			made, _ := d.invite(t, "super")
			return made
		},
		"an older one sent again": func(t *testing.T, d *desk, first identity.Invited) identity.Invited {
			d.clock.pass(identity.InvitationLifetime)
			made, _ := d.invite(t, "tenant")
			if got := d.listed(t, account.InvitationOpen); len(got) != 1 || got[0].ID != made.ID {
				t.Errorf("open: %+v", got)
			}
			return must(d.invitations.Resend(t.Context(), d.actor(t, "tenant"), first.ID))(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, false)
			first, text := d.invite(t, "project")
			newest := again(t, d, first)
			if open := d.listed(t, account.InvitationOpen); len(open) != 1 || open[0].ID != newest.ID {
				t.Errorf("open: %+v", open)
			}
			if newest.ID != first.ID {
				_, err := d.invitations.Look(t.Context(), text)
				wantErrorCode(t, err, "invitation_revoked")
			}
			must(d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: secretIn(newest.Path), Name: "Ida", Password: "a long enough one"}))(t)
		})
	}
}

// Nobody can end an invitation to places of others by inviting the same person.
func TestInvitationsToOtherPlacesStay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	first := must(d.invitations.Create(t.Context(), d.actor(t, "tenant"), identity.InvitationInput{
		Email: "ida@example.org", Grants: []core.Grant{{Role: core.RoleTenantAdmin, TenantID: d.meridian.ID}},
	}))(t)
	_, text := d.invite(t, "project")
	for _, text := range []string{text, secretIn(first.Path)} {
		must(d.invitations.Look(t.Context(), text))(t)
	}
}

// A person who was invited and asks for a new password gets the newest invitation again.
func TestAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	_, err := d.invitations.Again(t.Context(), "ida@example.org")
	wantKind(t, err, core.KindNotFound)
	d.invite(t, "project")
	first := d.letters(t)[0]
	got := must(d.invitations.Again(t.Context(), "ida@example.org"))(t)
	if got.Kind != letter.Reminder || got.Address != first.Address || got.Language != "de" || got.Path == first.Path || !slices.Equal(got.Roles, first.Roles) {
		t.Errorf("got %+v after %+v", got, first)
	}
	must(d.invitations.Look(t.Context(), secretIn(got.Path)))(t)
	_, err = d.invitations.Look(t.Context(), secretIn(first.Path))
	wantErrorCode(t, err, "link_invalid")
	no := false
	must(d.users.Update(t.Context(), system, d.people["project"], access.UserChange{Active: &no}))(t)
	_, err = d.invitations.Again(t.Context(), "ida@example.org")
	wantKind(t, err, core.KindNotFound)
}

func TestInvitationsThatGiveNothing(t *testing.T) {
	t.Parallel()
	no := false
	for code, spoil := range map[string]func(t *testing.T, d *desk, id int64){
		"invitation_void": func(t *testing.T, d *desk, _ int64) {
			must(d.users.Update(t.Context(), system, d.people["project"], access.UserChange{Active: &no}))(t)
		},
		"invitation_place_gone": func(t *testing.T, d *desk, _ int64) { ok(t, d.stores.Projects.Delete(t.Context(), d.worldDesk.ID)) },
		"invitation_revoked": func(t *testing.T, d *desk, id int64) {
			ok(t, d.invitations.Revoke(t.Context(), d.actor(t, "tenant"), id))
		},
		"invitation_expired": func(_ *testing.T, d *desk, _ int64) { d.clock.pass(identity.InvitationLifetime) },
		"link_invalid": func(t *testing.T, d *desk, id int64) {
			must(d.invitations.Resend(t.Context(), d.actor(t, "project"), id))(t)
		},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, false)
			made, text := d.invite(t, "project")
			spoil(t, d, made.ID)
			for _, i := range d.listed(t, account.InvitationOpen) {
				if i.ID == made.ID && code != "link_invalid" {
					t.Error("is listed as open")
				}
			}
			_, err := d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: text, Name: "Ida", Password: "a long enough one"})
			wantKind(t, err, core.KindGone)
			wantErrorCode(t, err, code)
		})
	}
	t.Run("active again", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, false)
		made, text := d.invite(t, "project")
		for _, want := range []account.InvitationState{account.InvitationRevoked, account.InvitationOpen} {
			active := want == account.InvitationOpen
			must(d.users.Update(t.Context(), system, d.people["project"], access.UserChange{Active: &active}))(t)
			if all := d.listed(t, ""); len(all) != 1 || all[0].ID != made.ID || all[0].State != want {
				t.Errorf("listed as %+v, want %s", all, want)
			}
		}
		must(d.invitations.Look(t.Context(), text))(t)
	})
	t.Run("demoted", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, false)
		_, text := d.invite(t, "project")
		must(d.members.Set(t.Context(), system, access.ScopeProject, access.PlaceOf(d.worldDesk), d.people["project"], core.RoleEditor))(t)
		_, err := d.invitations.Look(t.Context(), text)
		wantErrorCode(t, err, "invitation_void")
	})
}

// Failed sign-ins with an address, before it had an account, do not keep its owner out.
func TestAcceptingForgetsFailedSignIns(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	_, text := d.invite(t, "project")
	attempt := identity.SignIn{Client: identity.Client{Address: "192.0.2.1"}, Email: "ida@example.org", Password: "wrong"}
	for range 10 {
		wantKind(t, d.try(t, attempt), core.KindUnauthenticated)
	}
	attempt.Password = "a long enough one"
	wantKind(t, d.try(t, attempt), core.KindTooManyRequests)
	must(d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: text, Name: "Ida", Password: attempt.Password}))(t)
	ok(t, d.try(t, attempt))
}

// A person who may give the roles sends the invitation of one who no longer may, in their own name.
func TestInvitationOfAFormerAdminIsSentByAnother(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	made, _ := d.invite(t, "project")
	must(d.members.Set(t.Context(), system, access.ScopeProject, access.PlaceOf(d.worldDesk), d.people["project"], core.RoleEditor))(t)
	_, err := d.invitations.Resend(t.Context(), d.actor(t, "project"), made.ID)
	wantErrorCode(t, err, "invitation_void")
	sent := must(d.invitations.Resend(t.Context(), d.actor(t, "tenant"), made.ID))(t)
	if sent.Inviter.ID != d.people["tenant"] || sent.State != account.InvitationOpen {
		t.Errorf("sent %+v", sent)
	}
	must(d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: secretIn(sent.Path), Name: "Ida", Password: "a long enough one"}))(t)
}

// A person with an account signs in, keeps a higher role, and gets the others.
func TestInviteAnAccount(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	must(d.invitations.Create(t.Context(), d.actor(t, "tenant"), identity.InvitationInput{
		Email: "project@example.org", Grants: d.editorOf(), CustomRoles: []int64{d.legalRole.ID},
	}))(t)
	text := secretIn(d.letters(t)[0].Path)
	_, err := d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: text, Name: "X", Password: "a long enough one"})
	wantErrorCode(t, err, "account_exists")
	must(d.invitations.Accept(t.Context(), d.actor(t, "project"), identity.Acceptance{Secret: text}))(t)
	got := d.actor(t, "project")
	if got.Grants[0].Role != core.RoleAdmin || len(got.CustomRoles) != 1 {
		t.Errorf("has %+v", got)
	}
}

func TestAcceptOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	_, text := d.invite(t, "project")
	var wins sync.Map
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			_, err := d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: text, Name: "Ida", Password: "a long enough one"})
			if err == nil {
				wins.Store(i, true)
			}
		})
	}
	group.Wait()
	n := 0
	wins.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d acceptances, want 1", n)
	}
}

func TestMailsOfInvitationsAreLimited(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	made, _ := d.invite(t, "project")
	if made.Path != "" {
		t.Error("the response has the link although a mail has it")
	}
	for range 2 {
		must(d.invitations.Resend(t.Context(), d.actor(t, "project"), made.ID))(t)
	}
	_, err := d.invitations.Resend(t.Context(), d.actor(t, "project"), made.ID)
	wantErrorCode(t, err, "too_many_mails")
	letters := d.letters(t)
	if len(letters) != 3 || letters[0].Kind != letter.Invitation || letters[2].Kind != letter.Reminder {
		t.Errorf("letters %+v", letters)
	}
	d.clock.pass(time.Hour)
	must(d.invitations.Resend(t.Context(), d.actor(t, "project"), made.ID))(t)
}

func TestReset(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	session := d.signIn(t, "editor")
	ok(t, d.resets.Request(t.Context(), "Editor@Example.ORG", "192.0.2.1"))
	ok(t, d.resets.Request(t.Context(), "editor@example.org", "192.0.2.1"))
	letters := d.letters(t)
	first, second := secretIn(letters[0].Path), secretIn(letters[1].Path)
	if got := must(d.resets.Look(t.Context(), first))(t); got.Email != "editor@example.org" {
		t.Errorf("looks at %+v", got)
	}
	_, err := d.resets.Finish(t.Context(), first, "short")
	wantFaults(t, err, "password")
	must(d.resets.Finish(t.Context(), first, "a brand new password"))(t)
	for _, used := range []string{first, second} {
		_, err = d.resets.Finish(t.Context(), used, "a brand new password")
		wantErrorCode(t, err, "link_invalid")
	}
	if d.open(t.Context(), session) {
		t.Error("the session is still open")
	}
}

// A request does the same for every address: one link and one mail, which the worker drops.
func TestResetOfAnyAddress(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	for _, email := range []string{"nobody+tag@example.org", "NOBODY@Example.net", "info@münchen.example"} {
		for range 4 {
			ok(t, d.resets.Request(t.Context(), email, "192.0.2.1"))
		}
		letters := d.letters(t)
		if len(letters) != 3 {
			t.Errorf("%s: %d letters, want 3", email, len(letters))
			continue
		}
		_, err := d.resets.Look(t.Context(), secretIn(letters[0].Path))
		wantErrorCode(t, err, "link_invalid")
	}
	for _, email := range []string{"", "a\n@example.org", "a@example.org\nBcc: b@example.org", strings.Repeat("a", 10_000) + "@example.org", "a"} {
		ok(t, d.resets.Request(t.Context(), email, "192.0.2.1"))
	}
	if letters := d.letters(t); len(letters) != 0 {
		t.Errorf("letters %+v", letters)
	}
}

// From one client at most thirty mails an hour are sent. The answers do not say so, and the log does once.
func TestResetsFromOneClient(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	var limited []string
	d.resets.Limited = func(_ context.Context, from string) { limited = append(limited, from) }
	ask := func(from string, times int) int {
		for n := range times {
			ok(t, d.resets.Request(t.Context(), fmt.Sprintf("%s%d@example.org", strings.ReplaceAll(from, ":", "-"), n), from))
		}
		return len(d.letters(t))
	}
	if sent := ask("192.0.2.1", 40); sent != 30 {
		t.Errorf("sent %d", sent)
	}
	if sent := ask("192.0.2.2", 20); sent != 20 {
		t.Errorf("sent %d to another client", sent)
	}
	if !slices.Equal(limited, []string{"192.0.2.1"}) {
		t.Errorf("limited %q", limited)
	}
	d.clock.pass(time.Hour)
	d.letters(t) // the earlier ones again
	if sent := ask("192.0.2.1", 40); sent != 30 || len(limited) != 2 {
		t.Errorf("sent %d an hour later, limited %q", sent, limited)
	}
}

func TestResetEnds(t *testing.T) {
	t.Parallel()
	no := false
	for name, spoil := range map[string]func(t *testing.T, d *desk){
		"after thirty minutes": func(_ *testing.T, d *desk) { d.clock.pass(identity.ResetLifetime) },
		"of an inactive account": func(t *testing.T, d *desk) {
			must(d.users.Update(t.Context(), system, d.people["editor"], access.UserChange{Active: &no}))(t)
		},
		"with another address": func(t *testing.T, d *desk) {
			must(d.users.Update(t.Context(), system, d.people["editor"], access.UserChange{Email: ptr("new@example.org")}))(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, true)
			ok(t, d.resets.Request(t.Context(), "editor@example.org", "192.0.2.1"))
			text := secretIn(d.letters(t)[0].Path)
			spoil(t, d)
			_, err := d.resets.Finish(t.Context(), text, "a brand new password")
			wantErrorCode(t, err, "link_invalid")
		})
	}
}

// A new password ends the links of its account: of mails that others may have read, and of a session that
// they may have held.
func TestNewPasswordEndsLinks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	editor := d.signedIn(t, "editor")
	ok(t, d.resets.Request(t.Context(), "editor@example.org", "192.0.2.1"))
	ok(t, d.addresses.Request(t.Context(), editor, "other@example.org"))
	letters := d.letters(t)
	ok(t, d.passwords.Set(t.Context(), system, d.people["editor"], identity.PasswordChange{New: "a fresh password"}))
	_, err := d.resets.Finish(t.Context(), secretIn(letters[0].Path), "a brand new password")
	wantErrorCode(t, err, "link_invalid")
	_, err = d.addresses.Confirm(t.Context(), secretIn(letters[1].Path))
	wantErrorCode(t, err, "link_invalid")
}

func TestResetWithoutMail(t *testing.T) {
	t.Parallel()
	d, unsent := newDesk(t, false), 0
	d.resets.Unsent = func(context.Context) { unsent++ }
	ok(t, d.resets.Request(t.Context(), "editor@example.org", "192.0.2.1"))
	if unsent != 1 || len(d.letters(t)) != 0 {
		t.Errorf("unsent %d", unsent)
	}
	wantErrorCode(t, d.addresses.Request(t.Context(), d.actor(t, "editor"), "new@example.org"), "no_mail")
}

func TestAddress(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	editor := d.signedIn(t, "editor")
	wantFaults(t, d.addresses.Request(t.Context(), editor, "Editor@example.org"), "email")
	wantFaults(t, d.addresses.Request(t.Context(), editor, "new@example.org\n"), "email")
	ok(t, d.addresses.Request(t.Context(), editor, "old@example.org"))
	ok(t, d.addresses.Request(t.Context(), editor, "New@example.org"))
	letters := d.letters(t)
	_, err := d.addresses.Confirm(t.Context(), secretIn(letters[0].Path))
	wantErrorCode(t, err, "link_invalid") // replaced
	if got := d.actor(t, "editor").User.Email; got != "editor@example.org" {
		t.Errorf("changed to %s before the confirmation", got)
	}
	must(d.addresses.Confirm(t.Context(), secretIn(letters[1].Path)))(t)
	if got := d.actor(t, "editor").User.Email; got != "new@example.org" {
		t.Errorf("changed to %s", got)
	}
	told := d.letters(t)
	if len(told) != 1 || told[0].Kind != letter.AddressChanged || told[0].Address != "editor@example.org" || told[0].Email != "new@example.org" {
		t.Errorf("told %+v", told)
	}
	viewer := d.signedIn(t, "viewer")
	ok(t, d.addresses.Request(t.Context(), viewer, "new@example.org"))
	_, err = d.addresses.Confirm(t.Context(), secretIn(d.letters(t)[0].Path))
	wantErrorCode(t, err, "email_taken")
}

// A stolen session does not change the address, by which the password could then be reset.
func TestAddressNeedsAProof(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	session, other := d.signIn(t, "editor"), d.signIn(t, "editor")
	ask := func(session string) error {
		return d.addresses.Request(t.Context(), d.present(t, session), "new@example.org")
	}
	ok(t, ask(session)) // just signed in
	d.letters(t)
	d.clock.pass(core.ProofLifetime)
	wantErrorCode(t, ask(session), "verify_first")
	wantFaults(t, d.addresses.Request(t.Context(), d.present(t, session), "no address"), "email")
	must(d.verify(t, session, identity.Evidence{Password: right}))(t)
	wantErrorCode(t, ask(other), "verify_first")
	if letters := d.letters(t); len(letters) != 0 {
		t.Errorf("sent %d letters without a proof", len(letters))
	}
	ok(t, ask(session))
	if letters := d.letters(t); len(letters) != 1 {
		t.Errorf("sent %d letters after a proof", len(letters))
	}
}

// FuzzLink checks that no text but the secret of a link is taken for one.
func FuzzLink(f *testing.F) {
	f.Add("BZQ3K5T7N2MXW4RVJ6PCYD1HGE")
	f.Add("../../etc/passwd")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		_, valid := identity.LinkHash(text)
		if valid && (len(text) != 26 || strings.ToUpper(text) != text || strings.ContainsAny(text, "0189/\\\r\n ")) {
			t.Errorf("%q is taken for a secret", text)
		}
	})
}
