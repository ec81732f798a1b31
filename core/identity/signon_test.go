package identity_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imprimatur/adapters/password"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/account"
	"imprimatur/core/event"
	"imprimatur/core/identity"
	"imprimatur/core/letter"
	"imprimatur/ports"
)

// counter has a provider of the tenant that is on, to which people go and from which they come back.
type counter struct {
	*connected
	*identity.SignOn
	invitations *identity.Invitations
	provider    identity.ShownProvider
}

// openCounter returns a counter whose provider speaks for example.org, the domain of the people of the fixture.
func openCounter(t *testing.T, change identity.ProviderChange) *counter {
	t.Helper()
	c := connect(t)
	hasher := password.New(password.Options{Memory: 8, Iterations: 1, Parallelism: 1})
	post := letter.Post{Key: c.secret, On: true}
	n := &counter{connected: c, invitations: identity.NewInvitations(c.stores, c.tx, hasher, access.Standing{}, c.clock, letter.Post{Key: c.secret})}
	n.SignOn = identity.NewSignOn(c.stores, c.tx, c.clock, c.secret, c.outside, c.Providers, c.sessions, n.invitations, post, "https://cms.example")
	in := valid()
	in.Domains = &[]string{"example.org"}
	n.provider = c.add(t, in)
	must(c.Claim(t.Context(), c.actor(t, "super"), c.meridian.ID, n.provider.ID, "example.org", account.ClaimByAdmin))(t)
	n.update(t, change)
	n.open(t)
	return n
}

func (n *counter) update(t *testing.T, change identity.ProviderChange) {
	t.Helper()
	n.provider = must(n.Update(t.Context(), n.actor(t, "tenant"), n.meridian.ID, n.provider.ID, change))(t)
}

// open has the tenant's admin try the provider and switch it on.
func (n *counter) open(t *testing.T) {
	t.Helper()
	n.says("admin at the provider", "tenant@example.org")
	begun := must(n.BeginTrial(t.Context(), n.session(t, "tenant"), n.meridian.ID, n.provider.ID))(t)
	must(n.back(t, begun))(t)
	n.update(t, identity.ProviderChange{State: new(account.ProviderOn)})
}

// says sets who signs in at the provider.
func (n *counter) says(subject, email string) {
	n.outside.claims = account.ProviderClaims{Subject: subject, Email: email, Name: "Person " + subject, All: map[string]any{"sub": subject, "email": email}}
}

// session returns the actor of a new session.
func (n *counter) session(t *testing.T, name string) core.Actor {
	t.Helper()
	return must(n.authenticator.Session(t.Context(), n.signIn(t, name), account.Exempt{}))(t)
}

// proven returns the actor of a session with a fresh proof.
func (n *counter) proven(t *testing.T, name string) core.Actor {
	t.Helper()
	id := n.signIn(t, name)
	actor := must(n.authenticator.Session(t.Context(), id, account.Exempt{}))(t)
	must(n.sessions.Verify(t.Context(), actor, identity.Verification{Proof: identity.Evidence{Password: right}}))(t)
	return must(n.authenticator.Session(t.Context(), id, account.Exempt{}))(t)
}

func (n *counter) returning(t *testing.T, begun identity.Begun) identity.Return {
	t.Helper()
	u := must(url.Parse(begun.URL))(t)
	return identity.Return{ProviderID: n.provider.ID, Flow: begun.Flow, State: u.Query().Get("state"), Code: "code", Client: identity.Client{Address: here}}
}

func (n *counter) back(t *testing.T, begun identity.Begun) (identity.Arrival, error) {
	t.Helper()
	return n.Finish(t.Context(), n.returning(t, begun))
}

// signOn signs the person in that the provider knows.
func (n *counter) signOn(t *testing.T) (identity.Arrival, error) {
	t.Helper()
	return n.back(t, must(n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID, Next: "/dashboard/inbox"}))(t))
}

