package access

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// SessionLifetime is how long a sign-in lasts.
const SessionLifetime = 12 * time.Hour

// sessionIDLength is that of rand.Text: over 128 random bits in base32.
const sessionIDLength = 26

// A single account, and a single address, may fail maxFailures times in failureWindow,
// which begins with the first failure.
const (
	maxFailures   = 10
	failureWindow = 15 * time.Minute
)

// Sessions signs users in and out.
type Sessions struct {
	users   ports.UserStore
	signIns ports.FailedSignInStore
	tx      ports.Tx
	hasher  ports.PasswordHasher
	clock   ports.Clock
}

// NewSessions returns Sessions.
func NewSessions(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, clock ports.Clock) *Sessions {
	return &Sessions{users: stores.Users, signIns: stores.SignIns, tx: tx, hasher: hasher, clock: clock}
}

// SignIn is an attempt to sign in.
type SignIn struct {
	Email    string // in any case
	Password string
	Address  string // of the client: an IP address without port
	Previous string // id of the session that the client had, or ""
}

// SignIn opens a session under a new id and ends the previous one. An unknown
// e-mail, a wrong password and an account that is not active are the same error of
// kind core.KindUnauthenticated after the same work. After ten failures in fifteen
// minutes for one account or from one address it is core.KindTooManyRequests, also
// for the right password. The failures are counted in the database, over all processes;
// a success resets those of the account.
func (s *Sessions) SignIn(ctx context.Context, in SignIn) (id string, actor core.Actor, err error) {
	if err := s.mayTry(ctx, s.signIns, in); err != nil {
		return "", core.Actor{}, err
	}
	user, ok, err := s.check(ctx, in)
	if err != nil {
		return "", core.Actor{}, err
	}
	if !ok {
		return "", core.Actor{}, s.failed(ctx, in)
	}
	return s.open(ctx, user, in)
}

// SignOut ends the session of actor; no error when it has ended already.
func (s *Sessions) SignOut(ctx context.Context, actor core.Actor, id string) error {
	return s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error { return end(ctx, stores.Sessions, id) })
}

// check returns the user whose e-mail and password these are. It does the same work
// whether or not there is one.
func (s *Sessions) check(ctx context.Context, in SignIn) (core.User, bool, error) {
	user, err := s.users.UserByEmail(ctx, strings.ToLower(in.Email))
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return core.User{}, false, err
	}
	// For an unknown e-mail the hash is empty. It matches nothing but takes as long to check.
	matches, err := s.hasher.Matches(ctx, in.Password, user.PasswordHash)
	return user, matches && user.Active, err
}

// open starts a session for the user, unless the account was changed since check or has
// failed too often since. Parallel guesses therefore gain nothing.
func (s *Sessions) open(ctx context.Context, user core.User, in SignIn) (string, core.Actor, error) {
	id, now := rand.Text(), s.clock.Now()
	actor := core.Actor{User: &user}
	err := s.tx.Do(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		if err := s.mayTry(ctx, stores.SignIns, in); err != nil {
			return err
		}
		current, err := stores.Users.User(ctx, user.ID)
		if err != nil {
			return err
		}
		if !current.Active || current.PasswordHash != user.PasswordHash {
			return wrongCredentials()
		}
		if err := stores.SignIns.Forget(ctx, accountKey(in.Email)); err != nil {
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
			Hash: HashSecret(id), UserID: user.ID, CreatedAt: now, ExpiresAt: now.Add(SessionLifetime),
		})
	})
	if err != nil {
		return "", core.Actor{}, err
	}
	return id, actor, nil
}

// end deletes the session, if there is one.
func end(ctx context.Context, sessions ports.SessionStore, id string) error {
	if id == "" {
		return nil
	}
	return sessions.Delete(ctx, HashSecret(id))
}

// mayTry returns an error when the account or the address has failed too often.
func (s *Sessions) mayTry(ctx context.Context, signIns ports.FailedSignInStore, in SignIn) error {
	now := s.clock.Now()
	counts, err := signIns.FailedSignIns(ctx, []string{accountKey(in.Email), addressKey(in.Address)}, now)
	if err != nil {
		return err
	}
	return tooManyFailures(now, maxFailures, counts...)
}

// failed counts a failure of the account and of the address, and returns the error for the
// caller. All transactions lock the account before the address, so that they cannot deadlock.
func (s *Sessions) failed(ctx context.Context, in SignIn) error {
	now := s.clock.Now()
	var account, address core.FailedSignIns
	err := s.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) (err error) {
		if account, err = stores.SignIns.Add(ctx, accountKey(in.Email), now, now.Add(failureWindow)); err != nil {
			return err
		}
		address, err = stores.SignIns.Add(ctx, addressKey(in.Address), now, now.Add(failureWindow))
		return err
	})
	if err != nil {
		return err
	}
	if err := tooManyFailures(now, maxFailures+1, account, address); err != nil {
		return err
	}
	return wrongCredentials()
}

// accountKey hashes the e-mail, because it has any length and is personal data.
func accountKey(email string) string {
	hash := HashSecret(strings.ToLower(email))
	return "sign-in:account:" + hex.EncodeToString(hash[:])
}

// addressKey treats an IPv6 network of 64 bits as one address: that is what a single
// subscriber has.
func addressKey(address string) string {
	if ip, err := netip.ParseAddr(address); err == nil {
		ip = ip.Unmap()
		if ip.Is6() {
			network, _ := ip.WithZone("").Prefix(64)
			return "sign-in:address:" + network.String()
		}
		return "sign-in:address:" + ip.String()
	}
	return "sign-in:address:" + address
}

func wrongCredentials() *core.Error {
	return &core.Error{Kind: core.KindUnauthenticated, Code: "wrong_credentials", Message: "the e-mail or the password is wrong"}
}

// tooManyFailures returns an error when one of the counts has reached most, which says
// when all of those have ended.
func tooManyFailures(now time.Time, most int, counts ...core.FailedSignIns) error {
	var wait time.Duration
	for _, failed := range counts {
		if failed.Count >= most {
			wait = max(wait, failed.EndsAt.Sub(now))
		}
	}
	if wait == 0 {
		return nil
	}
	return &core.Error{
		Kind: core.KindTooManyRequests, Code: "too_many_failures", Message: "too many failed sign-ins",
		RetryAfter: wait,
	}
}
