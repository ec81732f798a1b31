package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/event"
	"imprimatur/ports"
)

// Importer writes entries of one collection from JSON Lines. A line is the body of a write with
// additional members, all of them optional:
//
//	{"group":"c5d2…/17", "key":"CHE", "locale":"en", "published":true,
//	 "publishAt":"2026-…", "unpublishAt":"2027-…", "publishedAt":"2025-…", "createdAt":"2025-…", "fields":{…},
//	 "relations":{"borders":["DEU",{"group":"c5d2…/4","key":"FRA"}]},
//	 "media":{"cover":{"hash":"9f86…","fileName":"cover.jpg"}},
//	 "publishedVersion":{"fields":{…},"relations":{…},"media":{…}},
//	 "inherit":true, "translations":{"de":{…fields…}}}
//
// The group is any text that identifies the line's translation group. It is stored with the group,
// so that importing a file twice changes nothing, in any Project. A group that is not known yet
// means the group of the entry with the line's key and locale, or else a new group. Without a
// group, the key, which is the value of a unique field, identifies the translation group. A collection
// without a unique field that is not hidden has no keys.
//
// Relations name groups, or keys of their target collection. The order of the lines does not
// matter. Media are identified by the hash of their bytes and must be in the library already. A
// translation starts from the line's own fields, relations and media; with "inherit" false it has
// only those that it names.
//
// A line is written as a whole or, when it is refused, leaves nothing behind. A line is also
// refused when it points to an entry that does not exist because its line was refused. Of two lines
// that write the same entry, whatever they call it, the second one is refused.
//
// A required relation of a version that becomes public may also point to an entry that another line
// publishes. Whether its target is public is judged after the last line.
//
// The fields are the draft. With "published" true the draft becomes public, or publishedVersion if
// the line has one; core.EntryWrite has the rules. If this import publishes an entry without
// approval, publishedAt is the time since which the entry has been public. createdAt is when the entries
// of the line were created.
//
// The events of an import say that they are its own. event.ImportFinished follows them, also when
// the import stops early.
type Importer struct {
	stores ports.Stores
	tx     ports.Tx
	writer ports.BatchWriter
}

// NewImporter returns an Importer. All its writes go through writer.
func NewImporter(stores ports.Stores, tx ports.Tx, writer ports.BatchWriter) *Importer {
	return &Importer{stores: stores, tx: tx, writer: writer}
}

// ImportOptions are the options of an import.
type ImportOptions struct {
	// From is the first line to write, counted from 1; 0 is 1. Earlier lines with relations are
	// written again, because those that point to later lines are written at the end of a run.
	From int64
	// KeyField names the unique field that has the keys as values; empty: the first unique field
	// of the collection.
	KeyField string
	// Publish is the value of "published" for lines without it; nil: none.
	Publish *bool
	// AllowIncomplete accepts incomplete drafts, as core.EntryWrite does. Versions that a line
	// publishes must always be complete.
	AllowIncomplete bool
	// Drafts writes only the drafts of lines without "published": what is published stays as it is. Otherwise the
	// fields of such a line become public where the entry is published and no workflow governs the Project.
	Drafts bool
	// Quiet keeps the events of this run from all webhooks. They get the one of its end.
	Quiet bool
	// Portion is the largest number of entries in one transaction; 0: 1000. A transaction has fewer
	// if it would take much longer than a tenth of a second.
	Portion int
	// Progress, unless it is nil, is called after each portion of the file with the number of lines
	// and bytes processed so far.
	Progress func(lines, bytes int64)
	// Circles, unless it is nil, is called while lines that point to each other are written, in several passes, with the
	// number of steps done and that of all of these lines.
	Circles func(done, total int64)
	// Between, unless it is nil, is called between two transactions. While others wait for the only writer of
	// the database, transactions are shorter.
	Between func() (others bool)
	// Spool stores the lines that wait for later lines; nil: memory.
	Spool Spool
}

// ImportReport is the result of an import.
type ImportReport struct {
	// Lines is the number of the last line read. In an interrupted run, all lines up to it are
	// written or refused, or have relations; it is resumed with From = Lines+1.
	Lines     int64
	Created   int64 // entries, translations included
	Updated   int64
	Unchanged int64
	Failed    []LineError // in the order of lines
	Cleaned   []LineCleaned
}

// LineCleaned is what the import removed from the values of a line that is not refused.
type LineCleaned struct {
	Line    int64
	Key     json.RawMessage // as in LineError
	Group   string          // as in LineError
	Cleaned []core.Cleaned
}

// LineError is the reason why a line was not written.
type LineError struct {
	Line  int64
	Key   json.RawMessage // of the line, in JSON, also if it is not valid; nil: none, or too long to show
	Group string          // of the line; empty: none, or not valid
	Err   *core.Error
}

