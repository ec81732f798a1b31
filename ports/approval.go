package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// WorkflowStore keeps the workflows of Departments and Projects, at most one each.
// They go with their Department or Project.
type WorkflowStore interface {
	// DepartmentWorkflow and ProjectWorkflow return core.ErrNotFound where there is
	// none.
	DepartmentWorkflow(ctx context.Context, departmentID int64) (core.Workflow, error)
	ProjectWorkflow(ctx context.Context, projectID int64) (core.Workflow, error)
	// Governing returns the workflow that governs the Project: its own, or else that
	// of the Department it is in now; core.ErrNotFound where neither has one. Inside a
	// transaction the answer holds until the transaction ends: whoever would change
	// it waits, so that nothing is published past a workflow that was set meanwhile.
	// One SQL statement.
	Governing(ctx context.Context, projectID int64) (core.Workflow, error)
	// UsingRole returns the workflows with a step for the custom role: those of
	// Departments by id, then those of Projects by id.
	UsingRole(ctx context.Context, customRoleID int64) ([]core.Workflow, error)
	// Put stores w in place of what its Department or Project had.
	Put(ctx context.Context, w core.Workflow) error
	// Remove takes the workflow of the scope that w names away; core.ErrNotFound.
	Remove(ctx context.Context, w core.Workflow) error
}

// RequestReader reads approval requests.
type RequestReader interface {
	Request(ctx context.Context, projectID, id int64) (core.Request, error)
	// EntryRequests returns the requests of an entry, latest first, at most limit.
	EntryRequests(ctx context.Context, projectID, entryID int64, limit int) ([]core.Request, error)
	// History returns the window of q, one more than q.Limit when there are more.
	History(ctx context.Context, q core.HistoryQuery) ([]core.Request, error)
	// HistoryCount returns how many requests q has, whatever its window.
	HistoryCount(ctx context.Context, q core.HistoryQuery) (int64, error)
	// Summaries returns the open request of each of the entries, or else the latest,
	// by entry id; entries that never had one are left out. One SQL statement.
	Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.ApprovalSummary, error)
	// Open returns up to limit open requests of the collection, or with collectionID 0
	// of the Project, with an id over after, by id.
	Open(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Request, error)
	// OpenUsingRole returns up to limit open requests of all Projects with a step for the
	// custom role, by id. Snapshot and Withheld stay nil.
	OpenUsingRole(ctx context.Context, customRoleID int64, limit int) ([]core.Request, error)
	// Actions returns the actions of the Project's requests in the order they were made.
	// One SQL statement.
	Actions(ctx context.Context, projectID int64, requestIDs ...int64) ([]core.ApprovalAction, error)
	// Walk returns up to limit requests of the Project with an id over after, by id.
	Walk(ctx context.Context, projectID, after int64, limit int) ([]core.Request, error)

	// Inbox returns the window of q, in the order of SubmittedAt and id, one more than
	// q.Limit when there are more. Only the members that a list shows are filled:
	// Snapshot and Withheld stay nil.
	Inbox(ctx context.Context, q core.InboxQuery) ([]core.Request, error)
	// InboxCount returns how many requests q has, whatever its window.
	InboxCount(ctx context.Context, q core.InboxQuery) (int64, error)
	// InboxSummary counts what waits for the person.
	InboxSummary(ctx context.Context, reach core.Reach) (core.InboxSummary, error)
}

// RequestStore keeps approval requests and their record. Requests outlive their
// entry, their collection and every account, and go with their Project.
type RequestStore interface {
	RequestReader
	// Insert adds r, whose Version is 1, with the action that opened it. It sets the
	// ids and the release number: the next one of the Tenant and r.ReleaseYear, in the
	// order of commits and without gaps. It sets action's RequestID before it calls
	// seal, which fills in the action's Hash and r.ChainHash. core.ErrConflict when
	// the entry has an open request.
	Insert(ctx context.Context, r *core.Request, action *core.ApprovalAction, seal func()) error
	// Update replaces what changes of the stored request whose Version is r.Version-1
	// (Status, Version, Current, ScheduledAt, PublishedAt, Approvers, ChainHash) and
	// adds the actions, setting their ids; core.ErrConflict when it has moved on,
	// core.ErrNotFound when there is none.
	Update(ctx context.Context, r *core.Request, actions []*core.ApprovalAction) error
}

// PublicationStore keeps what is to be published when its time comes, at most one
// per entry. It goes with its entry, its collection and its Project.
type PublicationStore interface {
	// Schedule stores p, as not yet tried, in place of what the entry had.
	Schedule(ctx context.Context, p core.Publication) error
	// Cancel removes the entry's; no error when there is none.
	Cancel(ctx context.Context, projectID, entryID int64) error
	Scheduled(ctx context.Context, projectID, entryID int64) (core.Publication, error)
	// ScheduledOf returns those of the entries, in no promised order. One SQL statement.
	ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]core.Publication, error)
	// Due returns, inside a transaction, up to limit publications whose RetryAt has
	// come by the database's clock, earliest first, locked against every other
	// transaction that asks; those that others have locked are passed over.
	Due(ctx context.Context, limit int) ([]core.Publication, error)
	// NextDue returns how long it is, by the database's clock, until the earliest
	// RetryAt: zero or less when it has come. ok is false when there is none.
	NextDue(ctx context.Context) (wait time.Duration, ok bool, err error)
	// Failed notes a failed attempt: one more, what went wrong, and when to try again
	// counted from the database's clock; core.ErrNotFound when the entry has none.
	Failed(ctx context.Context, projectID, entryID int64, fault string, again time.Duration) error
	// Publications returns the window of q, by RetryAt, Project and entry, at most
	// q.Limit.
	Publications(ctx context.Context, q core.PublicationQuery) ([]core.Publication, error)
	// CountFailed returns how many publications of all Projects have failed so far.
	CountFailed(ctx context.Context) (int64, error)
	// Now is the database's clock.
	Now(ctx context.Context) (time.Time, error)
}
