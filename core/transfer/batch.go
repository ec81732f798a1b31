package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// unit is one entry of a line: the line's own entry or one of its translations.
type unit struct {
	location string                     // of its fields, for errors: "fields." or "translations.de."
	own      map[string]json.RawMessage // fields of a translation, which replace references of the draft
	alone    bool                       // a translation without the references of the draft
	write    core.EntryWrite
}

// mode is how a transaction writes its lines.
type mode struct {
	lock     bool // lock the entries before the lines are compared with them
	rehearse bool // roll back at the end
	hold     bool // write drafts only
}

// outcome is the result of a transaction. It is valid only after the commit.
type outcome struct {
	created, updated, unchanged int64
	waiting                     []*queued // not written: a target may follow
	refused                     []refusal
	counted                     map[int64]bool      // entries that were created or updated
	founded                     map[*queued][]int64 // created entries
	written                     map[identity]int64  // as in importRun
}

// refusal is a line that was not written, with its fault. It is an error of a transaction if the
// line has left changes behind in it.
type refusal struct {
	line  *queued
	fault *core.Error
}

func (r refusal) Error() string { return r.fault.Error() }

// Limits while other writers change the entries of the import.
const (
	// lockedTransactions is how many transactions lock their entries after a conflict.
	lockedTransactions = 64
	// attempts is how often one bundle is written while it conflicts with other writers.
	attempts = 20
)

// writeAll writes bundles in their order, several in a transaction.
func (r *importRun) writeAll(ctx context.Context, bundles []bundle) error {
	for len(bundles) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, n := r.pace.next(r.opts.Portion), 1
		var err error
		switch {
		case r.ended && bundles[0].need(r.claimed):
			err = r.wait(bundles[0]...)
		case len(bundles[0]) > 1 && bundles[0].entries() > entries:
			err = r.writeCycle(ctx, bundles[0])
		default:
			n = fitting(bundles, entries)
			err = r.writeLoaded(ctx, bundles[:n], mode{lock: r.locked > 0})
			r.locked = max(0, r.locked-1)
		}
		if err != nil {
			return err
		}
		bundles = bundles[n:]
		r.pace.share(r.opts.Between())
	}
	return nil
}

// fitting returns how many of bundles, at least one, are written in one transaction of up to that
// many entries.
func fitting(bundles []bundle, entries int) (n int) {
	total, size := 0, 0
	for _, b := range bundles {
		for _, q := range b {
			size += q.size
		}
		if total += b.entries(); n > 0 && (total > entries || size > portionBytes) {
			break
		}
		n++
	}
	return n
}

// writeLoaded writes bundles in one transaction, while it has their lines in memory.
func (r *importRun) writeLoaded(ctx context.Context, bundles []bundle, m mode) error {
	err := r.load(ctx, bundles)
	if err == nil {
		err = r.write(ctx, bundles, m)
	}
	unload(bundles)
	return err
}

// ready returns the bundles that need no waiting line. After the end of the file, the others wait for
// the next round.
func (r *importRun) ready(bundles []bundle) (ready []bundle, err error) {
	if !r.ended || len(r.claimed) == 0 {
		return bundles, nil
	}
	for _, b := range bundles {
		if !b.need(r.claimed) {
			ready = append(ready, b)
		} else if err := r.wait(b...); err != nil {
			return nil, err
		}
	}
	return ready, nil
}

// need reports whether a line of b needs one of claimed.
func (b bundle) need(claimed map[identity]bool) bool {
	return slices.ContainsFunc(b, func(q *queued) bool {
		return slices.ContainsFunc(q.needs, func(n need) bool { return claimed[n.group] || claimed[n.key] })
	})
}

// write writes bundles in one transaction. When a line is refused, it writes the bundles before it
// and those after it in transactions of their own; the other lines of its bundle wait.
func (r *importRun) write(ctx context.Context, bundles []bundle, m mode) error {
	bundles, err := r.ready(bundles)
	if err != nil || len(bundles) == 0 {
		return err
	}
	err = r.transact(ctx, bundles, m)
	if errors.Is(err, core.ErrChangedMeanwhile) {
		return r.writeLocked(ctx, bundles, m)
	}
	refused, ok := errors.AsType[refusal](err)
	if !ok {
		return err
	}
	at := slices.IndexFunc(bundles, func(b bundle) bool { return slices.Contains(b, refused.line) })
	if err := r.write(ctx, bundles[:at], m); err != nil {
		return err
	}
	if err := r.refuseIn(ctx, bundles[at], refused, m); err != nil {
		return err
	}
	return r.write(ctx, bundles[at+1:], m)
}

