package core

import "time"

// Mail is an e-mail about a Notice to its user. It is stored in the transaction that makes the notice,
// and sent later, at least once.
type Mail struct {
	NoticeID  int64 // also identifies the mail
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