// Import writes the lines of in to the collection. It reports refused lines and writes the others.
// The error is the reason why the run stopped early; the report then has the progress of the run.
// A read of in that was in progress at that time may end after Import has returned.
func (im *Importer) Import(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, in io.Reader, opts ImportOptions,
) (ImportReport, error) {
	schema, err := ports.SchemaOf(ctx, im.stores.Collections, project, collectionID)
	if err != nil {
		return ImportReport{}, err
	}
	if schema.Collections, err = im.stores.Collections.Collections(ctx, project.ID); err != nil { // rich text links to any
		return ImportReport{}, err
	}
	key, err := keyField(schema.Collection, opts.KeyField)
	if err != nil {
		return ImportReport{}, err
	}
	run := &importRun{
		stores: im.stores, writer: im.writer, actor: opts.actor(actor), project: project, collectionID: collectionID,
		schema: schema, key: key, opts: opts.withDefaults(),
		seen: map[identity]int64{}, written: map[identity]int64{}, refused: map[identity]int64{}, claimed: map[identity]bool{},
	}
	err = run.lines(ctx, in)
	if err == nil {
		err = run.rest(ctx)
	}
	if open := unfinished(run.open); err != nil && len(open) > 0 {
		run.report.Lines = open[0].number - 1
	}
	run.settleReport()
	return run.report, errors.Join(err, im.finish(ctx, actor, schema, run.report))
}

// finish records the end of an import, also of one that ctx has stopped: its events have left out what
// caches must drop.
func (im *Importer) finish(ctx context.Context, actor core.Actor, schema core.Schema, report ImportReport) error {
	done := event.Event{Type: event.ImportFinished, TenantID: schema.Project.TenantID, ProjectID: schema.Project.ID, Imported: &event.Imported{
		Collections: []string{schema.Collection.Slug},
		Counts: event.ImportCounts{
			Created: report.Created, Updated: report.Updated, Unchanged: report.Unchanged, Refused: int64(len(report.Failed)),
		},
	}}
	return im.tx.Do(context.WithoutCancel(ctx), actor, func(ctx context.Context, stores ports.Stores) error {
		return stores.Events.Record(ctx, done)
	})
}

// actor returns by as the actor of the changes of an import.
func (o ImportOptions) actor(by core.Actor) core.Actor {
	by.Import = core.OpenImport
	if o.Quiet {
		by.Import = core.QuietImport
	}
	return by
}

// settleReport puts the refused lines in order. Lines that are refused were not cleaned.
func (r *importRun) settleReport() {
	slices.SortStableFunc(r.report.Failed, func(a, b LineError) int { return int(a.Line - b.Line) })
	r.report.Cleaned = slices.DeleteFunc(r.report.Cleaned, func(c LineCleaned) bool {
		_, refused := slices.BinarySearchFunc(r.report.Failed, c.Line, func(f LineError, line int64) int { return cmp.Compare(f.Line, line) })
		return refused
	})
}

// withDefaults returns o with the default of each absent function and of the Spool.
func (o ImportOptions) withDefaults() ImportOptions {
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Circles == nil {
		o.Circles = func(int64, int64) {}
	}
	if o.Between == nil {
		o.Between = func() bool { return false }
	}
	if o.Portion == 0 {
		o.Portion = portionEntries
	}
	if o.Spool == nil {
		o.Spool = &memorySpool{}
	}
	return o
}

// importRun is one run of an Importer.
type importRun struct {
	stores       ports.Stores
	writer       ports.BatchWriter
	actor        core.Actor
	project      *core.Project
	collectionID int64
	schema       core.Schema // at the start of the run
	key          *core.Field // nil: the collection has no field to find entries by
	opts         ImportOptions
	seen         map[identity]int64 // line numbers by entry; only for the goroutine that reads
	written      map[identity]int64 // numbers of lines by the entries that they wrote, and by the keys that these entries had before
	refused      map[identity]int64 // numbers of refused lines by what their entries would be found by
	waiting      []*queued          // lines that need a later line
	claimed      map[identity]bool  // by waiting; at the end of the file: of this round
	spooled      int64              // bytes in the spool
	open         []*queued          // lines without relations that are neither written nor refused
	ended        bool               // all lines have been read
	locked       int                // how many of the next transactions lock their entries
	pace         pace
	cycle        *cycle // that is being written; nil: none
	report       ImportReport
}

// lines reads all lines and writes those that need no later line. It reads one portion ahead.
func (r *importRun) lines(ctx context.Context, in io.Reader) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	portions := r.portions(reading, in)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-portions:
			if p.err != nil && !errors.Is(p.err, io.EOF) {
				return p.err
			}
			if err := r.portion(ctx, p); err != nil || p.err != nil {
				return err
			}
		}
	}
}

