package approval

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/gowebpki/jcs"

	"imprimatur/core"
)

// The hashes of a request and its actions cover exactly what an audit shows of them, so that
// the response of the API is enough to verify it. api/audit.md documents every byte.

// recordFormat is the version of the format of terms and actions. A change of their members
// needs a new version.
const recordFormat = 1

// link appends a to r's chain.
func link(r *core.Request, a *core.ApprovalAction) {
	a.PreviousHash = r.ChainHash
	a.Hash = actionHash(a)
	r.ChainHash = a.Hash
}

func termsHash(r *core.Request) string { return canonicalHash(showTerms(r)) }

// actionHash returns the hash of a, without its id and its hash.
func actionHash(a *core.ApprovalAction) string {
	shown := showAudited(a)
	shown.ID, shown.Hash = 0, ""
	return canonicalHash(shown)
}

// canonicalHash returns the hex SHA-256 of the canonical JSON (RFC 8785) of value.
func canonicalHash(value any) string {
	raw, err := encode(value)
	if err == nil {
		raw, err = jcs.Transform(raw)
	}
	if err != nil {
		panic("approval: a record is no JSON: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
