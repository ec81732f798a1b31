package access_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
)

// tokensOf creates tokens of each kind as the archivist, in two Projects, and returns their secrets
// by name.
func (w *fixture) tokensOf(t *testing.T) map[string]string {
	t.Helper()
	secrets := map[string]string{}
	archivist := w.actor(t, "archivist")
	add := func(p *core.Project, name string, in access.TokenInput) {
		in.Name = name
		_, secret, err := w.tokens.Create(t.Context(), archivist, p, in)
		ok(t, err)
		secrets[name] = secret
	}
	read := []core.Ability{core.AbilityRead}
	add(w.archive, "site", access.TokenInput{Abilities: read})
	add(w.archive, "drafts", access.TokenInput{Abilities: read, AllowDrafts: true})
	add(w.archive, "history", access.TokenInput{Abilities: read, AllowHistory: true})
	add(w.archive, "writer", access.TokenInput{Abilities: []core.Ability{core.AbilityRead, core.AbilityDelete}})
	add(w.film, "abroad", access.TokenInput{Abilities: []core.Ability{core.AbilityCreate}})
	add(w.film, "site abroad", access.TokenInput{Abilities: read})
	add(w.archive, "expired", access.TokenInput{Abilities: read, ExpiresAt: ptr(w.clock.now.Add(time.Minute))})
	w.clock.pass(time.Hour)
	return secrets
}

// works reports whether the secret is that of a valid token.
func (w *fixture) works(t *testing.T, secret string) bool {
	t.Helper()
	_, err := w.authenticator.Token(t.Context(), secret, core.AbilityRead)
	return core.KindOf(err) != core.KindUnauthenticated
}

// listed returns the names of tokens, and the number of others.
func listed(t access.UserTokens) (string, int) {
	return strings.Join(names(t.Tokens, func(t access.UserToken) string { return t.Name + "@" + t.ProjectName }), " "), t.Others
}

func TestDeactivationRevokesTokens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, caller  string
		tokens        *string
		revoked, kept string // as the caller sees them
		hidden        [2]int // numbers of those that the caller does not see
		work          []string
	}{
		{"by default", "super", nil, "drafts@Archive history@Archive writer@Archive abroad@Film", "site@Archive site abroad@Film", [2]int{}, []string{"site", "site abroad"}},
		{"keep", "super", ptr("keep"), "", "site@Archive drafts@Archive history@Archive writer@Archive abroad@Film site abroad@Film", [2]int{},
			[]string{"abroad", "drafts", "history", "site", "site abroad", "writer"}},
		{"revoke", "super", ptr("revoke"), "site@Archive drafts@Archive history@Archive writer@Archive abroad@Film site abroad@Film", "", [2]int{}, nil},
		{"by an admin of one tenant", "tenant", nil, "drafts@Archive history@Archive writer@Archive", "site@Archive", [2]int{1, 1}, []string{"site", "site abroad"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			secrets := w.tokensOf(t)
			before := must(w.users.Tokens(t.Context(), w.actor(t, test.caller), w.people["archivist"]))(t)
			if len(before.Tokens)+before.Others != 6 || before.Others != test.hidden[0]+test.hidden[1] {
				t.Errorf("before: %+v", before)
			}
			for name, secret := range secrets { // cached
				if w.works(t, secret) == (name == "expired") {
					t.Errorf("%s before", name)
				}
			}
			ended := must(w.users.Update(t.Context(), w.actor(t, test.caller), w.people["archivist"], access.UserChange{Active: ptr(false), Tokens: test.tokens}))(t).Tokens
			if revoked, others := listed(ended.Revoked); revoked != test.revoked || others != test.hidden[0] {
				t.Errorf("revoked %s and %d others", revoked, others)
			}
			if kept, others := listed(ended.Kept); kept != test.kept || others != test.hidden[1] {
				t.Errorf("kept %s and %d others", kept, others)
			}
			var work []string
			for name, secret := range secrets {
				if w.works(t, secret) {
					work = append(work, name)
				}
			}
			slices.Sort(work)
			if !slices.Equal(work, test.work) {
				t.Errorf("work: %v", work)
			}
		})
	}
}

// A repeated deactivation changes no token by default, and may revoke those that were kept.
func TestRepeatedDeactivation(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.tokensOf(t)
	id := w.people["archivist"]
	update := func(active *bool, tokens *string) (access.UpdatedUser, error) {
		return w.users.Update(t.Context(), system, id, access.UserChange{Active: active, Tokens: tokens})
	}
	kept := must(update(ptr(false), ptr("keep")))(t).Tokens
	if again := must(update(ptr(false), nil))(t).Tokens; !reflect.DeepEqual(again, kept) || len(kept.Kept.Tokens) != 6 {
		t.Errorf("answers %+v, want %+v", again, kept)
	}
	if other := must(w.users.Update(t.Context(), system, id, access.UserChange{Name: ptr("A")}))(t); other.Tokens != nil {
		t.Errorf("a change of the name answers %+v", other.Tokens)
	}
	if now := must(update(ptr(false), ptr("revoke")))(t); len(now.Tokens.Revoked.Tokens) != 6 {
		t.Errorf("revoked %+v", now.Tokens)
	}
	for _, wrong := range []struct {
		active *bool
		tokens string
	}{{nil, "revoke"}, {ptr(true), "keep"}, {ptr(false), "all"}, {ptr(false), ""}} {
		_, err := update(wrong.active, &wrong.tokens)
		wantKind(t, err, core.KindInvalid)
		wantFaults(t, err, "tokens")
	}
	must(update(ptr(true), nil))(t)
	_, err := w.users.Update(t.Context(), w.actor(t, "archivist"), id, access.UserChange{Tokens: ptr("keep")})
	wantKind(t, err, core.KindForbidden)
}

// A token that is created while its creator is deactivated does not outlive the deactivation.
func TestNoTokenAfterDeactivation(t *testing.T) {
	t.Parallel()
	w := setup(t)
	actor := w.actor(t, "archivist")
	must(w.users.Update(t.Context(), system, w.people["archivist"], access.UserChange{Active: ptr(false)}))(t)
	_, _, err := w.tokens.Create(t.Context(), actor, w.archive, access.TokenInput{Name: "late", Abilities: []core.Ability{core.AbilityCreate}})
	wantKind(t, err, core.KindUnauthenticated)
}