// linked returns who is linked to the subject; "" for nobody.
func (n *counter) linked(t *testing.T, subject string) string {
	t.Helper()
	i, err := n.stores.Identities.Identity(t.Context(), n.provider.ID, subject)
	if err != nil {
		wantKind(t, err, core.KindNotFound)
		return ""
	}
	return must(n.stores.Users.User(t.Context(), i.UserID))(t).Email
}

// TestLinking has every way in which a person could come to an account, and who must not.
func TestLinking(t *testing.T) {
	t.Parallel()
	none := func(*testing.T, *counter) {}
	creates := identity.ProviderChange{CreateUsers: new(true)}
	verified := func(n *counter) { n.outside.claims.EmailVerified = new(true) }
	for name, row := range map[string]struct {
		change  identity.ProviderChange
		email   string
		prepare func(*testing.T, *counter)
		code    string // "": signed in
	}{
		"a stranger":                          {email: "new@example.org", prepare: none, code: "not_linked"},
		"a stranger, verified":                {email: "new@example.org", prepare: func(_ *testing.T, n *counter) { verified(n) }, code: "not_linked"},
		"the address of an account":           {email: "editor@example.org", prepare: none, code: "not_linked"},
		"the address of an account, verified": {email: "editor@example.org", prepare: func(_ *testing.T, n *counter) { verified(n) }, code: "not_linked"},
		"an address in other letters":         {change: creates, email: "EDITOR@Example.ORG", prepare: func(_ *testing.T, n *counter) { verified(n) }, code: "not_linked"},
		"a super admin":                       {change: creates, email: "super@example.org", prepare: func(_ *testing.T, n *counter) { verified(n) }, code: "not_linked"},
		"pre-registered":                      {change: creates, email: "editor@example.org", prepare: func(_ *testing.T, n *counter) { verified(n) }, code: "not_linked"},
		"created":                             {change: creates, email: "New@Example.org", prepare: none},
		"created, verified":                   {change: creates, email: "new@example.org", prepare: func(_ *testing.T, n *counter) { verified(n) }},
		"created, not verified": {change: creates, email: "new@example.org", code: "not_linked", prepare: func(_ *testing.T, n *counter) {
			n.outside.claims.EmailVerified = new(false)
		}},
		"another domain":  {change: creates, email: "new@other.example", prepare: func(_ *testing.T, n *counter) { verified(n) }, code: "not_linked"},
		"a domain within": {change: creates, email: "new@a.example.org", prepare: func(_ *testing.T, n *counter) { verified(n) }, code: "not_linked"},
		"no address":      {change: creates, email: "", prepare: none, code: "not_linked"},
		"no such address": {change: creates, email: "new example.org", prepare: none, code: "not_linked"},
		"a domain given up": {change: creates, email: "new@example.org", code: "not_linked", prepare: func(t *testing.T, n *counter) {
			n.update(t, identity.ProviderChange{Domains: &[]string{}})
		}},
		"a domain of another tenant": {change: creates, email: "new@example.org", code: "not_linked", prepare: func(t *testing.T, n *counter) {
			n.update(t, identity.ProviderChange{Domains: &[]string{}})
			in := valid()
			in.Domains = &[]string{"example.org"}
			theirs := must(n.Create(t.Context(), n.actor(t, "super"), n.other.ID, in))(t)
			must(n.Claim(t.Context(), n.actor(t, "super"), n.other.ID, theirs.ID, "example.org", account.ClaimByAdmin))(t)
			n.update(t, identity.ProviderChange{Domains: &[]string{"example.org"}}) // named, but not claimed
		}},
		"the address of an account elsewhere": {change: creates, email: "theirs@example.org", code: "not_linked", prepare: func(t *testing.T, n *counter) {
			verified(n)
			must(n.users.Create(t.Context(), system, n.other.ID, access.UserInput{Email: "theirs@example.org", Name: "T", Password: right}))(t)
		}},
		"the address of an account that is off": {change: creates, email: "viewer@example.org", code: "not_linked", prepare: func(t *testing.T, n *counter) {
			verified(n)
			must(n.users.Update(t.Context(), n.actor(t, "super"), n.people["viewer"], access.UserChange{Active: new(false)}))(t)
		}},
		"invited, without the link": {email: "ida@example.org", code: "not_linked", prepare: func(t *testing.T, n *counter) {
			verified(n)
			n.invite(t, "ida@example.org", n.worldDesk.ID)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := openCounter(t, row.change)
			n.says("x", row.email)
			row.prepare(t, n)
			arrived, err := n.signOn(t)
			if row.code != "" {
				wantErrorCode(t, err, row.code)
				require.Empty(t, n.linked(t, "x"))
				return
			}
			ok(t, err)
			require.NotEmpty(t, arrived.Session)
			require.Equal(t, "/dashboard/inbox", arrived.Page)
			require.Equal(t, "new@example.org", n.linked(t, "x"))
			require.Equal(t, "Person x", arrived.Actor.User.Name)
			require.Equal(t, n.meridian.ID, arrived.Actor.User.TenantID)
			require.Empty(t, arrived.Actor.Grants)
			// The person is the subject, for ever: another address changes nothing.
			n.says("x", "editor@example.org")
			again := must(n.signOn(t))(t)
			require.Equal(t, arrived.Actor.UserID(), again.Actor.UserID())
			require.Equal(t, "new@example.org", again.Actor.User.Email)
			// No password signs in to the account.
			_, err = n.sessions.SignIn(t.Context(), identity.SignIn{Email: "new@example.org", Client: identity.Client{Address: here}})
			wantErrorCode(t, err, "wrong_credentials")
		})
	}
}