// writeLocked writes bundles after a conflict with another writer: in a transaction that locks their
// entries, after a further conflict in two of half the size, and so on. One bundle is tried several
// times.
func (r *importRun) writeLocked(ctx context.Context, bundles []bundle, m mode) error {
	r.locked = lockedTransactions
	switch {
	case !m.lock:
		m.lock = true
		return r.write(ctx, bundles, m)
	case len(bundles) == 1:
		return r.persist(ctx, bundles, m)
	}
	half := len(bundles) / 2
	if err := r.write(ctx, bundles[:half], m); err != nil {
		return err
	}
	return r.write(ctx, bundles[half:], m)
}

// persist writes one bundle again until it meets no other writer.
func (r *importRun) persist(ctx context.Context, bundles []bundle, m mode) error {
	var err error
	for attempt := range attempts {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(min(time.Millisecond<<attempt, 100*time.Millisecond))):
		}
		if err = r.transact(ctx, bundles, m); !errors.Is(err, core.ErrChangedMeanwhile) {
			break
		}
	}
	fault := core.ErrChangedMeanwhile
	switch refused, ok := errors.AsType[refusal](err); {
	case ok:
		return r.refuseIn(ctx, bundles[0], refused, m)
	case !errors.Is(err, fault):
		return err
	}
	for _, q := range bundles[0] {
		r.refuse(refusal{q, fault}, m)
	}
	return nil
}

// refuseIn reports a refused line of b, unless later lines may publish its targets. The other lines wait.
func (r *importRun) refuseIn(ctx context.Context, b bundle, refused refusal, m mode) error {
	q := refused.line
	if !refused.fault.Unpublished() || q.awaited || r.cycle != nil && !m.rehearse {
		r.refuse(refused, m)
		return r.wait(accepted(b)...)
	}
	if err := r.awaitPublic(ctx, q, refused.fault); err != nil {
		return err
	}
	if r.cycle != nil { // writeCycle has the other lines wait
		return r.wait(q)
	}
	return r.wait(accepted(b)...)
}

// refuse reports a refused line. What was promised of it stays promised until the end of a rehearsal.
func (r *importRun) refuse(refused refusal, m mode) {
	refused.line.refused = true
	for _, id := range refused.line.claims {
		r.refused[id] = refused.line.number
		if r.cycle != nil && !m.rehearse {
			delete(r.cycle.promised, id)
		}
	}
	q := refused.line
	r.report.Failed = append(r.report.Failed, LineError{Line: q.number, Key: q.key, Group: q.group, Err: refused.fault})
}

// errRehearsed rolls a rehearsal back.
var errRehearsed = errors.New("rehearsed")

// transact writes bundles in one transaction and reports its outcome after the commit.
func (r *importRun) transact(ctx context.Context, bundles []bundle, m mode) error {
	var wanted names
	for _, b := range bundles {
		for _, q := range b {
			r.want(&wanted, q.line)
		}
	}
	var done outcome
	var begun time.Time // when the transaction had the writer of the database
	err := r.writer.WriteBatch(ctx, r.actor, r.project, r.collectionID, func(ctx context.Context, batch ports.Batch) error {
		begun = time.Now()
		done = outcome{counted: map[int64]bool{}, founded: map[*queued][]int64{}, written: map[identity]int64{}}
		ring, err := r.openBatch(ctx, batch, bundles, wanted, m)
		if err != nil {
			return err
		}
		for _, b := range bundles {
			if err := r.writeBundle(ctx, ring, b, m, &done); err != nil {
				return err
			}
		}
		if m.rehearse {
			return errRehearsed
		}
		return batch.Stores().Origins.Save(ctx, ring.origins)
	})
	switch {
	case errors.Is(err, errRehearsed):
		maps.Copy(r.cycle.written, done.written)
		done = outcome{refused: done.refused}
	case err != nil && begun.IsZero():
		return stopped{err} // the collection is gone: no line is at fault
	case err != nil:
		return err
	}
	r.pace.took(entriesOf(bundles), time.Since(begun))
	r.report.Created += done.created
	r.report.Updated += done.updated
	r.report.Unchanged += done.unchanged
	maps.Copy(r.written, done.written)
	for _, b := range bundles {
		for _, q := range b {
			q.written = !m.rehearse && !m.hold && !slices.Contains(done.waiting, q)
		}
	}
	if r.cycle != nil && m.hold {
		maps.Copy(r.cycle.counted, done.counted)
		maps.Copy(r.cycle.founded, done.founded)
	}
	for _, refused := range done.refused {
		r.refuse(refused, m)
	}
	return r.wait(done.waiting...)
}

