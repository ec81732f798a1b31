// Package signing keeps the signing keys of an installation and signs with them. The main type is
// Keys. Its KeyDocument is public: with it anyone can verify what the installation signed.
//
// A key signs from one time until another. Rotation ends the present key and begins a new one a
// second later, after the commit, so that all processes change keys at the same time of the
// database's clock. What a key signed in its time stays valid; nothing signed by a revoked key
// does. Private keys are encrypted under the secret key of the installation (package secret).
package signing
