package ports

import (
	"context"
	"time"

	"imprimatur/core"
)

// WorkflowStore stores the workflows of Departments and Projects. Each has at most one. A
// workflow is deleted with its Department or Project.
type WorkflowStore interface {
	// DepartmentWorkflow and ProjectWorkflow return core.ErrNotFound when no workflow is set.
	DepartmentWorkflow(ctx context.Context, departmentID int64) (core.Workflow, error)
	ProjectWorkflow(ctx context.Context, projectID int64) (core.Workflow, error)
	// Governing returns the workflow that governs the Project: its own, or else the workflow
	// of its present Department. It returns core.ErrNotFound when neither has one. Inside a
	// transaction the result stays valid until the transaction ends: a transaction that would
	// change it waits, so that no publication bypasses a new workflow. One SQL statement.
	Governing(ctx context.Context, projectID int64) (core.Workflow, error)
	// UsingRole returns the workflows with a step for the custom role: first the workflows of
	// Departments, ordered by Department id, then the workflows of Projects, ordered by Project
	// id.
	UsingRole(ctx context.Context, customRoleID int64) ([]core.Workflow, error)
	// Put stores w. It replaces the workflow of the same Department or Project.
	Put(ctx context.Context, w core.Workflow) error
	// Remove deletes the workflow of the Department or Project in w. It returns
	// core.ErrNotFound when that has no workflow.
	Remove(ctx context.Context, w core.Workflow) error
}

// RequestReader reads approval requests.
type RequestReader interface {
	Request(ctx context.Context, projectID, id int64) (core.Request, error)
	// EntryRequests returns up to limit requests of an entry, latest first.
	EntryRequests(ctx context.Context, projectID, entryID int64, limit int) ([]core.Request, error)
	// ByIDs returns the existing requests among ids, in unspecified order. One SQL statement.
	ByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.Request, error)
	// Summaries returns, by entry id, the open request of each entry, or else its latest
	// request. It omits entries that never had a request. One SQL statement.
	Summaries(ctx context.Context, projectID int64, entryIDs []int64) (map[int64]core.ApprovalSummary, error)
	// Open returns up to limit open requests of the collection with an id greater than after,
	// ordered by id. With collectionID 0 it covers the whole Project.
	Open(ctx context.Context, projectID, collectionID, after int64, limit int) ([]core.Request, error)
	// OpenUsingRole returns up to limit open requests of all Projects with a step for the
	// custom role, ordered by id. Snapshot and Withheld are nil.
	OpenUsingRole(ctx context.Context, customRoleID int64, limit int) ([]core.Request, error)
	// Actions returns the actions of the given requests of the Project, oldest first.
	// One SQL statement.
	Actions(ctx context.Context, projectID int64, requestIDs ...int64) ([]core.ApprovalAction, error)
}

// RequestHistory lists the requests of a Project, closed ones included.
type RequestHistory interface {
	// History returns the window of q, latest first. It returns q.Limit+1 requests when more
	// requests follow the window.
	History(ctx context.Context, q core.HistoryQuery) ([]core.Request, error)
	// HistoryCount returns how many requests match q, without Offset and Limit.
	HistoryCount(ctx context.Context, q core.HistoryQuery) (int64, error)
	// Walk returns up to limit requests of the Project with an id greater than after, ordered
	// by id.
	Walk(ctx context.Context, projectID, after int64, limit int) ([]core.Request, error)
}

// InboxReader lists the requests that wait for a reviewer.
type InboxReader interface {
	// Inbox returns the window of q, in the order of its list and then by id. It returns q.Limit+1
	// requests when more requests follow the window. Snapshot and Withheld are nil.
	Inbox(ctx context.Context, q core.InboxQuery) ([]core.Request, error)
	// InboxCount returns how many requests match q, without Offset and Limit.
	InboxCount(ctx context.Context, q core.InboxQuery) (int64, error)
	// InboxSummary counts the requests of the user's inbox.
	InboxSummary(ctx context.Context, reach core.Reach) (core.InboxSummary, error)
}

// RequestStore stores approval requests and their actions. A request is deleted only with its
// Project, not with its entry, its collection or an account.
type RequestStore interface {
	RequestReader
	RequestHistory
	InboxReader
	// Insert adds r, whose Version is 1, with the action that opened it. It sets the ids and
	// r.ReleaseCount: the next number of the Tenant in r.ReleaseYear, in the order of commits
	// and without gaps. After it has set r.ID, r.ReleaseCount and action.RequestID it calls
	// seal, which sets action.Hash and r.ChainHash. It returns core.ErrConflict when the entry
	// has an open request.
	Insert(ctx context.Context, r *core.Request, action *core.ApprovalAction, seal func()) error
	// Update replaces Status, Version, Current, ScheduledAt, UnpublishAt, PublishedAt, Approvers and
	// ChainHash of the stored request. It adds the actions and sets their ids. It returns
	// core.ErrConflict when the stored Version is not r.Version-1, and core.ErrNotFound when
	// the request does not exist.
	Update(ctx context.Context, r *core.Request, actions []*core.ApprovalAction) error
}

// ScheduleStore stores schedules, at most one of each action per entry. They are deleted with
// their entry, collection or Project.
type ScheduleStore interface {
	EntrySchedules
	DueSchedules
	ScheduleLister
}

// EntrySchedules has the schedules of single entries.
type EntrySchedules interface {
	// Schedule stores p, due at p.DueAt and without failed attempts. It replaces the entry's
	// present schedule of that action.
	Schedule(ctx context.Context, p core.Schedule) error
	// Cancel removes a schedule of the entry. It returns no error when the schedule does not exist.
	Cancel(ctx context.Context, projectID, entryID int64, action core.ScheduleAction) error
	Scheduled(ctx context.Context, projectID, entryID int64, action core.ScheduleAction) (core.Schedule, error)
	// ScheduledOf returns all schedules of the entries in unspecified order. One SQL statement.
	ScheduledOf(ctx context.Context, projectID int64, entryIDs []int64) ([]core.Schedule, error)
}

// DueSchedules has what is due, for the worker that applies it.
type DueSchedules interface {
	// Due returns, inside a transaction, up to limit schedules whose RetryAt is past by the
	// database's clock, earliest first, except those of the Projects without. It locks them
	// until the transaction ends, and skips those that another transaction has locked.
	Due(ctx context.Context, limit int, without ...int64) ([]core.Schedule, error)
	// NextDue returns the time until the earliest RetryAt by the database's clock: zero or less
	// when it is past. ok is false when nothing is scheduled.
	NextDue(ctx context.Context) (wait time.Duration, ok bool, err error)
	// RecordFailure records a failed attempt with its fault, and sets RetryAt to the time of
	// the database's clock plus delay. It returns core.ErrNotFound when the entry has no such
	// schedule.
	RecordFailure(ctx context.Context, projectID, entryID int64, action core.ScheduleAction, fault string, delay time.Duration) error
	// CountFailed returns how many schedules of all Projects have failed at least once.
	CountFailed(ctx context.Context) (int64, error)
}

// ScheduleLister lists schedules.
type ScheduleLister interface {
	// Schedules returns the window of q, ordered by RetryAt, Project id, entry id and action. It
	// leaves out schedules of entries in the trash.
	Schedules(ctx context.Context, q core.ScheduleQuery) ([]core.Schedule, error)
	// Count returns how many schedules match q, without Offset and Limit.
	Count(ctx context.Context, q core.ScheduleQuery) (int64, error)
}
