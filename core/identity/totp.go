package identity

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"net/url"
	"strings"
	"time"

	"github.com/pquerna/otp/hotp"
	"golang.org/x/text/unicode/norm"
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
	return "otpauth://totp/" + issuer + ":" + escaped(email) + "?" + values.Encode()
}

// escaped percent-encodes all that can have a meaning in an address: some apps take "+" for a space, also
// in the path, where it is none.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// typed returns a code without spaces, in the characters that it was made of: keyboards of East Asia also
// write them in full width.
func typed(code string) string { return strings.Join(strings.Fields(norm.NFKC.String(code)), "") }

// stepOf returns the step whose code it is: the present one, the one before or the one after, because
// clocks differ. It returns false for another code.
func stepOf(secret, code string, now time.Time) (step int64, found bool) {
	code = typed(code)
	present := now.Unix() / stepSeconds
	for _, candidate := range []int64{present - 1, present, present + 1} {
		want, err := hotp.GenerateCode(secret, uint64(candidate)) //nolint:gosec // not negative
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, found = candidate, true
		}
	}
	return step, found
}
