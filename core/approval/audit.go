package approval

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/discussion"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Audit is the verified record of one request.
// api/audit.md describes how to verify it without this program.
type Audit struct {
	Request review.Request
	Actions []review.Action // in the order they were made
	// Faults are the differences between the request, its snapshot and its record. Their locations
	// are "terms", "actions", "actions[2]", "actions[2].previousHash", "actions[2].contentHash", "actions[2].commentsHash",
	// "chainHash", "state.status" and the other members of the state, and "snapshot". Those of a release
	// are also "terms.contentHash", and "terms.release.members[4]" for the snapshot of a member.
	Faults []core.FieldError
	// SnapshotValid reports that all snapshots still have the hashes of the submission, and that every
	// action names that hash.
	SnapshotValid bool
}

// Valid reports whether the audit found no fault.
func (a *Audit) Valid() bool { return len(a.Faults) == 0 }

// Audit returns the verified record of the subject's open or latest request.
func (rs *Reviews) Audit(ctx context.Context, actor core.Actor, ref review.Subject) (*Audit, error) {
	r, err := find(ctx, rs.stores.Requests, actor, ref)
	if err != nil {
		return nil, err
	}
	return audit(ctx, rs.stores, r)
}

func audit(ctx context.Context, stores ports.Stores, r review.Request) (_ *Audit, err error) {
	if r.Release != nil {
		if r.Items, err = stores.Requests.Items(ctx, r.ProjectID, r.ID); err != nil {
			return nil, err
		}
	}
	actions, err := stores.Requests.Actions(ctx, r.ProjectID, r.ID)
	if err != nil {
		return nil, err
	}
	a := Verify(r, actions)
	said, err := stores.Comments.Comments(ctx, discussion.CommentsOf(&r))
	a.verifyComments(said)
	return a, err
}

// Verify checks r against its actions, which must be in the order they were made.
func Verify(r review.Request, actions []review.Action) *Audit {
	a := &Audit{Request: r, Actions: actions, SnapshotValid: true}
	a.verifyContent()
	if len(actions) == 0 {
		a.fault("actions", "has no action")
		return a
	}
	a.verifyChain()
	a.verifyState(r.Outcome(), actions[len(actions)-1].Outcome)
	return a
}

// verifyContent checks what is published against the hash of the terms.
func (a *Audit) verifyContent() {
	if a.Request.Release == nil {
		if !a.Request.Item().Intact() {
			a.contentFault("snapshot", "does not have the contentHash of the terms")
		}
		return
	}
	for i := range a.Request.Items {
		if !a.Request.Items[i].Intact() {
			a.contentFault(fmt.Sprintf("terms.release.members[%d]", i), "does not have the hash of its snapshot")
		}
	}
	release := a.Request.Release
	if review.ReleaseHash(release.ID, release.Name, review.MembersOf(a.Request.Items)) != release.ContentHash {
		a.contentFault("terms.contentHash", "is not the hash of the release")
	}
}

func (a *Audit) contentFault(location, message string) {
	a.SnapshotValid = false
	a.fault(location, message)
}

// verifyChain checks the hash of each action and its link to the action before. The first
// action links to the terms. The request names the hash of the last action.
func (a *Audit) verifyChain() {
	before := termsHash(&a.Request)
	for i, action := range a.Actions {
		location := fmt.Sprintf("actions[%d]", i)
		switch {
		case action.Hash != actionHash(&a.Request, &action) || action.RequestID != a.Request.ID:
			a.fault(location, "does not have its hash")
		case action.PreviousHash != before && i == 0:
			a.fault("terms", "do not have the previousHash of the first action")
		case action.PreviousHash != before:
			a.fault(location+".previousHash", "is not the hash of the action before")
		}
		if action.ContentHash != a.Request.ContentHash() {
			a.contentFault(location+".contentHash", "is not the contentHash of the terms")
		}
		before = action.Hash
	}
	if before != a.Request.ChainHash {
		a.fault("chainHash", "is not the hash of the last action")
	}
}

