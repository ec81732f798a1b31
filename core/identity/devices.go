package identity

import (
	"crypto/hmac"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"imprimatur/core/address"
	"imprimatur/core/secret"
)

// DeviceLifetime is the lifetime of a device cookie since the last sign-in.
const DeviceLifetime = 365 * 24 * time.Hour

const (
	deviceLength  = secret.TextLength
	maxSignatures = 8  // accounts that a device cookie can have
	signatureSize = 16 // bytes
)

// devices makes and reads device cookies, which say that users have signed in in a browser
// before. A value is the random id of the browser followed by a signature for each account, the
// latest first, each after a dot. It does not contain the account, and gives no access.
type devices struct{ key secret.Key }

// find returns the id of the browser when the value has a signature for the account, else "".
func (d devices) find(value, email string) string {
	device, signatures := parseDevice(value)
	want := d.sign(device, email)
	if !slices.ContainsFunc(signatures, func(s string) bool { return hmac.Equal([]byte(s), []byte(want)) }) {
		return ""
	}
	return device
}

// browser returns the id of the browser with that value, or "" for another text.
func (d devices) browser(value string) string {
	device, _ := parseDevice(value)
	return device
}

// keep returns value, or a new value without accounts in place of one that is not valid.
func (d devices) keep(value string) string {
	if d.browser(value) == "" {
		return secret.Text()
	}
	return value
}

// add returns a value that also has a signature for the account. A value that is not valid is
// replaced.
func (d devices) add(value, email string) string {
	device, signatures := parseDevice(value)
	if device == "" {
		device = secret.Text()
	}
	own := d.sign(device, email)
	signatures = slices.Insert(slices.DeleteFunc(signatures, func(s string) bool { return s == own }), 0, own)
	return device + "." + strings.Join(signatures[:min(len(signatures), maxSignatures)], ".")
}

func (d devices) sign(device, email string) string {
	mac := d.key.MAC(secret.Devices, []byte(device), []byte(address.Mailbox(email)))
	return base64.RawURLEncoding.EncodeToString(mac[:signatureSize])
}

// parseDevice returns the parts of a value, or nothing for another text.
func parseDevice(value string) (device string, signatures []string) {
	parts := strings.Split(value, ".")
	if len(parts[0]) != deviceLength || len(parts) > 1+maxSignatures {
		return "", nil
	}
	for _, signature := range parts[1:] {
		if len(signature) != base64.RawURLEncoding.EncodedLen(signatureSize) {
			return "", nil
		}
	}
	return parts[0], parts[1:]
}
