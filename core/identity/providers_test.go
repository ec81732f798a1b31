package identity_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/identity"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// internet is what providers are outside: the TXT records of domains, and the issuers inside the installation.
type internet struct {
	records map[string][]string
	fails   bool
	inside  []string

	away    bool
	stays   bool                 // has no page to sign out
	client  ports.ProviderClient // of the last request
	request ports.ProviderRequest
	begun   map[string]begun       // by nonce
	claims  account.ProviderClaims // of the person that signs in
}

func (i *internet) Fault(_ context.Context, issuer string) string {
	if slices.Contains(i.inside, issuer) {
		return "must be an https address on port 443 of a public host"
	}
	return ""
}

func (i *internet) SignInAddress(_ context.Context, p ports.ProviderClient, r ports.ProviderRequest) (string, error) {
	if i.away {
		return "", &core.Error{Kind: core.KindUnavailable, Code: "provider_unavailable"}
	}
	i.client, i.request = p, r
	i.begun[r.Nonce] = begun{p, r.Verifier}
	return p.Issuer + "/authorize?state=" + r.State, nil
}

func (i *internet) Redeem(_ context.Context, p ports.ProviderClient, a ports.ProviderAnswer) (account.ProviderClaims, error) {
	if a.Code != "code" || !reflect.DeepEqual(i.begun[a.Nonce], begun{p, a.Verifier}) {
		return account.ProviderClaims{}, &core.Error{Kind: core.KindUnauthenticated, Code: "provider_refused"}
	}
	return i.claims, nil
}

func (i *internet) SignOutAddress(_ context.Context, p ports.ProviderClient, back string) (string, error) {
	if i.away {
		return "", &core.Error{Kind: core.KindUnavailable, Code: "provider_unavailable"}
	}
	if i.stays {
		return "", nil
	}
	return p.Issuer + "/logout?" + p.ClientID + " " + back, nil
}

// LoggedOut takes the token for the subject, after a slash the session, and after a colon the id of the token.
func (i *internet) LoggedOut(_ context.Context, _ ports.ProviderClient, token string) (account.ProviderLogout, error) {
	subject, id, valid := strings.Cut(token, ":")
	subject, sid, _ := strings.Cut(subject, "/") // of the session there
	switch {
	case i.away:
		return account.ProviderLogout{}, &core.Error{Kind: core.KindUnavailable, Code: "provider_unavailable"}
	case !valid:
		return account.ProviderLogout{}, &core.Error{Kind: core.KindUnauthenticated, Code: "provider_refused"}
	}
	return account.ProviderLogout{Subject: subject, SID: sid, ID: id, IssuedAt: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}, nil
}

func (i *internet) Records(_ context.Context, domain string) ([]string, error) {
	if i.fails {
		return nil, errors.New("timeout")
	}
	return i.records[domain], nil
}

// begun is a request that a provider has got.
type begun struct {
	client   ports.ProviderClient
	verifier string
}

// connected is a fixture with the identity providers of the tenant and of another one.
type connected struct {
	*fixture
	*identity.Providers
	outside *internet
	other   core.Tenant
}

func connect(t *testing.T) *connected {
	t.Helper()
	w := setup(t)
	outside := &internet{records: map[string][]string{}, inside: []string{"https://sso.internal"}, begun: map[string]begun{}}
	c := &connected{w, identity.NewProviders(w.stores, w.tx, access.Standing{}, w.clock, w.secret, outside), outside, core.Tenant{}}
	c.other = must(w.organisation.CreateTenant(t.Context(), system, "Elsewhere"))(t)
	return c
}

// valid returns the members of a new identity provider.
func valid() identity.ProviderChange {
	return identity.ProviderChange{
		Name: new("Staff"), Issuer: new("https://login.example.org/realms/meridian"), ClientID: new("imprimatur"), Secret: new("hush hush"),
		Domains: &[]string{"Meridian.example", "bücher.example"},
	}
}

