package wire

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"imprimatur/core"
	"imprimatur/core/account"
	"imprimatur/core/identity"
)

// base64URL is how WebAuthn writes bytes in JSON.
func base64URL(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// Passkey is a passkey of the caller.
type Passkey struct {
	ID         int64   `json:"id" example:"2"`
	Name       string  `json:"name" example:"Phone"`
	Synced     bool    `json:"synced" doc:"Whether other devices of the user have it, too, as password managers do it." example:"true"`
	CreatedAt  string  `json:"createdAt" format:"date-time" example:"2026-01-02T15:04:05.000Z"`
	LastUsedAt *string `json:"lastUsedAt" format:"date-time" doc:"null: never." example:"2026-01-02T15:04:05.000Z"`
}

// PasskeyOf returns p for a response.
func PasskeyOf(p account.Passkey) Passkey {
	return Passkey{p.ID, p.Name, p.Synced, core.FormatTime(p.CreatedAt), TimeOrNull(p.LastUsedAt)}
}

// NewPasskey is what a browser has created.
type NewPasskey struct {
	Credential json.RawMessage `json:"credential" doc:"The PublicKeyCredential of navigator.credentials.create, as its toJSON returns it." example:"{\"id\":\"AQ\",\"rawId\":\"AQ\",\"type\":\"public-key\",\"response\":{}}"`
	Name       string          `json:"name,omitempty" doc:"At most 100 characters. Without, it is \"Passkey\" and a number." example:"Phone"`
}

// PasskeyName renames a passkey.
type PasskeyName struct {
	Name string `json:"name" doc:"At most 100 characters." example:"Phone"`
}

// PasskeyCreationOptions are the PublicKeyCredentialCreationOptions of WebAuthn in JSON, for
// PublicKeyCredential.parseCreationOptionsFromJSON.
type PasskeyCreationOptions struct {
	RP                     PasskeyParty        `json:"rp"`
	User                   PasskeyUser         `json:"user"`
	Challenge              string              `json:"challenge" doc:"Random, in base64url. It counts once, for five minutes." example:"q83vEjRWeJA"`
	Params                 []PasskeyParam      `json:"pubKeyCredParams" nullable:"false"`
	Timeout                int64               `json:"timeout" doc:"In milliseconds." example:"300000"`
	Exclude                []PasskeyDescriptor `json:"excludeCredentials" nullable:"false" doc:"The passkeys that the caller has."`
	AuthenticatorSelection PasskeySelection    `json:"authenticatorSelection"`
	Attestation            string              `json:"attestation" enum:"none" example:"none"`
}

// PasskeyRequestOptions are the PublicKeyCredentialRequestOptions of WebAuthn in JSON, for
// PublicKeyCredential.parseRequestOptionsFromJSON.
type PasskeyRequestOptions struct {
	Challenge        string `json:"challenge" doc:"Random, in base64url. It counts once, for five minutes." example:"q83vEjRWeJA"`
	Timeout          int64  `json:"timeout" doc:"In milliseconds." example:"300000"`
	RPID             string `json:"rpId" doc:"The host name that passkeys belong to." example:"cms.example.org"`
	UserVerification string `json:"userVerification" enum:"required" example:"required"`
}

// PasskeyParty is the service for which passkeys are.
type PasskeyParty struct {
	ID   string `json:"id" example:"cms.example.org"`
	Name string `json:"name" example:"Imprimatur"`
}

// PasskeyUser is the user as authenticators see it.
type PasskeyUser struct {
	ID          string `json:"id" doc:"In base64url; it does not contain the account." example:"q83vEjRWeJA"`
	Name        string `json:"name" example:"editor@meridian.example"`
	DisplayName string `json:"displayName" example:"Edda Editor"`
}

// PasskeyParam is an accepted kind of key.
type PasskeyParam struct {
	Type string `json:"type" enum:"public-key" example:"public-key"`
	Alg  int    `json:"alg" doc:"COSE number of the signature algorithm." example:"-7"`
}

// PasskeyDescriptor names a passkey.
type PasskeyDescriptor struct {
	Type       string   `json:"type" enum:"public-key" example:"public-key"`
	ID         string   `json:"id" doc:"In base64url." example:"q83vEjRWeJA"`
	Transports []string `json:"transports" nullable:"false" example:"[\"internal\"]"`
}

// PasskeySelection says which authenticators may create the passkey.
type PasskeySelection struct {
	ResidentKey        string `json:"residentKey" enum:"required" example:"required"`
	RequireResidentKey bool   `json:"requireResidentKey" example:"true"`
	UserVerification   string `json:"userVerification" enum:"required" example:"required"`
}

const (
	publicKey      = "public-key"
	required       = "required"
	passkeyTimeout = int64(identity.ChallengeLifetime / time.Millisecond)
)

// PasskeyCreationOptionsOf returns c for a response. algorithms are COSE numbers, the best first.
func PasskeyCreationOptionsOf(c identity.PasskeyCreation, algorithms []int) PasskeyCreationOptions {
	return PasskeyCreationOptions{
		RP:        PasskeyParty{c.RelyingParty, "Imprimatur"},
		User:      PasskeyUser{base64URL(c.UserHandle), c.User.Email, c.User.Name},
		Challenge: base64URL(c.Challenge), Timeout: passkeyTimeout,
		Params: Each(algorithms, func(a int) PasskeyParam { return PasskeyParam{publicKey, a} }),
		Exclude: Each(c.Known, func(p account.Passkey) PasskeyDescriptor {
			return PasskeyDescriptor{publicKey, base64URL(p.CredentialID), p.Transports}
		}),
		AuthenticatorSelection: PasskeySelection{required, true, required}, Attestation: "none",
	}
}

// PasskeyRequestOptionsOf returns r for a response.
func PasskeyRequestOptionsOf(r identity.PasskeyRequest) PasskeyRequestOptions {
	return PasskeyRequestOptions{base64URL(r.Challenge), passkeyTimeout, r.RelyingParty, required}
}
