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

// failedSignIns is how many a single account, and a single address, may have.
var failedSignIns = ports.Budget{Limit: 10, Window: 15 * time.Minute}

// Sessions signs users in and out.
type Sessions struct {
	stores  ports.Stores
	tx      ports.Tx
	hasher  ports.PasswordHasher
	limiter ports.RateLimiter
	clock   ports.Clock
}

// NewSessions returns Sessions.
func NewSessions(stores ports.Stores, tx ports.Tx, hasher ports.PasswordHasher, limiter ports.RateLimiter, clock ports.Clock) *Sessions {
	return &Sessions{stores: stores, tx: tx, hasher: hasher, limiter: limiter, clock: clock}
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
// kind core.KindUnauthenticated after the same time. After ten failures in fifteen
// minutes for one account or from one address it is core.KindTooManyRequests, also
// for the right password.
func (s *Sessions) SignIn(ctx context.Context, in SignIn) (id string, actor core.Actor, err error) {
	if err := s.mayTry(ctx, in, 0); err != nil {
		return "", core.Actor{}, err
	}
	user, ok, err := s.check(ctx, in)
	if err != nil {
		return "", core.Actor{}, err
	}
	if !ok {
		if err := s.mayTry(ctx, in, 1); err != nil {
			return "", core.Actor{}, err
		}
		return "", core.Actor{}, wrongCredentials()
	}
	// Looked at once more, so that guesses made side by side gain nothing.
	if err := s.mayTry(ctx, in, 0); err != nil {
		return "", core.Actor{}, err
	}
	return s.open(ctx, user, in.Previous)
}

// SignOut ends the session of actor; no error when it has ended already.
func (s *Sessions) SignOut(ctx context.Context, actor core.Actor, id string) error {
	return s.tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) error { return end(ctx, stores, id) })
}

// check returns the user whose e-mail and password these are. It does the same work
// whether or not there is one.
func (s *Sessions) check(ctx context.Context, in SignIn) (core.User, bool, error) {
	user, err := s.stores.Users.UserByEmail(ctx, strings.ToLower(in.Email))
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return core.User{}, false, err
	}
	// Nobody's hash is empty, which matches nothing but takes as long.
	matches, err := s.hasher.Matches(ctx, in.Password, user.PasswordHash)
	return user, matches && user.Active, err
}

// open starts a session for user, unless the account was changed since it was checked.
func (s *Sessions) open(ctx context.Context, user core.User, previous string) (string, core.Actor, error) {
	id, now := rand.Text(), s.clock.Now()
	actor := core.Actor{User: &user}
	err := s.tx.Do(ctx, actor.Ref(), func(ctx context.Context, stores ports.Stores) error {
		current, err := stores.Users.User(ctx, user.ID)
		if err != nil {
			return err
		}
		if !current.Active || current.PasswordHash != user.PasswordHash {
			return wrongCredentials()
		}
		if err := end(ctx, stores, previous); err != nil {
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
func end(ctx context.Context, stores ports.Stores, id string) error {
	if id == "" {
		return nil
	}
	return stores.Sessions.Delete(ctx, HashSecret(id))
}

// mayTry takes cost out of the budgets of the account and of the address, and
// refuses when either has no more. A cost of 0 only looks.
func (s *Sessions) mayTry(ctx context.Context, in SignIn, cost int) error {
	var wait time.Duration
	for _, key := range []string{accountKey(in.Email), addressKey(in.Address)} {
		spending, err := s.limiter.Take(ctx, key, failedSignIns, cost)
		if err != nil {
			return err
		}
		if !spending.Allowed {
			wait = max(wait, spending.RetryAfter)
		}
	}
	if wait > 0 {
		return tooManyFailures(wait)
	}
	return nil
}

// accountKey hashes the e-mail, which may be of any length and is nobody's business.
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

func tooManyFailures(wait time.Duration) *core.Error {
	return &core.Error{
		Kind: core.KindTooManyRequests, Code: "too_many_failures", Message: "too many failed sign-ins",
		RetryAfter: wait,
	}
}
