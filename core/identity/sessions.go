package identity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/password"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// SessionLifetime is the lifetime of a session.
const SessionLifetime = 12 * time.Hour

// Sessions signs users in and out.
type Sessions struct {
	users    ports.UserStore
	sessions ports.SessionStore
	proofs   proofs
	attempts attempts
	devices  devices
	tickets  tickets
	rule     passwordRule
	tx       ports.Tx
	hasher   password.Hasher
	clock    ports.Clock
}

// NewSessions returns Sessions. key signs device cookies and encrypts tickets and challenges; it must be
// that of Factors and of Passkeys.
func NewSessions(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, clock ports.Clock, key secret.Key, passkeys ports.PasskeyReader) *Sessions {
	checked, hashes := newPasskeyProofs(stores, tx, clock, key, passkeys), password.NewHasher(hasher)
	return &Sessions{
		users: stores.Users, sessions: stores.Sessions, proofs: proofs{stores.TOTP, stores.Recovery, checked, hashes, key, clock}, attempts: newAttempts(stores, tx, clock),
		devices: devices{key}, tickets: tickets{key}, rule: newPasswordRule(stores), tx: tx, hasher: hashes, clock: clock,
	}
}

// Client is where an attempt to sign in comes from.
type Client struct {
	Address   string // of the client: an IP address without port
	UserAgent string // of the client, of any length
	Previous  string // id of the session that the client had, or ""
	Device    string // value of the browser's device cookie (SignedIn.Device), or ""
}

// SignIn is an attempt to sign in with a password.
type SignIn struct {
	Client

	Email    string // compared case-insensitively
	Password string
}

// SecondStep is an attempt to finish a sign-in.
type SecondStep struct {
	Client

	Ticket string // of the first step
	Proof  Evidence
}

// SignedIn is the outcome of a successful step of a sign-in.
type SignedIn struct {
	Session string // id of the new session; "": another step must follow
	Actor   core.Actor
	// Next has the ways of which one must follow, and Ticket states that the first step was taken.
	Next   []core.Way
	Ticket string
	// Device is the new value of the device cookie. Store it in the browser for DeviceLifetime, out
	// of reach of scripts.
	Device string
}

// SignIn opens a session under a new id and ends the previous one. For a user with a second factor it
// returns a ticket instead, with which SecondStep finishes the sign-in in the same browser. For an
// unknown e-mail, a wrong password and an account that is not active it returns the same error,
// core.KindUnauthenticated, after the same work. After ten failures in fifteen minutes for one
// account, or a hundred from one address, it returns core.KindTooManyRequests, even for the right
// password; from ten on, it delays attempts from the address. With a Device of the account it counts
// only the failures in that browser. The failures are counted in the database, for all processes
// together; a success resets the failures of the account, or of its browser. The right password of a user that signs in by
// an identity provider alone is core.KindForbidden, see Advance.
func (s *Sessions) SignIn(ctx context.Context, in SignIn) (SignedIn, error) {
	var user core.User
	ok, err := s.attempts.check(ctx, s.client(in.Client, in.Email), &user, func(ctx context.Context) (ok bool, err error) {
		user, ok, err = s.check(ctx, in)
		return ok, err
	})
	if err != nil {
		return SignedIn{}, err
	}
	if !ok {
		return SignedIn{}, wrongCredentials()
	}
	return s.Advance(ctx, in.Client, user, core.WayPassword, account.SessionOrigin{})
}

// Advance takes the first step of signing in for a user that has just proven who they are in that way:
// it opens a session, or returns a ticket for the second step. It returns core.KindForbidden with the code provider_required
// for a password of a user that signs in by an identity provider alone (ByProviderAlone). origin is what an identity provider
// has said.
func (s *Sessions) Advance(ctx context.Context, from Client, user core.User, way core.Way, origin account.SessionOrigin) (SignedIn, error) {
	if way == core.WayPassword {
		if err := s.rule.mustNotForbid(ctx, &user); err != nil {
			return SignedIn{}, err
		}
	}
	switch to, allowed := next(outside, way, user.HasFactor()); {
	case !allowed:
		return SignedIn{}, wrongCredentials()
	case to == inside:
		return s.open(ctx, from, user, evidence{way: way, origin: origin})
	default:
		codes, err := s.proofs.recovery.Count(ctx, user.ID)
		if err != nil {
			return SignedIn{}, err
		}
		device := s.devices.keep(from.Device)
		return SignedIn{Next: waysOn(to, &user, codes), Ticket: s.tickets.issue(&user, s.devices.browser(device), origin, s.clock.Now()), Device: device}, nil
	}
}

