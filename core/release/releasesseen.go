package release

import "sync"

// Seen notes how many published releases of a Project the statements of one answer see. A statement
// sees a release whole or not at all, and the number only grows. So an answer shows no part of a release if all
// its statements see the same number. It is safe for concurrent use.
type Seen struct {
	mu         sync.Mutex
	known      int64 // seen by an earlier statement of this process
	last       int64 // of the last statement that told
	statements int
	differs    bool // a statement saw another number than known
	unsure     bool // a statement did not tell
}

// NewSeen returns Seen before the first statement. known is a number that an earlier statement
// saw.
func NewSeen(known int64) *Seen { return &Seen{known: known, last: known} }

// Saw notes a statement that saw n releases.
func (s *Seen) Saw(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statements++
	s.last, s.differs = n, s.differs || n != s.known
}

// SawUnknown notes a statement that does not tell, such as one without rows.
func (s *Seen) SawUnknown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statements++
	s.unsure = true
}

// Unsure reports whether the number after the last statement must be read, and passed to Saw.
func (s *Seen) Unsure() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsure && s.statements > 1
}

// Whole reports whether the answer shows no part of a release: it is of one statement, or all statements saw the
// number that was known before the first. last is the number that the last statement saw.
func (s *Seen) Whole() (last int64, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.statements < 2 || !s.differs
}