// invite invites an address to a role in a Project and returns the secret of the link.
func (n *counter) invite(t *testing.T, email string, projects ...int64) string {
	t.Helper()
	in := identity.InvitationInput{Email: email, Name: "Ida", Language: "de"}
	for _, id := range projects {
		in.Grants = append(in.Grants, core.Grant{Role: core.RoleEditor, ProjectID: id})
	}
	return secretIn(must(n.invitations.Create(t.Context(), n.actor(t, "super"), in))(t).Path)
}

// TestInvitationsAtAProvider accepts invitations by a sign-in at the provider.
func TestInvitationsAtAProvider(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	theirs := must(n.organisation.CreateProject(t.Context(), system, n.other.ID, access.ProjectInput{Name: "Site"}))(t)
	for name, row := range map[string]struct {
		text string
		code string
	}{
		"another domain":           {n.invite(t, "ida@other.example", n.worldDesk.ID), "provider_not_offered"},
		"another tenant":           {n.invite(t, "ida1@example.org", theirs.ID), "provider_not_offered"},
		"also to another tenant":   {n.invite(t, "ida2@example.org", n.worldDesk.ID, theirs.ID), "provider_not_offered"},
		"an address with account":  {n.invite(t, "viewer@example.org", n.worldDesk.ID), "account_exists"},
		"no secret":                {strings.Repeat("A", 26), "link_invalid"},
		"that of a super admin":    {n.invite(t, "super@example.org", n.worldDesk.ID), "account_exists"},
		"a text that is no secret": {"x", "link_invalid"},
	} {
		_, err := n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID, Invitation: row.text})
		t.Log(name)
		wantErrorCode(t, err, row.code)
	}
	text := n.invite(t, "ida@example.org", n.worldDesk.ID)
	begin := func() identity.Begun {
		return must(n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID, Invitation: text}))(t)
	}
	late, taken := begin(), begin()
	n.says("ida", "someone@elsewhere.example")
	arrived := must(n.back(t, begin()))(t)
	user := arrived.Actor.User
	require.Equal(t, []any{"ida@example.org", "Ida", "de", n.meridian.ID}, []any{user.Email, user.Name, user.Settings.Language, user.TenantID})
	require.Len(t, arrived.Actor.Grants, 1)
	require.Equal(t, "ida@example.org", n.linked(t, "ida"))
	_, err := n.back(t, late)
	wantErrorCode(t, err, "invitation_accepted")
	n.says("eve", "ida@example.org")
	_, err = n.back(t, taken)
	wantErrorCode(t, err, "invitation_accepted")
	require.Empty(t, n.linked(t, "eve"))

	// A person with an account does not get a second one.
	n.says("ida", "")
	second := must(n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID, Invitation: n.invite(t, "ida2@example.org", n.worldDesk.ID)}))(t)
	_, err = n.back(t, second)
	wantErrorCode(t, err, "person_linked")
	_, err = n.stores.Users.UserByEmail(t.Context(), "ida2@example.org")
	wantKind(t, err, core.KindNotFound)
}

