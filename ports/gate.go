package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// PublishGate decides whether a write may publish content directly or needs an approval
// request. Every write that can make content public calls it, inside its transaction.
type PublishGate interface {
	Governor
	// Requested reports whether a request for the entry is open.
	Requested(ctx context.Context, stores Stores, projectID, entryID int64) (bool, error)
	// Submit requests the publication of e's draft. It is for governed entries only. It opens a
	// request unless one is open, and does not change the entry. period applies after the
	// approval; without From the request is published immediately. The contributors of the request
	// are those of e.Revision. The record has comment, the words of the submitter to the reviewers; it
	// returns core.ErrInvalid with the location comment for one that is too long.
	Submit(ctx context.Context, stores Stores, actor core.Actor, schema core.Schema, e *core.Entry, period core.Period, comment string) error
	// Reschedule reports whether the entry has an open request and, if so, changes the times of that
	// request, as an action of its record. It returns core.KindForbidden unless actor may change
	// them, and core.ErrInvalid for invalid times, with the locations publishAt and unpublishAt.
	// Times that are already those of the request need no permission and change nothing. The caller
	// has locked the entry and stored the write.
	Reschedule(ctx context.Context, stores Stores, actor core.Actor, project *core.Project, entryID int64, times core.Times) (open bool, err error)
	// Schedule schedules the publication of e from period.From until period.Until: the draft that
	// e has at period.From becomes public. It is for ungoverned entries only.
	Schedule(ctx context.Context, stores Stores, actor core.Actor, e *core.Entry, period core.Period) error
	// End schedules the end of the current publication of e, and replaces an end that was
	// scheduled before. A zero until removes the scheduled end.
	End(ctx context.Context, stores Stores, actor core.Actor, e *core.Entry, until time.Time) error
	// Withdraw ends an open request and cancels a scheduled publication of e, if any. It is for
	// writes that unpublish or trash e, set published to false, or publish e without a request. The
	// record has comment, which is checked as that of Submit.
	Withdraw(ctx context.Context, stores Stores, actor core.Actor, e *core.Entry, comment string) error
}

// Governor knows which entries need a review.
type Governor interface {
	// Governs reports whether the entry needs an approved request to become public: a
	// workflow governs the Project, or a request for the entry is open. entryID is 0 for an
	// entry that does not exist yet.
	Governs(ctx context.Context, stores Stores, project *core.Project, entryID int64) (bool, error)
}

// DefinitionGate decides whether a definition may change, and carries the change to requests and
// publications. Every change of a Project or a collection calls it, inside its transaction.
type DefinitionGate interface {
	Governor
	// Redefine decides whether a definition may change from before to after; see
	// core.PublicChanges. If a workflow governs the Project, a change that readers of published
	// entries see is core.KindConflict with the code governed and the changes in Fields. If
	// acknowledged is true, Redefine records an event instead. The caller has the Project's Lock
	// and stores the change afterwards.
	Redefine(ctx context.Context, stores Stores, before, after core.Schema, acknowledged bool) error
	// Regovern seals the published versions that show media of the library if a workflow governs the
	// Project: each becomes a publication by the system, with the current words of the library.
	// Sealed versions stay as they are, whatever governs. Call it after a change of what governs the
	// Project, and after a removed field that shows media was added again. The caller has the
	// Project's Lock, has made the change, and records an event of the Project.
	Regovern(ctx context.Context, stores Stores, project *core.Project) error
	// Close does what Withdraw does for every entry of the collection, which was deleted.
	Close(ctx context.Context, stores Stores, actor core.Actor, projectID, collectionID int64) error
}

// Publisher publishes and unpublishes entries. Package approval calls it for approved requests
// and for due publications. project is the result of ProjectStore.Hold in the transaction of
// stores.
type Publisher interface {
	// Release makes the release the published version of the entry, in the transaction of
	// stores, and returns the time of the publication. It is the present time if readers see the
	// release already. Release returns core.ErrNotFound when the entry was deleted or is in the
	// trash, and core.ErrInvalid when another entry holds one of its unique values.
	Release(ctx context.Context, stores Stores, project *core.Project, entryID int64, release core.Release) (at time.Time, err error)
	// ReleaseDraft makes the draft of the entry public now, with by as the publisher. Otherwise it
	// is like Release. It also returns core.ErrInvalid when the draft does not meet the options of
	// its fields.
	ReleaseDraft(ctx context.Context, stores Stores, project *core.Project, entryID int64, by core.ActorRef) error
	// Submitted closes the newest revision of the entry. The caller opens a request for the draft
	// of the entry. schema is the schema of the entry. It returns core.ErrInvalid with all faults
	// if the draft is incomplete.
	Submitted(ctx context.Context, stores Stores, schema core.Schema, entryID int64) error
	// Retract removes the published version of the entry, also of an entry in the trash, which is
	// then restored as a draft. It does nothing when the entry was deleted or is not published. It
	// leaves requests and schedules of the draft.
	Retract(ctx context.Context, stores Stores, project *core.Project, entryID int64) error
}
