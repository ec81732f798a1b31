package ports

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// WorkflowStore stores the workflows of Departments and Projects. Each has at most one. A
// workflow is deleted with its Department or Project.
type WorkflowStore interface {
	// DepartmentWorkflow and ProjectWorkflow return core.ErrNotFound when no workflow is set.
	DepartmentWorkflow(ctx context.Context, departmentID int64) (review.Workflow, error)
	ProjectWorkflow(ctx context.Context, projectID int64) (review.Workflow, error)
	// Governing returns the workflow that governs the Project: its own, or else the workflow
	// of its present Department. It returns core.ErrNotFound when neither has one. Inside a
	// transaction the result stays valid until the transaction ends: a transaction that would
	// change it waits, so that no publication bypasses a new workflow. One SQL statement.
	Governing(ctx context.Context, projectID int64) (review.Workflow, error)
	// UsingRole returns the workflows with a step for the custom role: first the workflows of
	// Departments, ordered by Department id, then the workflows of Projects, ordered by Project
	// id.
	UsingRole(ctx context.Context, customRoleID int64) ([]review.Workflow, error)
	// Put stores w. It replaces the workflow of the same Department or Project.
	Put(ctx context.Context, w review.Workflow) error
	// Remove deletes the workflow of the Department or Project in w. It returns
	// core.ErrNotFound when that has no workflow.
	Remove(ctx context.Context, w review.Workflow) error
}

// RequestReader reads approval requests. Those of releases have no items: see RequestItems.
type RequestReader interface {
	OpenRequests

	Request(ctx context.Context, projectID, id int64) (review.Request, error)
	// EntryRequests returns up to limit requests with an item for an entry, latest first, without those of
	// releases.
	EntryRequests(ctx context.Context, projectID, entryID int64, limit int) ([]review.Request, error)
	// ReleaseRequests returns the requests of a release after the first offset ones, at most limit, latest first.
	ReleaseRequests(ctx context.Context, projectID, releaseID, offset int64, limit int) ([]review.Request, error)
	// ByIDs returns the existing requests among ids, in unspecified order. One SQL statement.
	ByIDs(ctx context.Context, projectID int64, ids []int64) ([]review.Request, error)
	// Summaries returns, by entry id, the open request of each entry, or else its latest
	// request, without those of releases. It omits entries that never had one. One SQL statement.
	Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]review.ApprovalSummary, error)
	// Actions returns the actions of the given requests of the Project, oldest first.
	// One SQL statement.
	Actions(ctx context.Context, projectID int64, requestIDs ...int64) ([]review.Action, error)
}

// OpenRequests reads the requests that are pending or approved.
type OpenRequests interface {
	// OpenOf returns, by entry id, the open request with an item for each entry, also that of a release. It
	// omits entries without one. One SQL statement.
	OpenOf(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]review.OpenRequest, error)
	// Open returns up to limit open requests with an item of the collection and an id greater than
	// after, ordered by id. With collectionID 0 it covers the whole Project.
	Open(ctx context.Context, projectID, collectionID, after int64, limit int) ([]review.Request, error)
	// OpenUsingRole returns up to limit open requests of all Projects with a step for the
	// custom role, ordered by id. Snapshot and Withheld of their items are nil.
	OpenUsingRole(ctx context.Context, customRoleID int64, limit int) ([]review.Request, error)
}

// RequestItems reads the items of requests, ordered by entry id. One SQL statement each.
type RequestItems interface {
	// Items returns the items of a request with these entries (none: all), without Changed.
	Items(ctx context.Context, projectID, requestID int64, entryIDs ...int64) ([]review.RequestItem, error)
	// Members returns the items of a request, without Snapshot and Withheld.
	Members(ctx context.Context, projectID, requestID int64) ([]review.RequestItem, error)
}