// add adds an identity provider to the tenant.
func (c *connected) add(t *testing.T, in identity.ProviderChange) identity.ShownProvider {
	t.Helper()
	return must(c.Create(t.Context(), c.actor(t, "tenant"), c.meridian.ID, in))(t)
}

func TestProvider(t *testing.T) {
	t.Parallel()
	c := connect(t)
	made := c.add(t, valid())
	require.Equal(t, account.ProviderDraft, made.State)
	require.Equal(t, []string{"meridian.example", "bücher.example"}, made.Domains)
	require.Equal(t, []string{"profile", "email"}, made.Scopes)
	require.Equal(t, account.PasswordsAllowed, made.Passwords)
	require.Equal(t, account.FactorOurs, made.SecondFactor)
	require.False(t, made.CreateUsers)
	require.Equal(t, c.people["tenant"], made.CreatedBy)
	require.NotContains(t, string(made.Secret), "hush")
	require.Equal(t, made, must(c.Provider(t.Context(), c.meridian.ID, made.ID))(t))
	require.Equal(t, []identity.ShownProvider{made}, must(c.List(t.Context(), c.meridian.ID))(t))

	// Nothing of it is seen from another Tenant.
	require.Empty(t, must(c.List(t.Context(), c.other.ID))(t))
	_, err := c.Provider(t.Context(), c.other.ID, made.ID)
	wantKind(t, err, core.KindNotFound)
	_, err = c.Update(t.Context(), c.actor(t, "super"), c.other.ID, made.ID, identity.ProviderChange{Name: new("Mine")})
	wantKind(t, err, core.KindNotFound)
	_, err = c.Claim(t.Context(), c.actor(t, "super"), c.other.ID, made.ID, "meridian.example", account.ClaimByAdmin)
	wantKind(t, err, core.KindNotFound)
	wantKind(t, c.Delete(t.Context(), c.actor(t, "super"), c.other.ID, made.ID), core.KindNotFound)

	ok(t, c.Delete(t.Context(), c.actor(t, "tenant"), c.meridian.ID, made.ID))
	_, err = c.Provider(t.Context(), c.meridian.ID, made.ID)
	wantKind(t, err, core.KindNotFound)
}

