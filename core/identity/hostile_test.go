package identity_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/identity"
	"imprimatur/ports"
)

// addresses are texts with the address that a letter to them has; "": they are no addresses.
var addresses = map[string]string{
	"ida+desk@example.org":                    "ida+desk@example.org",
	"IDA@EXAMPLE.ORG":                         "ida@example.org",
	"ida@M\u00dcNCHEN.example":                "ida@m\u00fcnchen.example",
	"\u212aim@example.org":                    "kim@example.org", // the sign of Kelvin, whose small letter is a k
	`"ida desk"@example.org`:                  `"ida desk"@example.org`,
	`"a@b"@example.org`:                       `"a@b"@example.org`,
	"ida@example.org\nBcc: x@example.org":     "",
	"ida@example.org\r\n\r\nBuy now":          "",
	"ida@example.org\n":                       "",
	" ida@example.org":                        "",
	"Ida <ida@example.org>":                   "",
	"<ida@example.org>":                       "",
	"ida@example.org,eve@example.org":         "",
	"\"ida\nBcc: x\"@example.org":             "",
	`"ida"@example.org`:                       "", // needs no quotes: would be a second name of the same mailbox
	"ida@example..org":                        "",
	"ida@localhost":                           "",
	"ida\u200b@example.org":                   "",
	"ida@exa\u202emple.org":                   "",
	"":                                        "",
	strings.Repeat("a", 300) + "@example.org": "",
}

// A hostile address gets no letter, and every other gets one, to itself alone.
func TestHostileAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range addresses {
		d := newDesk(t, true)
		ok(t, d.resets.Request(t.Context(), text, here)) // says nothing about the address
		_, err := d.invitations.Create(t.Context(), d.actor(t, "project"), identity.InvitationInput{Email: text, Grants: d.editorOf()})
		changed := d.addresses.Request(t.Context(), d.signedIn(t, "editor"), text)
		letters := d.letters(t)
		if want == "" {
			wantFaults(t, err, "email")
			wantFaults(t, changed, "email")
			if len(letters) != 0 {
				t.Errorf("%q: letters %+v", text, letters)
			}
			continue
		}
		ok(t, err)
		ok(t, changed)
		if len(letters) != 3 {
			t.Errorf("%q: %d letters", text, len(letters))
		}
		for _, l := range letters {
			if l.Address != want {
				t.Errorf("%q: a letter to %q", text, l.Address)
			}
		}
	}
}

// An account is found by its own address, not by one that only looks or folds like it.
func TestResetsOfSimilarAddresses(t *testing.T) {
	t.Parallel()
	for text, found := range map[string]bool{
		"EDITOR@example.org": true, "editor+x@example.org": false, "ed\u0456tor@example.org": false, "editor@ex\u0430mple.org": false, "ed\u0131tor@example.org": false, "editor@example.org.example": false,
	} {
		d := newDesk(t, true)
		ok(t, d.resets.Request(t.Context(), text, here))
		_, err := d.resets.Look(t.Context(), secretIn(d.letters(t)[0].Path))
		if (err == nil) != found {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// An invitation that was forwarded cannot be accepted in the account of another user, even twice at once
// with its receiver.
func TestForwardedInvitations(t *testing.T) {
	t.Parallel()
	d := newDesk(t, true)
	must(d.invitations.Create(t.Context(), d.actor(t, "tenant"), identity.InvitationInput{Email: "legal@example.org", Grants: d.editorOf()}))(t)
	text := secretIn(d.letters(t)[0].Path)
	receiver, other := d.actor(t, "legal"), d.actor(t, "viewer")
	var all sync.WaitGroup
	var accepted, refused atomic.Int32
	for n := range 16 {
		all.Go(func() {
			actor := receiver
			if n%2 == 0 {
				actor = other
			}
			user, err := d.invitations.Accept(t.Context(), actor, identity.Acceptance{Secret: text})
			switch {
			case err == nil && user.ID == receiver.UserID():
				accepted.Add(1)
			case core.KindOf(err) == core.KindForbidden, core.KindOf(err) == core.KindGone:
				refused.Add(1)
			}
		})
	}
	all.Wait()
	if accepted.Load() != 1 || refused.Load() != 15 {
		t.Errorf("accepted %d times, refused %d times", accepted.Load(), refused.Load())
	}
	if got := d.actor(t, "viewer").Grants; len(got) != 1 || got[0].Role != core.RoleViewer {
		t.Errorf("the other person has %+v", got)
	}
	if got := d.actor(t, "legal").Grants; len(got) != 1 || got[0].Role != core.RoleEditor {
		t.Errorf("the receiver has %+v", got)
	}
}

// An invitation to a place that was deleted gives nothing, not even what it offers beside it.
func TestInvitationsToDeletedPlaces(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(d *desk, ctx context.Context, stores ports.Stores) error{
		"department": func(d *desk, ctx context.Context, stores ports.Stores) error {
			if err := stores.Projects.Delete(ctx, d.worldDesk.ID); err != nil {
				return err
			}
			if err := stores.CustomRoles.Delete(ctx, d.legalRole.ID); err != nil {
				return err
			}
			return stores.Departments.Delete(ctx, d.newsroom.ID)
		},
		"project": func(d *desk, ctx context.Context, stores ports.Stores) error {
			return stores.Projects.Delete(ctx, d.worldDesk.ID)
		},
		"custom role": func(d *desk, ctx context.Context, stores ports.Stores) error {
			return stores.CustomRoles.Delete(ctx, d.legalRole.ID)
		},
	} {
		d := newDesk(t, true)
		must(d.invitations.Create(t.Context(), d.actor(t, "super"), identity.InvitationInput{
			Email: "ida@example.org", CustomRoles: []int64{d.legalRole.ID},
			Grants: []core.Grant{{Role: core.RoleTenantAdmin, TenantID: d.meridian.ID}, {Role: core.RoleDepartmentAdmin, DepartmentID: d.newsroom.ID}, {Role: core.RoleEditor, ProjectID: d.worldDesk.ID}},
		}))(t)
		text := secretIn(d.letters(t)[0].Path)
		ok(t, d.tx.Do(t.Context(), system, func(ctx context.Context, stores ports.Stores) error { return spoil(d, ctx, stores) }))
		_, err := d.invitations.Accept(t.Context(), core.Actor{}, identity.Acceptance{Secret: text, Name: "Ida", Password: "a long enough one"})
		if err == nil || asError(t, err).Code != "invitation_place_gone" {
			t.Errorf("%s: %v", name, err)
		}
		_, err = d.stores.Users.UserByEmail(t.Context(), "ida@example.org")
		wantKind(t, err, core.KindNotFound)
		page, _, err := d.invitations.List(t.Context(), d.actor(t, "super"), account.InvitationRevoked, 0, 10)
		ok(t, err)
		if len(page) != 1 {
			t.Errorf("%s: the inviter sees %d revoked invitations", name, len(page))
		}
		ok(t, d.invitations.Revoke(t.Context(), d.actor(t, "super"), page[0].ID))
	}
}