// SignInWithPasskey opens a session for the user of a passkey, given what a browser has answered to
// Passkeys.Request. For anything else than a passkey of an active account it returns the same error as
// SignIn, which counts as a failed sign-in from the address, and of the account whose passkey it is. The passkey of a user
// that signs in by an identity provider alone is core.KindForbidden, see Advance.
func (s *Sessions) SignInWithPasskey(ctx context.Context, from Client, assertion []byte) (SignedIn, error) {
	user, err := s.proofs.passkeys.owner(ctx, assertion)
	if err != nil {
		return SignedIn{}, err
	}
	proof := s.proofs.passkeys.of(user, assertion)
	ok, err := s.attempts.check(ctx, s.client(from, user.Email), &user, func(ctx context.Context) (bool, error) {
		right, err := proof.matches(ctx)
		return right && user.Active, err
	})
	if err != nil {
		return SignedIn{}, err
	}
	if to, allowed := next(outside, core.WayPasskey, user.HasFactor()); !ok || !allowed || to != inside {
		return SignedIn{}, wrongPasskey()
	}
	if err := s.rule.mustNotForbid(ctx, &user); err != nil {
		return SignedIn{}, err
	}
	return s.open(ctx, from, user, proof)
}

// SecondStep finishes a sign-in that SignIn has begun. It returns core.KindUnauthenticated for a ticket
// that has expired, has finished a sign-in, is of another browser or from before the end of all sessions,
// with code "sign_in_again", and for a wrong proof, which counts as a failed sign-in, with code
// "wrong_second_factor".
func (s *Sessions) SecondStep(ctx context.Context, in SecondStep) (SignedIn, error) {
	begun, origin, valid := s.tickets.read(in.Ticket, s.devices.browser(in.Device), s.clock.Now())
	if !valid {
		return SignedIn{}, signInAgain()
	}
	user, err := s.users.User(ctx, begun.UserID)
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return SignedIn{}, err
	}
	if err != nil || !begun.belongsTo(&user) {
		return SignedIn{}, signInAgain()
	}
	proof, err := s.proofs.of(user, in.Proof)
	if err != nil {
		return SignedIn{}, err
	}
	if _, allowed := next(halfway, proof.way, user.HasFactor()); !allowed {
		return SignedIn{}, wrongSecondFactor()
	}
	ok, err := s.attempts.check(ctx, s.client(in.Client, user.Email), &user, proof.matches)
	if err != nil {
		return SignedIn{}, err
	}
	if !ok {
		return SignedIn{}, wrongSecondFactor()
	}
	proof.origin = origin
	return s.open(ctx, in.Client, user, begun.with(proof))
}

// KnownBrowser returns the id of the browser with that value of SignedIn.Device when the user with the
// e-mail has signed in in it before, else "".
func (s *Sessions) KnownBrowser(device, email string) string { return s.devices.find(device, email) }

func (s *Sessions) client(from Client, email string) client {
	return client{email, from.Address, s.KnownBrowser(from.Device, email)}
}

// SignOut ends the session of actor. It returns no error when the session has already ended.
func (s *Sessions) SignOut(ctx context.Context, actor core.Actor, id string) error {
	return s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return end(ctx, stores.Sessions, id) })
}

// List returns the actor's sessions that have not expired, newest first.
func (s *Sessions) List(ctx context.Context, actor core.Actor) ([]account.Session, error) {
	sessions, err := s.sessions.Sessions(ctx, actor.UserID())
	now := s.clock.Now()
	sessions = slices.DeleteFunc(sessions, func(session account.Session) bool { return !now.Before(session.ExpiresAt) })
	slices.Reverse(sessions)
	return sessions, err
}

// End ends one of the actor's sessions. It returns core.ErrNotFound when the actor has no session
// with that id.
func (s *Sessions) End(ctx context.Context, actor core.Actor, id int64) error {
	return s.endSome(ctx, actor, core.NotFound("session"), func(session account.Session) bool { return session.ID == id })
}

// EndOthers ends all sessions of the actor except the session with the secret id current.
func (s *Sessions) EndOthers(ctx context.Context, actor core.Actor, current string) error {
	return s.endSome(ctx, actor, nil, func(session account.Session) bool { return session.Hash != secret.Hash(current) })
}

// endSome ends the actor's sessions that match. It returns none when no session does.
func (s *Sessions) endSome(ctx context.Context, actor core.Actor, none error, match func(account.Session) bool) error {
	return s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		sessions, err := stores.Sessions.Sessions(ctx, actor.UserID())
		if err != nil {
			return err
		}
		result := none
		for _, session := range sessions {
			if match(session) {
				if err := stores.Sessions.Delete(ctx, session.Hash); err != nil {
					return err
				}
				result = nil
			}
		}
		return result
	})
}

