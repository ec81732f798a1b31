package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// WorkflowStore keeps the workflows of Departments and Projects, at most one each.
// They are deleted with their Department or Project.
type WorkflowStore interface {
	// DepartmentWorkflow and ProjectWorkflow return core.ErrNotFound where none is set.
	DepartmentWorkflow(ctx context.Context, departmentID int64) (core.Workflow, error)
	ProjectWorkflow(ctx context.Context, projectID int64) (core.Workflow, error)
	// Governing returns the workflow that governs the Project: its own, or else that
	// of the Department it is in now; core.ErrNotFound where neither has one. Inside a
	// transaction the result stays valid until the transaction ends: a transaction that would
	// change it waits, so that no publication bypasses a new workflow. One SQL statement.
	Governing(ctx context.Context, projectID int64) (core.Workflow, error)
	// UsingRole returns the workflows with a step for the custom role: those of
	// Departments by id, then those of Projects by id.
	UsingRole(ctx context.Context, customRoleID int64) ([]core.Workflow, error)
	// Put stores w in place of what its Department or Project had.
	Put(ctx context.Context, w core.Workflow) error
	// Remove deletes the workflow of the scope that w names; core.ErrNotFound when it has none.
	Remove(ctx context.Context, w core.Workflow) error
}

// RequestReader reads approval requests.
type RequestReader interface {
	Request(ctx context.Context, projectID, id int64) (core.Request, error)
	// EntryRequests returns the requests of an entry, latest first, at most limit.
	EntryRequests(ctx context.Context, projectID, entryID int64, limit int) ([]core.Request, error)
	// History returns the window of q, q.Limit+1 requests when more follow.
	History(ctx context.Context, q core.HistoryQuery) ([]core.Request, error)
	// HistoryCount returns how many requests q matches in all.
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
	// InboxCount returns how many requests q matches in all.
	InboxCount(ctx context.Context, q core.InboxQuery) (int64, error)
	// InboxSummary counts the requests of the user's inbox.
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

// PublicationStore stores scheduled publications, at most one per entry. They are deleted
// with their entry, collection or Project.
type PublicationStore interface {
	// Schedule stores p, as not yet tried, in place of what the entry had.
	Schedule(ctx context.Context, p core.Publication) error
	// Cancel removes the entry's; no error when there is none.
	Cancel(ctx context.Context, projectID, entryID int64) error
	Scheduled(ctx context.Context, projectID, entryID int64) (core.Publication, error)
	// ScheduledOf returns those of the entries, in no promised order. One SQL statement.
	ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]core.Publication, error)
	// Due returns, inside a transaction, up to limit publications whose RetryAt is past by the
	// database's clock, earliest first. It locks them until the transaction ends, and skips
	// those that another transaction has locked.
	Due(ctx context.Context, limit int) ([]core.Publication, error)
	// NextDue returns the time until the earliest RetryAt by the database's clock: zero or less
	// when it is past. ok is false when nothing is scheduled.
	NextDue(ctx context.Context) (wait time.Duration, ok bool, err error)
	// Failed records a failed attempt with its fault, and sets RetryAt to the database's clock
	// plus again; core.ErrNotFound when the entry has no scheduled publication.
	Failed(ctx context.Context, projectID, entryID int64, fault string, again time.Duration) error
	// Publications returns the window of q, by RetryAt, Project and entry, at most
	// q.Limit.
	Publications(ctx context.Context, q core.PublicationQuery) ([]core.Publication, error)
	// CountFailed returns how many publications of all Projects have failed so far.
	CountFailed(ctx context.Context) (int64, error)
	// Now returns the time of the database's clock.
	Now(ctx context.Context) (time.Time, error)
}
