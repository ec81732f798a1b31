package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/letter"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// FlowLifetime is the time in which a person must come back from an identity provider.
const FlowLifetime = 10 * time.Minute

// ConnectPath is the page of the links that connect an account to a person at an identity provider. The id of the
// provider and the secret follow it.
const ConnectPath = "/dashboard/connect/"

// maxNext is the largest length of the page to show after a sign-in, in bytes.
const maxNext = 500

// SignOn signs people in by identity providers, and links accounts to the persons that these know. What is said about
// an address never links: an account is linked from a session with a fresh proof, by an invitation to an address
// without an account, or by a link that was mailed to the address of the account.
type SignOn struct {
	stores      ports.Stores
	tx          ports.Tx
	clock       ports.Clock
	key         secret.Key
	outside     ports.IdentityProviders
	providers   *Providers
	sessions    *Sessions
	invitations *Invitations
	post        letter.Post
	base        string
}

// NewSignOn returns SignOn. key encrypts flows. base is the public address of the installation, without a path.
func NewSignOn(stores ports.Stores, tx ports.Tx, clock ports.Clock, key secret.Key, outside ports.IdentityProviders, providers *Providers,
	sessions *Sessions, invitations *Invitations, post letter.Post, base string,
) *SignOn {
	return &SignOn{stores, tx, clock, key, outside, providers, sessions, invitations, post, base}
}

// SignOnWays are the ways in which the holder of an address can sign in. They depend on the domain of the address alone.
type SignOnWays struct {
	Provider *account.IdentityProvider // nil: none
	Any      bool                      // the installation has an identity provider that is on
}

// Ways returns the ways of an address, and does the same work whether or not an account has it.
func (s *SignOn) Ways(ctx context.Context, email string) (ways SignOnWays, err error) {
	if ways.Any, err = s.stores.Providers.AnyOn(ctx); err != nil || !ways.Any {
		return ways, err
	}
	ways.Provider, err = newPasswordRule(s.stores).providerOf(ctx, email)
	return ways, err
}

// flowKind is what a person is sent to an identity provider for.
type flowKind string

const (
	flowSignIn     flowKind = "sign in"
	flowTrial      flowKind = "trial"      // by the admin of a session
	flowLink       flowKind = "link"       // of the account of a session
	flowInvitation flowKind = "invitation" // Secret is that of its link
	flowMail       flowKind = "mail"       // Secret is that of the link in a mail
	flowProof      flowKind = "proof"      // of who the person of a session is
)

// flow is a person on the way to an identity provider and back. The browser keeps it, encrypted: another browser cannot
// finish it, and one that is not finished leaves nothing in the database.
type flow struct {
	Kind     flowKind
	Provider int64
	Version  int64 // Unix milliseconds of the last change of the provider
	At       int64 // Unix milliseconds
	State    string
	Nonce    string
	Verifier string
	Session  []byte `json:",omitempty"` // hash of that of flowTrial, flowLink and flowProof
	Secret   string `json:",omitempty"`
	Next     string `json:",omitempty"` // the page to show afterwards
}

// Begun is the beginning of a sign-in at an identity provider.
type Begun struct {
	URL  string // of the provider, to which the browser goes
	Flow string // what the browser keeps for FlowLifetime
}

// Beginning says how a person begins to sign in by an identity provider.
type Beginning struct {
	ProviderID int64
	Email      string // an address that the provider may fill in, or empty
	Next       string // the page to show afterwards, which the caller checks
	Invitation string // the secret of an invitation to accept, or empty
	Link       string // the secret of a mailed link that connects an account, or empty
}

// Begin sends a person to an identity provider that is on; any other is core.KindNotFound. The errors are those of
// Invitations.Look for an invitation, and core.KindGone for a link that does not work.
func (s *SignOn) Begin(ctx context.Context, in Beginning) (Begun, error) {
	provider, err := s.stores.Providers.ProviderByID(ctx, in.ProviderID)
	if err == nil && provider.State != account.ProviderOn {
		err = core.NotFound("identity provider")
	}
	if err != nil {
		return Begun{}, err
	}
	begun := flow{Kind: flowSignIn, Next: in.Next}
	switch {
	case in.Invitation != "":
		if _, err := s.offered(ctx, provider, in.Invitation); err != nil {
			return Begun{}, err
		}
		begun.Kind, begun.Secret = flowInvitation, in.Invitation
	case in.Link != "":
		hash, ok := linkHash(in.Link)
		if !ok {
			return Begun{}, invalidLink()
		}
		link, err := s.stores.Links.Link(ctx, hash)
		if err := s.usable(link, err); err != nil {
			return Begun{}, err
		}
		begun.Kind, begun.Secret = flowMail, in.Link
	}
	return s.begin(ctx, provider, begun, in.Email)
}

