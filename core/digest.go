package core

import "github.com/zeebo/xxh3"

// Digest is a hash that is the same on every machine (XXH3, 128 bits). It is not a
// cryptographic hash: an attacker can construct different bytes with the same digest.
type Digest [16]byte

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest { return xxh3.Hash128(b).Bytes() }