func TestProviderFaults(t *testing.T) {
	t.Parallel()
	c := connect(t)
	long := func(n int) *string { return new(strings.Repeat("a", n)) }
	for name, row := range map[string]struct {
		change func(*identity.ProviderChange)
		at     []string
	}{
		"nothing":           {func(in *identity.ProviderChange) { *in = identity.ProviderChange{} }, []string{"issuer", "name", "clientId", "clientSecret"}},
		"no issuer":         {func(in *identity.ProviderChange) { in.Issuer = nil }, []string{"issuer"}},
		"a name":            {func(in *identity.ProviderChange) { in.Name = new("a\nb") }, []string{"name"}},
		"an id":             {func(in *identity.ProviderChange) { in.ClientID = new("a\nb") }, []string{"clientId"}},
		"a long id":         {func(in *identity.ProviderChange) { in.ClientID = long(501) }, []string{"clientId"}},
		"a long secret":     {func(in *identity.ProviderChange) { in.Secret = long(1001) }, []string{"clientSecret"}},
		"an inside address": {func(in *identity.ProviderChange) { in.Issuer = new("https://sso.internal") }, []string{"issuer"}},
		"a long address":    {func(in *identity.ProviderChange) { in.Issuer = new("https://a.example/" + *long(500)) }, []string{"issuer"}},
		"no address":        {func(in *identity.ProviderChange) { in.Issuer = new("login.example.org") }, []string{"issuer"}},
		"a query":           {func(in *identity.ProviderChange) { in.Issuer = new("https://login.example.org?a=b") }, []string{"issuer"}},
		"an empty query":    {func(in *identity.ProviderChange) { in.Issuer = new("https://login.example.org?") }, []string{"issuer"}},
		"a fragment":        {func(in *identity.ProviderChange) { in.Issuer = new("https://login.example.org#a") }, []string{"issuer"}},
		"an empty fragment": {func(in *identity.ProviderChange) { in.Issuer = new("https://login.example.org#") }, []string{"issuer"}},
		"a user":            {func(in *identity.ProviderChange) { in.Issuer = new("https://a:b@login.example.org") }, []string{"issuer"}},
		"all of Entra":      {func(in *identity.ProviderChange) { in.Issuer = new("https://login.microsoftonline.com/common/v2.0") }, []string{"issuer"}},
		"all organisations": {func(in *identity.ProviderChange) {
			in.Issuer = new("https://login.microsoftonline.com/Organizations/v2.0")
		}, []string{"issuer"}},
		"all consumers": {func(in *identity.ProviderChange) { in.Issuer = new("https://login.microsoftonline.com/consumers/") }, []string{"issuer"}},
		"a template": {func(in *identity.ProviderChange) {
			in.Issuer = new("https://login.microsoftonline.com/{tenantid}/v2.0")
		}, []string{"issuer"}},
		"domains": {func(in *identity.ProviderChange) {
			in.Domains = &[]string{"a@b.example", "gmail.com", "co.uk", "x.example", "X.example", "example"}
		}, []string{"domains[0]", "domains[1]", "domains[2]", "domains[4]", "domains[5]"}},
		"too many domains": {func(in *identity.ProviderChange) { in.Domains = new(make([]string, 51)) }, []string{"domains"}},
		"scopes":           {func(in *identity.ProviderChange) { in.Scopes = &[]string{"openid", "a b", "", "email", "email"} }, []string{"scopes[0]", "scopes[1]", "scopes[2]", "scopes[4]"}},
		"too many scopes":  {func(in *identity.ProviderChange) { in.Scopes = new(make([]string, 21)) }, []string{"scopes"}},
		"a claim":          {func(in *identity.ProviderChange) { in.GroupsClaim = new(" ") }, []string{"groupsClaim"}},
		"rules": {func(in *identity.ProviderChange) {
			in.Passwords, in.SecondFactor = new(account.PasswordRule("no")), new(account.FactorRule(""))
		}, []string{"passwords", "secondFactor"}},
		"a state":           {func(in *identity.ProviderChange) { in.State = new(account.ProviderTested) }, []string{"state"}},
		"too many mappings": {func(in *identity.ProviderChange) { in.Mappings = new(make([]account.GroupMapping, 501)) }, []string{"mappings"}},
		"an empty mapping":  {func(in *identity.ProviderChange) { in.Mappings = new(make([]account.GroupMapping, 1)) }, []string{"mappings[0].group", "mappings[0]"}},
		"two places": {func(in *identity.ProviderChange) {
			in.Mappings = &[]account.GroupMapping{{Group: "a", Grant: core.Grant{Role: core.RoleAdmin, TenantID: 1, ProjectID: 1}}}
		}, []string{"mappings[0]"}},
		"two roles": {func(in *identity.ProviderChange) {
			in.Mappings = &[]account.GroupMapping{{Group: "a", Grant: core.Grant{Role: core.RoleAdmin}, CustomRole: 1}}
		}, []string{"mappings[0]"}},
		"a place alone": {func(in *identity.ProviderChange) {
			in.Mappings = &[]account.GroupMapping{{Group: "a", Grant: core.Grant{ProjectID: 1}}}
		}, []string{"mappings[0]"}},
		"the same one twice": {func(in *identity.ProviderChange) {
			m := account.GroupMapping{Group: "a", CustomRole: c.legalRole.ID}
			in.Mappings = &[]account.GroupMapping{m, m}
		}, []string{"mappings[1]"}},
		"an unreadable group": {func(in *identity.ProviderChange) {
			in.Mappings = &[]account.GroupMapping{{Group: "a\x00", CustomRole: c.legalRole.ID}}
		}, []string{"mappings[0].group"}},
	} {
		in := valid()
		row.change(&in)
		_, err := c.Create(t.Context(), c.actor(t, "super"), c.meridian.ID, in)
		t.Log(name, err)
		wantFaults(t, err, row.at...)
	}
	require.Empty(t, must(c.List(t.Context(), c.meridian.ID))(t))
}

