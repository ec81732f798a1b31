package wire

import (
	"encoding/json"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/review"
)

// Signature describes review.Signature.
type Signature struct {
	Payload   string                 `json:"payload" doc:"What was signed: JSON in its canonical form (RFC 8785). See api/audit.md." example:"{\"decision\":\"approve\",\"meaning\":\"I reviewed this for accuracy\"}"`
	Method    review.SignatureMethod `json:"method" enum:"passkey,password,password_totp" example:"passkey"`
	Origin    string                 `json:"origin,omitempty" doc:"The page where the passkey was used. Omitted for other methods." example:"https://cms.example.org"`
	PublicKey string                 `json:"publicKey,omitempty" doc:"The public key of the passkey, SubjectPublicKeyInfo in base64. Omitted for other methods." example:"MCowBQYDK2VwAyEAO2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik="`
	Assertion *review.Assertion      `json:"assertion,omitempty" doc:"The assertion of the passkey. Omitted for other methods."`
}

// Assertion describes review.Assertion.
type Assertion struct {
	AuthenticatorData string `json:"authenticatorData" doc:"In base64url." example:"q83vEjRWeJA"`
	ClientDataJSON    string `json:"clientDataJSON" doc:"In base64url." example:"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"`
	Signature         string `json:"signature" doc:"In base64url." example:"MEUCIQD"`
}

// SignatureInput answers a challenge.
type SignatureInput struct {
	Challenge string          `json:"challenge" doc:"That of the response to POST …/approval/challenge." example:"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"`
	Passkey   json.RawMessage `json:"passkey,omitempty" doc:"The PublicKeyCredential of navigator.credentials.get for the challenge. Left out with password." example:"{\"id\":\"AQ\",\"rawId\":\"AQ\",\"type\":\"public-key\",\"response\":{}}"`
	Password  *string         `json:"password,omitempty" doc:"The password of the caller." example:"correct horse battery staple"`
	TOTP      *string         `json:"totp,omitempty" doc:"A code of the authenticator app, with password. Required if the account has one." example:"123456"`
}

// ChallengeInput is what the caller is about to sign.
type ChallengeInput struct {
	Decision review.ActionType `json:"decision" enum:"approve,reject,request_revision" example:"approve"`
	Meaning  string            `json:"meaning" doc:"One of the meanings of the step." example:"I reviewed this for accuracy"`
	Comment  *string           `json:"comment,omitempty" nullable:"true" maxLength:"4000" doc:"The comment of the decision." example:"Please check the figures."`
	StepID   *int              `json:"stepId,omitempty" doc:"As in the decision." example:"1"`
	For      *int64            `json:"for,omitempty" doc:"As in the decision." example:"5"`
}

// Challenge asks for a signature.
type Challenge struct {
	Challenge string `json:"challenge" doc:"The SHA-256 of payload in base64url: the challenge for a passkey (WebAuthn)." example:"n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg"`
	Payload   string `json:"payload" doc:"What is signed: JSON in its canonical form (RFC 8785)." example:"{\"decision\":\"approve\",\"meaning\":\"I reviewed this for accuracy\"}"`
	ExpiresAt string `json:"expiresAt" format:"date-time" example:"2026-01-02T15:09:05.000Z"`
	RPID      string `json:"rpId" doc:"The host name that passkeys belong to; empty where browsers refuse passkeys." example:"cms.example.org"`
}

// ChallengeOf returns c for a response.
func ChallengeOf(c account.SignatureChallenge, rpID string) Challenge {
	return Challenge{c.Name(), c.Payload, core.FormatTime(c.ExpiresAt), rpID}
}