// BeginTrial sends an admin of the Tenant to one of its identity providers, to see what it says. It changes nothing but
// that the provider was tried by the actor.
func (s *SignOn) BeginTrial(ctx context.Context, actor core.Actor, tenantID, id int64) (Begun, error) {
	provider, err := s.stores.Providers.Provider(ctx, tenantID, id)
	if err != nil {
		return Begun{}, err
	}
	return s.begin(ctx, provider, flow{Kind: flowTrial, Session: actor.Session[:]}, "")
}

// BeginLink sends the actor to an identity provider that is on, to link the account to the person that signs in there.
// It returns core.KindForbidden with the code verify_first for an actor without a fresh proof, core.KindNotFound for
// another provider than those of Links, and core.KindConflict with the code account_linked for an account that is linked.
func (s *SignOn) BeginLink(ctx context.Context, actor core.Actor, id int64) (Begun, error) {
	links, err := s.Links(ctx, actor)
	if err != nil {
		return Begun{}, err
	}
	i := slices.IndexFunc(links, func(l Link) bool { return l.Provider.ID == id && l.Provider.State == account.ProviderOn })
	if i < 0 {
		return Begun{}, core.NotFound("identity provider")
	}
	if !links[i].LinkedAt.IsZero() {
		return Begun{}, accountLinked()
	}
	if err := mustVerify(ctx, s.stores, actor); err != nil {
		return Begun{}, err
	}
	return s.begin(ctx, links[i].Provider, flow{Kind: flowLink, Session: actor.Session[:], Next: "/dashboard/account"}, actor.User.Email)
}

// BeginProof sends the actor to an identity provider to sign in there once more, which gives the session a fresh Proof. It
// returns core.KindNotFound for a provider that does not prove who the actor is (Link.Proves).
func (s *SignOn) BeginProof(ctx context.Context, actor core.Actor, id int64) (Begun, error) {
	links, err := s.Links(ctx, actor)
	if err != nil {
		return Begun{}, err
	}
	i := slices.IndexFunc(links, func(l Link) bool { return l.Provider.ID == id && l.Proves })
	if i < 0 {
		return Begun{}, core.NotFound("identity provider")
	}
	return s.begin(ctx, links[i].Provider, flow{Kind: flowProof, Session: actor.Session[:]}, actor.User.Email)
}

func (s *SignOn) begin(ctx context.Context, provider account.IdentityProvider, begun flow, email string) (Begun, error) {
	client, err := s.client(&provider)
	if err != nil {
		return Begun{}, err
	}
	if len(begun.Next) > maxNext {
		begun.Next = ""
	}
	begun.Provider, begun.Version, begun.At = provider.ID, provider.UpdatedAt.UnixMilli(), s.clock.Now().UnixMilli()
	begun.State, begun.Nonce, begun.Verifier = secret.Text(), secret.Text(), secret.Text()+secret.Text()
	request := ports.ProviderRequest{State: begun.State, Nonce: begun.Nonce, Verifier: begun.Verifier}
	// Some providers say auth_time only if they are asked for it, so that a trial asks, too.
	request.Fresh = begun.Kind == flowProof || begun.Kind == flowTrial
	if address.Email(email) {
		request.LoginHint = email
	}
	to, err := s.outside.SignInAddress(ctx, client, request)
	if err != nil {
		return Begun{}, err
	}
	plain, err := json.Marshal(begun)
	return Begun{to, base64.RawURLEncoding.EncodeToString(s.key.Seal(secret.Flows, plain, nil))}, err
}

// client returns this installation as a client of a provider.
func (s *SignOn) client(provider *account.IdentityProvider) (ports.ProviderClient, error) {
	text, err := s.providers.clientSecret(provider)
	if err != nil {
		return ports.ProviderClient{}, &core.Error{
			Kind: core.KindUnavailable, Code: "provider_unavailable", Message: "the secret of the identity provider cannot be read; set it again", Err: err,
		}
	}
	return ports.ProviderClient{
		Issuer: provider.Issuer, ClientID: provider.ClientID, Secret: text, Scopes: provider.Scopes,
		Redirect: s.base + "/sso/" + strconv.FormatInt(provider.ID, 10) + "/callback",
	}, nil
}

// Return is how a person comes back from an identity provider.
type Return struct {
	Client

	ProviderID int64  // of the page to which the person comes back
	Flow       string // Begun.Flow
	State      string
	Code       string
	Issuer     string // the parameter iss, or empty
	Fault      string // the parameter error, or empty
}

// Arrival is what comes of a sign-in at an identity provider: a Trial, a Proof, or a step of a sign-in.
type Arrival struct {
	SignedIn

	Page  string // to show; empty: the first one
	Trial *Trial
	Proof core.Proof // that the session has got; zero: none
}

