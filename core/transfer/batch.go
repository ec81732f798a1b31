package transfer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// unit is one entry of a line: the line's own entry or one of its translations.
type unit struct {
	location string // of its fields, for errors: "fields." or "translations.de."
	draft    *version
	public   *version                   // nil: the line has no publishedVersion
	own      map[string]json.RawMessage // fields of a translation, which replace references of the draft
	write    core.EntryWrite
}

// outcome is the result of a transaction. It is valid only after the commit.
type outcome struct {
	created, updated, unchanged int64
	places                      map[keyOf][]place
	later                       []*line
	failed                      []LineError
}

// step is one of the two passes over lines: their entries, or their late relations.
type step struct {
	prefix    string // of the locations of faults, as in refusal
	readAhead func(ctx context.Context, batch ports.Batch, ring *keyring, lines []*line) error
	write     func(ctx context.Context, batch ports.Batch, ring *keyring, l *line, done *outcome) error
}

// paced performs the step for lines, in transactions of the size that r.pace gives.
func (r *importRun) paced(ctx context.Context, lines []*line, do step) error {
	for len(lines) > 0 {
		most, n, entries := r.pace.next(portionEntries), 0, 0
		for n < len(lines) && (n == 0 || entries+lines[n].entries() <= most) {
			entries += lines[n].entries()
			n++
		}
		begun := time.Now()
		if err := r.inHalves(ctx, lines[:n], do); err != nil {
			return err
		}
		r.pace.took(entries, time.Since(begun))
		lines = lines[n:]
	}
	return nil
}

// entries returns the number of entries of the line.
func (l *line) entries() int { return 1 + len(l.locales) }

// inHalves performs the step for lines in one transaction. When a line is refused, it repeats the
// step for each half of lines in a new transaction, recursively. It reports each refused line.
func (r *importRun) inHalves(ctx context.Context, lines []*line, do step) error {
	if len(lines) == 0 {
		return nil
	}
	err := r.transact(ctx, lines, do)
	fault := refusal(err, do.prefix)
	switch {
	case fault == nil:
		return err
	case len(lines) == 1:
		r.report.Failed = append(r.report.Failed, LineError{Line: lines[0].number, Err: fault})
		return nil
	}
	for half := range slices.Chunk(lines, (len(lines)+1)/2) {
		if err := r.inHalves(ctx, half, do); err != nil {
			return err
		}
	}
	return nil
}

// transact performs the step in one transaction and reports its outcome after the commit.
func (r *importRun) transact(ctx context.Context, lines []*line, do step) error {
	var wanted names
	for _, l := range lines {
		r.want(&wanted, l)
	}
	var done outcome
	begun := false
	err := r.writer.WriteBatch(ctx, r.actor, r.project, r.collectionID, func(ctx context.Context, batch ports.Batch) error {
		begun = true
		done = outcome{places: map[keyOf][]place{}}
		ring, err := r.openKeys(ctx, batch, wanted)
		if err != nil {
			return err
		}
		if err := do.readAhead(ctx, batch, ring, lines); err != nil {
			return err
		}
		for _, l := range lines {
			if err := do.write(ctx, batch, ring, l, &done); err != nil {
				return err
			}
		}
		return batch.Stores().Origins.Save(ctx, ring.origins)
	})
	if err != nil && !begun {
		return stopped{err} // the collection is gone: no line is at fault
	}
	if err != nil {
		return err
	}
	r.report.Created += done.created
	r.report.Updated += done.updated
	r.report.Unchanged += done.unchanged
	r.report.Failed = append(r.report.Failed, done.failed...)
	r.later = append(r.later, done.later...)
	maps.Copy(r.places, done.places)
	return nil
}

// readAhead prefetches, in a few statements, the data that the writes of the lines need: the
// entries with their keys, and the holders of their unique values.
func (r *importRun) readAhead(ctx context.Context, batch ports.Batch, ring *keyring, lines []*line) error {
	var groups []int64
	var writes []core.EntryWrite
	created := 0
	for _, l := range lines {
		group, err := ring.own(l, localeOf(batch.Schema().Project, l.write.Locale))
		switch {
		case err != nil: // writeLine refuses the line
		case group != 0:
			groups = append(groups, group)
		default:
			created += len(l.units)
		}
		for _, u := range l.units {
			writes = append(writes, u.write)
		}
	}
	if _, err := batch.Stores().Entries.Translations(ctx, r.project.ID, groups...); err != nil {
		return err
	}
	return batch.Expect(ctx, writes, created)
}

// localeOf returns the Project's locale with that tag, its default locale for nil, or "" when it
// has no such locale.
func localeOf(project *core.Project, tag *string) string {
	if tag == nil {
		return project.DefaultLocale
	}
	return project.LocaleNamed(*tag)
}