// TestMappings maps groups to the roles of places inside and outside of the Tenant.
func TestMappings(t *testing.T) {
	t.Parallel()
	c := connect(t)
	elsewhere := must(c.organisation.CreateDepartment(t.Context(), system, c.other.ID, "Desk"))(t)
	theirRole := must(c.organisation.CreateCustomRole(t.Context(), system, elsewhere, "Legal"))(t)
	theirs := must(c.organisation.CreateProject(t.Context(), system, c.other.ID, access.ProjectInput{Name: "Site"}))(t)
	of := func(g core.Grant) account.GroupMapping { return account.GroupMapping{Group: "staff", Grant: g} }
	all := []account.GroupMapping{
		of(core.Grant{Role: core.RoleTenantAdmin, TenantID: c.meridian.ID}), of(core.Grant{Role: core.RoleDepartmentAdmin, DepartmentID: c.newsroom.ID}),
		of(core.Grant{Role: core.RoleEditor, ProjectID: c.worldDesk.ID}), {Group: "staff", CustomRole: c.legalRole.ID},
	}
	made := c.add(t, identity.ProviderChange{Name: new("A"), Issuer: new("https://a.example"), ClientID: new("a"), Secret: new("a"), Mappings: &all})
	require.Equal(t, all, made.Mappings)
	for name, m := range map[string]account.GroupMapping{
		"another tenant": of(core.Grant{Role: core.RoleTenantAdmin, TenantID: c.other.ID}), "another department": of(core.Grant{Role: core.RoleDepartmentAdmin, DepartmentID: elsewhere.ID}),
		"another project": of(core.Grant{Role: core.RoleViewer, ProjectID: theirs.ID}), "another custom role": {Group: "a", CustomRole: theirRole.ID},
		"nowhere": of(core.Grant{Role: core.RoleViewer, ProjectID: 999}), "no custom role": {Group: "a", CustomRole: 999},
	} {
		for _, who := range []string{"tenant", "super"} { // a super admin may give the role, but not by this provider
			_, err := c.Update(t.Context(), c.actor(t, who), c.meridian.ID, made.ID, identity.ProviderChange{Mappings: &[]account.GroupMapping{m}})
			t.Log(name, who, err)
			wantFaults(t, err, "mappings[0]")
		}
	}
	for _, role := range []core.Role{core.RoleSuperAdmin, core.RoleTenantAdmin, "owner"} {
		_, err := c.Update(t.Context(), c.actor(t, "super"), c.meridian.ID, made.ID, identity.ProviderChange{Mappings: &[]account.GroupMapping{of(core.Grant{Role: role, ProjectID: c.worldDesk.ID})}})
		wantFaults(t, err, "mappings[0].role")
	}
	// An author that may not give a role does not get it by a mapping.
	_, err := c.Update(t.Context(), c.actor(t, "project"), c.meridian.ID, made.ID, identity.ProviderChange{Mappings: &[]account.GroupMapping{of(core.Grant{Role: core.RoleDepartmentAdmin, DepartmentID: c.newsroom.ID})}})
	wantKind(t, err, core.KindForbidden)
	require.Equal(t, all, must(c.Provider(t.Context(), c.meridian.ID, made.ID))(t).Mappings)
}

