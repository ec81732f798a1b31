package media

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"imprimatur/core"
)

// digest is a reader that counts and hashes the bytes that it returns.
type digest struct {
	source io.Reader
	size   int64
	hash   hash.Hash
}

func newDigest(source io.Reader) *digest { return &digest{source: source, hash: sha256.New()} }

// Read implements io.Reader.
func (d *digest) Read(p []byte) (int, error) {
	n, err := d.source.Read(p)
	d.size += int64(n)
	_, _ = d.hash.Write(p[:n]) // a hash never returns an error
	return n, err
}

// describe sets the size and the hash of item to those of the bytes that were read. If the hash
// changes, item keeps the hash of the bytes as they were uploaded.
func (d *digest) describe(item *core.MediaItem) {
	if stored := hexSum(d.hash); stored != item.Hash {
		item.Uploaded = cmp.Or(item.Uploaded, item.Hash)
		item.Hash = stored
	}
	item.Size = d.size
}

// hexSum returns the sum of the bytes that h has hashed, in hex.
func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
