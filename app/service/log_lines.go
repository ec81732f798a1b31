package service

import (
	"io"
	"sync"
	"time"
)

// lines gathers what is logged for a moment, so that many lines go out in one system
// call: one for each would take a quarter of the time of a request that is answered from
// memory.
type lines struct {
	out    io.Writer
	mutex  sync.Mutex
	held   []byte
	timer  *time.Timer // runs while something is held
	prompt bool        // nothing is held any more
}

const (
	// lineDelay is how long a line is held: what a process that is killed does not tell.
	lineDelay = 100 * time.Millisecond
	// mostHeld is how many bytes are held.
	mostHeld = 32 << 10
)

func newLines(out io.Writer) *lines {
	l := &lines{out: out}
	l.mutex.Lock() // the timer may run out before it has its place
	defer l.mutex.Unlock()
	l.timer = time.AfterFunc(lineDelay, func() { _ = l.Sync() }) // there is nobody to tell
	return l
}

// Write holds a line; the error may be that of others before it.
func (l *lines) Write(line []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.held) == 0 {
		l.timer.Reset(lineDelay)
	}
	l.held = append(l.held, line...)
	if l.prompt || len(l.held) >= mostHeld {
		return len(line), l.flush()
	}
	return len(line), nil
}

// Sync writes out what is held.
func (l *lines) Sync() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.flush()
}

// holdNoMore writes out what is held, and from then on each line at once.
func (l *lines) holdNoMore() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.prompt = true
	return l.flush()
}

func (l *lines) flush() error {
	l.timer.Stop()
	if len(l.held) == 0 {
		return nil
	}
	_, err := l.out.Write(l.held)
	l.held = l.held[:0]
	return err
}
