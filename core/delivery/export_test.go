package delivery

import "time"

// SetNow replaces the clock of pauses.
func (m *Mailer) SetNow(now func() time.Time) { m.now = now }
