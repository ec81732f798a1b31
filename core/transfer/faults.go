package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"imprimatur/core"
)

// refuseRepeated adds the fault of a line whose entries an earlier line writes.
func (l *line) refuseRepeated(fault *core.FieldError) {
	if fault != nil {
		l.faults, l.nameless = append(l.faults, *fault), true
	}
}

// faulty reports whether a fault of the line is known before it is written.
func (l *line) faulty() bool {
	return len(l.faults) > 0 || slices.ContainsFunc(l.units, func(u unit) bool {
		return len(u.write.Fields.Faults) > 0 || u.write.Version != nil && len(u.write.Version.Faults) > 0
	})
}

// checked returns the faults of the members and the values of l, without those that only a write finds.
func (l *line) checked() *core.Error {
	found := lineFaults{Faults: core.Faults{List: slices.Clone(l.faults)}}
	for i, u := range l.units {
		found.add(u, i, u.write.Fields.Faults)
		if u.write.Version == nil {
			continue
		}
		for _, f := range u.write.Version.Faults {
			f.Location = publishedVersion + f.Location
			found.add(u, i, []core.FieldError{f})
		}
	}
	return core.Invalid(found.List...)
}

// refusalOf returns err, of the write of entry i of q, as a refusal with all faults of the line. It returns
// err itself if the line is not at fault.
func (r *importRun) refusalOf(ctx context.Context, ring *keyring, q *queued, w lineWrite, i int, err error) error {
	fault := faultOf(err, q.line.units[i].location)
	if fault == nil || errors.Is(err, core.ErrChangedMeanwhile) {
		return err
	}
	late := err // it may be one that a write finds at its end
	if fault.Kind == core.KindInvalid && !fault.Unpublished() {
		found := lineFaults{}
		if fault, err = r.faultsOf(ctx, ring, q, w, &found); err == nil {
			fault, err = found.with(q.line.units[i], i, late)
		}
		if err != nil {
			return err
		}
	}
	return refusal{q, fault}
}

// faultsOf returns all faults of a line, which are those of its members and references and those that the
// writes of its entries find, or nil if the definition has changed and what was a fault is none now. It adds
// them to found. It writes nothing.
func (r *importRun) faultsOf(ctx context.Context, ring *keyring, q *queued, w lineWrite, found *lineFaults) (*core.Error, error) {
	found.List, found.linked = slices.Clone(q.line.faults), w.references.draft.values
	for _, f := range w.references.faults() {
		if !found.Covers(f.Location) {
			found.List = append(found.List, f)
		}
	}
	group, err := ring.own(q.line, localeOf(ring.schema.Project, q.line.write.Locale))
	if err != nil {
		return found.with(unit{}, 0, err)
	}
	members, err := r.members(ctx, ring.batch, group)
	if err != nil {
		return nil, err
	}
	for i := range q.line.units {
		u := r.referring(q.line, i, w)
		u.write.Check = true
		_, err := r.writeUnit(ctx, ring.batch, u, members, w.hold, &outcome{counted: map[int64]bool{}})
		fault, err := found.with(u, i, err)
		if err != nil || fault != nil && fault.Kind != core.KindInvalid {
			return fault, err
		}
	}
	if len(found.List) == 0 {
		return nil, nil
	}
	return core.Invalid(found.List...), nil
}

// lineFaults collects the faults of a line, each once.
type lineFaults struct {
	core.Faults
	linked map[string]json.RawMessage // the values with resolved references
}

// with adds the faults in err, of entry i of a line. It returns err if it is no fault of the line.
func (l *lineFaults) with(u unit, i int, err error) (*core.Error, error) {
	fault := faultOf(err, "")
	if fault == nil {
		return nil, err
	}
	if fault.Kind == core.KindInvalid {
		l.add(u, i, fault.Fields)
		fault = core.Invalid(l.List...)
	}
	return fault, nil
}

// add adds the faults of entry i of a line, by their locations on the line.
func (l *lineFaults) add(u unit, i int, faults []core.FieldError) {
	for _, f := range faults {
		version := ""
		if rest, ok := strings.CutPrefix(f.Location, publishedVersion); ok {
			version, f.Location = publishedVersion, rest
		}
		field := core.LocatedField(f.Location)
		switch {
		case f.Location == "", f.Unpublished != 0, field != "" && l.follows(u, i, version, field, f):
			continue
		case f.Location == "locale" && i > 0:
			f.Location = strings.TrimSuffix(u.location, ".")
		case field != "" && version == "":
			f.Location = u.location + strings.TrimPrefix(f.Location, core.FieldLocation(""))
		}
		if f.Location = version + f.Location; !l.Has(f.Location) {
			l.List = append(l.List, f)
		}
	}
}

// follows reports whether a fault of a field follows from a known one: a translation has the values of its
// line but for its own, and their faults; a relation or text whose targets have a fault has no value, or a
// wrong one.
func (l *lineFaults) follows(u unit, i int, version, field string, f core.FieldError) bool {
	if _, own := u.own[field]; i > 0 && (own || u.alone) {
		return false
	}
	_, linked := l.linked[field]
	stated := slices.ContainsFunc(u.write.Fields.Faults, func(own core.FieldError) bool { return own.Location == f.Location })
	return i > 0 && l.Has(f.Location) || l.HasMember(version+"relations."+field) || l.HasMember(version+"media."+field) ||
		linked && !stated && l.HasMember(version+"links")
}
