package proof

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/installation"
)

// checkBatch is the number of publications that Check reads at once: each can have megabytes.
const checkBatch = 20

// Check makes the proof of every publication of a Project and verifies it, which compares the content with
// its hash and with the record of its approval request. It needs no secret key: the proofs are signed with a
// key that is thrown away. It calls fault with each publication whose proof is wrong, and returns the number
// of publications.
func (ps *Publications) Check(ctx context.Context, projectID int64, fault func(p core.Publication, err *Fault)) (checked int64, err error) {
	signer, err := newThrowaway()
	if err != nil {
		return 0, err
	}
	var last core.Publication
	for {
		batch, err := ps.stores.Publications.Walk(ctx, projectID, last.EntryID, last.Number, checkBatch)
		if err != nil || len(batch) == 0 {
			return checked, err
		}
		for _, p := range batch {
			wrong, err := ps.check(ctx, signer, p)
			if err != nil {
				return checked, err
			}
			if wrong != nil {
				fault(p, wrong)
			}
			checked++
			last = p
		}
	}
}

// check returns what is wrong with the proof of p.
func (ps *Publications) check(ctx context.Context, signer throwaway, p core.Publication) (*Fault, error) {
	made, err := ps.proof(ctx, signer, p)
	if errors.Is(err, core.ErrNotFound) {
		return &Fault{"request", "is missing"}, nil
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	_, err = Verify(text, nil)
	wrong, _ := errors.AsType[*Fault](err) // Verify has no other errors
	return wrong, nil
}

// throwaway implements ports.Signer with a key of its own.
type throwaway struct {
	private ed25519.PrivateKey
	key     installation.SigningKey
	at      time.Time
}

func newThrowaway() (throwaway, error) {
	public, private, err := ed25519.GenerateKey(nil)
	return throwaway{private, installation.SigningKey{Fingerprint: canonical.Hash(public), Public: public}, time.Unix(0, 0).UTC()}, err
}

// Sign implements ports.Signer.
func (t throwaway) Sign(_ context.Context, message func(key installation.SigningKey, at time.Time) []byte) ([]byte, error) {
	return ed25519.Sign(t.private, message(t.key, t.at)), nil
}
