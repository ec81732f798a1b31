package identity

import (
	"context"
	"encoding/hex"
	"net/netip"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/address"
	"imprimatur/core/event"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// In failureWindow, which begins with the first failure, an account and a known browser of an
// account may fail maxFailures times, and an address maxAddressFailures times. From
// unhurriedFailures on, attempts from the address are delayed.
const (
	maxFailures        = 10
	maxAddressFailures = 100
	unhurriedFailures  = 10
	failureWindow      = 15 * time.Minute
)

// attempts limits wrong passwords of an account and from an address, at sign-in and where users
// confirm their password. The failures are counted in the database, for all processes together.
// A browser in which the user has signed in before has a budget of its own instead, so that the
// failures of others cannot lock the user out.
type attempts struct {
	signIns ports.FailedSignInStore
	tx      ports.Tx
	clock   ports.Clock
	delays  *delays
}

func newAttempts(stores ports.Stores, tx ports.Tx, clock ports.Clock) attempts {
	return attempts{signIns: stores.SignIns, tx: tx, clock: clock, delays: &delays{}}
}

// client is the origin of an attempt: the account that it is for (a passkey of no account: ""), the address it comes from, and
// the id of the browser if the user has signed in in it before, else "".
type client struct{ email, address, device string }

// budget is the number of failures that a key may have.
type budget struct {
	key      string
	failures int
}

// budgets returns the budgets of a client. All transactions lock the account before the address,
// so that they cannot deadlock.
func (a attempts) budgets(c client) []budget {
	if c.device != "" {
		return []budget{{deviceKey(c.device, c.email), maxFailures}}
	}
	if c.email == "" {
		return []budget{{addressKey(c.address), maxAddressFailures}}
	}
	return []budget{{accountKey(c.email), maxFailures}, {addressKey(c.address), maxAddressFailures}}
}

// check calls matches, which checks a password, unless the client has failed too often: then it
// returns core.KindTooManyRequests. When the password does not match, it counts a failure and records
// an event about user, which matches may set: the zero User is none. From an address with many
// failures it delays the call.
func (a attempts) check(ctx context.Context, c client, user *core.User, matches func(context.Context) (bool, error)) (bool, error) {
	budgets := a.budgets(c)
	counts, err := a.counts(ctx, a.signIns, budgets)
	if err != nil {
		return false, err
	}
	if err := a.exceeded(budgets, counts, 0); err != nil {
		return false, err
	}
	if address := addressKey(c.address); counts[address].Count >= unhurriedFailures {
		if err := a.delays.wait(ctx, address, counts[address].Count-unhurriedFailures); err != nil {
			return false, err
		}
	}
	if ok, err := matches(ctx); ok || err != nil {
		return ok, err
	}
	return false, a.failed(ctx, budgets, user)
}

// allowed returns core.KindTooManyRequests when the client has failed too often. signIns is the
// store of a transaction.
func (a attempts) allowed(ctx context.Context, signIns ports.FailedSignInStore, c client) error {
	budgets := a.budgets(c)
	counts, err := a.counts(ctx, signIns, budgets)
	if err != nil {
		return err
	}
	return a.exceeded(budgets, counts, 0)
}

// succeeded resets the failures of the account, or of its known browser. Those of the address
// remain, so that an attacker with an account of its own cannot reset them.
func (a attempts) succeeded(ctx context.Context, signIns ports.FailedSignInStore, c client) error {
	return signIns.Forget(ctx, a.budgets(c)[0].key)
}

// failed counts a failure in each budget. It returns core.KindTooManyRequests when the failure
// exceeds one. It does the same work for every user and none.
func (a attempts) failed(ctx context.Context, budgets []budget, user *core.User) error {
	now, counts := a.clock.Now(), map[string]account.FailedSignIns{}
	err := a.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		for _, b := range budgets {
			count, err := stores.SignIns.Add(ctx, b.key, now, now.Add(failureWindow))
			if err != nil {
				return err
			}
			counts[b.key] = count
		}
		return stores.Events.Record(ctx, event.Event{Type: event.SessionFailed, TenantID: user.TenantID, SubjectID: user.ID})
	})
	if err != nil {
		return err
	}
	return a.exceeded(budgets, counts, 1)
}

// counts returns the failures by key.
func (a attempts) counts(ctx context.Context, signIns ports.FailedSignInStore, budgets []budget) (map[string]account.FailedSignIns, error) {
	keys := make([]string, len(budgets))
	for i, b := range budgets {
		keys[i] = b.key
	}
	found, err := signIns.FailedSignIns(ctx, keys, a.clock.Now())
	counts := map[string]account.FailedSignIns{}
	for _, count := range found {
		counts[count.Key] = count
	}
	return counts, err
}

// exceeded returns an error when a count has reached its budget and more. The client can retry
// when all such counts have ended.
func (a attempts) exceeded(budgets []budget, counts map[string]account.FailedSignIns, more int) error {
	var wait time.Duration
	for _, b := range budgets {
		if failed := counts[b.key]; failed.Count >= b.failures+more {
			wait = max(wait, failed.EndsAt.Sub(a.clock.Now()))
		}
	}
	if wait <= 0 {
		return nil
	}
	return tooManyFailures(wait)
}

func tooManyFailures(wait time.Duration) *core.Error {
	return &core.Error{Kind: core.KindTooManyRequests, Code: "too_many_failures", Message: "too many failed sign-ins", RetryAfter: wait}
}

// accountKey hashes the e-mail, because it has no maximum length and is personal data.
func accountKey(email string) string { return "sign-in:account:" + hashed(email) }

func deviceKey(device, email string) string { return "sign-in:device:" + device + ":" + hashed(email) }

func hashed(email string) string {
	hash := secret.Hash(address.Mailbox(email))
	return hex.EncodeToString(hash[:])
}

// addressKey treats an IPv6 network of 64 bits as one address, because a single subscriber has the
// whole network.
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