// openBatch returns the keyring of a transaction after it has prefetched, in a few statements, the
// data that the writes need: the entries of the lines and the holders of their unique values.
func (r *importRun) openBatch(ctx context.Context, batch ports.Batch, bundles []bundle, wanted names, m mode) (*keyring, error) {
	ring, err := r.openKeys(ctx, batch.Stores(), batch.Schema(), wanted)
	if err != nil {
		return nil, err
	}
	groups, created := ring.census(bundles)
	if m.lock {
		if _, err := batch.Stores().Entries.LockGroups(ctx, r.project.ID, groups...); err != nil {
			return nil, err
		}
		if ring, err = r.openKeys(ctx, batch.Stores(), batch.Schema(), wanted); err != nil {
			return nil, err
		}
		groups, created = ring.census(bundles)
	}
	ring.batch = batch
	if requiresTargets(batch.Schema().Collection) { // the writes ask whether they are public
		groups = append(groups, ring.found()...)
	}
	if _, err := batch.Stores().Entries.Translations(ctx, r.project.ID, groups...); err != nil {
		return nil, err
	}
	var writes []core.EntryWrite
	for _, b := range bundles {
		for _, q := range b {
			for _, u := range q.line.units {
				writes = append(writes, u.write)
			}
		}
	}
	return ring, batch.Expect(ctx, writes, created)
}

// census returns the groups of the lines, and the number of entries in new groups that have no id
// yet.
func (ring *keyring) census(bundles []bundle) (groups []int64, created int) {
	for _, b := range bundles {
		for _, q := range b {
			group, err := ring.own(q.line, localeOf(ring.schema.Project, q.line.write.Locale))
			switch {
			case err != nil: // writeBundle refuses the line
			case group != 0:
				groups = append(groups, group)
			case q.ids == nil:
				created += q.entries
			}
		}
	}
	return groups, created
}

// circular reports whether the lines of b point to each other, or its line to itself.
func (b bundle) circular() bool {
	return len(b) > 1 || slices.ContainsFunc(b[0].needs, func(n need) bool {
		return n.group != 0 && slices.Contains(b[0].claims, n.group) || n.key != 0 && slices.Contains(b[0].claims, n.key)
	})
}

// localeOf returns the Project's locale with that tag, its default locale for nil, or "" when it
// has no such locale.
func localeOf(project *core.Project, tag *string) string {
	if tag == nil {
		return project.DefaultLocale
	}
	return project.LocaleNamed(*tag)
}

// linked is the references of a line.
type linked struct {
	draft, public links
	own           []links // the texts of the translations, by locale
}

// writeBundle writes the lines of b, or none of them when a line has written an entry of b or a
// reference has no target: a single line is then refused, or waits if a later line can have the
// target.
func (r *importRun) writeBundle(ctx context.Context, ring *keyring, b bundle, m mode, done *outcome) error {
	if b.circular() {
		if err := ring.promise(b); err != nil {
			return err
		}
	}
	goes := going{}
	if goes.add(ring, b); r.cycle != nil {
		goes = r.cycle.goes
	}
	writes := make([]lineWrite, len(b))
	for i, q := range b {
		writes[i] = lineWrite{references: r.references(ring, q.line), together: goes.with(q.line), hold: m.hold}
		faults := writes[i].references.faults()
		if len(faults) > 0 && !r.ended && len(r.needs(ring, q.line)) > 0 {
			done.waiting = append(done.waiting, b...)
			ring.withdraw(b)
			return nil
		}
		if len(faults) == 0 && !q.line.faulty() {
			continue
		}
		fault, err := r.faultsOf(ctx, ring, q, writes[i], new(lineFaults))
		if err != nil {
			return err
		}
		if fault == nil {
			continue
		}
		if len(b) > 1 {
			return refusal{q, fault}
		}
		ring.refuse(refusal{q, fault}, done)
		return nil
	}
	for _, q := range b {
		switch fault := r.overwrites(ring, q.line, done); {
		case fault == nil:
		case len(b) > 1:
			return refusal{q, fault}
		default:
			ring.refuse(refusal{q, fault}, done)
			return nil
		}
	}
	for i, q := range b {
		if err := r.writeLine(ctx, ring, q, writes[i], done); err != nil {
			return err
		}
	}
	return nil
}

