package wire

import "imprimatur/core/identity"

// Factors are the second factors of the caller.
type Factors struct {
	TOTP     bool `json:"totp" doc:"Whether the caller has an authenticator app." example:"true"`
	Passkeys int  `json:"passkeys" doc:"Number of passkeys." example:"1"`
	Recovery int  `json:"recoveryCodes" doc:"Number of recovery codes that are left." example:"9"`
}

// FactorsOf returns f for a response.
func FactorsOf(f identity.OwnFactors) Factors { return Factors(f) }

// App is a new authenticator app.
type App struct {
	Secret string `json:"secret" doc:"In base32, to type into the app." example:"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"`
	URI    string `json:"uri" doc:"What apps read from the QR code." example:"otpauth://totp/Imprimatur:editor@meridian.example?algorithm=SHA1&digits=6&issuer=Imprimatur&period=30&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"`
	QR     string `json:"qr" doc:"The URI as a QR code: an SVG document." example:"<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>"`
}

// AppOf returns app for a response.
func AppOf(app identity.App) (App, error) {
	picture, err := QRCode(app.URI)
	return App{Secret: app.Secret, URI: app.URI, QR: picture}, err
}

// AppCode confirms an authenticator app.
type AppCode struct {
	Code string `json:"code" doc:"The code that the app shows: six digits." example:"123456"`
}

// RecoveryCodes are new recovery codes.
type RecoveryCodes struct {
	Codes []string `json:"recoveryCodes" nullable:"false" doc:"Ten codes. They are shown once." example:"[\"mfrg-gzdf-mztw-q2lk\"]"`
}
