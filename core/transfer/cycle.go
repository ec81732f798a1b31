package transfer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// cycle is the import of lines that point to each other and are too many for one transaction.
type cycle struct {
	promised map[identity]int64 // the ids of the new groups
	counted  map[int64]bool     // entries in the report
	founded  map[*queued][]int64
	written  map[identity]int64   // by the rehearsals, as in importRun
	values   map[localValue]int64 // line numbers by the unique values that the lines give
	goes     going
	done     int64 // lines that the passes have processed
}

// passes is how often writeCycle processes each line.
const passes = 4

// localValue is a unique value in one locale.
type localValue struct {
	core.UniqueValue
	locale string
}

// writeCycle writes a bundle in several transactions. First it rehearses them all: if a line is
// refused, nothing has been written, and the other lines are arranged again without it. Then it
// writes the drafts of all lines, and publishes the entries when all targets exist.
//
// A line can still be refused after the rehearsal, because of a write by another client. Its new
// entries, which were never public, are then removed.
func (r *importRun) writeCycle(ctx context.Context, b bundle) error {
	r.cycle = &cycle{
		promised: map[identity]int64{}, counted: map[int64]bool{}, founded: map[*queued][]int64{},
		written: map[identity]int64{}, values: map[localValue]int64{}, goes: going{},
	}
	defer func() { r.cycle = nil }()
	in := func(m mode) func(ctx context.Context, part []bundle) error {
		return func(ctx context.Context, part []bundle) error { return r.write(ctx, part, m) }
	}
	for _, prepare := range []func(context.Context, []bundle) error{r.promise, in(mode{rehearse: true})} {
		if err := r.inParts(ctx, b, prepare); err != nil {
			return err
		}
		if left := accepted(b); len(left) < len(b) {
			return r.wait(left...)
		}
	}
	for _, m := range []mode{{hold: true}, {}} {
		if err := r.inParts(ctx, accepted(b), in(m)); err != nil {
			return err
		}
	}
	return r.undo(ctx, b)
}

// accepted returns the lines of b that were not refused and do not wait already.
func accepted(b bundle) bundle {
	return slices.DeleteFunc(slices.Clone(b), func(q *queued) bool { return q.refused || q.waits })
}

// inParts calls do with each line of b as a bundle, as many at once as fit one transaction.
func (r *importRun) inParts(ctx context.Context, b bundle, do func(ctx context.Context, part []bundle) error) error {
	var bundles []bundle
	total := int64(passes * len(b))
	for i := range b {
		bundles = append(bundles, b[i:i+1:i+1])
	}
	for len(bundles) > 0 {
		n := fitting(bundles, r.pace.next(r.opts.Portion))
		err := r.load(ctx, bundles[:n])
		if err == nil {
			err = do(ctx, bundles[:n])
		}
		unload(bundles[:n])
		r.pace.share(r.opts.Between())
		if err != nil {
			return err
		}
		r.cycle.done += int64(n)
		r.opts.Circles(r.cycle.done, total)
		bundles = bundles[n:]
	}
	return nil
}

// promise gives an id to each new group of the lines. It refuses a line that gives a unique value
// of an earlier line, which a rehearsal of each part alone does not find.
func (r *importRun) promise(ctx context.Context, part []bundle) error {
	var wanted names
	for _, b := range part {
		r.want(&wanted, b[0].line)
		r.refuseTaken(b[0])
	}
	return r.writer.WriteBatch(ctx, r.actor, r.project, r.collectionID, func(ctx context.Context, batch ports.Batch) error {
		ring, err := r.openKeys(ctx, batch.Stores(), batch.Schema(), wanted)
		if err != nil {
			return err
		}
		for _, b := range part {
			if err := ring.promise(b); err != nil {
				return err
			}
			r.cycle.goes.add(ring, b)
		}
		maps.Copy(r.cycle.promised, ring.promised)
		return nil
	})
}

// refuseTaken refuses q if an earlier line of the cycle gives one of its unique values.
func (r *importRun) refuseTaken(q *queued) {
	c := r.schema.Collection
	for _, u := range q.line.units {
		given := maps.Clone(u.write.Fields.Values)
		maps.DeleteFunc(given, func(_ string, value json.RawMessage) bool { return value == nil })
		for _, v := range c.UniqueValues(core.NewDocument(given)) {
			at := localValue{v, localeOf(r.project, u.write.Locale)}
			earlier, taken := r.cycle.values[at]
			if taken && earlier != q.number {
				r.refuse(refusal{q, core.Invalid(core.FieldError{
					Location: u.location + v.Field, Value: core.Shown(given[v.Field]), Message: fmt.Sprintf("is taken by the entry of line %d", earlier),
				})}, mode{rehearse: true})
				return
			}
			r.cycle.values[at] = q.number
		}
	}
}

// undo destroys the entries that refused lines of b have created.
func (r *importRun) undo(ctx context.Context, b bundle) error {
	for _, q := range b {
		if !q.refused || len(r.cycle.founded[q]) == 0 {
			continue
		}
		err := r.writer.WriteBatch(ctx, r.actor, r.project, r.collectionID, func(ctx context.Context, batch ports.Batch) error {
			for _, id := range r.cycle.founded[q] {
				err := batch.Stores().Entries.Destroy(ctx, batch.Schema(), id, "")
				if err != nil && core.KindOf(err) != core.KindNotFound {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return stopped{err}
		}
		r.report.Created -= int64(len(r.cycle.founded[q]))
	}
	return nil
}
