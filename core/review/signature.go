package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"imprimatur/core"
	"imprimatur/core/canonical"
)

// SignatureRule says that decisions at a step need a signature, and what it can mean.
type SignatureRule struct {
	Meanings []string `json:"meanings"` // from 1 to MaxMeanings, all different
}

// Limits of signatures.
const (
	MaxMeanings = 10
	MaxMeaning  = 200 // characters
)

// SignaturePayload is what a user signs: one decision and its meaning. api/audit.md documents its members.
type SignaturePayload struct {
	Installation  string        `json:"installation"`
	Project       int64         `json:"project"`
	Request       int64         `json:"request"`
	ReleaseNumber string        `json:"releaseNumber"`
	StepID        int           `json:"stepId"`
	ContentHash   string        `json:"contentHash"`
	Decision      ActionType    `json:"decision"`
	Meaning       string        `json:"meaning"`
	CommentHash   string        `json:"commentHash"` // hex SHA-256 of the comment, which can be empty
	Person        SignedPerson  `json:"person"`
	OnBehalfOf    *SignedPerson `json:"onBehalfOf,omitempty"`
	At            string        `json:"at"`
	Nonce         string        `json:"nonce"` // 16 random bytes in base64url
}

// SignedPerson is a user in a SignaturePayload.
type SignedPerson struct {
	ID   int64  `json:"id"`
	Name string `json:"name"` // at that time
}

// CommentHash returns SignaturePayload.CommentHash of a comment.
func CommentHash(comment string) string {
	sum := sha256.Sum256([]byte(comment))
	return hex.EncodeToString(sum[:])
}

// Text returns the canonical JSON (RFC 8785) of p, which is signed.
func (p *SignaturePayload) Text() string { return string(canonical.Of(p)) }

// Signature is the signature of a decision. Only that of a passkey can be verified by others; of the other methods the
// installation says that it has checked them.
type Signature struct {
	Payload   string          `json:"payload"`
	Method    SignatureMethod `json:"method"`
	Origin    string          `json:"origin,omitempty"`    // of the page where the passkey was used
	PublicKey string          `json:"publicKey,omitempty"` // of the passkey: SubjectPublicKeyInfo in base64
	Assertion *Assertion      `json:"assertion,omitempty"` // by the passkey
}

// Assertion is what an authenticator returns (WebAuthn). All members are bytes in base64url.
type Assertion struct {
	AuthenticatorData string `json:"authenticatorData"`
	ClientDataJSON    string `json:"clientDataJSON"`
	Signature         string `json:"signature"`
}

// SignatureMethod is how a user signed.
type SignatureMethod string

// The methods.
const (
	SignedByPasskey  SignatureMethod = "passkey"
	SignedByPassword SignatureMethod = "password"      // of a user without a second factor
	SignedByBoth     SignatureMethod = "password_totp" // with a code of an authenticator app
)

// Read returns the payload of s; the zero value for a damaged one.
func (s *Signature) Read() (p SignaturePayload) {
	_ = json.Unmarshal([]byte(s.Payload), &p) //nolint:errcheck // documented
	return p
}

// SignatureRequired returns the error of a decision without the signature that its step needs.
func SignatureRequired() *core.Error {
	return &core.Error{Kind: core.KindForbidden, Code: "signature_required", Message: "decisions at this step are signed: POST …/approval/challenge, then send signature"}
}

// ChallengeExpired returns the error of a signature whose challenge is not valid any more.
func ChallengeExpired() *core.Error {
	return &core.Error{Kind: core.KindGone, Code: "challenge_expired", Message: "the challenge has expired, was used, or was made before a change of the request; begin again"}
}
