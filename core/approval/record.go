package approval

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/gowebpki/jcs"

	"imprimatur/core"
)

// The hashes of a request and its actions cover exactly what an audit shows of them, so that
// the response of the API is enough to verify it. api/audit.md documents every byte.

// recordFormat is the version of the format of terms and lines. A change of their members
// needs a new version.
const recordFormat = 1

// wireTerms are the members of a request that never change after its submission.
type wireTerms struct {
	Format            int           `json:"format"`
	TenantID          int64         `json:"tenantId"`
	ProjectID         int64         `json:"projectId"`
	CollectionID      int64         `json:"collectionId"`
	EntryID           int64         `json:"entryId"`
	Locale            string        `json:"locale"`
	RequestID         int64         `json:"requestId"`
	ReleaseNumber     string        `json:"releaseNumber"`
	Steps             []wireStep    `json:"steps"`
	AllowSelfApproval bool          `json:"allowSelfApproval"`
	ContentHash       string        `json:"contentHash"`
	SubmittedBy       core.ActorRef `json:"submittedBy"`
	SubmittedAt       string        `json:"submittedAt"`
}

// wireLine is what the hash of an action covers: the action without its id and its hash.
type wireLine struct {
	wireDone

	PreviousHash string       `json:"previousHash"`
	Outcome      core.Outcome `json:"outcome"`
}

func newWireTerms(r *core.Request) wireTerms {
	return wireTerms{
		Format: recordFormat, TenantID: r.TenantID, ProjectID: r.ProjectID, CollectionID: r.CollectionID, EntryID: r.EntryID,
		Locale: r.Locale, RequestID: r.ID, ReleaseNumber: r.ReleaseNumber(), Steps: newWireSteps(r.Steps),
		AllowSelfApproval: r.AllowSelfApproval, ContentHash: r.ContentHash,
		SubmittedBy: r.SubmittedBy, SubmittedAt: core.FormatTime(r.SubmittedAt),
	}
}

func newWireLine(a *core.ApprovalAction) wireLine {
	return wireLine{newWireDone(a), a.PreviousHash, a.Outcome}
}

// link appends a to r's chain.
func link(r *core.Request, a *core.ApprovalAction) {
	a.PreviousHash = r.ChainHash
	a.Hash = lineHash(a)
	r.ChainHash = a.Hash
}

func termsHash(r *core.Request) string { return canonicalHash(newWireTerms(r)) }

func lineHash(a *core.ApprovalAction) string { return canonicalHash(newWireLine(a)) }

// canonicalHash returns the hex SHA-256 of the canonical JSON (RFC 8785) of value.
func canonicalHash(value any) string {
	raw, err := encode(value)
	if err == nil {
		raw, err = jcs.Transform(raw)
	}
	if err != nil {
		panic("approval: a record is no JSON: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
