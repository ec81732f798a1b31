package signing

import (
	"context"
	"encoding/base64"

	"imprimatur/core"
)

// DocumentPath is the path of the KeyDocument on the public listener.
const DocumentPath = "/.well-known/imprimatur-keys.json"

// documentFormat is the version of the format of a KeyDocument. A change of its members needs a new
// version.
const documentFormat = 1

// KeyDocument is the JSON of the public parts of all keys. api/proof.md documents the format.
type KeyDocument struct {
	Format       int         `json:"format" doc:"The version of the format." example:"1"`
	Installation string      `json:"installation" format:"uuid" doc:"Identifies the installation in its proofs." example:"0b8e1f6a-4d0c-4a57-9a3e-5f1c2d3e4b5a"`
	Keys         []PublicKey `json:"keys" nullable:"false" doc:"All keys, also earlier ones, in the order of their beginning."`
}

// PublicKey is the public part of a key.
type PublicKey struct {
	ID        string  `json:"id" doc:"The fingerprint: hex SHA-256 of the 32 bytes of publicKey." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	Algorithm string  `json:"algorithm" enum:"Ed25519" example:"Ed25519"`
	PublicKey string  `json:"publicKey" format:"byte" doc:"32 bytes in base64." example:"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="`
	From      string  `json:"from" format:"date-time" doc:"The first time of signatures." example:"2026-01-02T15:04:05.000Z"`
	Until     *string `json:"until" format:"date-time" doc:"The end of signatures, which are earlier; null means none yet." example:"2026-06-01T00:00:00.000Z"`
	RevokedAt *string `json:"revokedAt" format:"date-time" doc:"Nothing that a revoked key signed is valid, whatever its time. null means not revoked." example:"2026-06-01T00:00:00.000Z"`
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
func DocumentOf(all []core.SigningKey) KeyDocument {
	d := KeyDocument{Format: documentFormat, Installation: all[0].Installation, Keys: make([]PublicKey, len(all))}
	for i, k := range all {
		d.Keys[i] = PublicKey{
			ID: k.Fingerprint, Algorithm: "Ed25519", PublicKey: base64.StdEncoding.EncodeToString(k.Public), From: core.FormatTime(k.From),
			Until: core.NullIfZero(core.TimeText(k.Until)), RevokedAt: core.NullIfZero(core.TimeText(k.RevokedAt)),
		}
	}
	return d
}
