package transfer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// unit is one entry that a line is about: its own, or one of its translations.
type unit struct {
	location string // of its fields, for errors: "fields." or "translations.de."
	write    core.EntryWrite
}

// outcome is what a transaction did, to be believed once it is committed.
type outcome struct {
	created, updated, unchanged int64
	places                      map[keyOf][]place
	later                       []later
	failed                      []LineError
}

// writeBatch writes lines in one transaction. When one of them is refused, either half
// of them gets a transaction of its own, and so on.
func (r *importRun) writeBatch(ctx context.Context, batch []*line) error {
	if len(batch) == 0 {
		return nil
	}
	err := r.writeLines(ctx, batch)
	fault := refusal(err, "fields.")
	switch {
	case fault == nil:
		return err
	case len(batch) == 1:
		r.fail(batch[0].number, fault)
		return nil
	}
	for half := range slices.Chunk(batch, (len(batch)+1)/2) {
		if err := r.writeBatch(ctx, half); err != nil {
			return err
		}
	}
	return nil
}

func (r *importRun) writeLines(ctx context.Context, lines []*line) error {
	var wanted []keyOf
	for _, l := range lines {
		wanted = append(wanted, r.wanted(l.key, l.relations)...)
	}
	return r.transact(ctx, wanted, func(ctx context.Context, batch ports.Batch, ring *keyring, done *outcome) error {
		if err := r.readAhead(ctx, batch, ring, lines); err != nil {
			return err
		}
		for _, l := range lines {
			if err := r.writeLine(ctx, batch, ring, l, done); err != nil {
				return err
			}
		}
		return nil
	})
}

// transact runs do in one transaction and, once it is committed, believes what it did.
func (r *importRun) transact(
	ctx context.Context, wanted []keyOf, do func(ctx context.Context, batch ports.Batch, ring *keyring, done *outcome) error,
) error {
	var done outcome
	begun := false
	err := r.writer.WriteBatch(ctx, r.actor, r.project, r.collectionID, func(ctx context.Context, batch ports.Batch) error {
		begun = true
		done = outcome{places: map[keyOf][]place{}}
		ring, err := r.openKeys(ctx, batch, wanted)
		if err != nil {
			return err
		}
		return do(ctx, batch, ring, &done)
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

// readAhead reads at once what writing the lines will ask for one by one: the entries
// that have their keys, and the holders of their unique values.
func (r *importRun) readAhead(ctx context.Context, batch ports.Batch, ring *keyring, lines []*line) error {
	var groups []int64
	var writes []core.EntryWrite
	created := 0
	for _, l := range lines {
		at, there := place{}, false
		if l.key != nil {
			at, there = ring.find(keyOf{r.collectionID, string(l.key)}, localeOf(batch.Schema().Project, l.write.Locale))
		}
		if there {
			groups = append(groups, at.group)
		} else {
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

// localeOf returns the locale that tag names, the Project's default when it is nil, ""
// when the Project has none of that name.
func localeOf(project *core.Project, tag *string) string {
	if tag == nil {
		return project.DefaultLocale
	}
	return project.LocaleNamed(*tag)
}

// units returns the entries that l is about, its own first, with their fields checked.
func (r *importRun) units(ctx context.Context, l *line) ([]unit, error) {
	units := []unit{{location: "fields.", write: l.write}}
	raw := []map[string]json.RawMessage{l.fields}
	for _, locale := range slices.Sorted(maps.Keys(l.translations)) {
		fields := maps.Clone(l.fields)
		if fields == nil {
			fields = map[string]json.RawMessage{}
		}
		maps.Copy(fields, l.translations[locale])
		raw = append(raw, fields)
		units = append(units, unit{
			location: "translations." + core.Clip(locale) + ".",
			write:    core.EntryWrite{Locale: &locale, Published: l.write.Published, PublishAt: l.write.PublishAt},
		})
	}
	for i := range units {
		fields, err := r.writer.Check(ctx, r.schema.Collection, raw[i])
		if err != nil {
			return nil, err
		}
		units[i].write.Fields = fields
	}
	return units, nil
}

// writeLine writes the entries of one line. What its relations name may not be there
// yet: then the line comes back later, and nothing becomes public before.
func (r *importRun) writeLine(ctx context.Context, batch ports.Batch, ring *keyring, l *line, done *outcome) error {
	locale := localeOf(batch.Schema().Project, l.write.Locale)
	members, err := r.members(ctx, batch, ring, l.key, 0, locale)
	if err != nil {
		return err
	}
	links := r.link(ring, l.relations, locale)
	for _, u := range l.units {
		e, err := writeUnit(ctx, batch, r.linked(u, links), members, done)
		if fault := refusal(err, u.location); fault != nil {
			return fault
		}
		if err != nil {
			return err
		}
		members[e.Locale] = e
		if l.key != nil {
			ring.add(keyOf{r.collectionID, string(l.key)}, place{id: e.ID, group: e.Group, locale: e.Locale}, done)
		}
	}
	if len(links.faults) > 0 {
		done.later = append(done.later, laterOf(l, members[locale].Group))
	}
	return nil
}

// linked returns u with the relations that can be told by now. While some cannot,
// u says nothing about being published.
func (r *importRun) linked(u unit, links links) unit {
	fields := &u.write.Fields
	fields.Raw, fields.Values = maps.Clone(fields.Raw), maps.Clone(fields.Values)
	if fields.Raw == nil {
		fields.Raw = map[string]json.RawMessage{}
	}
	for name, value := range links.values {
		if slices.Contains(links.missing, name) {
			continue
		}
		canonical, fault := r.writer.Value(r.schema.Collection.Field(name), value)
		if fault != "" {
			fields.Faults = append(slices.Clip(fields.Faults), core.FieldError{Location: "fields." + name, Message: fault})
		}
		fields.Raw[name], fields.Values[name] = value, canonical
	}
	u.write.Later = links.missing
	if len(links.missing) > 0 {
		u.write.Published, u.write.PublishAt = nil, nil
	}
	return u
}

// writeUnit updates the member in u's locale, or adds it to the others.
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

// members returns, by locale, the entries outside the trash of a translation group:
// the given one, else the one that has the key.
func (r *importRun) members(
	ctx context.Context, batch ports.Batch, ring *keyring, key json.RawMessage, group int64, locale string,
) (map[string]core.Entry, error) {
	members := map[string]core.Entry{}
	if key != nil && group == 0 {
		at, _ := ring.find(keyOf{r.collectionID, string(key)}, locale)
		group = at.group
	}
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
