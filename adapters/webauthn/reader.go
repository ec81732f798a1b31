// Package webauthn reads what browsers send about passkeys (WebAuthn level 3). The main type is Reader.
package webauthn

import (
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"

	"imprimatur/core/account"
	"imprimatur/ports"
)

// Algorithms are the accepted signature algorithms by their COSE numbers, the best first: Ed25519,
// ECDSA with P-256, and RSA, which some authenticators of Windows still use.
var Algorithms = []int{int(webauthncose.AlgEdDSA), int(webauthncose.AlgES256), int(webauthncose.AlgRS256)}

// maxBytes is the largest accepted size of what a browser sends about a passkey.
const maxBytes = 64 << 10

// maxCredentialID is the largest length of a credential id in bytes, of the specification.
const maxCredentialID = 1023

// Reader implements ports.PasskeyReader for the pages of one origin.
type Reader struct {
	host    string
	origins []string
	params  []protocol.CredentialParameter
}

// New returns a Reader for the public address of the service.
func New(base *url.URL) *Reader {
	r := &Reader{host: strings.ToLower(base.Hostname()), origins: []string{strings.ToLower(base.Scheme + "://" + base.Host)}}
	if _, err := netip.ParseAddr(r.host); err == nil || base.Scheme != "https" && r.host != "localhost" {
		r.host = "" // browsers refuse passkeys there
	}
	for _, algorithm := range Algorithms {
		r.params = append(r.params, protocol.CredentialParameter{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.COSEAlgorithmIdentifier(algorithm)})
	}
	return r
}

// RelyingParty implements ports.PasskeyReader.
func (r *Reader) RelyingParty() string { return r.host }

// Created implements ports.PasskeyReader.
func (r *Reader) Created(credential []byte) (p account.Passkey, challenge []byte, err error) {
	defer recovered(&err)
	if err := r.readable(credential); err != nil {
		return account.Passkey{}, nil, err
	}
	read, err := protocol.ParseCredentialCreationResponseBytes(credential)
	if err != nil {
		return account.Passkey{}, nil, err
	}
	data := &read.Response.CollectedClientData
	// The challenge is compared with itself: callers check it.
	_, err = read.Verify(data.Challenge, r.host, r.origins, nil, nil, protocol.TopOriginExplicitVerificationMode, false,
		true, true, nil, r.params, protocol.AttestationPolicy{}, protocol.SignaturePolicy{})
	if err != nil {
		return account.Passkey{}, nil, err
	}
	made := read.Response.AttestationObject.AuthData
	p = account.Passkey{
		CredentialID: made.AttData.CredentialID, PublicKey: made.AttData.CredentialPublicKey, SignCount: int64(made.Counter),
		Transports: transports(read.Response.Transports), Syncable: made.Flags.HasBackupEligible(), Synced: made.Flags.HasBackupState(),
	}
	copy(p.AAGUID[:], made.AttData.AAGUID)
	if len(p.CredentialID) == 0 || len(p.CredentialID) > maxCredentialID {
		return account.Passkey{}, nil, fmt.Errorf("credential id has %d bytes", len(p.CredentialID))
	}
	challenge, err = decoded(data.Challenge)
	return p, challenge, err
}

// Asserted implements ports.PasskeyReader.
func (r *Reader) Asserted(assertion []byte) (a ports.PasskeyAssertion, err error) {
	defer recovered(&err)
	if err := r.readable(assertion); err != nil {
		return ports.PasskeyAssertion{}, err
	}
	read, err := protocol.ParseCredentialRequestResponseBytes(assertion)
	if err != nil {
		return ports.PasskeyAssertion{}, err
	}
	data, flags := &read.Response.CollectedClientData, read.Response.AuthenticatorData.Flags
	challenge, err := decoded(data.Challenge)
	return ports.PasskeyAssertion{
		CredentialID: read.RawID, UserHandle: read.Response.UserHandle, Challenge: challenge,
		SignCount: int64(read.Response.AuthenticatorData.Counter), Synced: flags.HasBackupState(),
		Origin: data.Origin, AuthenticatorData: read.Raw.AssertionResponse.AuthenticatorData,
		ClientData: read.Raw.AssertionResponse.ClientDataJSON, Signature: read.Raw.AssertionResponse.Signature,
		Key: publicKey,
		Verify: func(p account.Passkey) (err error) {
			defer recovered(&err)
			if flags.HasBackupEligible() != p.Syncable {
				return errors.New("a passkey cannot become syncable, or cease to be so")
			}
			return read.Verify(data.Challenge, r.host, "", r.origins, nil, nil, protocol.TopOriginExplicitVerificationMode, false,
				true, true, p.PublicKey, protocol.SignaturePolicy{})
		},
	}, err
}

// publicKey implements ports.PasskeyAssertion.Key.
func publicKey(p account.Passkey) ([]byte, error) {
	block, _ := pem.Decode([]byte(webauthncose.DisplayPublicKey(p.PublicKey)))
	if block == nil {
		return nil, errors.New("the public key has no other form")
	}
	return block.Bytes, nil
}

func (r *Reader) readable(sent []byte) error {
	switch {
	case r.host == "":
		return errors.New("browsers do not use passkeys at the address of this service")
	case len(sent) > maxBytes:
		return fmt.Errorf("more than %d bytes", maxBytes)
	}
	return nil
}

// decoded returns the bytes of a challenge.
func decoded(challenge string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(challenge, "="))
}

// transports returns the known names among those that a browser has sent.
func transports(sent []protocol.AuthenticatorTransport) []string {
	names := []string{}
	for _, t := range sent {
		switch t {
		case protocol.USB, protocol.NFC, protocol.BLE, protocol.SmartCard, protocol.Hybrid, protocol.Internal:
			names = append(names, string(t))
		}
	}
	return names[:min(len(names), 6)]
}

// recovered makes an error of a panic of the library, which reads what anybody can send.
func recovered(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("webauthn: %v", reason)
	}
}
