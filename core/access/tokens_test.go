package access_test

import (
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/secret"
)

func TestCreateToken(t *testing.T) {
	t.Parallel()
	w := setup(t)
	limit, expires := 30, w.clock.now.Add(time.Hour)
	token, text, err := w.tokens.Create(t.Context(), w.actor(t, "project"), w.worldDesk, access.TokenInput{
		Name: "Site", Abilities: []core.Ability{core.AbilityRead}, AllowDrafts: true, RateLimit: &limit, ExpiresAt: &expires,
	})
	ok(t, err)
	stored := must(w.tokens.Token(t.Context(), w.worldDesk, token.ID))(t)
	if stored.Hash != secret.Hash(text) || !strings.HasSuffix(text, stored.Hint) || len(stored.Hint) != 4 {
		t.Errorf("the stored hash or hint does not match the secret: %+v", stored)
	}
	if stored.Name != "Site" || !stored.Can(core.AbilityRead) || stored.Can(core.AbilityCreate) || !stored.AllowDrafts ||
		*stored.RateLimit != 30 || !stored.ExpiresAt.Equal(expires) || stored.CreatedBy != w.people["project"] || !stored.CreatedAt.Equal(w.clock.now) {
		t.Errorf("stored: %+v", stored)
	}
	if listed := must(w.tokens.List(t.Context(), w.worldDesk))(t); len(listed) != 1 || listed[0].ID != token.ID {
		t.Errorf("listed: %+v", listed)
	}
}

func TestTokenFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	w := setup(t)
	read := []core.Ability{core.AbilityRead}
	for _, test := range []struct {
		name string
		in   access.TokenInput
		want []string
	}{
		{"least", access.TokenInput{Name: "t", Abilities: read}, nil},
		{"no limit", access.TokenInput{Name: "t", Abilities: read, RateLimit: ptr(0)}, nil},
		{"empty", access.TokenInput{}, []string{"name", "abilities"}},
		{"blank name", access.TokenInput{Name: " \t", Abilities: read}, []string{"name"}},
		{"name with a NUL", access.TokenInput{Name: "a\x00b", Abilities: read}, []string{"name"}},
		{"name of broken text", access.TokenInput{Name: "a\xff", Abilities: read}, []string{"name"}},
		{"name of 200 characters", access.TokenInput{Name: strings.Repeat("é", 200), Abilities: read}, nil},
		{"name of 201 characters", access.TokenInput{Name: strings.Repeat("é", 201), Abilities: read}, []string{"name"}},
		{"abilities unknown and named twice", access.TokenInput{
			Name: "t", Abilities: []core.Ability{"read", "write", "read", "READ"},
		}, []string{"abilities[1]", "abilities[2]", "abilities[3]"}},
		{"everything", access.TokenInput{
			Abilities: []core.Ability{"all"}, RateLimit: ptr(-1), ExpiresAt: ptr(w.clock.now),
		}, []string{"name", "abilities[0]", "rateLimit", "expiresAt"}},
		{"limit beyond bounds", access.TokenInput{Name: "t", Abilities: read, RateLimit: ptr(1_000_001)}, []string{"rateLimit"}},
		{"expiry after the year 9999", access.TokenInput{
			Name: "t", Abilities: read, ExpiresAt: ptr(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)),
		}, []string{"expiresAt"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, secret, err := w.tokens.Create(t.Context(), system, w.worldDesk, test.in)
			wantFaults(t, err, test.want...)
			if (secret == "") != (err != nil) {
				t.Errorf("secret %q with error %v", secret, err)
			}
		})
	}
}

