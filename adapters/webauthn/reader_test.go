package webauthn_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/descope/virtualwebauthn"

	"imprimatur/adapters/webauthn"
	"imprimatur/core/account"
)

const origin = "https://cms.example"

var challenge = []byte("a challenge of this service")

func reader(t testing.TB, base string) *webauthn.Reader {
	t.Helper()
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	return webauthn.New(at)
}

// device is an authenticator with one passkey.
type device struct {
	at      virtualwebauthn.RelyingParty
	options virtualwebauthn.AuthenticatorOptions
	key     virtualwebauthn.Credential
}

func newDevice(keyType virtualwebauthn.KeyType) *device {
	return &device{at: virtualwebauthn.RelyingParty{ID: "cms.example", Name: "Imprimatur", Origin: origin}, options: virtualwebauthn.AuthenticatorOptions{UserHandle: []byte("handle"), BackupEligible: true}, key: newKey(keyType)}
}

// newKey returns a key that virtualwebauthn encodes correctly: it drops leading zeros of coordinates.
func newKey(keyType virtualwebauthn.KeyType) virtualwebauthn.Credential {
	for {
		if key := virtualwebauthn.NewCredential(keyType); keyType != virtualwebauthn.KeyTypeEC2 || len(key.Key.AttestationData()) == 77 {
			return key
		}
	}
}

func (d *device) create() []byte {
	return []byte(virtualwebauthn.CreateAttestationResponse(d.at, virtualwebauthn.NewAuthenticatorWithOptions(d.options), d.key, virtualwebauthn.AttestationOptions{Challenge: challenge}))
}

func (d *device) assert() []byte {
	return []byte(virtualwebauthn.CreateAssertionResponse(d.at, virtualwebauthn.NewAuthenticatorWithOptions(d.options), d.key, virtualwebauthn.AssertionOptions{Challenge: challenge}))
}

func TestCreatesAndAsserts(t *testing.T) {
	t.Parallel()
	for name, keyType := range map[string]virtualwebauthn.KeyType{"P-256": virtualwebauthn.KeyTypeEC2, "RSA": virtualwebauthn.KeyTypeRSA} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, d := reader(t, origin), newDevice(keyType)
			p, about, err := r.Created(d.create())
			if err != nil || !bytes.Equal(about, challenge) || !bytes.Equal(p.CredentialID, d.key.ID) || !p.Syncable || p.Synced {
				t.Fatalf("%+v, %q, %v", p, about, err)
			}
			d.key.Counter = 7
			a, err := r.Asserted(d.assert())
			if err != nil || !bytes.Equal(a.Challenge, challenge) || !bytes.Equal(a.CredentialID, d.key.ID) || string(a.UserHandle) != "handle" || a.SignCount != 7 {
				t.Fatalf("%+v, %v", a, err)
			}
			if err := a.Verify(p); err != nil {
				t.Error(err)
			}
			other := newDevice(keyType)
			foreign, _, err := r.Created(other.create())
			if err != nil || a.Verify(foreign) == nil {
				t.Errorf("another passkey verifies it (%v)", err)
			}
			p.Syncable = false
			if a.Verify(p) == nil {
				t.Error("a passkey became syncable")
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	r, d := reader(t, origin), newDevice(virtualwebauthn.KeyTypeEC2)
	p, _, err := r.Created(d.create())
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*device){
		"another origin":  func(d *device) { d.at.Origin = "https://cms.example.evil.example" },
		"another port":    func(d *device) { d.at.Origin = origin + ":8443" },
		"plain HTTP":      func(d *device) { d.at.Origin = "http://cms.example" },
		"another host":    func(d *device) { d.at.ID = "evil.example" },
		"a host above":    func(d *device) { d.at.ID = "example" },
		"no verification": func(d *device) { d.options.UserNotVerified = true },
		"no user present": func(d *device) { d.options.UserNotPresent = true },
	} {
		odd := *d
		change(&odd)
		if _, _, err := r.Created(odd.create()); err == nil {
			t.Errorf("%s: created", name)
		}
		a, err := r.Asserted(odd.assert())
		if err == nil {
			err = a.Verify(p)
		}
		if err == nil {
			t.Errorf("%s: asserted", name)
		}
	}
	if _, _, err := r.Created(d.assert()); err == nil {
		t.Error("an assertion is a credential")
	}
	if _, err := r.Asserted(d.create()); err == nil {
		t.Error("a credential is an assertion")
	}
	if _, err := r.Asserted([]byte(`{"id":"` + strings.Repeat("A", 1<<17) + `"}`)); err == nil {
		t.Error("too long")
	}
}

// One changed bit is noticed.
func TestSignatures(t *testing.T) {
	t.Parallel()
	r, d := reader(t, origin), newDevice(virtualwebauthn.KeyTypeEC2)
	p, _, err := r.Created(d.create())
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"signature", "authenticatorData", "clientDataJSON"} {
		var sent struct {
			ID, RawID, Type string
			Response        map[string]string
		}
		if err := json.Unmarshal(d.assert(), &sent); err != nil {
			t.Fatal(err)
		}
		raw, err := base64.RawURLEncoding.DecodeString(sent.Response[member])
		if err != nil {
			t.Fatal(err)
		}
		raw[len(raw)-2] ^= 1
		sent.Response[member] = base64.RawURLEncoding.EncodeToString(raw)
		changed, err := json.Marshal(map[string]any{"id": sent.ID, "rawId": sent.RawID, "type": sent.Type, "response": sent.Response})
		if err != nil {
			t.Fatal(err)
		}
		a, err := r.Asserted(changed)
		if err == nil {
			err = a.Verify(p)
		}
		if err == nil {
			t.Errorf("%s was changed", member)
		}
	}
}

func TestRelyingParty(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://cms.example": "cms.example", "https://CMS.example:8443": "cms.example", "http://localhost:8080": "localhost",
		"http://127.0.0.1:8080": "", "https://192.0.2.1": "", "https://[2001:db8::1]:8080": "", "http://cms.example": "",
	} {
		if got := reader(t, base).RelyingParty(); got != want {
			t.Errorf("%s: %q, want %q", base, got, want)
		}
	}
	if _, _, err := reader(t, "http://127.0.0.1:8080").Created(newDevice(virtualwebauthn.KeyTypeEC2).create()); err == nil {
		t.Error("created at an IP address")
	}
}

// FuzzReader reads what no browser sends: it returns an error and does not panic.
func FuzzReader(f *testing.F) {
	d := newDevice(virtualwebauthn.KeyTypeEC2)
	f.Add(d.create())
	f.Add(d.assert())
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","attestationObject":"oA","signature":""}}`))
	r := reader(f, origin)
	f.Fuzz(func(t *testing.T, sent []byte) {
		if p, _, err := r.Created(sent); err == nil && (len(p.CredentialID) == 0 || len(p.PublicKey) == 0) {
			t.Errorf("%+v", p)
		}
		if a, err := r.Asserted(sent); err == nil && a.Verify(account.Passkey{PublicKey: []byte("x")}) == nil {
			t.Error("verified with no key")
		}
	})
}
