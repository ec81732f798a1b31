package proof

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"

	"imprimatur/core/canonical"
	"imprimatur/core/review"
)

// signed checks the signature of an approval of a step that asks for one, and that others have none.
func (r *replay) signed(a value, rule step) {
	at := a.member("signature")
	if !rule.signed {
		r.require(at.raw == nil, at, "must be left out, because the step does not ask for it")
		return
	}
	at = r.object(at, true, "payload", "method")
	payload := r.payload(at.member("payload"), a, rule)
	method := review.SignatureMethod(r.text(at.member("method")))
	switch method {
	case review.SignedByPasskey:
		at = r.object(at, false, "payload", "method", "origin", "publicKey", "assertion")
		r.assertion(at, payload)
		r.summary.Passkeys++
	case review.SignedByPassword, review.SignedByBoth:
		r.object(at, false, "payload", "method")
	default:
		r.require(false, at.member("method"), "must be passkey, password or password_totp")
	}
	r.summary.Signed++
}

// payload checks that what was signed is the approval a, and returns it.
func (r *replay) payload(at, a value, rule step) []byte {
	text := []byte(r.text(at))
	plain, err := canonical.Transform(text)
	r.require(err == nil && string(plain) == string(text), at, "is not JSON in its canonical form")
	if r.fault != nil {
		return nil
	}
	names := []string{"installation", "project", "request", "releaseNumber", "stepId", "contentHash", "decision", "meaning", "commentHash", "person", "at", "nonce"}
	behalf := a.member("onBehalfOf")
	if behalf.raw != nil {
		names = append(names, "onBehalfOf")
	}
	p := r.object(value{name: at.at(), raw: plain}, false, names...)
	comment, _ := canonical.Text(a.member("comment").raw) // null is no text
	for name, want := range map[string]string{
		"installation": string(r.doc.member("installation").raw), "project": string(r.terms.member("projectId").raw), "request": string(r.terms.member("requestId").raw),
		"releaseNumber": string(r.terms.member("releaseNumber").raw), "stepId": string(a.member("stepId").raw), "contentHash": string(r.terms.member("contentHash").raw),
		"decision": string(a.member("type").raw), "commentHash": strconv.Quote(review.CommentHash(comment)),
	} {
		r.require(p.member(name).is(want), p.member(name), "is not that of the approval: %s", want)
	}
	r.signer(p.member("person"), a.member("actor"))
	if behalf.raw != nil {
		r.signer(p.member("onBehalfOf"), behalf)
	}
	meaning := string(p.member("meaning").raw)
	r.require(slices.Contains(rule.meanings, meaning), p.member("meaning"), "is none of the step")
	r.require(r.text(a.member("createdAt")) >= r.time(p.member("at")), p.member("at"), "is after the approval")
	r.text(p.member("nonce"))
	for _, id := range []string{string(a.member("actor").member("id").raw), string(behalf.member("id").raw)} {
		if id == "" {
			continue
		}
		before, signed := r.meanings[id]
		r.require(!signed || before == meaning, p.member("meaning"), "is another one than the user signed with before")
		r.meanings[id] = meaning
	}
	return text
}

// signer requires that a person of a payload is an actor.
func (r *replay) signer(p, actor value) {
	p = r.object(p, false, "id", "name")
	r.require(p.member("id").is(string(actor.member("id").raw)) && p.member("name").is(string(actor.member("name").raw)), p, "is not the user of the approval")
}

// assertion checks the assertion of a passkey over a payload (WebAuthn, verifying an authentication assertion).
func (r *replay) assertion(at value, payload []byte) {
	o := r.object(at.member("assertion"), false, "authenticatorData", "clientDataJSON", "signature")
	data, client, signature := r.base64URL(o.member("authenticatorData")), r.base64URL(o.member("clientDataJSON")), r.base64URL(o.member("signature"))
	origin, err := url.Parse(r.text(at.member("origin")))
	key, badKey := base64.StdEncoding.DecodeString(r.text(at.member("publicKey")))
	if r.fault != nil {
		return
	}
	r.require(badKey == nil, at.member("publicKey"), "must be base64")
	r.require(err == nil && origin.Scheme+"://"+origin.Host == origin.String() && (origin.Scheme == "https" || origin.Scheme == "http" && origin.Hostname() == "localhost"),
		at.member("origin"), "must be an origin with https, or of localhost")
	plain, err := canonical.Transform(client)
	r.require(err == nil, o.member("clientDataJSON"), "is not JSON")
	if r.fault != nil {
		return
	}
	said := r.object(value{name: o.member("clientDataJSON").at(), raw: plain}, true, "type", "challenge", "origin")
	sum := sha256.Sum256(payload)
	r.require(said.member("type").is(`"webauthn.get"`), said.member("type"), "must be webauthn.get")
	r.require(said.member("challenge").is(strconv.Quote(base64.RawURLEncoding.EncodeToString(sum[:]))), said.member("challenge"), "is not the hash of payload")
	r.require(said.member("origin").is(string(at.member("origin").raw)), said.member("origin"), "is not the origin of the signature")
	host := sha256.Sum256([]byte(origin.Hostname()))
	r.require(len(data) >= 37 && hex.EncodeToString(data[:32]) == hex.EncodeToString(host[:]), o.member("authenticatorData"), "does not have the hash of the host of origin")
	const present, verified = 1, 4
	r.require(len(data) >= 37 && data[32]&present != 0 && data[32]&verified != 0, o.member("authenticatorData"), "does not say that the user was verified")
	hash := sha256.Sum256(client)
	r.require(r.fault != nil || signs(key, append(slices.Clone(data), hash[:]...), signature), o.member("signature"), "is not a signature by publicKey")
}

// signs reports whether a signature of a message was made with the private key of a SubjectPublicKeyInfo, by one of the
// algorithms of passkeys: Ed25519, ECDSA with P-256 and SHA-256, or RSA with PKCS #1 v1.5 and SHA-256.
func signs(key, message, signature []byte) bool {
	public, err := x509.ParsePKIXPublicKey(key)
	if err != nil {
		return false
	}
	hash := sha256.Sum256(message)
	switch k := public.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(k, message, signature)
	case *ecdsa.PublicKey:
		return k.Curve == elliptic.P256() && ecdsa.VerifyASN1(k, hash[:], signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(k, crypto.SHA256, hash[:], signature) == nil
	default:
		return false
	}
}

// base64URL returns the bytes of a string in base64url, which has exactly one form.
func (v *verifier) base64URL(o value) []byte {
	text := v.text(o)
	raw, err := base64.RawURLEncoding.DecodeString(text)
	v.require(err == nil && base64.RawURLEncoding.EncodeToString(raw) == text, o, "must be base64url")
	return raw
}
