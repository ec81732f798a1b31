package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// Size is the length of a Key in bytes.
const Size = 32

// Key is the secret key of an installation. It is given by the operator and never stored in the
// database.
type Key [Size]byte

// Purpose is what a key derived from a Key is for. Keys of different purposes are independent.
type Purpose string

// The purposes of derived keys. A change of a text loses what was encrypted for it.
const (
	SigningKeys  Purpose = "private parts of signing keys"
	Fingerprints Purpose = "fingerprints of requests"
	Devices      Purpose = "browsers in which users have signed in"
	Letters      Purpose = "e-mails that wait"
	Webhooks     Purpose = "secrets of webhooks"
	Tickets      Purpose = "first steps of signing in"
	TOTP         Purpose = "secrets of authenticator apps"
	Challenges   Purpose = "challenges of passkeys"
	UserHandles  Purpose = "users of passkeys"
	Flows        Purpose = "sign-ins at identity providers"
	Providers    Purpose = "secrets at identity providers"
	DomainClaims Purpose = "records of claimed domains"
	CacheTags    Purpose = "tags of cached responses"
	Check        Purpose = "check of the secret key"
)

// New returns a random key.
func New() Key {
	var k Key
	_, _ = rand.Read(k[:]) // never fails
	return k
}

// errMalformed is the error of Parse. It must not contain the text.
var errMalformed = errors.New("must be 32 bytes in base64")

// Parse returns the key that text has in base64, with or without padding and surrounding white
// space. The error does not contain the text.
func Parse(text string) (k Key, err error) {
	text = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimSpace(text)), "=")
	raw, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != Size || strings.ContainsAny(text, "\r\n") {
		return Key{}, errMalformed
	}
	return Key(raw), nil
}

// Encode returns k in base64. Parse reads it.
func (k Key) Encode() string { return base64.StdEncoding.EncodeToString(k[:]) }

// String hides the key in logs and messages.
func (Key) String() string { return "(secret key)" }

// GoString hides the key in logs and messages.
func (Key) GoString() string { return "(secret key)" }

// Derive returns the 32-byte key for a purpose (HKDF with SHA-256).
func (k Key) Derive(p Purpose) []byte {
	derived, err := hkdf.Key(sha256.New, k[:], nil, "imprimatur: "+string(p), Size)
	if err != nil {
		panic("secret: " + err.Error()) // only for a longer key
	}
	return derived
}

// MAC returns the HMAC with SHA-256 of parts under the key for a purpose. Each part but the last
// must have no zero byte: one follows it.
func (k Key) MAC(p Purpose, parts ...[]byte) [sha256.Size]byte {
	mac := hmac.New(sha256.New, k.Derive(p))
	for i, part := range parts {
		if i > 0 {
			mac.Write([]byte{0})
		}
		mac.Write(part)
	}
	return [sha256.Size]byte(mac.Sum(nil))
}

// ErrOther is the error of Open when another key, or another context, sealed the value.
var ErrOther = errors.New("sealed with another secret key")

// Seal encrypts plain with AES-256-GCM under the key for a purpose. The result begins with its
// random nonce of 12 bytes. Open needs the same context, which is not stored.
func (k Key) Seal(p Purpose, plain, context []byte) []byte {
	return k.aead(p).Seal(nil, nil, plain, context)
}

// Open returns what Seal encrypted. It returns ErrOther for anything else.
func (k Key) Open(p Purpose, sealed, context []byte) ([]byte, error) {
	plain, err := k.aead(p).Open(nil, nil, sealed, context)
	if err != nil {
		return nil, ErrOther
	}
	return plain, nil
}

func (k Key) aead(p Purpose) cipher.AEAD {
	block, err := aes.NewCipher(k.Derive(p))
	if err != nil {
		panic("secret: " + err.Error()) // only for another length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("secret: " + err.Error()) // only for another block size
	}
	return aead
}

// TextLength is the length of Text in bytes.
const TextLength = 26

// Text returns a new random secret for cookies and links: 130 bits in base32.
func Text() string { return rand.Text() }

// Hash returns the stored form of a random secret of at least 128 bits, such as the id of a
// session: its SHA-256.
func Hash(secret string) [sha256.Size]byte {
	var bytes [64]byte // large enough for most: no heap allocation per request
	return sha256.Sum256(append(bytes[:0], secret...))
}