// verifyComments checks the hash of the comments in the decision that ended the request: no comment changed after it, but
// in later rounds. Of earlier decisions the state of the comments is not known any more, nor is the hash of a text that
// was edited since.
func (a *Audit) verifyComments(said []discussion.Comment) {
	last := len(a.Actions) - 1
	for last > 0 && !a.Actions[last].Type.Decision() {
		last--
	}
	if last < 0 || !a.Actions[last].Type.Decision() || a.Actions[last].Outcome.Status.Open() {
		return
	}
	decided := &a.Actions[last]
	for i := range said {
		if said[i].EditedAt.After(decided.CreatedAt) {
			return
		}
		if said[i].ClosedIn > a.Request.ID { // in a later round
			said[i].ResolvedBy, said[i].ClosedIn = core.ActorRef{}, 0
		}
		if said[i].ClosedIn == 0 && said[i].DeletedAt.After(decided.CreatedAt) {
			said[i].DeletedAt = time.Time{}
		}
	}
	if decided.CommentsHash != discussion.CommentsHash(said) {
		a.fault(fmt.Sprintf("actions[%d].commentsHash", last), "is not the hash of the comments on the request")
	}
}

// verifyState checks that the request has the state that its last action recorded.
func (a *Audit) verifyState(state, recorded review.Outcome) {
	for _, member := range []struct {
		name    string
		is, was any
	}{
		{"status", state.Status, recorded.Status},
		{"stepIndex", state.StepIndex, recorded.StepIndex},
		{"approvers", state.Approvers, recorded.Approvers},
		{"approvals", state.Approvals, recorded.Approvals},
		{"scheduledPublishAt", state.ScheduledPublishAt, recorded.ScheduledPublishAt},
		{"scheduledUnpublishAt", state.ScheduledUnpublishAt, recorded.ScheduledUnpublishAt},
		{"publishedAt", state.PublishedAt, recorded.PublishedAt},
		{"version", state.Version, recorded.Version},
	} {
		if !reflect.DeepEqual(member.is, member.was) {
			a.fault("state."+member.name, "is not what the last action left")
		}
	}
}

func (a *Audit) fault(location, message string) {
	a.Faults = append(a.Faults, core.FieldError{Location: location, Message: message})
}

// The hashes of a request and its actions cover exactly the members that the JSON of an audit
// shows, so that the API response is enough to verify it. api/audit.md documents every byte.

// The versions of the format of terms and actions of new requests. A change of their members needs a new
// version. Format 2 added the contributors to the terms, format 3 releases and approvals that name their
// step. Requests keep the format that they were submitted with (review.Request.RecordFormat).
const (
	plainFormat  = 2 // of a request for one entry whose steps follow one another without conditions, with one approval each
	latestFormat = 3
)

// formatOf returns the format of the request for an entry that passes w.
func formatOf(w review.Workflow) int {
	for i := range w.Steps {
		if w.Steps[i].Approvals > 1 || w.Steps[i].When != nil || w.Steps[i].Delegable || w.Steps[i].DueIn > 0 || w.Steps[i].Escalate != nil || w.Steps[i].Signature != nil || i > 0 && w.Steps[i].Order == w.Steps[i-1].Order {
			return latestFormat
		}
	}
	return plainFormat
}

// link appends a to r's chain.
func link(r *review.Request, a *review.Action) {
	a.PreviousHash = r.ChainHash
	a.Hash = actionHash(r, a)
	r.ChainHash = a.Hash
}

func termsHash(r *review.Request) string { return canonical.HashOf(termsOf(r)) }

// actionHash returns the hash of an action of r, without its id and its hash.
func actionHash(r *review.Request, a *review.Action) string {
	shown := auditedOf(r, a)
	shown.ID, shown.Hash = 0, ""
	return canonical.HashOf(shown)
}
