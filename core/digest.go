package core

import "github.com/zeebo/xxh3"

// Digest tells bytes apart: equal bytes have equal digests, on every machine. It is no
// proof against somebody who makes bytes up to have the same one.
type Digest [16]byte

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest { return xxh3.Hash128(b).Bytes() }
