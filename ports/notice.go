package ports

import (
	"context"
	"time"

	"imprimatur/core/event"
	"imprimatur/core/notice"
	"imprimatur/core/review"
)

// NoticeStore stores the notices of users. They are deleted with their user or Project. Its changes
// are consequences of events and record none.
type NoticeStore interface {
	// Insert adds notices and sets their ids and At, by the clock of the database. It skips a notice
	// whose user has one with its Key; the id stays 0. The user and the Project must exist.
	Insert(ctx context.Context, notices ...*notice.Notice) error
	// Notice returns one notice, whatever its user may see now.
	Notice(ctx context.Context, id int64) (notice.Notice, error)
	// Notices returns the window of q, newest first.
	Notices(ctx context.Context, q NoticeQuery) ([]notice.Notice, error)
	// Count returns how many notices match q, without Offset and Limit.
	Count(ctx context.Context, q NoticeQuery) (int64, error)
	// MarkRead sets ReadAt of the unread notices of the user that ids has, and of those not after
	// before, unless that is zero.
	MarkRead(ctx context.Context, userID int64, ids []int64, before time.Time) error
	// Blank removes Comment from the notices of a Project that have one of the keys and were made at since or later.
	Blank(ctx context.Context, projectID int64, since time.Time, keys ...string) error
}

// NoticeQuery selects notices of the user of Reach that the user may see now; see notice.Notice.
type NoticeQuery struct {
	Reach  review.Reach
	Unread bool  // only unread ones
	Offset int64 // of the window
	Limit  int64
}

// Reminders has the reminders of the requests that wait at a step with RemindAfter. A request gets one
// when it arrives at the step, with the time of the action as its beginning, and loses it when it leaves.
type Reminders interface {
	// AnyDue reports whether a reminder is due by the clock of the database, apart from those of the
	// requests in except.
	AnyDue(ctx context.Context, except ...int64) (bool, error)
	// TakeDue removes up to limit due reminders, the earliest first, and returns them in no order. It
	// skips those of the requests in except, and those that another transaction is taking. If the
	// transaction is rolled back, they stay.
	TakeDue(ctx context.Context, limit int, except ...int64) ([]review.Reminder, error)
}

// Notifier makes notices.
type Notifier interface {
	// Notify stores the notices of events in the transaction of stores.
	Notify(ctx context.Context, stores Stores, events []event.Event) error
}
