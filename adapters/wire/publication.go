package wire

import (
	"github.com/danielgtaylor/huma/v2"

	"imprimatur/core"
	"imprimatur/core/approval"
	"imprimatur/core/approval/proof"
	"imprimatur/core/signing"
)

// PublishedVersion is a publication: one version that readers saw.
type PublishedVersion struct {
	Number        int64         `json:"number" doc:"From 1 in each entry." example:"3"`
	ContentHash   string        `json:"contentHash" doc:"Hex SHA-256 of the canonical JSON (RFC 8785) of the content." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	PublishedAt   string        `json:"publishedAt" format:"date-time" example:"2026-03-02T11:45:00.000Z"`
	UnpublishedAt *string       `json:"unpublishedAt" format:"date-time" doc:"null means that readers see the version now." example:"2026-03-09T08:00:00.000Z"`
	By            core.ActorRef `json:"by" doc:"Who published the version."`
	RequestID     *int64        `json:"requestId" doc:"The approval request that was published; null means none." example:"9"`
	ReleaseNumber *string       `json:"releaseNumber" doc:"The number of the approval request; null means none." example:"CR-2026-0001"`
	EndedBy       *EndedBy      `json:"endedBy,omitempty"`
}

// TransformSchema implements huma.SchemaTransformer.
func (PublishedVersion) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{"endedBy": aboutEndedBy})
}

const aboutEndedBy = "What unpublished the version: a release, or its scheduled end. Left out if readers see it, if another version followed it at once, and if it was unpublished alone or trashed."

// EndedBy is what unpublished a version. Members that do not apply are left out.
type EndedBy struct {
	ReleaseID int64 `json:"releaseId,omitempty" doc:"The release that unpublished the entry." example:"12"`
	RequestID int64 `json:"requestId,omitempty" doc:"The approval request of that release." example:"9"`
	Schedule  bool  `json:"schedule,omitempty" doc:"Whether it ended at its scheduled time." example:"true"`
}

func endedByOf(m core.Move) *EndedBy {
	if m.ReleaseID == 0 && !m.OnTime {
		return nil
	}
	return &EndedBy{ReleaseID: m.ReleaseID, RequestID: m.RequestID, Schedule: m.OnTime}
}

// PublishedVersionOf returns p for a response.
func PublishedVersionOf(p core.Publication) PublishedVersion {
	return PublishedVersion{
		Number: p.Number, ContentHash: p.ContentHash, PublishedAt: core.FormatTime(p.PublishedAt), UnpublishedAt: TimeOrNull(p.UnpublishedAt),
		By: p.By, RequestID: core.NullIfZero(p.RequestID), ReleaseNumber: core.NullIfZero(p.ReleaseNumber),
		EndedBy: endedByOf(p.Ended),
	}
}

// PublishedContent is a publication with its content.
type PublishedContent struct {
	PublishedVersion

	Fields Object `json:"fields"`
	Media  Object `json:"media"`
}

// TransformSchema implements huma.SchemaTransformer.
func (PublishedContent) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return describe(s, members{
		"endedBy": aboutEndedBy,
		"fields": "The values as readers saw them. Relations and media are ids, links in rich text show their targets, and " +
			"fields that are secret now are omitted. The proof has the values as they were hashed.",
		"media": "The hash and the words of each medium that the fields name, by id, if they are sealed with " +
			"the version. Otherwise readers saw the library, and each is {\"id\"}.",
	})
}

// PublishedContentOf returns c for a response.
func PublishedContentOf(c *proof.Content) PublishedContent {
	return PublishedContent{PublishedVersionOf(c.Publication), Object(c.Fields), Object(c.Media)}
}

// Proof describes proof.Proof.
type Proof struct {
	Format       int              `json:"format" doc:"The version of the format." example:"2"`
	Content      string           `json:"content" doc:"The canonical JSON (RFC 8785) of the content, exactly as it was hashed."`
	ContentHash  string           `json:"contentHash" doc:"Hex SHA-256 of content." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
	Publication  proof.Subject    `json:"publication" doc:"Which publication this is."`
	Request      *approval.Record `json:"request,omitempty" doc:"The record of the approval request; omitted if no workflow governed the publication."`
	Installation string           `json:"installation" format:"uuid" doc:"The installation that signed." example:"0b8e1f6a-4d0c-4a57-9a3e-5f1c2d3e4b5a"`
	Key          proof.KeyName    `json:"key" doc:"The key that signed. /.well-known/imprimatur-keys.json has the keys of the installation."`
	SignedAt     string           `json:"signedAt" format:"date-time" doc:"When this document was made and signed." example:"2026-03-05T08:00:00.000Z"`
	Hash         string           `json:"hash,omitempty" required:"true" doc:"Hex SHA-256 of the canonical JSON of all other members without signature." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	Signature    string           `json:"signature,omitempty" required:"true" format:"byte" doc:"The Ed25519 signature of the canonical JSON of all other members, 64 bytes in base64."`
}

// KeyName describes proof.KeyName.
type KeyName struct {
	ID        string `json:"id" doc:"The fingerprint: hex SHA-256 of the 32 bytes of publicKey." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	PublicKey string `json:"publicKey" format:"byte" doc:"The Ed25519 public key, 32 bytes in base64." example:"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="`
}

// Subject describes proof.Subject.
type Subject struct {
	ProjectID     int64         `json:"projectId" example:"1"`
	CollectionID  int64         `json:"collectionId" example:"2"`
	EntryID       int64         `json:"entryId" example:"42"`
	Number        int64         `json:"number" example:"3"`
	PublishedAt   string        `json:"publishedAt" format:"date-time" example:"2026-03-02T11:45:00.000Z"`
	UnpublishedAt *string       `json:"unpublishedAt" format:"date-time" doc:"null means that readers see the version." example:"2026-03-09T08:00:00.000Z"`
	By            core.ActorRef `json:"by"`
}

// KeyDocument describes signing.KeyDocument.
type KeyDocument struct {
	Format       int                 `json:"format" doc:"The version of the format." example:"1"`
	Installation string              `json:"installation" format:"uuid" doc:"Identifies the installation in its proofs." example:"0b8e1f6a-4d0c-4a57-9a3e-5f1c2d3e4b5a"`
	Keys         []signing.PublicKey `json:"keys" nullable:"false" doc:"All keys, also earlier ones, in the order of their beginning."`
}

// PublicKey describes signing.PublicKey.
type PublicKey struct {
	ID        string  `json:"id" doc:"The fingerprint: hex SHA-256 of the 32 bytes of publicKey." example:"60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"`
	Algorithm string  `json:"algorithm" enum:"Ed25519" example:"Ed25519"`
	PublicKey string  `json:"publicKey" format:"byte" doc:"32 bytes in base64." example:"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="`
	From      string  `json:"from" format:"date-time" doc:"The first time of signatures." example:"2026-01-02T15:04:05.000Z"`
	Until     *string `json:"until" format:"date-time" doc:"The end of signatures, which are earlier; null means none yet." example:"2026-06-01T00:00:00.000Z"`
	RevokedAt *string `json:"revokedAt" format:"date-time" doc:"Nothing that a revoked key signed is valid, whatever its time. null means not revoked." example:"2026-06-01T00:00:00.000Z"`
}