// RequestHistory lists the requests of a Project, closed ones included.
type RequestHistory interface {
	// History returns the window of q, latest first, without the requests of releases. It returns q.Limit+1 requests when more
	// requests follow the window.
	History(ctx context.Context, q review.HistoryQuery) ([]review.Request, error)
	// HistoryCount returns how many requests match q, without Offset and Limit.
	HistoryCount(ctx context.Context, q review.HistoryQuery) (int64, error)
	// Walk returns up to limit requests of the Project with an id greater than after, ordered
	// by id.
	Walk(ctx context.Context, projectID, after int64, limit int) ([]review.Request, error)
}

// InboxReader lists the requests that wait for a reviewer.
type InboxReader interface {
	// Inbox returns the window of q, in the order of its list and then by id. It returns q.Limit+1
	// requests when more requests follow the window. Snapshot and Withheld of their items are nil.
	Inbox(ctx context.Context, q review.InboxQuery) ([]review.Request, error)
	// InboxCount returns how many requests match q, without Offset and Limit.
	InboxCount(ctx context.Context, q review.InboxQuery) (int64, error)
	// InboxSummary counts the requests of the user's inbox.
	InboxSummary(ctx context.Context, reach review.Reach) (review.InboxSummary, error)
	// Pending returns up to limit pending requests of the Projects, ordered by SubmittedAt and id.
	// Snapshot and Withheld of their items are nil. One SQL statement.
	Pending(ctx context.Context, projectIDs []int64, limit int) ([]review.Request, error)
}

// RequestStore stores approval requests with their items and actions. A request is deleted only with
// its Project, not with an entry, a collection or an account.
type RequestStore interface {
	RequestReader
	RequestItems
	RequestHistory
	InboxReader
	// Version returns the present Version of a request. Inside a transaction it sees what others committed
	// since the transaction began.
	Version(ctx context.Context, projectID, id int64) (int64, error)
	// Insert adds r, whose Version is 1. It sets the ids, the base of the items, and r.ReleaseCount: the next
	// number of the Tenant in r.ReleaseYear, in the order of commits and without gaps. The caller hashes them, and
	// calls Seal in the same transaction. Insert returns core.ErrConflict when the entry of an item has an open request.
	Insert(ctx context.Context, r *review.Request) error
	// Seal stores ChainHash and the ContentHash of Release of an inserted r, and adds the action that opened it, whose
	// ids it sets.
	Seal(ctx context.Context, r *review.Request, action *review.Action) error
	// Update replaces Status, Version, Current, ScheduledAt, UnpublishAt, PublishedAt, Approvers and
	// ChainHash of the stored request. It adds the actions and sets their ids. It returns
	// core.ErrConflict when the stored Version is not r.Version-1, and core.ErrNotFound when
	// the request does not exist.
	Update(ctx context.Context, r *review.Request, actions []*review.Action) error
}

// Approval keeps the requests to publish entries of governed Projects. Writes of entries and deletions of
// collections call it inside their transaction, after they have stored what they change. Its methods lock the
// entries that they concern. They return core.ErrChangedMeanwhile when another transaction has changed the
// request or the entry.
type Approval interface {
	// Submit requests the publication of e's draft. It is for governed entries only. It opens a
	// request unless one is open, and does not change the entry. period applies after the
	// approval; without From the request is published immediately. The contributors of the request
	// are those of e.Revision. The record has comment, the words of the submitter to the reviewers; it
	// returns core.ErrInvalid with the location comment for one that is too long.
	Submit(ctx context.Context, stores Stores, actor core.Actor, schema core.Schema, e *core.Entry, period schedule.Period, comment string) error
	// Reschedule changes the times of the entry's open request, if any, as an action of its record. It returns
	// core.KindForbidden unless actor may change them, and core.ErrInvalid for invalid times, with the
	// locations publishAt and unpublishAt. Times that are already those of the request need no
	// permission and change nothing.
	Reschedule(ctx context.Context, stores Stores, actor core.Actor, project *core.Project, entryID int64, times schedule.Times) error
	// Withdraw ends an open request and cancels a scheduled publication of the entry, if any. The request of a release
	// is withdrawn only if releases is true; otherwise it returns core.ErrConflict with the code "in_release". It is for
	// writes that unpublish or trash the entry, or set published to false. The record has comment, which
	// is checked as that of Submit.
	Withdraw(ctx context.Context, stores Stores, actor core.Actor, project *core.Project, entryID int64, comment string, releases bool) error
	// Close ends the open requests for entries of the collection, which was deleted, and opens the releases that wait
	// for their time with such an entry.
	Close(ctx context.Context, stores Stores, actor core.Actor, project *core.Project, collectionID int64) error
}