// TestLinkFromASession links an account from its session.
func TestLinkFromASession(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	_, err := n.BeginLink(t.Context(), n.session(t, "editor"), n.provider.ID)
	wantErrorCode(t, err, "verify_first")
	_, err = n.BeginLink(t.Context(), n.proven(t, "super"), n.provider.ID)
	wantKind(t, err, core.KindNotFound)
	_, err = n.BeginLink(t.Context(), n.proven(t, "editor"), 999)
	wantKind(t, err, core.KindNotFound)

	editor := n.proven(t, "editor")
	begun := must(n.BeginLink(t.Context(), editor, n.provider.ID))(t)
	require.Equal(t, "editor@example.org", n.outside.request.LoginHint)
	require.Equal(t, "https://cms.example/sso/"+strconv.FormatInt(n.provider.ID, 10)+"/callback", n.outside.client.Redirect)
	require.Equal(t, "hush hush", n.outside.client.Secret)
	n.says("ed", "anything@elsewhere.example")
	arrived := must(n.back(t, begun))(t)
	require.NotEmpty(t, arrived.Session)
	require.Equal(t, "/dashboard/account", arrived.Page)
	require.Equal(t, "editor@example.org", n.linked(t, "ed"))
	_, err = n.stores.Sessions.Session(t.Context(), editor.Session)
	wantKind(t, err, core.KindNotFound) // linking ends sessions
	require.True(t, n.fixture.open(t.Context(), arrived.Session))
	require.Contains(t, n.told(t), event.UserLinked)

	// One account has one person, and one person one account.
	_, err = n.BeginLink(t.Context(), n.proven(t, "editor"), n.provider.ID)
	wantErrorCode(t, err, "account_linked")
	viewer := must(n.BeginLink(t.Context(), n.proven(t, "viewer"), n.provider.ID))(t)
	_, err = n.back(t, viewer)
	wantErrorCode(t, err, "person_linked")
	require.Equal(t, "editor@example.org", n.linked(t, "ed"))

	// A session that has ended links nothing.
	proven := n.proven(t, "viewer")
	left := must(n.BeginLink(t.Context(), proven, n.provider.ID))(t)
	ok(t, n.stores.Sessions.Delete(t.Context(), proven.Session))
	n.says("vi", "")
	_, err = n.back(t, left)
	wantErrorCode(t, err, "sign_in_again")
	require.Empty(t, n.linked(t, "vi"))

	// It goes again, and signs in no more.
	wantErrorCode(t, n.Unlink(t.Context(), n.session(t, "editor"), n.provider.ID), "verify_first")
	wantKind(t, n.Unlink(t.Context(), n.proven(t, "viewer"), n.provider.ID), core.KindNotFound)
	ok(t, n.Unlink(t.Context(), n.proven(t, "editor"), n.provider.ID))
	require.False(t, n.fixture.open(t.Context(), arrived.Session))
	require.Contains(t, n.told(t), event.UserUnlinked)
	n.says("ed", "editor@example.org")
	_, err = n.signOn(t)
	wantErrorCode(t, err, "not_linked")
}

// told returns the types of all events.
func (n *counter) told(t *testing.T) (types []event.Type) {
	t.Helper()
	for _, e := range must(n.stores.Events.Events(t.Context(), ports.EventQuery{Limit: 10_000}))(t) {
		types = append(types, e.Type)
	}
	return types
}

