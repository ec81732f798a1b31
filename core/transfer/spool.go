package transfer

import (
	"context"
	"io"
)

// Spool stores the lines that wait for later lines. An *os.File is a Spool.
type Spool interface {
	io.ReaderAt
	io.WriterAt
}

// memorySpool is a Spool in memory.
type memorySpool struct{ data []byte }

func (s *memorySpool) WriteAt(p []byte, at int64) (int, error) {
	s.data = append(s.data[:at], p...)
	return len(p), nil
}

func (s *memorySpool) ReadAt(p []byte, at int64) (int, error) {
	return copy(p, s.data[at:]), nil
}

// wait queues lines until all lines of the file have been read.
func (r *importRun) wait(lines ...*queued) error {
	for _, q := range lines {
		if q.line == nil {
			continue
		}
		if !q.spooled {
			q.at, q.spooled = r.spooled, true
			if _, err := r.opts.Spool.WriteAt(q.line.text, q.at); err != nil {
				return stopped{err}
			}
			r.spooled += int64(q.size)
		}
		q.line = nil
	}
	for _, q := range lines {
		q.waits = true
		for _, id := range q.claims {
			r.claimed[id] = true
		}
	}
	r.waiting = append(r.waiting, lines...)
	return nil
}

// load reads the lines of bundles that are in the spool.
func (r *importRun) load(ctx context.Context, bundles []bundle) error {
	for _, b := range bundles {
		for _, q := range b {
			if q.line != nil {
				continue
			}
			text := make([]byte, q.size)
			if _, err := r.opts.Spool.ReadAt(text, q.at); err != nil {
				return stopped{err}
			}
			l, fault := r.parse(q.number, text, nil)
			if fault != nil {
				return stopped{fault}
			}
			units, err := r.units(ctx, l)
			if err != nil {
				return stopped{err}
			}
			l.units, q.line = units, l
		}
	}
	return nil
}

// unload releases the memory of lines that the spool has.
func unload(bundles []bundle) {
	for _, b := range bundles {
		for _, q := range b {
			if q.spooled {
				q.line = nil
			}
		}
	}
}
