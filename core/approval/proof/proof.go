package proof

import (
	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/canonical"
)

// format is the version of the format of a Proof. A change of its members needs a new version.
const format = 1

// Proof is the JSON of the proof of one publication. The tags describe the members in the OpenAPI
// document.
type Proof struct {
	Format      int     `json:"format" doc:"The version of the format." example:"1"`
	Content     string  `json:"content" doc:"The canonical JSON (RFC 8785) of the content, exactly as it was hashed."`
	ContentHash string  `json:"contentHash" doc:"Hex SHA-256 of content." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Publication Subject `json:"publication" doc:"Which publication this is."`
	Request     *Record `json:"request,omitempty" doc:"The record of the approval request; omitted if no workflow governed the publication."`
	Hash        string  `json:"hash,omitempty" required:"true" doc:"Hex SHA-256 of the canonical JSON of all other members." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
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

// New returns the proof of p. record is that of its approval request, nil without one.
func New(p core.Publication, record *approval.AuditRecord) *Proof {
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
	proof.Hash = proof.hash()
	return proof
}

// hash returns the hash of all members but Hash.
func (p Proof) hash() string {
	p.Hash = ""
	return canonical.HashOf(p)
}