// TestLastWayInOfAnAccount does not unlink an account that has neither a password nor a passkey.
func TestLastWayInOfAnAccount(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{CreateUsers: new(true)})
	n.says("x", "new@example.org")
	arrived := must(n.signOn(t))(t)
	arrived.Actor.Proof = core.Proof{At: n.clock.now, Way: core.WayTOTP}
	wantErrorCode(t, n.Unlink(t.Context(), arrived.Actor, n.provider.ID), "last_way_in")
	require.Equal(t, "new@example.org", n.linked(t, "x"))
}

// TestMailedLinks links accounts by a link to their address.
func TestMailedLinks(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	request := func(email string) (text string) {
		t.Helper()
		ok(t, n.RequestLink(t.Context(), n.provider.ID, email, here))
		for _, m := range must(n.stores.Mails.Claim(t.Context(), 100, time.Hour))(t) {
			if m.Letter == nil {
				continue
			}
			l := must(letter.Open(n.secret, m.Letter))(t)
			require.Equal(t, []any{letter.Connect, strings.ToLower(email)}, []any{l.Kind, l.Address})
			require.True(t, strings.HasPrefix(l.Path, "/dashboard/connect/"+strconv.FormatInt(n.provider.ID, 10)+"/"))
			text = secretIn(l.Path)
		}
		return text
	}
	begin := func(text string) (identity.Begun, error) {
		return n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID, Link: text})
	}
	text := request("Editor@example.org")
	first, second := must(begin(text))(t), must(begin(text))(t)
	n.says("ed", "someone@elsewhere.example")
	arrived := must(n.back(t, first))(t)
	require.Equal(t, "editor@example.org", arrived.Actor.User.Email)
	require.Equal(t, "editor@example.org", n.linked(t, "ed"))
	n.says("eve", "")
	_, err := n.back(t, second)
	wantErrorCode(t, err, "link_invalid")
	_, err = begin(text)
	wantErrorCode(t, err, "link_invalid")
	require.Empty(t, n.linked(t, "eve"))

	for email, code := range map[string]string{"super@example.org": "not_of_tenant", "nobody@example.org": "link_invalid"} {
		_, err := n.back(t, must(begin(request(email)))(t))
		wantErrorCode(t, err, code)
		require.Empty(t, n.linked(t, "eve"))
	}
	expired := request("viewer@example.org")
	n.clock.pass(31 * time.Minute)
	_, err = begin(expired)
	wantErrorCode(t, err, "link_invalid")

	// Another kind of link is none, and an address gets three an hour.
	for range 3 {
		require.NotEmpty(t, request("project@example.org"))
	}
	require.Empty(t, request("project@example.org"))
	require.Empty(t, request("no address"))
	ok(t, n.RequestLink(t.Context(), 999, "viewer@example.org", here))
	n.update(t, identity.ProviderChange{State: new(account.ProviderOff)})
	require.Empty(t, request("viewer@example.org"))
}

