package proof

import (
	"context"
	"encoding/base64"
	"time"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/canonical"
	"imprimatur/core/installation"
	"imprimatur/ports"
)

// The version of the format of a Proof. A change of its members needs a new version. Proofs of format 1
// had no signature.
const (
	format        = 2
	formatOfThree = 3 // with a record of format 3
)

// Proof is the JSON of the proof of one publication. api/proof.md documents the format.
type Proof struct {
	Format       int              `json:"format"`
	Content      string           `json:"content"`     // canonical JSON, exactly as it was hashed
	ContentHash  string           `json:"contentHash"` // of Content
	Publication  Subject          `json:"publication"`
	Request      *approval.Record `json:"request,omitempty"` // nil: no workflow governed the publication
	Installation string           `json:"installation"`
	Key          KeyName          `json:"key"`
	SignedAt     string           `json:"signedAt"`
	Hash         string           `json:"hash,omitempty"`      // of the canonical JSON of all other members without Signature
	Signature    string           `json:"signature,omitempty"` // Ed25519, of the canonical JSON of all other members, in base64
}

// KeyName identifies the key that signed a Proof.
type KeyName struct {
	ID        string `json:"id"`        // installation.SigningKey.Fingerprint
	PublicKey string `json:"publicKey"` // in base64
}

// Subject identifies a publication in a Proof.
type Subject struct {
	ProjectID     int64         `json:"projectId"`
	CollectionID  int64         `json:"collectionId"`
	EntryID       int64         `json:"entryId"`
	Number        int64         `json:"number"`
	PublishedAt   string        `json:"publishedAt"`
	UnpublishedAt *string       `json:"unpublishedAt"`
	By            core.ActorRef `json:"by"`
}

// New returns the proof of p, signed by signer. record is that of its approval request, nil without
// one. The error is that of signer.
func New(ctx context.Context, signer ports.Signer, p core.Publication, record *approval.Record) (*Proof, error) {
	proof := &Proof{
		Format: formatFor(record), Content: string(p.Content), ContentHash: p.ContentHash, Request: record,
		Publication: Subject{
			ProjectID: p.ProjectID, CollectionID: p.CollectionID, EntryID: p.EntryID, Number: p.Number,
			PublishedAt: core.FormatTime(p.PublishedAt), UnpublishedAt: core.NullIfZero(core.TimeText(p.UnpublishedAt)), By: p.By,
		},
	}
	signature, err := signer.Sign(ctx, proof.message)
	if err != nil {
		return nil, err
	}
	proof.Signature = base64.StdEncoding.EncodeToString(signature)
	return proof, nil
}

func formatFor(record *approval.Record) int {
	if record != nil && record.Terms.Format > 2 {
		return formatOfThree
	}
	return format
}

// message sets the members about the signature and returns the bytes to sign.
func (p *Proof) message(key installation.SigningKey, at time.Time) []byte {
	p.Installation, p.SignedAt = key.Installation, core.FormatTime(at)
	p.Key = KeyName{ID: key.Fingerprint, PublicKey: base64.StdEncoding.EncodeToString(key.Public)}
	p.Hash, p.Signature = "", ""
	p.Hash = canonical.HashOf(p)
	return canonical.Of(p)
}