func TestUpdateToken(t *testing.T) {
	t.Parallel()
	later := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name   string
		change func(*access.TokenInput)
		check  func(before, after core.Token) bool
	}{
		{"nothing", func(*access.TokenInput) {}, func(a, b core.Token) bool {
			return b.Name == a.Name && len(b.Abilities) == 1 && !b.AllowDrafts && *b.RateLimit == 30 && b.ExpiresAt.Equal(a.ExpiresAt)
		}},
		{"name", func(in *access.TokenInput) { in.Name = "New" }, func(_, b core.Token) bool { return b.Name == "New" && *b.RateLimit == 30 }},
		{"abilities", func(in *access.TokenInput) { in.Abilities = []core.Ability{core.AbilityDelete} }, func(_, b core.Token) bool {
			return b.Can(core.AbilityDelete) && !b.Can(core.AbilityRead)
		}},
		{"drafts", func(in *access.TokenInput) { in.AllowDrafts = true }, func(_, b core.Token) bool { return b.AllowDrafts }},
		{"the service's limit again", func(in *access.TokenInput) { in.RateLimit = nil }, func(_, b core.Token) bool { return b.RateLimit == nil }},
		{"no limit", func(in *access.TokenInput) { in.RateLimit = ptr(0) }, func(_, b core.Token) bool { return *b.RateLimit == 0 }},
		{"no expiry", func(in *access.TokenInput) { in.ExpiresAt = nil }, func(_, b core.Token) bool { return b.ExpiresAt.IsZero() }},
		{"another expiry", func(in *access.TokenInput) { in.ExpiresAt = &later }, func(_, b core.Token) bool { return b.ExpiresAt.Equal(later) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			token, secret, err := w.tokens.Create(t.Context(), system, w.worldDesk, access.TokenInput{
				Name: "Old", Abilities: []core.Ability{core.AbilityRead}, RateLimit: ptr(30), ExpiresAt: ptr(w.clock.now.Add(time.Hour)),
			})
			ok(t, err)
			must(w.authenticator.Token(t.Context(), secret, core.AbilityRead))(t)
			changed := must(w.tokens.Update(t.Context(), core.Actor{System: true}, w.worldDesk, token.ID, test.change))(t)
			now := must(w.authenticator.Token(t.Context(), secret, core.AbilityRead))(t)
			if !test.check(token, changed) || !test.check(token, *now.Token) {
				t.Errorf("returned %+v, in force %+v", changed, now.Token)
			}
		})
	}
}

func TestInvalidTokenChangeChangesNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, _ := w.token(t, w.worldDesk, core.AbilityRead)
	_, err := w.tokens.Update(t.Context(), core.Actor{System: true}, w.worldDesk, token.Token.ID, func(in *access.TokenInput) {
		in.Name, in.Abilities, in.RateLimit = "New", []core.Ability{}, ptr(-5)
	})
	wantFaults(t, err, "abilities", "rateLimit")
	if stored := must(w.tokens.Token(t.Context(), w.worldDesk, token.Token.ID))(t); stored.Name != "token" {
		t.Errorf("stored: %+v", stored)
	}
}

func TestRevokedTokensStayRevoked(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, _ := w.token(t, w.worldDesk, core.AbilityRead)
	id := token.Token.ID
	ok(t, w.tokens.Revoke(t.Context(), core.Actor{System: true}, w.worldDesk, id))
	revoked := must(w.tokens.Token(t.Context(), w.worldDesk, id))(t).RevokedAt
	w.clock.pass(time.Hour)
	ok(t, w.tokens.Revoke(t.Context(), core.Actor{System: true}, w.worldDesk, id))
	_, err := w.tokens.Update(t.Context(), core.Actor{System: true}, w.worldDesk, id, func(in *access.TokenInput) { in.Name = "New" })
	wantKind(t, err, core.KindConflict)
	if stored := must(w.tokens.Token(t.Context(), w.worldDesk, id))(t); !stored.RevokedAt.Equal(revoked) || revoked.IsZero() || stored.Name != "token" {
		t.Errorf("stored: %+v", stored)
	}
}

func TestTokensOfAnotherProjectDoNotExist(t *testing.T) {
	t.Parallel()
	w := setup(t)
	token, secret := w.token(t, w.worldDesk, core.AbilityRead)
	id := token.Token.ID
	_, err := w.tokens.Token(t.Context(), w.blog, id)
	wantKind(t, err, core.KindNotFound)
	_, err = w.tokens.Update(t.Context(), core.Actor{System: true}, w.blog, id, func(in *access.TokenInput) { in.Name = "New" })
	wantKind(t, err, core.KindNotFound)
	wantKind(t, w.tokens.Revoke(t.Context(), core.Actor{System: true}, w.blog, id), core.KindNotFound)
	must(w.authenticator.Token(t.Context(), secret, core.AbilityRead))(t)
}
