package access

import (
	"context"
	"encoding/hex"
	"net/netip"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// An account or an address may fail maxFailures times in failureWindow, which begins with the
// first failure.
const (
	maxFailures   = 10
	failureWindow = 15 * time.Minute
)

// attempts limits wrong passwords of an account and from an address, at sign-in and where users
// confirm their password. The failures are counted in the database, for all processes together.
type attempts struct {
	signIns ports.FailedSignInStore
	tx      ports.Tx
	clock   ports.Clock
}

func newAttempts(signIns ports.FailedSignInStore, tx ports.Tx, clock ports.Clock) attempts {
	return attempts{signIns: signIns, tx: tx, clock: clock}
}

// allowed returns core.KindTooManyRequests when the account or the address has failed too often.
// signIns is the store to read: the store of a transaction, or a.signIns.
func (a attempts) allowed(ctx context.Context, signIns ports.FailedSignInStore, email, address string) error {
	now := a.clock.Now()
	counts, err := signIns.FailedSignIns(ctx, []string{accountKey(email), addressKey(address)}, now)
	if err != nil {
		return err
	}
	return tooManyFailures(now, maxFailures, counts...)
}

// failed counts a failure of the account and of the address. It returns core.KindTooManyRequests
// when the failure exceeds the limit. All transactions lock the account before the address, so
// that they cannot deadlock.
func (a attempts) failed(ctx context.Context, email, address string) error {
	now := a.clock.Now()
	var ofAccount, ofAddress core.FailedSignIns
	err := a.tx.Do(ctx, core.SystemActor, func(ctx context.Context, stores ports.Stores) (err error) {
		if ofAccount, err = stores.SignIns.Add(ctx, accountKey(email), now, now.Add(failureWindow)); err != nil {
			return err
		}
		ofAddress, err = stores.SignIns.Add(ctx, addressKey(address), now, now.Add(failureWindow))
		return err
	})
	if err != nil {
		return err
	}
	return tooManyFailures(now, maxFailures+1, ofAccount, ofAddress)
}

// accountKey hashes the e-mail, because it has no maximum length and is personal data.
func accountKey(email string) string {
	hash := HashSecret(strings.ToLower(email))
	return "sign-in:account:" + hex.EncodeToString(hash[:])
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

// tooManyFailures returns an error when a count has reached most. The client can retry when all
// such counts have ended.
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
