package transfer

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"imprimatur/core"
)

// A portion ends with the line that reaches one of these limits. They also limit a transaction.
const (
	portionEntries = 1000
	portionBytes   = 4 << 20
)

// portion is a part of a file that is read and checked at once.
type portion struct {
	lines   []*queued // to be written
	refused []refusal
	cleaned []LineCleaned
	number  int64 // of the last line
	bytes   int64 // up to its end
	err     error // why no portion follows; io.EOF: the file ends
}

// portions reads in, one portion ahead of the receiver, until in or ctx ends. It does not
// interrupt a read in progress when ctx ends.
func (r *importRun) portions(ctx context.Context, in io.Reader) <-chan portion {
	portions := make(chan portion)
	go func() {
		source := newLineReader(in)
		for {
			p := r.read(ctx, source)
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

// read reads, decodes and checks the next lines.
func (r *importRun) read(ctx context.Context, source *lineReader) (p portion) {
	start := source.bytes
	for entries := 0; p.err == nil && entries < r.opts.Portion && source.bytes-start < portionBytes; {
		text, err := source.next()
		if err != nil && !errors.Is(err, errLongLine) && !errors.Is(err, errReturns) {
			p.err = err
			break
		}
		if len(text) == 0 && err == nil {
			continue
		}
		l, fault := r.parse(source.number, text, err)
		q := &queued{number: source.number, size: len(text), line: l, key: l.shownKey(), group: l.group, claims: r.claims(l)}
		written := source.number >= r.opts.From || fault == nil && l.points()
		if fault == nil {
			l.refuseRepeated(r.repeated(l))
		}
		switch {
		case !written:
			entries++
		case fault != nil:
			p.refused = append(p.refused, refusal{q, fault})
		default:
			p.err = p.check(ctx, r, q)
			entries += q.entries
		}
	}
	p.number, p.bytes = source.number, source.bytes
	return p
}

// check checks the fields of a line by their types. It adds the line to p.lines, or its faults to
// p.refused if they leave open which entries it writes: else the writes find more faults.
func (p *portion) check(ctx context.Context, r *importRun, q *queued) error {
	units, err := r.units(ctx, q.line)
	if fault := faultOf(err, "fields."); fault != nil {
		p.refused = append(p.refused, refusal{q, fault})
		return nil //nolint:nilerr // a fault of the line does not end the import
	}
	if err == nil {
		q.line.units, q.entries = units, len(units)
		if q.line.nameless {
			p.refused = append(p.refused, refusal{q, q.line.checked()})
			return nil
		}
		p.lines = append(p.lines, q)
		if cleaned := cleanedOf(units); len(cleaned) > 0 {
			p.cleaned = append(p.cleaned, LineCleaned{Line: q.number, Key: q.key, Group: q.group, Cleaned: cleaned})
		}
	}
	return err
}

// cleanedOf returns what was removed from the values of a line, by locations in the line.
func cleanedOf(units []unit) (cleaned []core.Cleaned) {
	add := func(list []core.Cleaned, prefix string, named func(field string) bool) {
		for _, c := range list {
			if named(core.LocatedField(c.Location)) {
				c.Location = prefix + strings.TrimPrefix(c.Location, "fields.")
				cleaned = append(cleaned, c)
			}
		}
	}
	for i, u := range units {
		add(u.write.Fields.Cleaned, u.location, func(field string) bool {
			_, own := u.own[field]
			return i == 0 || u.alone || own // else the value of the line itself
		})
		if u.write.Version != nil {
			add(u.write.Version.Cleaned, publishedVersion+"fields.", func(string) bool { return true })
		}
	}
	return cleaned
}

// claims returns by what relations find the entries of a line, as far as its group and keys are
// valid.
func (r *importRun) claims(l *line) []identity {
	claims := []identity{groupIdentity(l.group)}
	for _, key := range l.keys {
		claims = append(claims, keyIdentity(key))
	}
	return slices.DeleteFunc(sorted(claims), func(id identity) bool { return id == 0 })
}
