package access_test

import (
	"testing"
	"time"

	"imprimatur/core"
	"imprimatur/core/access"
)

// schemaInput describes a token with AllowSchema that ends after some days.
func schemaInput(w *fixture, days int) access.TokenInput {
	return access.TokenInput{
		Name: "Deploy", Abilities: []core.Ability{core.AbilityRead}, AllowSchema: core.SchemaChange, ExpiresAt: ptr(w.clock.now.AddDate(0, 0, days)),
	}
}

func TestTokensOfSchemasNeedACreatorAndAnEnd(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for name, test := range map[string]struct {
		actor  core.Actor
		change func(*access.TokenInput)
		want   []string
	}{
		"fits":              {w.actor(t, "project"), func(*access.TokenInput) {}, nil},
		"without an end":    {w.actor(t, "project"), func(in *access.TokenInput) { in.ExpiresAt = nil }, []string{"expiresAt"}},
		"ends too late":     {w.actor(t, "project"), func(in *access.TokenInput) { in.ExpiresAt = ptr(in.ExpiresAt.Add(time.Hour)) }, []string{"expiresAt"}},
		"without a creator": {system, func(*access.TokenInput) {}, []string{"allowSchema"}},
		"unknown":           {w.actor(t, "project"), func(in *access.TokenInput) { in.AllowSchema = "all" }, []string{"allowSchema"}},
		"cannot read":       {w.actor(t, "project"), func(in *access.TokenInput) { in.Abilities = []core.Ability{core.AbilityCreate} }, []string{"allowSchema"}},
	} {
		in := schemaInput(w, access.SchemaTokenDays)
		test.change(&in)
		_, _, err := w.tokens.Create(t.Context(), test.actor, w.worldDesk, in)
		t.Run(name, func(t *testing.T) { wantFaults(t, err, test.want...) })
	}
	token, _, err := w.tokens.Create(t.Context(), w.actor(t, "project"), w.worldDesk, schemaInput(w, 1))
	ok(t, err)
	w.clock.pass(time.Hour)
	_, err = w.tokens.Update(t.Context(), w.actor(t, "project"), w.worldDesk, token.ID, func(in *access.TokenInput) {
		in.ExpiresAt = ptr(w.clock.now.AddDate(0, 0, access.SchemaTokenDays))
	})
	wantFaults(t, err, "expiresAt")
}

func TestTokensOfSchemasEndWithTheRoleOfTheirCreator(t *testing.T) {
	t.Parallel()
	w := setup(t)
	_, secret, err := w.tokens.Create(t.Context(), w.actor(t, "project"), w.worldDesk, schemaInput(w, 1))
	ok(t, err)
	actor := must(w.authenticator.Token(t.Context(), secret, core.AbilityRead))(t)
	if ref := actor.Ref(); ref.Name != "Deploy ("+actor.Maker.Name+")" || ref.MadeBy != w.people["project"] {
		t.Errorf("the actor is %+v", ref)
	}
	grant := core.Grant{UserID: w.people["project"], ProjectID: w.worldDesk.ID}
	editor := grant
	editor.Role = core.RoleEditor
	ok(t, w.stores.Grants.Set(t.Context(), editor))
	_, err = w.authenticator.Token(t.Context(), secret, core.AbilityRead)
	wantKind(t, err, core.KindUnauthenticated)
	admin := grant
	admin.Role = core.RoleAdmin
	ok(t, w.stores.Grants.Set(t.Context(), admin))
	must(w.authenticator.Token(t.Context(), secret, core.AbilityRead))(t)
	ok(t, w.stores.Grants.Remove(t.Context(), grant))
	_, err = w.authenticator.Token(t.Context(), secret, core.AbilityRead)
	wantKind(t, err, core.KindUnauthenticated)
}

func TestOnlyTokensOfSchemasReachTheSchema(t *testing.T) {
	t.Parallel()
	w := setup(t)
	authorize := func(allowed core.SchemaAccess) error {
		actor := core.Actor{Token: &core.Token{ProjectID: w.worldDesk.ID, Abilities: []core.Ability{core.AbilityRead}, AllowSchema: allowed}}
		_, err := w.authorizer.Authorize(t.Context(), actor, access.SchemaPublic, access.Target{ProjectUUID: w.worldDesk.UUID})
		return err
	}
	wantKind(t, authorize(core.SchemaNone), core.KindForbidden)
	ok(t, authorize(core.SchemaChange))
}
