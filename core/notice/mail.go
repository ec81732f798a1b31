package notice

import "time"

// Mail is an e-mail about a Notice to its user, or a letter to an address. It is stored in the
// transaction that makes what it is about, and sent later, at least once.
type Mail struct {
	ID        int64
	NoticeID  int64  // 0: a letter
	Letter    []byte // encrypted; nil for a notice, and once the mail has ended
	Status    MailStatus
	DueAt     time.Time // of the next attempt
	Attempts  int       // begun ones
	Fault     string    // of the last attempt, in words for operators; empty: none
	CreatedAt time.Time
	EndedAt   time.Time // zero while the mail waits
}

// MailStatus is the state of a Mail.
type MailStatus string

// The states of mails.
const (
	MailWaiting MailStatus = "waiting" // for the next attempt
	MailSent    MailStatus = "sent"
	MailDropped MailStatus = "dropped" // what it is about no longer concerns the user
	MailParked  MailStatus = "parked"  // given up
)
