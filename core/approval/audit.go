package approval

import (
	"context"
	"fmt"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/ports"
)

// Audit is the verified record of one request.
// api/audit.md describes how to verify it without this program.
type Audit struct {
	Request core.Request
	Actions []core.ApprovalAction // in the order they were made
	// Faults are the differences between the request, its snapshot and its record. Their locations
	// are "terms", "actions", "actions[2]", "actions[2].previousHash", "actions[2].contentHash",
	// "chainHash", "state.status" and the other members of the state, and "snapshot".
	Faults []core.FieldError
	// SnapshotValid reports that the snapshot still has the hash of the submission, and that every
	// action names that hash.
	SnapshotValid bool
}

// Valid reports whether the audit found no fault.
func (a *Audit) Valid() bool { return len(a.Faults) == 0 }

// Audit returns the verified record of the entry's open or latest request.
func (rs *Reviews) Audit(ctx context.Context, actor core.Actor, ref core.EntryRef) (*Audit, error) {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return nil, err
	}
	return audit(ctx, rs.stores.Requests, r)
}

func audit(ctx context.Context, requests ports.RequestReader, r core.Request) (*Audit, error) {
	actions, err := requests.Actions(ctx, r.ProjectID, r.ID)
	if err != nil {
		return nil, err
	}
	return Verify(r, actions), nil
}

// Verify checks r against its actions, which must be in the order they were made.
func Verify(r core.Request, actions []core.ApprovalAction) *Audit {
	a := &Audit{Request: r, Actions: actions, SnapshotValid: r.Intact()}
	if !a.SnapshotValid {
		a.fault("snapshot", "does not have the contentHash of the terms")
	}
	if len(actions) == 0 {
		a.fault("actions", "has no action")
		return a
	}
	a.verifyChain()
	a.verifyState(r.Outcome(), actions[len(actions)-1].Outcome)
	return a
}

// verifyChain checks the hash of each action and its link to the action before. The first
// action links to the terms. The request names the hash of the last action.
func (a *Audit) verifyChain() {
	before := termsHash(&a.Request)
	for i, action := range a.Actions {
		location := fmt.Sprintf("actions[%d]", i)
		switch {
		case action.Hash != actionHash(&action) || action.RequestID != a.Request.ID:
			a.fault(location, "does not have its hash")
		case action.PreviousHash != before && i == 0:
			a.fault("terms", "do not have the previousHash of the first action")
		case action.PreviousHash != before:
			a.fault(location+".previousHash", "is not the hash of the action before")
		}
		if action.ContentHash != a.Request.ContentHash {
			a.SnapshotValid = false
			a.fault(location+".contentHash", "is not the contentHash of the terms")
		}
		before = action.Hash
	}
	if before != a.Request.ChainHash {
		a.fault("chainHash", "is not the hash of the last action")
	}
}

// verifyState checks that the request has the state that its last action recorded.
func (a *Audit) verifyState(state, recorded core.Outcome) {
	for _, member := range []struct{ name, is, was string }{
		{"status", string(state.Status), string(recorded.Status)},
		{"stepIndex", fmt.Sprint(state.StepIndex), fmt.Sprint(recorded.StepIndex)},
		{"approvers", fmt.Sprint(state.Approvers), fmt.Sprint(recorded.Approvers)},
		{"scheduledPublishAt", state.ScheduledPublishAt, recorded.ScheduledPublishAt},
		{"scheduledUnpublishAt", state.ScheduledUnpublishAt, recorded.ScheduledUnpublishAt},
		{"publishedAt", state.PublishedAt, recorded.PublishedAt},
		{"version", fmt.Sprint(state.Version), fmt.Sprint(recorded.Version)},
	} {
		if member.is != member.was {
			a.fault("state."+member.name, "is not what the last action left")
		}
	}
}

func (a *Audit) fault(location, message string) {
	a.Faults = append(a.Faults, core.FieldError{Location: location, Message: message})
}

// The hashes of a request and its actions cover exactly the members that the JSON of an audit
// shows, so that the API response is enough to verify it. api/audit.md documents every byte.

// recordFormat is the version of the format of terms and actions of new requests. A change of their
// members needs a new version. Format 2 added the contributors to the terms. Requests keep the format
// that they were submitted with (core.Request.RecordFormat).
const recordFormat = 2

// link appends a to r's chain.
func link(r *core.Request, a *core.ApprovalAction) {
	a.PreviousHash = r.ChainHash
	a.Hash = actionHash(a)
	r.ChainHash = a.Hash
}

func termsHash(r *core.Request) string { return canonical.HashOf(termsOf(r)) }

// actionHash returns the hash of a, without its id and its hash.
func actionHash(a *core.ApprovalAction) string {
	shown := auditedOf(a)
	shown.ID, shown.Hash = 0, ""
	return canonical.HashOf(shown)
}
