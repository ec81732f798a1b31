package content

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"imprimatur/core"
)

// Hash returns the hex SHA-256 over the canonical JSON (RFC 8785) of
// {"collection": slug, "fields": doc, "locale": locale}. Equal content has equal
// hashes, whenever and by whomever it was written.
func Hash(slug, locale string, doc core.Document) string {
	whole := core.NewDocument(map[string]json.RawMessage{
		"collection": quote(slug),
		"fields":     json.RawMessage(doc),
		"locale":     quote(locale),
	})
	sum := sha256.Sum256(whole)
	return hex.EncodeToString(sum[:])
}