// TestProviderChanges changes one member at a time.
func TestProviderChanges(t *testing.T) {
	t.Parallel()
	c := connect(t)
	made := c.add(t, valid())
	change := func(in identity.ProviderChange) (identity.ShownProvider, error) {
		return c.Update(t.Context(), c.actor(t, "tenant"), c.meridian.ID, made.ID, in)
	}
	must(change(identity.ProviderChange{
		Name: new("All"), GroupsClaim: new("groups"), CreateUsers: new(true), Passwords: new(account.PasswordsForbidden), SecondFactor: new(account.FactorTheirs), Scopes: &[]string{"groups"},
	}))(t)
	last := must(change(identity.ProviderChange{Domains: &[]string{"bücher.example"}}))(t)
	require.Equal(t, []any{"All", "groups", true, account.PasswordsForbidden, account.FactorTheirs, []string{"groups"}, []string{"bücher.example"}},
		[]any{last.Name, last.GroupsClaim, last.CreateUsers, last.Passwords, last.SecondFactor, last.Scopes, last.Domains})
	require.Equal(t, made.Secret, last.Secret)
	require.True(t, last.UpdatedAt.After(made.UpdatedAt))
	same := must(change(identity.ProviderChange{Name: new("All"), Secret: new("hush hush"), Domains: &[]string{"xn--bcher-kva.example"}}))(t)
	require.Equal(t, last, same, "nothing differs")
	require.NotEqual(t, made.Secret, must(change(identity.ProviderChange{Secret: new("another one")}))(t).Secret)

	// Another issuer must not get the secret of the first one.
	_, err := change(identity.ProviderChange{Issuer: new("https://evil.example")})
	wantFaults(t, err, "clientSecret")
	moved := must(change(identity.ProviderChange{Issuer: new("https://other.example"), Secret: new("another one")}))(t)
	require.Equal(t, "https://other.example", moved.Issuer)
	_, err = change(identity.ProviderChange{Issuer: new("https://sso.internal"), Secret: new("a")})
	wantFaults(t, err, "issuer")

	// Nothing is on that was not tried.
	for _, state := range []account.ProviderState{account.ProviderOff, account.ProviderDraft, account.ProviderOff} {
		require.Equal(t, state, must(change(identity.ProviderChange{State: new(state)}))(t).State)
	}
	_, err = change(identity.ProviderChange{State: new(account.ProviderOn)})
	wantKind(t, err, core.KindConflict)
	require.Equal(t, "not_tested", asError(t, err).Code)
	_, err = change(identity.ProviderChange{State: new(account.ProviderTested)})
	wantFaults(t, err, "state")
	_, err = change(identity.ProviderChange{Issuer: new("https://third.example"), Secret: new("a")})
	wantFaults(t, err, "issuer")
	require.Equal(t, moved.Issuer, must(change(identity.ProviderChange{}))(t).Issuer)
}

// TestSecretOfAProvider replaces the secret key of the installation: the secret can be given again.
func TestSecretOfAProvider(t *testing.T) {
	t.Parallel()
	c := connect(t)
	made := c.add(t, valid())
	other := identity.NewProviders(c.stores, c.tx, access.Standing{}, c.clock, secret.New(), c.outside)
	kept := must(other.Update(t.Context(), c.actor(t, "tenant"), c.meridian.ID, made.ID, identity.ProviderChange{Name: new("New")}))(t)
	require.Equal(t, made.Secret, kept.Secret)
	renewed := must(other.Update(t.Context(), c.actor(t, "tenant"), c.meridian.ID, made.ID, identity.ProviderChange{Secret: new("hush hush")}))(t)
	require.NotEqual(t, made.Secret, renewed.Secret)
}

func TestTooManyProviders(t *testing.T) {
	t.Parallel()
	c := connect(t)
	for i := range 20 {
		in := valid()
		in.Name = new(fmt.Sprint("Staff ", i))
		c.add(t, in)
	}
	_, err := c.Create(t.Context(), c.actor(t, "tenant"), c.meridian.ID, valid())
	require.Equal(t, "too_many_providers", asError(t, err).Code)
	must(c.Create(t.Context(), c.actor(t, "super"), c.other.ID, valid()))(t)
}

