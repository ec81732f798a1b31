package proof

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"

	"imprimatur/core/canonical"
)

// Keys are the public keys of an installation that the verifying person trusts.
type Keys struct {
	installation string
	byID         map[string]publicKey
}

// publicKey is one of Keys. Times are texts, which order as the times do.
type publicKey struct {
	raw                    []byte
	from, until, revokedAt string // until and revokedAt may be empty
}

// maxKeys is the largest length of a document of keys in bytes.
const maxKeys = 1 << 20

// ReadKeys reads the document of the keys of an installation, which api/proof.md describes. An
// error is a *Fault.
func ReadKeys(text []byte) (*Keys, error) {
	if len(text) > maxKeys {
		return nil, &Fault{"", fmt.Sprintf("has more than %d bytes", maxKeys)}
	}
	raw, err := canonical.Transform(text)
	if err != nil {
		return nil, &Fault{"", err.Error()}
	}
	v := verifier{doc: value{raw: raw}}
	keys := v.keys()
	if v.fault != nil {
		return nil, v.fault
	}
	return keys, nil
}

func (v *verifier) keys() *Keys {
	doc := v.object(v.doc, false, "format", "installation", "keys")
	v.require(doc.member("format").is("1"), doc.member("format"), "must be 1")
	keys := &Keys{installation: v.text(doc.member("installation")), byID: map[string]publicKey{}}
	for _, k := range v.elements(doc.member("keys")) {
		k = v.object(k, false, "id", "algorithm", "publicKey", "from", "until", "revokedAt")
		v.require(k.member("algorithm").is(`"Ed25519"`), k.member("algorithm"), "must be Ed25519")
		id := v.text(k.member("id"))
		key := publicKey{v.bytes(k.member("publicKey"), ed25519.PublicKeySize), v.time(k.member("from")), v.end(k.member("until")), v.end(k.member("revokedAt"))}
		v.require(v.fault != nil || id == canonical.Hash(key.raw), k.member("id"), "is not the fingerprint of publicKey")
		_, repeated := keys.byID[id]
		v.require(!repeated, k.member("id"), "occurs twice")
		keys.byID[id] = key
	}
	return keys
}

// end returns a time, or the empty text for null.
func (v *verifier) end(o value) string {
	if o.is("null") {
		return ""
	}
	return v.time(o)
}

// bytes returns the bytes of a string in base64, which has exactly one form.
func (v *verifier) bytes(o value, size int) []byte {
	text := v.text(o)
	raw, err := base64.StdEncoding.DecodeString(text)
	v.require(err == nil && len(raw) == size && base64.StdEncoding.EncodeToString(raw) == text, o, "must be %d bytes in base64", size)
	return raw
}

// signature checks the signature of a proof by the key that it names.
func (v *verifier) signature() {
	v.text(v.doc.member("installation"))
	key := v.object(v.doc.member("key"), false, "id", "publicKey")
	public, signature := v.bytes(key.member("publicKey"), ed25519.PublicKeySize), v.bytes(v.doc.member("signature"), ed25519.SignatureSize)
	id, at := v.text(key.member("id")), v.time(v.doc.member("signedAt"))
	if v.fault != nil {
		return
	}
	v.require(id == canonical.Hash(public), key.member("id"), "is not the fingerprint of key.publicKey")
	v.require(ed25519.Verify(public, without(v.doc.raw, "signature"), signature), v.doc.member("signature"),
		"is not the signature of the other members by key.publicKey")
	v.summary.SignedBy, v.summary.SignedAt = id, at
}

// trust checks that one of keys signed the proof while it was valid.
func (v *verifier) trust(keys *Keys) {
	at := value{owner: "key", name: "id"}
	key, known := keys.byID[v.summary.SignedBy]
	v.require(known, at, "is none of the trusted keys: %s", v.summary.SignedBy)
	// signedAt was written by the holder of the key, so it does not save what a revoked key signed.
	v.require(key.revokedAt == "", at, "was revoked at %s", key.revokedAt)
	v.require(v.summary.SignedAt >= key.from, v.doc.member("signedAt"), "is before the first signature of the key: %s", key.from)
	v.require(key.until == "" || v.summary.SignedAt < key.until, v.doc.member("signedAt"), "is after the last signature of the key: %s", key.until)
	installation, _ := canonical.Text(v.doc.member("installation").raw)
	v.require(installation == keys.installation, v.doc.member("installation"), "is not that of the trusted keys: %s", keys.installation)
	v.summary.Trusted = v.fault == nil
}