// TestAccountsOfATenant keeps linked accounts within the Tenant of their provider.
func TestAccountsOfATenant(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	begun := must(n.BeginLink(t.Context(), n.proven(t, "editor"), n.provider.ID))(t)
	n.says("ed", "")
	must(n.back(t, begun))(t)
	editor := n.people["editor"]
	desk := must(n.organisation.CreateDepartment(t.Context(), system, n.other.ID, "Desk"))(t)
	role := must(n.organisation.CreateCustomRole(t.Context(), system, desk, "Legal"))(t)
	site := must(n.organisation.CreateProject(t.Context(), system, n.other.ID, access.ProjectInput{Name: "Site"}))(t)
	elsewhere := access.Place{Tenant: n.other, Department: desk, Project: site}
	for scope, r := range map[access.Scope]core.Role{access.ScopeTenant: core.RoleTenantAdmin, access.ScopeDepartment: core.RoleDepartmentAdmin, access.ScopeProject: core.RoleViewer} {
		_, err := n.members.Set(t.Context(), system, scope, elsewhere, editor, r)
		wantErrorCode(t, err, "linked")
	}
	wantErrorCode(t, n.organisation.GiveRole(t.Context(), system, desk, role.ID, editor), "linked")
	_, err := n.users.Update(t.Context(), n.actor(t, "super"), editor, access.UserChange{SuperAdmin: new(true)})
	wantErrorCode(t, err, "linked")
	text := n.invite(t, "editor@example.org", site.ID)
	_, err = n.invitations.Accept(t.Context(), n.actor(t, "editor"), identity.Acceptance{Secret: text})
	wantErrorCode(t, err, "linked")
	must(n.members.Set(t.Context(), system, access.ScopeProject, access.Place{Tenant: n.meridian, Department: n.newsroom, Project: n.worldDesk}, editor, core.RoleViewer))(t)

	// Whoever has a role elsewhere, however it came, is not signed in, and not linked.
	ok(t, n.stores.Grants.Set(t.Context(), core.Grant{UserID: editor, Role: core.RoleViewer, TenantID: n.other.ID, ProjectID: site.ID}))
	_, err = n.signOn(t)
	wantErrorCode(t, err, "not_of_tenant")
	must(n.members.Set(t.Context(), system, access.ScopeProject, elsewhere, n.people["viewer"], core.RoleViewer))(t)
	_, err = n.BeginLink(t.Context(), n.proven(t, "viewer"), n.provider.ID)
	wantKind(t, err, core.KindNotFound)

	// So is an account that is not active.
	ok(t, n.stores.Grants.Remove(t.Context(), core.Grant{UserID: editor, Role: core.RoleViewer, TenantID: n.other.ID, ProjectID: site.ID}))
	must(n.signOn(t))(t)
	must(n.users.Update(t.Context(), n.actor(t, "super"), editor, access.UserChange{Active: new(false)}))(t)
	_, err = n.signOn(t)
	wantErrorCode(t, err, "account_off")

	// A provider of another Tenant, with the same issuer, does not reach the account.
	must(n.users.Update(t.Context(), n.actor(t, "super"), editor, access.UserChange{Active: new(true)}))(t)
	theirs := must(n.Create(t.Context(), n.actor(t, "super"), n.other.ID, valid()))(t)
	n.says("ed", "editor@example.org")
	trial := must(n.BeginTrial(t.Context(), n.session(t, "super"), n.other.ID, theirs.ID))(t)
	n.provider = theirs
	require.Equal(t, identity.WouldRefuse, must(n.back(t, trial))(t).Trial.Would)
	n.provider = must(n.Update(t.Context(), n.actor(t, "super"), n.other.ID, theirs.ID, identity.ProviderChange{State: new(account.ProviderOn)}))(t)
	_, err = n.signOn(t)
	wantErrorCode(t, err, "not_linked")
	_, err = n.BeginLink(t.Context(), n.proven(t, "editor"), theirs.ID)
	wantKind(t, err, core.KindNotFound)
}

