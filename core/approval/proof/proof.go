package proof

import (
	"context"
	"encoding/base64"
	"time"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/canonical"
	"imprimatur/ports"
)

// format is the version of the format of a Proof. A change of its members needs a new version.
// Proofs of format 1 had no signature.
const format = 2

// Proof is the JSON of the proof of one publication. The tags describe the members in the OpenAPI
// document.
type Proof struct {
	Format       int     `json:"format" doc:"The version of the format." example:"2"`
	Content      string  `json:"content" doc:"The canonical JSON (RFC 8785) of the content, exactly as it was hashed."`
	ContentHash  string  `json:"contentHash" doc:"Hex SHA-256 of content." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Publication  Subject `json:"publication" doc:"Which publication this is."`
	Request      *Record `json:"request,omitempty" doc:"The record of the approval request; omitted if no workflow governed the publication."`
	Installation string  `json:"installation" format:"uuid" doc:"The installation that signed." example:"0b8e1f6a-4d0c-4a57-9a3e-5f1c2d3e4b5a"`
	Key          KeyName `json:"key" doc:"The key that signed. /.well-known/imprimatur-keys.json has the keys of the installation."`
	SignedAt     string  `json:"signedAt" format:"date-time" doc:"When this document was made and signed." example:"2026-03-05T08:00:00.000Z"`
	Hash         string  `json:"hash,omitempty" required:"true" doc:"Hex SHA-256 of the canonical JSON of all other members without signature." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	Signature    string  `json:"signature,omitempty" required:"true" format:"byte" doc:"The Ed25519 signature of the canonical JSON of all other members, 64 bytes in base64."`
}

// KeyName identifies the key that signed a Proof.
type KeyName struct {
	ID        string `json:"id" doc:"The fingerprint: hex SHA-256 of the 32 bytes of publicKey." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	PublicKey string `json:"publicKey" format:"byte" doc:"The Ed25519 public key, 32 bytes in base64." example:"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="`
}

// Subject identifies a publication in a Proof.
type Subject struct {
	ProjectID     int64         `json:"projectId" example:"1"`
	CollectionID  int64         `json:"collectionId" example:"2"`
	EntryID       int64         `json:"entryId" example:"42"`
	Number        int64         `json:"number" example:"3"`
	PublishedAt   string        `json:"publishedAt" format:"date-time" example:"2026-03-02T11:45:00.000Z"`
	UnpublishedAt *string       `json:"unpublishedAt" format:"date-time" doc:"null means that readers see the version." example:"2026-03-09T08:00:00.000Z"`
	By            core.ActorRef `json:"by"`
}

// Record is the record of an approval request in a Proof: members of approval.AuditRecord.
type Record struct {
	Terms     approval.AuditTerms      `json:"terms"`
	Actions   []approval.AuditedAction `json:"actions" nullable:"false"`
	ChainHash string                   `json:"chainHash" example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	State     approval.AuditState      `json:"state"`
}

// New returns the proof of p, signed by signer. record is that of its approval request, nil without
// one. The error is that of signer.
func New(ctx context.Context, signer ports.Signer, p core.Publication, record *approval.AuditRecord) (*Proof, error) {
	proof := &Proof{
		Format: format, Content: string(p.Content), ContentHash: p.ContentHash,
		Publication: Subject{
			ProjectID: p.ProjectID, CollectionID: p.CollectionID, EntryID: p.EntryID, Number: p.Number,
			PublishedAt: core.FormatTime(p.PublishedAt), UnpublishedAt: core.NullIfZero(core.TimeText(p.UnpublishedAt)), By: p.By,
		},
	}
	if record != nil {
		proof.Request = &Record{record.Terms, record.Actions, record.ChainHash, record.State}
	}
	signature, err := signer.Sign(ctx, proof.message)
	if err != nil {
		return nil, err
	}
	proof.Signature = base64.StdEncoding.EncodeToString(signature)
	return proof, nil
}

// message sets the members about the signature and returns the bytes to sign.
func (p *Proof) message(key core.SigningKey, at time.Time) []byte {
	p.Installation, p.SignedAt = key.Installation, core.FormatTime(at)
	p.Key = KeyName{ID: key.Fingerprint, PublicKey: base64.StdEncoding.EncodeToString(key.Public)}
	p.Hash, p.Signature = "", ""
	p.Hash = canonical.HashOf(p)
	return canonical.Of(p)
}
