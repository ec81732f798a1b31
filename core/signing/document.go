package signing

import (
	"context"
	"encoding/base64"

	"imprimatur/core"
	"imprimatur/core/installation"
)

// DocumentPath is the path of the KeyDocument on the public listener.
const DocumentPath = "/.well-known/imprimatur-keys.json"

// documentFormat is the version of the format of a KeyDocument. A change of its members needs a new
// version.
const documentFormat = 1

// KeyDocument is the JSON of the public parts of all keys. api/proof.md documents the format.
type KeyDocument struct {
	Format       int         `json:"format"`
	Installation string      `json:"installation"`
	Keys         []PublicKey `json:"keys"`
}

// PublicKey is the public part of a key.
type PublicKey struct {
	ID        string  `json:"id"` // installation.SigningKey.Fingerprint
	Algorithm string  `json:"algorithm"`
	PublicKey string  `json:"publicKey"` // in base64
	From      string  `json:"from"`
	Until     *string `json:"until"`     // nil: the key signs
	RevokedAt *string `json:"revokedAt"` // nil: not revoked
}

// Document returns the public parts of all keys. The first call makes the first key.
func (ks *Keys) Document(ctx context.Context) (KeyDocument, error) {
	all, err := ks.Keys(ctx)
	if err != nil {
		return KeyDocument{}, err
	}
	return DocumentOf(all), nil
}

// DocumentOf returns the public parts of keys, at least one.
func DocumentOf(all []installation.SigningKey) KeyDocument {
	d := KeyDocument{Format: documentFormat, Installation: all[0].Installation, Keys: make([]PublicKey, len(all))}
	for i, k := range all {
		d.Keys[i] = PublicKey{
			ID: k.Fingerprint, Algorithm: "Ed25519", PublicKey: base64.StdEncoding.EncodeToString(k.Public), From: core.FormatTime(k.From),
			Until: core.NullIfZero(core.TimeText(k.Until)), RevokedAt: core.NullIfZero(core.TimeText(k.RevokedAt)),
		}
	}
	return d
}