// TestReturns has returns that do not belong to what was begun.
func TestReturns(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{CreateUsers: new(true)})
	n.says("x", "new@example.org")
	begin := func() identity.Return {
		return n.returning(t, must(n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID}))(t))
	}
	other := begin()
	for name, row := range map[string]struct {
		change func(*identity.Return)
		code   string
	}{
		"another state":    {func(r *identity.Return) { r.State = other.State }, "sign_in_again"},
		"no state":         {func(r *identity.Return) { r.State = "" }, "sign_in_again"},
		"another browser":  {func(r *identity.Return) { r.Flow = "" }, "sign_in_again"},
		"a changed flow":   {func(r *identity.Return) { r.Flow = string(rune(r.Flow[0]^1)) + r.Flow[1:] }, "sign_in_again"},
		"another provider": {func(r *identity.Return) { r.ProviderID++ }, "sign_in_again"},
		"a refusal":        {func(r *identity.Return) { r.Fault = "access_denied" }, "provider_refused"},
		"another code":     {func(r *identity.Return) { r.Code = "other" }, "provider_refused"},
	} {
		r := begin()
		row.change(&r)
		_, err := n.Finish(t.Context(), r)
		t.Log(name)
		wantErrorCode(t, err, row.code)
	}
	late := begin()
	n.clock.pass(identity.FlowLifetime)
	_, err := n.Finish(t.Context(), late)
	wantErrorCode(t, err, "sign_in_again")
	require.Empty(t, n.linked(t, "x"))

	once := begin()
	must(n.Finish(t.Context(), once))(t)
	_, err = n.Finish(t.Context(), once)
	wantErrorCode(t, err, "sign_in_again")

	// Failures of strangers with the password do not bar the way by the provider.
	for range 12 {
		_, _ = n.sessions.SignIn(t.Context(), identity.SignIn{Email: "new@example.org", Password: "wrong", Client: identity.Client{Address: "192.0.2.9"}})
	}
	must(n.signOn(t))(t)

	off := begin()
	n.update(t, identity.ProviderChange{State: new(account.ProviderOff)})
	_, err = n.Finish(t.Context(), off)
	wantKind(t, err, core.KindNotFound)
	_, err = n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID})
	wantKind(t, err, core.KindNotFound)
	_, err = n.Begin(t.Context(), identity.Beginning{ProviderID: 999})
	wantKind(t, err, core.KindNotFound)
}

// TestTrials tries providers: nothing of an account changes, and only the one who has tried may switch it on.
func TestTrials(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	in := valid()
	n.provider = n.add(t, in)
	_, err := n.Begin(t.Context(), identity.Beginning{ProviderID: n.provider.ID})
	wantKind(t, err, core.KindNotFound)
	tenant := n.session(t, "tenant")
	_, err = n.BeginTrial(t.Context(), tenant, n.other.ID, n.provider.ID)
	wantKind(t, err, core.KindNotFound)
	try := func() (identity.Arrival, error) {
		return n.back(t, must(n.BeginTrial(t.Context(), tenant, n.meridian.ID, n.provider.ID))(t))
	}
	users := must(n.stores.Users.Users(t.Context(), 0, 0, 100))(t)
	n.says("x", "editor@example.org")
	n.outside.claims.All["groups"] = []any{"a", "b"}
	shown := must(try())(t).Trial
	require.Equal(t, []identity.Claimed{{"email", `"editor@example.org"`}, {"groups", `["a","b"]`}, {"sub", `"x"`}}, shown.Claims)
	require.Equal(t, []any{identity.WouldRefuse, "", false}, []any{shown.Would, shown.Account, shown.AuthTime})
	require.Equal(t, []any{account.ProviderTested, tenant.UserID()}, []any{shown.Provider.State, shown.Provider.TriedBy})
	require.Empty(t, n.linked(t, "x"))
	require.Equal(t, users, must(n.stores.Users.Users(t.Context(), 0, 0, 100))(t))

	// Only who has tried may switch it on, and only what was tried.
	_, err = n.Update(t.Context(), n.actor(t, "super"), n.meridian.ID, n.provider.ID, identity.ProviderChange{State: new(account.ProviderOn)})
	wantErrorCode(t, err, "not_tested")
	for name, change := range map[string]identity.ProviderChange{
		"secret": {Secret: new("other")}, "client": {ClientID: new("other")}, "scopes": {Scopes: &[]string{"groups"}},
	} {
		n.update(t, change)
		require.Equal(t, account.ProviderDraft, n.provider.State, name)
		_, err = n.Update(t.Context(), tenant, n.meridian.ID, n.provider.ID, identity.ProviderChange{State: new(account.ProviderOn)})
		wantErrorCode(t, err, "not_tested")
		must(try())(t)
	}
	n.update(t, identity.ProviderChange{Name: new("All"), Passwords: new(account.PasswordsForbidden)})
	require.Equal(t, account.ProviderTested, n.provider.State)
	_, err = n.Update(t.Context(), tenant, n.meridian.ID, n.provider.ID, identity.ProviderChange{State: new(account.ProviderOn)})
	wantErrorCode(t, err, "last_way_in")
	n.update(t, identity.ProviderChange{State: new(account.ProviderOn), Passwords: new(account.PasswordsAllowed)})
	n.update(t, identity.ProviderChange{Secret: new("renewed")})
	require.Equal(t, account.ProviderOn, n.provider.State)

	// What changes while it is tried was not tried.
	begun := must(n.BeginTrial(t.Context(), tenant, n.meridian.ID, n.provider.ID))(t)
	n.clock.pass(time.Second)
	n.update(t, identity.ProviderChange{Name: new("Other")})
	_, err = n.back(t, begun)
	wantErrorCode(t, err, "changed_meanwhile")

	// Who is no admin any more sees nothing.
	begun = must(n.BeginTrial(t.Context(), tenant, n.meridian.ID, n.provider.ID))(t)
	ok(t, n.members.Remove(t.Context(), system, access.ScopeTenant, access.Place{Tenant: n.meridian}, n.people["tenant"]))
	_, err = n.back(t, begun)
	wantKind(t, err, core.KindForbidden)
}