// portion writes one portion. Lines that need a later line wait.
func (r *importRun) portion(ctx context.Context, p portion) error {
	for _, refused := range p.refused {
		r.refuse(refused, mode{})
	}
	r.report.Lines = p.number
	r.report.Cleaned = append(r.report.Cleaned, p.cleaned...)
	for _, q := range p.lines {
		if !q.line.points() {
			r.open = append(r.open, q)
		}
	}
	if err := r.findNeeds(ctx, p.lines); err != nil {
		return err
	}
	bundles, rest := arrange(p.lines, false)
	if err := r.writeAll(ctx, bundles); err != nil {
		return err
	}
	if err := r.wait(rest...); err != nil {
		return err
	}
	r.open = unfinished(r.open)
	r.opts.Progress(p.number, p.bytes)
	return nil
}

// unfinished returns the lines that are neither written nor refused.
func unfinished(lines []*queued) []*queued {
	return slices.DeleteFunc(lines, func(q *queued) bool { return q.written || q.refused })
}

// findNeeds sets needs and follows of lines. If there are any, the lines are not written in the
// order of the file; they then get ids in this order.
func (r *importRun) findNeeds(ctx context.Context, lines []*queued) error {
	ordered := true
	var wanted names
	for _, q := range lines {
		q.follows = slices.ContainsFunc(q.claims, func(id identity) bool { return r.claimed[id] })
		ordered = ordered && !q.follows
		if q.line.points() {
			r.want(&wanted, q.line)
		}
	}
	if len(wanted.keys)+len(wanted.groups) > 0 {
		ring, err := r.openKeys(ctx, r.stores, r.schema, wanted)
		if err != nil {
			return err
		}
		for _, q := range lines {
			if q.line.points() {
				q.needs = r.needs(ring, q.line)
			}
			ordered = ordered && len(q.needs) == 0
		}
	}
	if ordered {
		return nil
	}
	ids, err := r.stores.Entries.NewIDs(ctx, bundle(lines).entries())
	if err != nil {
		return err
	}
	for _, q := range lines {
		q.ids, ids = ids[:q.entries:q.entries], ids[q.entries:]
	}
	return nil
}

// rest writes the lines that wait. Each round writes or refuses at least one, or finds out which lines publish
// the targets of another one.
func (r *importRun) rest(ctx context.Context) error {
	r.ended = true
	for len(r.waiting) > 0 {
		lines := r.waiting
		r.waiting = nil
		clear(r.claimed)
		for _, q := range lines {
			q.waits = false
		}
		slices.SortFunc(lines, func(a, b *queued) int { return cmp.Compare(a.number, b.number) })
		bundles, _ := arrange(lines, true)
		if err := r.writeAll(ctx, bundles); err != nil {
			return err
		}
	}
	return nil
}

// keyField returns the field of c that has the keys as values: the field called name or, if name
// is empty, firstKey(c).
func keyField(c *core.Collection, name string) (*core.Field, error) {
	if name == "" {
		return firstKey(c), nil
	}
	f := c.Field(name)
	if f == nil || !isKey(f) {
		return nil, core.Invalid(core.FieldError{Location: "keyField", Message: "must name a unique field that is not hidden", Value: core.Clip(name)})
	}
	return f, nil
}

// firstKey returns the first field of c that can have keys as values, or nil.
func firstKey(c *core.Collection) *core.Field {
	if c == nil {
		return nil
	}
	i := slices.IndexFunc(c.Fields, isKey)
	if i < 0 {
		return nil
	}
	return c.Fields[i]
}

// keyFieldOf returns the field of c that has the keys as values, or nil.
func (r *importRun) keyFieldOf(c *core.Collection) *core.Field {
	if c != nil && c.ID == r.collectionID {
		return r.key
	}
	return firstKey(c)
}

func isKey(f *core.Field) bool { return f.Unique && !f.Secret() }

// stopped is an error of any kind that stops a run, because no line is at fault.
type stopped struct{ error }

func (s stopped) Unwrap() error { return s.error }

// faultOf returns err if it is a fault of the line, and nil if it stops the run. prefix replaces
// "fields." in its locations; empty: it does not.
func faultOf(err error, prefix string) *core.Error {
	fault, ok := errors.AsType[*core.Error](err)
	if !ok || errors.As(err, new(stopped)) {
		return nil
	}
	switch fault.Kind {
	case core.KindInvalid, core.KindBadRequest, core.KindConflict, core.KindNotFound, core.KindForbidden:
	default:
		return nil
	}
	moved := *fault
	moved.Fields = slices.Clone(fault.Fields)
	for i, f := range moved.Fields {
		if rest, ok := strings.CutPrefix(f.Location, "fields."); ok && prefix != "" {
			moved.Fields[i].Location = prefix + rest
		}
	}
	return &moved
}
