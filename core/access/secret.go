package access

import "crypto/sha256"

// HashSecret returns what is stored of a token's secret or of a session's id.
func HashSecret(secret string) [32]byte { return sha256.Sum256([]byte(secret)) }

// NewSecret returns a fresh secret of a token: "imp_", 43 random base62 characters
// (256 bits), "_", and the CRC-32 of those 43 in six base62 characters.
func NewSecret() string { return "" }