// units returns the entries of l, its own first, with their fields checked.
func (r *importRun) units(ctx context.Context, l *line) ([]unit, error) {
	units := []unit{{location: "fields.", write: l.write, draft: &l.draft, public: l.public}}
	raw := []map[string]json.RawMessage{l.draft.fields}
	for _, locale := range l.locales {
		raw = append(raw, merged(l.draft.fields, l.translations[locale]))
		write := l.write
		write.Locale, write.TranslationOf = &locale, nil
		units = append(units, unit{location: "translations." + core.Clip(locale) + ".", write: write, draft: &l.draft, own: l.translations[locale]})
	}
	for i := range units {
		fields, err := r.writer.Check(ctx, r.schema.Collection, raw[i])
		if err != nil {
			return nil, err
		}
		units[i].write.Fields = fields
	}
	if l.public == nil {
		return units, nil
	}
	fields, err := r.writer.Check(ctx, r.schema.Collection, l.public.fields)
	units[0].write.Version = &fields
	return units, err
}

// writeLine writes the entries of one line. If targets of its relations do not exist yet, the
// relations are written, and the entries published, only at the end of the run.
func (r *importRun) writeLine(ctx context.Context, batch ports.Batch, ring *keyring, l *line, done *outcome) error {
	locale := localeOf(batch.Schema().Project, l.write.Locale)
	group, err := ring.own(l, locale)
	if err != nil {
		return err
	}
	members, err := r.members(ctx, batch, group)
	if err != nil {
		return err
	}
	missing := false
	for _, u := range l.units {
		u, whole := r.linked(ring, u, locale)
		missing = missing || !whole
		e, err := writeUnit(ctx, batch, u, members, done)
		if fault := refusal(err, u.location); fault != nil {
			return fault
		}
		if err != nil {
			return err
		}
		members[e.Locale] = e
		at := place{id: e.ID, group: e.Group, locale: e.Locale}
		if l.key != nil {
			ring.add(keyOf{r.collectionID, string(l.key)}, at, done)
		}
		if l.group != "" {
			ring.learn(l.group, at)
		}
	}
	if missing {
		done.later = append(done.later, l.rest(r.schema.Collection, members[locale].Group))
	}
	return nil
}

// linked returns u with the ids of its references. whole is false when a reference has no target;
// u then does not change the published version.
func (r *importRun) linked(ring *keyring, u unit, locale string) (linked unit, whole bool) {
	draft := r.link(ring, u.draft, "", locale).except(u.own)
	r.linkTexts(&draft, ring, u.own, u.draft.links, "", locale)
	r.put(&u.write.Fields, draft)
	u.write.Later = draft.missing
	whole = len(draft.missing) == 0
	if u.public != nil {
		public := r.link(ring, u.public, publishedVersion, locale)
		fields := *u.write.Version
		r.put(&fields, public)
		u.write.Version = &fields
		whole = whole && len(public.missing) == 0
	}
	u.write.Hold = !whole
	return u, whole
}

// put adds the resolved references of links to fields.
func (r *importRun) put(fields *core.CheckedFields, links links) {
	if len(links.values) == 0 {
		return
	}
	raw, values := merged(fields.Raw), merged(fields.Values)
	for name, value := range links.values {
		if slices.Contains(links.missing, name) {
			delete(raw, name) // a text with ids of the exported Project
			delete(values, name)
			continue
		}
		canonical, fault := r.writer.Value(r.schema.Collection.Field(name), value)
		if fault != "" {
			fields.Faults = append(slices.Clip(fields.Faults), core.FieldError{Location: "fields." + name, Message: fault})
		}
		raw[name], values[name] = value, canonical
	}
	fields.Raw, fields.Values = raw, values
}

// writeUnit updates the member in u's locale, or creates it as a translation of the other members.
func writeUnit(ctx context.Context, batch ports.Batch, u unit, members map[string]core.Entry, done *outcome) (core.Entry, error) {
	before, there := members[localeOf(batch.Schema().Project, u.write.Locale)]
	if there {
		e, err := batch.Revise(ctx, before, u.write)
		if e.Version == before.Version {
			done.unchanged++
		} else {
			done.updated++
		}
		return e, err
	}
	for _, m := range members {
		if u.write.TranslationOf == nil {
			u.write.TranslationOf = &m.ID
		}
	}
	done.created++
	return batch.Create(ctx, u.write)
}

// members returns, by locale, the entries outside the trash of a translation group. Group 0 has
// none.
func (r *importRun) members(ctx context.Context, batch ports.Batch, group int64) (map[string]core.Entry, error) {
	members := map[string]core.Entry{}
	if group == 0 {
		return members, nil
	}
	entries, err := batch.Stores().Entries.Translations(ctx, r.project.ID, group)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.TrashedAt.IsZero() {
			members[e.Locale] = e
		}
	}
	return members, nil
}