// Finish finishes what Begin, BeginTrial, BeginLink or BeginProof has begun in the same browser. It returns core.KindUnauthenticated
// with the code sign_in_again for another browser, after FlowLifetime and the second time, and with the code
// provider_refused for an answer that does not say who the person is; core.KindUnavailable with the code
// provider_unavailable for a provider that does not answer; and core.KindForbidden with the code not_linked for a person
// without an account, not_of_tenant for an account that has roles in another Tenant or is that of a super admin, and
// account_off for one that is not active. For BeginProof it returns core.KindForbidden with the code wrong_subject for a
// person that is not linked to the account, and not_proven unless the provider says that the person has signed in since. The
// errors of links are in link, those of invitations in Invitations.Accept.
func (s *SignOn) Finish(ctx context.Context, in Return) (Arrival, error) {
	begun, ok := s.read(in)
	if !ok {
		return Arrival{}, flowEnded()
	}
	if fresh, err := s.stores.Spent.Spend(ctx, sha256.Sum256([]byte(begun.State)), time.UnixMilli(begun.At).Add(FlowLifetime)); err != nil || !fresh {
		return Arrival{}, orElse(err, flowEnded())
	}
	provider, err := s.stores.Providers.ProviderByID(ctx, begun.Provider)
	if err == nil && provider.State != account.ProviderOn && begun.Kind != flowTrial {
		err = core.NotFound("identity provider")
	}
	if err != nil {
		return Arrival{}, err
	}
	actor, err := s.actorOf(ctx, begun)
	if err != nil {
		return Arrival{}, err
	}
	if in.Fault != "" {
		return Arrival{}, refusedSignIn(errors.New("the provider answers: " + core.Clip(in.Fault)))
	}
	client, err := s.client(&provider)
	if err != nil {
		return Arrival{}, err
	}
	claims, err := s.outside.Redeem(ctx, client, ports.ProviderAnswer{Code: in.Code, Issuer: in.Issuer, Nonce: begun.Nonce, Verifier: begun.Verifier})
	if err != nil {
		return Arrival{}, err
	}
	if begun.Kind == flowTrial {
		trial, err := s.try(ctx, actor, provider, begun, claims)
		return Arrival{Trial: &trial}, err
	}
	if begun.Kind == flowProof {
		proof, err := s.prove(ctx, actor, provider, begun, claims)
		return Arrival{Proof: proof}, err
	}
	user, err := s.arrive(ctx, actor, provider, begun, claims)
	if err != nil {
		return Arrival{}, err
	}
	step, err := s.sessions.Advance(ctx, in.Client, user, wayOf(&provider), originOf(&provider, claims))
	return Arrival{SignedIn: step, Page: begun.Next}, err
}

// read returns the flow that a person comes back from.
func (s *SignOn) read(in Return) (begun flow, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(in.Flow)
	if err != nil {
		return flow{}, false
	}
	plain, err := s.key.Open(secret.Flows, sealed, nil)
	if err != nil || json.Unmarshal(plain, &begun) != nil {
		return flow{}, false
	}
	same := subtle.ConstantTimeCompare([]byte(begun.State), []byte(in.State)) == 1
	return begun, same && begun.Provider == in.ProviderID && s.clock.Now().Sub(time.UnixMilli(begun.At)) < FlowLifetime
}

func flowEnded() *core.Error {
	return &core.Error{Kind: core.KindUnauthenticated, Code: "sign_in_again", Message: "the sign-in has expired, was used, or began in another browser; sign in again"}
}

func refusedSignIn(err error) *core.Error {
	return &core.Error{Kind: core.KindUnauthenticated, Code: "provider_refused", Message: "the identity provider did not sign you in", Err: err}
}

// actorOf returns the user of the session that a flow belongs to; the zero Actor for a flow without one.
func (s *SignOn) actorOf(ctx context.Context, begun flow) (actor core.Actor, err error) {
	if begun.Kind != flowTrial && begun.Kind != flowLink && begun.Kind != flowProof {
		return core.Actor{}, nil
	}
	if len(begun.Session) != len(actor.Session) {
		return core.Actor{}, flowEnded()
	}
	session, err := s.stores.Sessions.Session(ctx, [32]byte(begun.Session))
	var user core.User
	if err == nil {
		user, err = s.stores.Users.User(ctx, session.UserID)
	}
	if errors.Is(err, core.ErrNotFound) || err == nil && (!user.Active || !s.clock.Now().Before(session.ExpiresAt)) {
		return core.Actor{}, flowEnded()
	}
	if err != nil {
		return core.Actor{}, err
	}
	actor = core.Actor{User: &user, Session: session.Hash}
	actor.Grants, actor.CustomRoles, err = s.stores.Grants.UserGrants(ctx, user.ID)
	return actor, err
}
