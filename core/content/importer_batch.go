package content

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
	write    Write
	in       *checked
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

func (r *importRun) writeLines(ctx context.Context, batch []*line) error {
	var wanted []keyOf
	for _, l := range batch {
		wanted = append(wanted, r.wanted(l.key, l.relations)...)
	}
	return r.transact(ctx, wanted, func(ctx context.Context, k *work, ring *keyring, done *outcome) error {
		if err := r.readAhead(ctx, k, ring, batch); err != nil {
			return err
		}
		for _, l := range batch {
			if err := r.writeLine(ctx, k, ring, l, done); err != nil {
				return err
			}
		}
		return nil
	})
}

// transact runs do in one transaction and, once it is committed, believes what it did.
func (r *importRun) transact(
	ctx context.Context, wanted []keyOf, do func(ctx context.Context, k *work, ring *keyring, done *outcome) error,
) error {
	var done outcome
	err := retry(ctx, func() error {
		return r.writer.tx.Do(ctx, r.actor.Ref(), func(ctx context.Context, stores ports.Stores) error {
			done = outcome{places: map[keyOf][]place{}}
			entries := newBuffer(stores.Entries)
			stores.Entries = entries
			k, err := r.writer.begin(ctx, stores, r.actor, r.project, r.collectionID)
			if err != nil {
				return err
			}
			entries.schema = k.schema
			ring, err := r.openKeys(ctx, k, wanted)
			if err != nil {
				return err
			}
			if err := do(ctx, k, ring, &done); err != nil {
				return err
			}
			return entries.flush(ctx)
		})
	})
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
// that have their keys, and who holds their unique values.
func (r *importRun) readAhead(ctx context.Context, k *work, ring *keyring, batch []*line) error {
	entries, ok := k.stores.Entries.(*buffer)
	if !ok {
		return nil
	}
	var groups []int64
	values := map[string][]core.UniqueValue{} // by locale
	for _, l := range batch {
		at, there := place{}, false
		if l.key != nil {
			at, there = ring.find(keyOf{r.collectionID, string(l.key)}, k.localeOf(l.write))
		}
		if there {
			groups = append(groups, at.group)
		} else {
			entries.expected += len(l.units)
		}
		for _, u := range l.units {
			if locale := k.localeOf(u.write); locale != "" {
				values[locale] = append(values[locale], k.foreseen(u.in)...)
			}
		}
	}
	if _, err := entries.Translations(ctx, r.project.ID, groups...); err != nil {
		return err
	}
	for _, locale := range slices.Sorted(maps.Keys(values)) {
		if _, err := entries.Holders(ctx, k.schema, []string{locale}, values[locale]); err != nil {
			return err
		}
	}
	return nil
}

// foreseen returns the unique values that a new entry of in will have, slugs that are
// made up for it among them.
func (k *work) foreseen(in *checked) []core.UniqueValue {
	values := map[string]json.RawMessage{}
	for name, value := range in.values {
		if value != nil {
			values[name] = value
		}
	}
	for _, f := range k.schema.Collection.Fields {
		if f.Type == core.TypeSlug && f.Unique && f.Source != "" && missing(values[f.Name]) {
			if base := slugOf(unquote(values[f.Source])); base != "" {
				values[f.Name] = core.QuoteJSON(numbered(f, base, 1))
			}
		}
	}
	return k.schema.Collection.UniqueValues(core.NewDocument(values))
}

// units returns the entries that l is about, its own first, with their fields checked.
func (r *importRun) units(ctx context.Context, l *line) ([]unit, error) {
	units := []unit{{location: "fields.", write: l.write}}
	for _, locale := range slices.Sorted(maps.Keys(l.translations)) {
		fields := maps.Clone(l.write.Fields)
		if fields == nil {
			fields = map[string]json.RawMessage{}
		}
		maps.Copy(fields, l.translations[locale])
		units = append(units, unit{
			location: "translations." + clip(locale) + ".",
			write:    Write{Locale: &locale, Published: l.write.Published, PublishAt: l.write.PublishAt, Fields: fields},
		})
	}
	for i := range units {
		in, err := checkFields(ctx, r.writer.hasher, r.schema.Collection, units[i].write.Fields)
		if err != nil {
			return nil, err
		}
		units[i].in = in
	}
	return units, nil
}

// writeLine writes the entries of one line. What its relations name may not be there
// yet: then the line comes back later, and nothing becomes public before.
func (r *importRun) writeLine(ctx context.Context, k *work, ring *keyring, l *line, done *outcome) error {
	locale := k.localeOf(l.write)
	members, err := r.members(ctx, k, ring, l.key, 0, locale)
	if err != nil {
		return err
	}
	links := r.link(ring, l.relations, locale)
	for _, u := range l.units {
		e, err := writeUnit(ctx, k, r.linked(u, links), members, done)
		if fault := refusal(err, u.location); fault != nil {
			return fault
		}
		if err != nil {
			return err
		}
		members[e.Locale] = *e
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
	in := &checked{version: u.in.version, values: maps.Clone(u.in.values), faults: u.in.faults.clone(), later: links.missing}
	for name, value := range links.values {
		if !slices.Contains(links.missing, name) {
			in.values[name] = canonicalField(r.schema.Collection.Field(name), value, &in.faults)
			u.write.Fields = with(u.write.Fields, name, value)
		}
	}
	if len(links.missing) > 0 {
		u.write.Published, u.write.PublishAt = nil, nil
	}
	u.in = in
	return u
}

// writeUnit updates the member in u's locale, or adds it to the others.
func writeUnit(ctx context.Context, k *work, u unit, members map[string]core.Entry, done *outcome) (*core.Entry, error) {
	e, there := members[k.localeOf(u.write)]
	if there {
		version := e.Version
		err := k.revise(ctx, &e, u.write, u.in)
		if e.Version == version {
			done.unchanged++
		} else {
			done.updated++
		}
		return &e, err
	}
	for _, m := range members {
		if u.write.TranslationOf == nil {
			u.write.TranslationOf = &m.ID
		}
	}
	done.created++
	return k.create(ctx, u.write, u.in)
}

// members returns, by locale, the entries outside the trash of a translation group:
// the given one, else the one that has the key.
func (r *importRun) members(
	ctx context.Context, k *work, ring *keyring, key json.RawMessage, group int64, locale string,
) (map[string]core.Entry, error) {
	members := map[string]core.Entry{}
	if key != nil && group == 0 {
		at, _ := ring.find(keyOf{r.collectionID, string(key)}, locale)
		group = at.group
	}
	if group == 0 {
		return members, nil
	}
	entries, err := k.stores.Entries.Translations(ctx, r.project.ID, group)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if live(&e) == nil {
			members[e.Locale] = e
		}
	}
	return members, nil
}
