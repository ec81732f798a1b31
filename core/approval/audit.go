package approval

import (
	"context"

	"imprimatur/core"
	"imprimatur/ports"
)

// Audit is the record of one request, verified. It marshals as the wire shows it.
type Audit struct {
	Request core.Request
	// Valid says that every action has the hash that its content and the action before
	// it come to, and that the last is the one that the request names: nothing was
	// changed, taken out, put in or cut off.
	Valid bool
	// SnapshotValid says that the snapshot has the hash that it was submitted with, and
	// that every action was about that hash.
	SnapshotValid bool
	Actions       []AuditedAction // in the order they were made
}

// AuditedAction is an action with its place in the chain.
type AuditedAction struct {
	core.ApprovalAction

	PreviousHash string // of the action before; empty for the first
}

// Audit returns the verified record of the entry's open or latest request.
func (d *Desk) Audit(ctx context.Context, actor core.Actor, project *core.Project, collectionID, entryID int64) (*Audit, error) {
	r, err := find(ctx, d.Stores, actor, project, collectionID, entryID)
	if err != nil {
		return nil, err
	}
	return audit(ctx, d.Stores, r)
}

func audit(ctx context.Context, stores ports.Stores, r core.Request) (*Audit, error) {
	actions, err := stores.Requests.Actions(ctx, r.ProjectID, r.ID)
	if err != nil {
		return nil, err
	}
	return verify(r, actions), nil
}

// verify checks the record of r.
func verify(r core.Request, actions []core.ApprovalAction) *Audit {
	a := &Audit{Request: r, Valid: len(actions) > 0, SnapshotValid: r.Intact(), Actions: make([]AuditedAction, len(actions))}
	before := ""
	for i, action := range actions {
		a.Actions[i] = AuditedAction{ApprovalAction: action, PreviousHash: before}
		a.Valid = a.Valid && action.RequestID == r.ID && action.Hash == action.Chain(before)
		a.SnapshotValid = a.SnapshotValid && action.ContentHash == r.ContentHash
		before = action.Hash
	}
	a.Valid = a.Valid && before == r.ChainHash
	return a
}