// ScheduleStore stores schedules, at most one of each action per entry. They are deleted with
// their entry, collection or Project.
type ScheduleStore interface {
	EntrySchedules
	ReleaseSchedules
	DueSchedules
	ScheduleLister
}

// EntrySchedules has the schedules of single entries.
type EntrySchedules interface {
	// Schedule stores p, due at p.DueAt and without failed attempts. It replaces the present schedule of that
	// action of the entry or release.
	Schedule(ctx context.Context, p schedule.Schedule) error
	// Cancel removes a schedule of the entry. It returns no error when the schedule does not exist.
	Cancel(ctx context.Context, projectID, entryID int64, action schedule.Action) error
	// CancelAll is Cancel for all schedules of that action of the entries, in one SQL statement.
	CancelAll(ctx context.Context, projectID int64, entryIDs []int64, action schedule.Action) error
	Scheduled(ctx context.Context, projectID, entryID int64, action schedule.Action) (schedule.Schedule, error)
	// ScheduledOf returns all schedules of the entries in unspecified order. One SQL statement.
	ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]schedule.Schedule, error)
}

// ReleaseSchedules has the schedules of releases, at most one of each.
type ReleaseSchedules interface {
	// CancelRelease removes the schedule of a release. It returns no error when it does not exist.
	CancelRelease(ctx context.Context, projectID, releaseID int64) error
	ScheduledRelease(ctx context.Context, projectID, releaseID int64) (schedule.Schedule, error)
}

// DueSchedules has what is due, for the worker that applies it.
type DueSchedules interface {
	// Due returns, inside a transaction, up to limit schedules of entries whose RetryAt is past by the
	// database's clock, earliest first, except those of the Projects without. It locks them
	// until the transaction ends, and skips those that another transaction has locked.
	Due(ctx context.Context, limit int, without ...int64) ([]schedule.Schedule, error)
	// DueReleases returns up to limit schedules of releases whose RetryAt is past, earliest first and then by
	// release id. It locks nothing.
	DueReleases(ctx context.Context, limit int) ([]schedule.Schedule, error)
	// NextDue returns the time until the earliest RetryAt by the database's clock: zero or less
	// when it is past. ok is false when nothing is scheduled.
	NextDue(ctx context.Context) (wait time.Duration, ok bool, err error)
	// RecordFailure records a failed attempt of p with its fault, and sets RetryAt to the time of
	// the database's clock plus delay. It returns core.ErrNotFound when its entry or release has no such
	// schedule.
	RecordFailure(ctx context.Context, p schedule.Schedule, fault string, delay time.Duration) error
	// CountFailed returns how many schedules of all Projects have failed at least once.
	CountFailed(ctx context.Context) (int64, error)
}

// ScheduleLister lists schedules.
type ScheduleLister interface {
	// Schedules returns the window of q, ordered by RetryAt, Project id, entry id and action. It
	// leaves out schedules of entries in the trash.
	Schedules(ctx context.Context, q schedule.Query) ([]schedule.Schedule, error)
	// Count returns how many schedules match q, without Offset and Limit.
	Count(ctx context.Context, q schedule.Query) (int64, error)
	// Done returns the window of what took place in [q.From, q.To), latest first, then by Project id, entry id, release
	// id and action. q.UserID selects by Done.ScheduledBy; q.Failed is ignored. It leaves out what a release
	// published and unpublished, because the release is in the list, publications of core.SystemActor, such as
	// imports of a command, and ends with which another publication of the entry began.
	Done(ctx context.Context, q schedule.Query) ([]schedule.Done, error)
}
