package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress draws one line about a long job, again and again, while its writer is a terminal. Write
// errors are ignored: they mean that the terminal is closed.
type progress struct {
	out          io.Writer // nil: not a terminal
	began, drawn time.Time
}

// redraw is the time between two drawings.
const redraw = 100 * time.Millisecond

func newProgress(out io.Writer) *progress {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return &progress{}
	}
	return &progress{out: file, began: time.Now()}
}

// show draws the state of the job: how many items of a kind it has processed, and more about them.
func (p *progress) show(items int64, kind, more string) {
	now := time.Now()
	if p.out == nil || now.Sub(p.drawn) < redraw {
		return
	}
	p.drawn = now
	fmt.Fprint(p.out, "\r\x1b[K"+progressLine(items, kind, more, now.Sub(p.began)))
}

// end removes the line.
func (p *progress) end() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// progressLine returns the line of show. It has the rate after one second; before, that would be a
// guess.
func progressLine(items int64, kind, more string, elapsed time.Duration) string {
	line := fmt.Sprintf("%d %s%s", items, kind, more)
	if elapsed >= time.Second {
		line += fmt.Sprintf(", %.0f %s/s", float64(items)/elapsed.Seconds(), kind)
	}
	return line
}

// share returns which part of the items has been processed; total 0: it is not known.
func share(items, total int64) string {
	if total <= 0 || items > total {
		return ""
	}
	return fmt.Sprintf(" of %d (%d %%)", total, 100*items/total)
}

// readBytes returns how much of a file of that size has been read; size -1: unknown.
func readBytes(bytes, size int64) string {
	const megabyte = 1e6
	if size <= 0 {
		return fmt.Sprintf(", %.1f MB", float64(bytes)/megabyte)
	}
	return fmt.Sprintf(", %.1f of %.1f MB (%d %%)", float64(bytes)/megabyte, float64(size)/megabyte, 100*bytes/size)
}
