package access

import (
	"crypto/rand"
	"hash/crc32"
	"math/big"
	"strings"
)

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	secretPrefix = "imp_"
	// AssistantPrefix begins the secrets of assistants. The rest is as in those of tokens.
	AssistantPrefix = "ima_"
	// PreviewPrefix begins the secrets of previews. The rest is as in those of tokens.
	PreviewPrefix = "imv_"

	secretBody     = 43 // base62 characters for 256 bits
	secretChecksum = 6  // base62 characters for 32 bits
	secretLength   = len(secretPrefix) + secretBody + 1 + secretChecksum
)

// NewSecret returns a new secret of a token: "imp_", 256 random bits in 43 base62 characters, "_",
// and the CRC-32 of these 43 characters in six base62 characters. With the checksum, the service
// and source code scanners detect malformed secrets without the database.
func NewSecret() string { return newSecret(secretPrefix) }

// NewAssistantSecret returns a new secret of an assistant: that of a token with another prefix.
func NewAssistantSecret() string { return newSecret(AssistantPrefix) }

// NewPreviewSecret returns a new secret of a preview: that of a token with another prefix.
func NewPreviewSecret() string { return newSecret(PreviewPrefix) }

func newSecret(prefix string) string {
	var random [32]byte
	rand.Read(random[:])
	body := encode(new(big.Int).SetBytes(random[:]))
	return prefix + body + "_" + checksum(body)
}

// wellFormed reports whether secret has the form and the checksum of a secret with that prefix, of as many bytes as
// secretPrefix.
func wellFormed(secret, prefix string) bool {
	if len(secret) != secretLength || !strings.HasPrefix(secret, prefix) {
		return false
	}
	body, sum, found := strings.Cut(secret[len(prefix):], "_")
	if !found || len(body) != secretBody || strings.IndexFunc(body, notBase62) >= 0 {
		return false
	}
	digits := checksumDigits(body)
	return sum == string(digits[:])
}

func notBase62(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}

func checksum(body string) string {
	digits := checksumDigits(body)
	return string(digits[:])
}

// checksumDigits returns the CRC-32 of body in base62. It runs on every request, so it avoids
// heap allocations, which big.Int and crc32.ChecksumIEEE need.
func checksumDigits(body string) (digits [secretChecksum]byte) {
	sum := ^uint32(0)
	for i := range len(body) {
		sum = crc32.IEEETable[byte(sum)^body[i]] ^ sum>>8
	}
	sum = ^sum
	for i := range digits {
		digits[secretChecksum-1-i] = base62[sum%62]
		sum /= 62
	}
	return digits
}

// encode returns n in base62, padded with leading zeros to secretBody characters. It changes n.
func encode(n *big.Int) string {
	var digits [secretBody]byte
	base, digit := big.NewInt(int64(len(base62))), new(big.Int)
	for i := range digits {
		n.DivMod(n, base, digit)
		digits[secretBody-1-i] = base62[digit.Int64()]
	}
	return string(digits[:])
}
