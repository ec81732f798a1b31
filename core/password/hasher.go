package password

import (
	"context"

	"golang.org/x/text/unicode/norm"
)

// SlowHash hashes texts so that they can be checked but not read.
type SlowHash interface {
	Hash(ctx context.Context, text string) (hash string, err error)
	// Matches reports whether hash is one of text. An empty hash matches nothing and takes as long.
	Matches(ctx context.Context, text, hash string) (bool, error)
}

// Hasher hashes the passwords of people in the form of Normal, so that a password is the same from
// every keyboard: some write é as one character, others as two.
type Hasher struct{ hasher SlowHash }

// NewHasher returns a Hasher that hashes with hasher.
func NewHasher(hasher SlowHash) Hasher { return Hasher{hasher} }

// Hash returns the hash of a new password.
func (h Hasher) Hash(ctx context.Context, password string) (string, error) {
	return h.hasher.Hash(ctx, Normal(password))
}

// Matches reports whether hash is that of the password, in its normal form or else as written. The
// number of hashes that a wrong password takes depends on the password alone: an empty hash, of an account
// that does not exist, takes as many.
func (h Hasher) Matches(ctx context.Context, password, hash string) (bool, error) {
	normal := Normal(password)
	matches, err := h.hasher.Matches(ctx, normal, hash)
	if matches || err != nil || normal == password {
		return matches, err
	}
	return h.hasher.Matches(ctx, password, hash)
}

// Normal returns the form in which passwords are checked and hashed: NFKC. A text that is too long for
// a password in any form stays as it is, because clients that are not signed in can send it.
func Normal(password string) string {
	if len(password) > maxLength*longestForm {
		return password
	}
	return norm.NFKC.String(password)
}