// TestClaims claims domains by their records and by a super admin.
func TestClaims(t *testing.T) {
	t.Parallel()
	c := connect(t)
	made := c.add(t, valid())
	beside := c.add(t, valid())
	theirs := must(c.Create(t.Context(), c.actor(t, "super"), c.other.ID, valid()))(t)
	claim := func(who string, p identity.ShownProvider, domain string, means account.ClaimMeans) (identity.ShownProvider, error) {
		return c.Claim(t.Context(), c.actor(t, who), p.TenantID, p.ID, domain, means)
	}
	require.Equal(t, made.Claims[0].Record, beside.Claims[0].Record, "a record is for the Tenant")
	require.NotEqual(t, made.Claims[0].Record, theirs.Claims[0].Record, "and for no other one")
	require.NotEqual(t, made.Claims[0].Record, made.Claims[1].Record)
	require.Regexp(t, "^imprimatur-verify=[A-Z2-7]{32}$", made.Claims[0].Record)

	// Without the record, or with that of another Tenant.
	_, err := claim("tenant", made, "meridian.example", account.ClaimByRecord)
	require.Equal(t, "record_missing", asError(t, err).Code)
	c.outside.records["meridian.example"] = []string{"v=spf1 -all", theirs.Claims[0].Record, made.Claims[1].Record}
	_, err = claim("tenant", made, "meridian.example", account.ClaimByRecord)
	require.Equal(t, "record_missing", asError(t, err).Code)
	c.outside.fails = true
	_, err = claim("tenant", made, "meridian.example", account.ClaimByRecord)
	require.Equal(t, "record_missing", asError(t, err).Code)
	c.outside.fails = false
	_, err = claim("tenant", made, "meridian.example", account.ClaimByAdmin)
	wantKind(t, err, core.KindForbidden)
	_, err = claim("super", made, "news.example", account.ClaimByAdmin)
	wantFaults(t, err, "domain")
	_, err = claim("super", made, "meridian.example", "word of mouth")
	wantFaults(t, err, "means")
	require.Nil(t, must(c.Provider(t.Context(), c.meridian.ID, made.ID))(t).Claims[0].Claim)

	// With it.
	c.outside.records["meridian.example"] = append(c.outside.records["meridian.example"], made.Claims[0].Record)
	first := must(claim("tenant", made, "MERIDIAN.example", account.ClaimByRecord))(t)
	require.Equal(t, account.DomainClaim{
		Domain: "meridian.example", TenantID: c.meridian.ID, ProviderID: made.ID, Means: account.ClaimByRecord, ClaimedBy: c.people["tenant"], ClaimedAt: c.clock.now,
	}, *first.Claims[0].Claim)
	require.Nil(t, first.Claims[1].Claim)
	require.Equal(t, first, must(claim("super", made, "meridian.example", account.ClaimByAdmin))(t), "it is claimed already")

	// It belongs to one provider, also if another Tenant has a record or a super admin speaks for it.
	for _, other := range []identity.ShownProvider{beside, theirs} {
		for _, means := range account.ClaimMeansAll() {
			_, err := claim("super", other, "meridian.example", means)
			require.Equal(t, "domain_taken", asError(t, err).Code)
		}
		require.Nil(t, must(c.Provider(t.Context(), other.TenantID, other.ID))(t).Claims[0].Claim)
	}

	// It is free when the provider gives it up, or is removed.
	must(c.Update(t.Context(), c.actor(t, "tenant"), c.meridian.ID, made.ID, identity.ProviderChange{Domains: &[]string{"bücher.example"}}))(t)
	must(claim("super", theirs, "meridian.example", account.ClaimByRecord))(t)
	_, err = claim("tenant", beside, "meridian.example", account.ClaimByRecord)
	require.Equal(t, "domain_taken", asError(t, err).Code)
	ok(t, c.Delete(t.Context(), c.actor(t, "super"), c.other.ID, theirs.ID))
	require.NotNil(t, must(claim("tenant", beside, "meridian.example", account.ClaimByRecord))(t).Claims[0].Claim)
}
