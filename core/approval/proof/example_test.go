package proof_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"imprimatur/core"
	"imprimatur/core/approval/proof"
	"imprimatur/core/canonical"
	"imprimatur/core/installation"
)

// seedSigner is a ports.Signer with one key. The service has signing.Keys.
type seedSigner struct{ ed25519.PrivateKey }

func (s seedSigner) Sign(_ context.Context, message func(installation.SigningKey, time.Time) []byte) ([]byte, error) {
	public := []byte(s.Public().(ed25519.PublicKey))
	key := installation.SigningKey{Fingerprint: canonical.Hash(public), Installation: "0b8e1f6a-4d0c-4a57-9a3e-5f1c2d3e4b5a", Public: public}
	return ed25519.Sign(s.PrivateKey, message(key, time.Date(2026, 3, 5, 8, 0, 0, 0, time.UTC))), nil
}

// A proof needs nothing else to be verified. Any change of it is found.
func ExampleVerify() {
	content := []byte(`{"collection":"articles","fields":{"title":"Ceasefire holds"},"locale":"en"}`)
	made, _ := proof.New(context.Background(), seedSigner{ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}, core.Publication{
		ProjectID: 1, CollectionID: 2, EntryID: 42, Number: 3, Content: content, ContentHash: canonical.Hash(content),
		PublishedAt: time.Date(2026, 3, 2, 11, 45, 0, 0, time.UTC), By: core.SystemActor.Ref(),
	}, nil)
	text, _ := json.Marshal(made)

	summary, err := proof.Verify(text, nil)
	fmt.Println(summary.EntryID, summary.Number, summary.PublishedAt, err)

	_, err = proof.Verify([]byte(strings.ReplaceAll(string(text), "holds", "ended")), nil)
	fmt.Println(err)
	// Output:
	// 42 3 2026-03-02T11:45:00.000Z <nil>
	// contentHash is not the hash of content
}
