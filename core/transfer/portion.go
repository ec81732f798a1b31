package transfer

import (
	"context"
	"errors"
	"io"
)

// A portion ends with the line that reaches one of these limits. It is written in one transaction.
const (
	portionEntries = 1000
	portionBytes   = 4 << 20
)

// portion is a part of a file that is read, checked and written at once.
type portion struct {
	lines  []*line // to be written
	failed []LineError
	number int64 // of the last line
	bytes  int64 // up to its end
	err    error // why no portion follows; io.EOF: the file ends
}

// portions reads in, one portion ahead of the receiver, until in or ctx ends. It does not
// interrupt a read in progress when ctx ends.
func (r *importRun) portions(ctx context.Context, in io.Reader) <-chan portion {
	portions := make(chan portion)
	go func() {
		source := newLineReader(in)
		for {
			p := r.portion(ctx, source)
			select {
			case portions <- p:
			case <-ctx.Done():
				return
			}
			if p.err != nil {
				return
			}
		}
	}()
	return portions
}

// portion reads, decodes and checks the next lines.
func (r *importRun) portion(ctx context.Context, source *lineReader) (p portion) {
	start := source.bytes
	for entries := 0; p.err == nil && entries < portionEntries && source.bytes-start < portionBytes; {
		text, err := source.next()
		if err != nil && !errors.Is(err, errLongLine) {
			p.err = err
			break
		}
		if len(text) == 0 && err == nil {
			continue
		}
		l, fault := r.parse(source.number, text, err)
		switch {
		case source.number < r.opts.From && (fault != nil || !l.points()):
			entries++
		case fault != nil:
			p.failed = append(p.failed, LineError{Line: source.number, Err: fault})
		default:
			p.err = p.check(ctx, r, l)
			entries += len(l.units)
		}
	}
	p.number, p.bytes = source.number, source.bytes
	return p
}

// check checks the fields of l by their types. It adds l to p.lines, or its fault to p.failed.
func (p *portion) check(ctx context.Context, r *importRun, l *line) error {
	units, err := r.units(ctx, l)
	if fault := refusal(err, "fields."); fault != nil {
		p.failed = append(p.failed, LineError{Line: l.number, Err: fault})
		err = nil
	} else if err == nil {
		l.units = units
		p.lines = append(p.lines, l)
	}
	return err
}
