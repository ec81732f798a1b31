package webhook

import (
	"crypto/rand"
	"strings"
	"time"
)

// Delivery is a message that leaves the installation. It is stored in the transaction that takes its
// events from the outbox, and sent later, at least once.
type Delivery struct {
	ID        int64
	ProjectID int64
	WebhookID int64
	// Message is the webhook-id of its requests. It is random, so that a receiver that drops repeats
	// never drops the delivery of a restored database because another one had its id before.
	Message   string
	Type      string  // of the message: that of its event, DeliveryBatch or DeliveryTest
	Events    []int64 // ids, at most DeliveryEvents; none: a test
	Count     int     // of the events, also of those that Events leaves out
	Status    DeliveryStatus
	DueAt     time.Time // of the next attempt
	Attempts  int       // begun ones
	CreatedAt time.Time
	EndedAt   time.Time // when the status became delivered or parked
}

// NewDeliveryMessage returns a value for Delivery.Message.
func NewDeliveryMessage() string { return "dlv_" + strings.ToLower(rand.Text()) }

// The types of messages besides those of events.
const (
	DeliveryBatch = "batch"
	DeliveryTest  = "webhook.test"
)

// DeliveryEvents is the largest number of events whose ids a delivery has.
const DeliveryEvents = 100

// DeliveryStatus is the state of a Delivery.
type DeliveryStatus string

// The states of deliveries.
const (
	DeliveryGathering DeliveryStatus = "gathering" // more events may be added
	DeliveryWaiting   DeliveryStatus = "waiting"   // for the next attempt
	DeliveryDelivered DeliveryStatus = "delivered"
	DeliveryParked    DeliveryStatus = "parked" // given up; can be sent again
)

// DeliveryStatuses returns all states of deliveries, in the order of their declaration.
func DeliveryStatuses() []DeliveryStatus {
	return []DeliveryStatus{DeliveryGathering, DeliveryWaiting, DeliveryDelivered, DeliveryParked}
}

// DeliveryResult is how the latest delivery of a webhook went.
type DeliveryResult struct {
	WebhookID int64
	Status    DeliveryStatus
	Attempts  int       // ended ones
	At        time.Time // of the last attempt; without one, of the delivery
	Code      int       // of the last attempt; 0: none
}

// DeliveryAttempt is one attempt to send a delivery.
type DeliveryAttempt struct {
	DeliveryID int64
	Number     int // from 1
	At         time.Time
	Took       time.Duration
	Code       int    // the status of the response; 0: none
	Fault      string // why there is no response, in words for users
	Answer     string // the beginning of the response's body
}

// AnswerLength is the greatest length of DeliveryAttempt.Answer in bytes.
const AnswerLength = 1000