// lineWrite is what a transaction knows of the write of a line.
type lineWrite struct {
	references linked
	together   func(group int64) bool // selects the groups that become public with the line
	hold       bool                   // write drafts only
}

// writeLine writes the entries of one line.
func (r *importRun) writeLine(ctx context.Context, ring *keyring, q *queued, w lineWrite, done *outcome) error {
	l := q.line
	group, err := ring.own(l, localeOf(ring.schema.Project, l.write.Locale))
	if err != nil {
		return r.refusalOf(ctx, ring, q, w, 0, err)
	}
	members, err := r.members(ctx, ring.batch, group)
	if err != nil {
		return err
	}
	for i := range l.units {
		u := r.referring(l, i, w)
		switch {
		case i == 0 && len(members) == 0 && group != 0: // promised
			u.write.ID = group
		case q.ids != nil:
			u.write.ID = q.ids[i]
		}
		before := members[localeOf(ring.schema.Project, u.write.Locale)]
		e, err := r.writeUnit(ctx, ring.batch, u, members, w.hold, done)
		if err != nil {
			return r.refusalOf(ctx, ring, q, w, i, err)
		}
		if _, there := members[e.Locale]; !there {
			done.founded[q] = append(done.founded[q], e.ID)
		}
		members[e.Locale] = e
		at := member{id: e.ID, group: e.Group, locale: e.Locale}
		r.wrote(ring, l.number, before, e, done)
		if key := l.keys[i]; key != nil {
			ring.add(keyOf{r.collectionID, string(key)}, at)
		}
		if l.group != "" {
			ring.learn(l.group, at)
		}
	}
	return nil
}

// referring returns entry i of l for its write, with its references.
func (r *importRun) referring(l *line, i int, w lineWrite) unit {
	u, references := l.units[i], w.references
	u.write.Hold, u.write.Together = w.hold || r.opts.Drafts && u.write.Published == nil, w.together
	if !u.alone {
		r.put(&u.write.Fields, references.draft.except(u.own))
	}
	if i > 0 {
		r.put(&u.write.Fields, references.own[i-1])
	}
	if u.write.Version != nil {
		version := *u.write.Version
		r.put(&version, references.public)
		u.write.Version = &version
	}
	return u
}

// put adds the resolved references of links to fields.
func (r *importRun) put(fields *core.WrittenFields, links links) {
	if len(links.values) == 0 {
		return
	}
	raw, values := merged(fields.Raw), merged(fields.Values)
	for name, value := range links.values {
		canonical, fault := r.writer.Value(r.schema.Collection.Field(name), value)
		checked := core.Faults{List: fields.Faults}
		if fault != "" && !checked.HasField(name) { // else only the references inside of it are other ones
			fields.Faults = append(slices.Clip(fields.Faults), core.FieldError{Location: "fields." + name, Message: fault})
		}
		raw[name], values[name] = value, canonical
	}
	fields.Raw, fields.Values = raw, values
}

// writeUnit updates the member in u's locale, or creates it as a translation of the other members. hold says that
// another transaction writes the line again.
func (r *importRun) writeUnit(
	ctx context.Context, batch ports.Batch, u unit, members map[string]core.Entry, hold bool, done *outcome,
) (core.Entry, error) {
	before, there := members[localeOf(batch.Schema().Project, u.write.Locale)]
	if !there {
		for _, m := range members {
			if u.write.TranslationOf == nil {
				u.write.TranslationOf = &m.ID
			}
		}
		e, err := batch.Create(ctx, u.write)
		done.created++
		done.counted[e.ID] = true
		return e, err
	}
	e, err := batch.Revise(ctx, before, u.write)
	switch {
	case r.cycle != nil && r.cycle.counted[e.ID]: // by the transaction that wrote the draft
	case e.Version != before.Version:
		done.updated++
		done.counted[e.ID] = true
	case !hold: // otherwise the transaction that publishes counts it
		done.unchanged++
	}
	return e, err
}

// units returns the entries of l, its own first, with their fields checked.
func (r *importRun) units(ctx context.Context, l *line) ([]unit, error) {
	units := []unit{{location: "fields.", write: l.write}}
	raw := []map[string]json.RawMessage{l.draft.fields}
	for _, locale := range l.locales {
		fields := l.translations[locale]
		if !l.alone {
			fields = merged(l.draft.fields, fields)
		}
		raw = append(raw, fields)
		write := l.write
		write.Locale, write.TranslationOf = &locale, nil
		units = append(units, unit{location: "translations." + core.Clip(locale) + ".", write: write, own: l.translations[locale], alone: l.alone})
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
