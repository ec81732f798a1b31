package ports

import (
	"context"
	"time"

	"imprimatur/core/event"
	"imprimatur/core/letter"
	"imprimatur/core/notice"
	"imprimatur/core/webhook"
)

// MailStore stores e-mails. Those about notices are deleted with their notice. Times are the
// database's. Its changes are consequences of events and record none.
type MailStore interface {
	// Insert adds a mail that is due now for each of the notices, which must exist and have none.
	Insert(ctx context.Context, noticeIDs ...int64) error
	// InsertLetter adds a mail with an encrypted letter that is due now.
	InsertLetter(ctx context.Context, letter []byte) error
	// Claim begins an attempt of up to limit due mails, the earliest first, and returns them. Until
	// lease has passed, no other Claim returns them. Without due mails it is one read.
	Claim(ctx context.Context, limit int, lease time.Duration) ([]notice.Mail, error)
	// Record stores Status and Fault as the outcome of attempt m.Attempts, which Claim began. again is
	// the time until the next attempt of a mail that still waits; the letter of one that ended is
	// forgotten. It returns core.ErrNotFound if
	// another attempt has begun meanwhile.
	Record(ctx context.Context, m notice.Mail, again time.Duration) error
	// Mailed reports whether a mail about a request was made for the user within the time before now.
	Mailed(ctx context.Context, userID, approvalID int64, within time.Duration) (bool, error)
	// Backlog returns the number of mails that wait and the creation of the oldest.
	Backlog(ctx context.Context) (count int64, oldest time.Time, err error)
}

// MailSender writes and sends e-mails.
type MailSender interface {
	// Send makes one attempt, and returns after at most 15 s for the server.
	Send(ctx context.Context, m MailMessage) MailAnswer
}

// MailMessage has all that an e-mail contains. Nothing of it is from a draft but the title.
type MailMessage struct {
	ID       int64 // of the mail: the same in each attempt
	Name     string
	Address  string // as core.User.Email
	Language string // "en" or "de"; empty: English
	Kind     notice.Kind
	Event    event.Type
	Reminder bool
	Link     string         // path of the page of the dashboard
	Letter   *letter.Letter // nil: about a notice
	// Thread is the same for all mails about one approval request; empty: none.
	Thread string
	// Neutral leaves out what the mail is about: of the members below it has none.
	Neutral bool

	Title         string // of the entry or the webhook
	Project       string
	ReleaseNumber string
	Step          string // the step of the workflow that waits or was decided
	Actor         string // the name of the person or the token that acted
	Comment       string // of the decision
	Role, Place   string // as in event.Event
	OffReason     webhook.OffReason
	At            time.Time // when an account changed, in the zone of the user or UTC; zero for other mails
}

// MailAnswer is the outcome of an attempt.
type MailAnswer struct {
	Fault string // why the mail was not sent, in words for operators; empty: the server has it
	Final bool   // the server will never take this mail
	Down  bool   // the server takes no mails at present: the fault is none of this mail
}