// check returns the user with the given e-mail and password. The result is false when no active
// user has them. It does the same work in both cases.
func (s *Sessions) check(ctx context.Context, in SignIn) (core.User, bool, error) {
	user, err := s.users.UserByEmail(ctx, address.Mailbox(in.Email))
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return core.User{}, false, err
	}
	// The empty hash matches nothing but takes as long to check.
	hash := ""
	if user.Active {
		hash = user.PasswordHash
	}
	matches, err := s.hasher.Matches(ctx, in.Password, hash)
	return user, matches, err
}

// open starts a session for the user, unless the account was changed or has failed too often since the
// proof was checked, or the proof was used meanwhile. Parallel attempts therefore cannot exceed the
// limit. What fails here counts as a failed sign-in, as a wrong proof does.
func (s *Sessions) open(ctx context.Context, from Client, user core.User, proof evidence) (SignedIn, error) {
	id := secret.Text()
	result := SignedIn{Session: id, Actor: core.Actor{User: &user, Session: secret.Hash(id)}, Device: s.devices.add(from.Device, user.Email)}
	session := account.Session{
		Hash: secret.Hash(id), UserID: user.ID, Origin: proof.origin, Address: from.Address, UserAgent: core.Clip(strings.ToValidUTF8(from.UserAgent, "")),
	}
	err := s.tx.Do(ctx, result.Actor, func(ctx context.Context, stores ports.Stores) error {
		// Nothing is guessed at an identity provider: the failures of strangers do not bar its users.
		guessed := proof.way != core.WayProvider && proof.way != core.WayProviderFactor
		if guessed {
			if err := s.attempts.allowed(ctx, stores.SignIns, s.client(from, user.Email)); err != nil {
				return err
			}
		}
		current, err := stores.Users.User(ctx, user.ID)
		if err != nil {
			return err
		}
		if !current.Active || current.Generation != user.Generation || current.HasFactor() != user.HasFactor() {
			return wrongCredentials()
		}
		if fresh, err := proof.spend(ctx, stores); err != nil || !fresh {
			return orElse(err, wrongSecondFactor())
		}
		if guessed {
			if err := s.attempts.succeeded(ctx, stores.SignIns, s.client(from, user.Email)); err != nil {
				return err
			}
		}
		if err := end(ctx, stores.Sessions, from.Previous); err != nil {
			return err
		}
		actor := &result.Actor
		if actor.Grants, actor.CustomRoles, err = stores.Grants.UserGrants(ctx, user.ID); err != nil {
			return err
		}
		if actor.SecondFactorFrom, err = ports.SecondFactorFrom(ctx, stores.Tenants, &current, actor.Grants, actor.CustomRoles); err != nil {
			return err
		}
		if session.CreatedAt, err = stores.Clock.Now(ctx); err != nil {
			return err
		}
		session.ExpiresAt = session.CreatedAt.Add(SessionLifetime)
		if proof.way == core.WayRecovery { // without another proof, so that the user can replace what was lost
			session.Proof = core.Proof{At: session.CreatedAt, Way: proof.way}
		}
		return stores.Sessions.Insert(ctx, session)
	})
	if core.KindOf(err) == core.KindUnauthenticated {
		err = orElse(s.attempts.failed(ctx, s.attempts.budgets(s.client(from, user.Email)), &user), err)
	}
	if err != nil {
		return SignedIn{}, err
	}
	return result, nil
}

// end deletes the session with that id, if any.
func end(ctx context.Context, sessions ports.SessionStore, id string) error {
	if id == "" {
		return nil
	}
	return sessions.Delete(ctx, secret.Hash(id))
}

func wrongCredentials() *core.Error {
	return &core.Error{Kind: core.KindUnauthenticated, Code: "wrong_credentials", Message: "the e-mail or the password is wrong"}
}

func wrongPasskey() *core.Error {
	return &core.Error{Kind: core.KindUnauthenticated, Code: "wrong_credentials", Message: "the passkey does not sign in"}
}

func wrongSecondFactor() *core.Error {
	return &core.Error{Kind: core.KindUnauthenticated, Code: "wrong_second_factor", Message: "the code or the passkey is wrong"}
}

func signInAgain() *core.Error {
	return &core.Error{Kind: core.KindUnauthenticated, Code: "sign_in_again", Message: "the first step of the sign-in has expired; sign in again"}
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
