package identity

import (
	"crypto/rand"
	"encoding/base32"
	"strings"

	"imprimatur/core/secret"
)

// A user has recoveryCodes codes of 80 random bits, written in four groups.
const (
	recoveryCodes = 10
	recoverySize  = 10 // bytes
	recoveryGroup = 4  // characters
)

// newRecoveryCodes returns codes as users see them, and their hashes.
func newRecoveryCodes() (codes []string, hashes [][32]byte) {
	for range recoveryCodes {
		var random [recoverySize]byte
		_, _ = rand.Read(random[:]) // never fails
		text := strings.ToLower(base32.StdEncoding.EncodeToString(random[:]))
		var groups []string
		for at := 0; at < len(text); at += recoveryGroup {
			groups = append(groups, text[at:at+recoveryGroup])
		}
		code := strings.Join(groups, "-")
		codes, hashes = append(codes, code), append(hashes, recoveryHash(code))
	}
	return codes, hashes
}

// recoveryHash returns the stored form of a code, however it is spaced, and in whatever case. People
// also take 0 for O and 1 for I, which base32 does not have.
func recoveryHash(code string) [32]byte {
	return secret.Hash(strings.NewReplacer("-", "", "0", "o", "1", "i").Replace(strings.ToLower(typed(code))))
}
