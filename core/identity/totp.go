package identity

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp/hotp"
)

// Codes of authenticator apps after RFC 6238, as all apps know them: SHA-1, six digits, 30 seconds.
const (
	stepSeconds = 30
	secretSize  = 20 // bytes
	issuer      = "Imprimatur"
)

// newSecret returns a random secret of an authenticator app in base32.
func newSecret() string {
	var random [secretSize]byte
	_, _ = rand.Read(random[:]) // never fails
	return base32.StdEncoding.EncodeToString(random[:])
}

// appURI returns the address that authenticator apps read as a QR code.
func appURI(email, secret string) string {
	values := url.Values{"secret": {secret}, "issuer": {issuer}, "algorithm": {"SHA1"}, "digits": {"6"}, "period": {"30"}}
	label := url.PathEscape(issuer + ":" + email)
	// Some apps show "+" in place of a space.
	return "otpauth://totp/" + label + "?" + strings.ReplaceAll(values.Encode(), "+", "%20")
}

// stepOf returns the step whose code it is: the present one, the one before or the one after, because
// clocks differ. It returns false for another code.
func stepOf(secret, code string, now time.Time) (step int64, found bool) {
	code = strings.ReplaceAll(strings.TrimSpace(code), " ", "")
	present := now.Unix() / stepSeconds
	for _, candidate := range []int64{present - 1, present, present + 1} {
		want, err := hotp.GenerateCode(secret, uint64(candidate)) //nolint:gosec // not negative
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, found = candidate, true
		}
	}
	return step, found
}
