package mail

import "time"

// SetTimeout replaces the time limit of an attempt.
func (s *Sender) SetTimeout(limit time.Duration) { s.timeout = limit }
