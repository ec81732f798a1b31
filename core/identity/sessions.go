package identity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// SessionLifetime is the lifetime of a session.
const SessionLifetime = 12 * time.Hour

// Sessions signs users in and out.
type Sessions struct {
	users    ports.UserStore
	sessions ports.SessionStore
	attempts attempts
	devices  devices
	tx       ports.Tx
	hasher   ports.PasswordHasher
	clock    ports.Clock
}

// NewSessions returns Sessions. key signs device cookies.
func NewSessions(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, clock ports.Clock, key secret.Key) *Sessions {
	return &Sessions{users: stores.Users, sessions: stores.Sessions, attempts: newAttempts(stores, tx, clock), devices: devices{key}, tx: tx, hasher: hasher, clock: clock}
}

// SignIn is an attempt to sign in.
type SignIn struct {
	Email     string // compared case-insensitively
	Password  string
	Address   string // of the client: an IP address without port
	UserAgent string // of the client, of any length
	Previous  string // id of the session that the client had, or ""
	Device    string // value of the browser's device cookie (Sessions.Device), or ""
}

// SignIn opens a session under a new id and ends the previous one. For an unknown e-mail, a wrong
// password and an account that is not active it returns the same error, core.KindUnauthenticated,
// after the same work. After ten failures in fifteen minutes for one account, or a hundred from
// one address, it returns core.KindTooManyRequests, even for the right password; from ten on, it
// delays attempts from the address. With a Device of the account it counts only the failures in
// that browser. The failures are counted in the database, for all processes together; a success
// resets the failures of the account, or of its browser.
func (s *Sessions) SignIn(ctx context.Context, in SignIn) (id string, actor core.Actor, err error) {
	var user core.User
	ok, err := s.attempts.check(ctx, s.client(in), func(ctx context.Context) (ok bool, err error) {
		user, ok, err = s.check(ctx, in)
		return ok, err
	})
	if err != nil {
		return "", core.Actor{}, err
	}
	if !ok {
		return "", core.Actor{}, wrongCredentials()
	}
	return s.open(ctx, user, in)
}

// Device returns the value that makes a browser known to the account after a sign-in in it. Store
// it in the browser for DeviceLifetime, out of reach of scripts. previous is the value that the
// browser had, of any account, or "".
func (s *Sessions) Device(previous, email string) string { return s.devices.add(previous, email) }

// KnownBrowser returns the id of the browser with that value of Device when the user with the
// e-mail has signed in in it before, else "".
func (s *Sessions) KnownBrowser(device, email string) string { return s.devices.find(device, email) }

func (s *Sessions) client(in SignIn) client {
	return client{in.Email, in.Address, s.KnownBrowser(in.Device, in.Email)}
}

// SignOut ends the session of actor. It returns no error when the session has already ended.
func (s *Sessions) SignOut(ctx context.Context, actor core.Actor, id string) error {
	return s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return end(ctx, stores.Sessions, id) })
}

// List returns the actor's sessions that have not expired, newest first.
func (s *Sessions) List(ctx context.Context, actor core.Actor) ([]core.Session, error) {
	sessions, err := s.sessions.Sessions(ctx, actor.UserID())
	now := s.clock.Now()
	sessions = slices.DeleteFunc(sessions, func(session core.Session) bool { return !now.Before(session.ExpiresAt) })
	slices.Reverse(sessions)
	return sessions, err
}

// End ends one of the actor's sessions. It returns core.ErrNotFound when the actor has no session
// with that id.
func (s *Sessions) End(ctx context.Context, actor core.Actor, id int64) error {
	return s.endSome(ctx, actor, core.NotFound("session"), func(session core.Session) bool { return session.ID == id })
}

// EndOthers ends all sessions of the actor except the session with the secret id current.
func (s *Sessions) EndOthers(ctx context.Context, actor core.Actor, current string) error {
	return s.endSome(ctx, actor, nil, func(session core.Session) bool { return session.Hash != secret.Hash(current) })
}

// endSome ends the actor's sessions that match. It returns none when no session does.
func (s *Sessions) endSome(ctx context.Context, actor core.Actor, none error, match func(core.Session) bool) error {
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
	user, err := s.users.UserByEmail(ctx, strings.ToLower(in.Email))
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return core.User{}, false, err
	}
	// For an unknown e-mail the hash is empty. It matches nothing but takes as long to check.
	matches, err := s.hasher.Matches(ctx, in.Password, user.PasswordHash)
	return user, matches && user.Active, err
}

// open starts a session for the user, unless the account was changed or has failed too often since
// check. Parallel attempts therefore cannot exceed the limit.
func (s *Sessions) open(ctx context.Context, user core.User, in SignIn) (string, core.Actor, error) {
	id, now := secret.Text(), s.clock.Now()
	actor := core.Actor{User: &user}
	err := s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := s.attempts.allowed(ctx, stores.SignIns, s.client(in)); err != nil {
			return err
		}
		current, err := stores.Users.User(ctx, user.ID)
		if err != nil {
			return err
		}
		if !current.Active || current.PasswordHash != user.PasswordHash {
			return wrongCredentials()
		}
		if err := s.attempts.succeeded(ctx, stores.SignIns, s.client(in)); err != nil {
			return err
		}
		if err := end(ctx, stores.Sessions, in.Previous); err != nil {
			return err
		}
		if err := stores.Sessions.DeleteExpired(ctx, now); err != nil {
			return err
		}
		actor.Grants, actor.CustomRoles, err = stores.Grants.UserGrants(ctx, user.ID)
		if err != nil {
			return err
		}
		return stores.Sessions.Insert(ctx, core.Session{
			Hash: secret.Hash(id), UserID: user.ID, Address: in.Address, UserAgent: core.Clip(strings.ToValidUTF8(in.UserAgent, "")),
			CreatedAt: now, ExpiresAt: now.Add(SessionLifetime),
		})
	})
	if err != nil {
		return "", core.Actor{}, err
	}
	return id, actor, nil
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
