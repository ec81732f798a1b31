package identity

import (
	"context"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/secret"
	"imprimatur/ports"
)

// The lifetimes of links.
const (
	InvitationLifetime = 7 * 24 * time.Hour
	ResetLifetime      = 30 * time.Minute
	AddressLifetime    = 24 * time.Hour
)

// The pages of links, which their secret follows.
const (
	InvitationPath = "/invite/"
	ResetPath      = "/reset/"
	AddressPath    = "/dashboard/address/"
)

// In mailWindow, which begins with the first mail, an address gets at most maxMails of one kind, and
// the requests from one network address cause at most maxMailsFrom.
const (
	maxMails     = 3
	maxMailsFrom = 30
	mailWindow   = time.Hour
)

// linkHash returns the hash of the secret of a link. It returns false for a text that is none.
func linkHash(text string) (hash [32]byte, ok bool) {
	if len(text) != secret.TextLength || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return hash, false
	}
	return secret.Hash(text), true
}

// gone returns the error for a link that no longer works.
func gone(code, message string) *core.Error {
	return &core.Error{Kind: core.KindGone, Code: code, Message: message}
}

// invalidLink returns the error for a link that is unknown, also because it was used or replaced.
func invalidLink() *core.Error {
	return gone("link_invalid", "the link is not valid: it was used or replaced, has expired, or is not complete")
}

// countMail counts a mail of a kind that key asks for, and returns how long to wait if there are
// more than most in mailWindow, else 0. It must be called in a transaction, before the rows of others.
func countMail(ctx context.Context, counts ports.FailedSignInStore, key string, most int, now time.Time) (time.Duration, error) {
	wait, _, err := countExcess(ctx, counts, key, most, now)
	return wait, err
}

// countExcess is countMail, and also returns how many mails there are beyond most.
func countExcess(ctx context.Context, counts ports.FailedSignInStore, key string, most int, now time.Time) (wait time.Duration, excess int, err error) {
	count, err := counts.Add(ctx, "mail:"+key, now, now.Add(mailWindow))
	if err != nil || count.Count <= most {
		return 0, 0, err
	}
	return count.EndsAt.Sub(now), count.Count - most, nil
}

func tooManyMails(wait time.Duration) *core.Error {
	return &core.Error{Kind: core.KindTooManyRequests, Code: "too_many_mails", Message: "this address was sent three e-mails in the last hour; try again later", RetryAfter: wait}
}
