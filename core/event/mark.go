package event

import (
	"slices"
	"time"
)

// Mark is a moment of the database: the transactions that had ended. Transactions have numbers in the
// order in which they begin, so one with a lower number can end later. A mark has ended the transactions
// below Next without those in Running. All numbers in Running are at least Oldest and below Next.
type Mark struct {
	At      time.Time // by the database's clock
	Oldest  int64
	Next    int64
	Running []int64 // ascending
	// Epoch is that of the installation, Event the last event that had been committed, 0 for none,
	// EventAt its time, and Digest its Event.Digest. A database that does not have them was restored to an earlier moment.
	Epoch   string
	Event   int64
	EventAt time.Time
	Digest  string
}

// End sets the last event that had been committed.
func (m *Mark) End(e Event) { m.Event, m.EventAt, m.Digest = e.ID, e.At, e.Digest() }

// Has reports whether the transaction had ended.
func (m *Mark) Has(transaction int64) bool {
	if transaction >= m.Next {
		return false
	}
	_, running := slices.BinarySearch(m.Running, transaction)
	return !running
}

// PublicEvent is a public event and the number of its transaction.
type PublicEvent struct {
	Event

	Transaction int64
}