// TestIssuersOfLinkedAccounts keeps the issuer of a provider to which accounts are linked.
func TestIssuersOfLinkedAccounts(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{CreateUsers: new(true)})
	n.says("x", "new@example.org")
	must(n.signOn(t))(t)
	n.update(t, identity.ProviderChange{State: new(account.ProviderDraft)})
	_, err := n.Update(t.Context(), n.actor(t, "tenant"), n.meridian.ID, n.provider.ID, identity.ProviderChange{Issuer: new("https://evil.example"), Secret: new("a")})
	wantFaults(t, err, "issuer")
}

// TestFactorsAfterAProvider asks for a second factor as the provider says.
func TestFactorsAfterAProvider(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	begun := must(n.BeginLink(t.Context(), n.proven(t, "editor"), n.provider.ID))(t)
	n.says("ed", "")
	must(n.back(t, begun))(t)
	n.withApp(t, "editor")
	half := must(n.signOn(t))(t)
	require.Empty(t, half.Session)
	require.NotEmpty(t, half.Ticket)
	require.Contains(t, half.SignedIn.Next, core.WayTOTP)
	n.update(t, identity.ProviderChange{SecondFactor: new(account.FactorTheirs)})
	require.NotEmpty(t, must(n.signOn(t))(t).Session)
}

// TestSignOnWays says what there is for an address, whether or not it has an account.
func TestSignOnWays(t *testing.T) {
	t.Parallel()
	n := openCounter(t, identity.ProviderChange{})
	for _, email := range []string{"editor@example.org", "nobody@EXAMPLE.org", "x@example.org"} {
		ways := must(n.Ways(t.Context(), email))(t)
		require.True(t, ways.Any)
		require.Equal(t, n.provider.ID, ways.Provider.ID)
	}
	for _, email := range []string{"", "editor", "a@other.example", "a@a.example.org"} {
		ways := must(n.Ways(t.Context(), email))(t)
		require.True(t, ways.Any)
		require.Nil(t, ways.Provider)
	}
	links := must(n.Links(t.Context(), n.actor(t, "editor")))(t)
	require.Len(t, links, 1)
	require.True(t, links[0].LinkedAt.IsZero())
	require.Empty(t, must(n.Links(t.Context(), n.actor(t, "super")))(t))
	n.update(t, identity.ProviderChange{State: new(account.ProviderOff)})
	require.False(t, must(n.Ways(t.Context(), "editor@example.org"))(t).Any)
	require.Empty(t, must(n.Links(t.Context(), n.actor(t, "editor")))(t))
	require.True(t, slices.Contains(identity.Woulds(), identity.WouldCreate))
}
