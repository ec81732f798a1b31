package importing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/definition/schema"
	"imprimatur/core/event"
	"imprimatur/core/fieldtype"
	"imprimatur/core/media"
	"imprimatur/core/publishing"
	"imprimatur/core/query"
	"imprimatur/core/slug"
	"imprimatur/core/transfer"
	"imprimatur/ports"
)

// Importer writes the content of other systems into Projects.
type Importer struct {
	stores   ports.Stores
	tx       ports.Tx
	planner  *schema.Planner
	importer *transfer.Importer
	media    *media.Library
	clock    ports.Clock
}

// New returns an Importer with these dependencies.
func New(
	stores ports.Stores, tx ports.Tx, planner *schema.Planner, importer *transfer.Importer, library *media.Library, clock ports.Clock,
) *Importer {
	return &Importer{stores, tx, planner, importer, library, clock}
}

// Options of an import.
type Options struct {
	// DryRun checks and counts everything, and writes nothing.
	DryRun bool
	// Publish publishes what was public. Otherwise everything becomes a draft.
	Publish bool
	// Overwrite also writes entries that a person has changed here since they were imported.
	Overwrite bool
	// KeepLegacy puts values that have no place into the hidden field LegacyField.
	KeepLegacy bool
	// Quiet is that of transfer.ImportOptions.
	Quiet bool
	// Fetcher reads the files that are at an address.
	Fetcher ports.Fetcher
	// FileTimeout is for how long one of these may take; 0: 60 s.
	FileTimeout time.Duration
	// Rows gets a JSON object a line for what has no place; nil: none.
	Rows io.Writer
	// Redirects gets the old addresses; nil: none.
	Redirects *Redirects
	// Progress, unless it is nil, is called with the number of things that a step has done, and with how many it has to
	// do; 0: that is not known.
	Progress func(done, total int64, things string)
	// Between is that of transfer.ImportOptions.
	Between func() (others bool)
}

// fileTimeout is the default of Options.FileTimeout.
const fileTimeout = 60 * time.Second

// maxGroup is the longest group in bytes that package transfer takes.
const maxGroup = 200

// Group returns the group of an entry of another system, by what identifies it there.
func Group(parts ...string) string {
	group := strings.ReplaceAll(strings.Join(parts, ":"), "\x00", "")
	if len(group) <= maxGroup {
		return group
	}
	hash := sha256.Sum256([]byte(group))
	return parts[0] + ":" + hex.EncodeToString(hash[:])
}

// Import writes a content to a Project and returns what became of it, also with an error. It can be repeated after an
// error, or after its process was killed: it then goes on. It returns core.KindConflict with the code governed if opts
// publish and a workflow governs a collection of the content, and the errors of schema.Planner.Apply.
func (im *Importer) Import(ctx context.Context, actor core.Actor, project *core.Project, content Content, opts Options) (*Report, error) {
	if opts.Progress == nil {
		opts.Progress = func(int64, int64, string) {}
	}
	r := &run{Importer: im, actor: actor, project: project, opts: opts, report: NewReport(opts.Rows), boxes: map[string]*box{}}
	defer r.close()
	return r.report, r.do(ctx, content)
}

// status is what became of a line.
type status uint8

const (
	pending status = iota
	written
	left // because a person has changed its entry here
	refused
)

// box has the lines of one collection.
type box struct {
	collection *core.Collection
	spool      *spool
	at         []int // the index in the spool of each line
	status     []status
	reasons    map[int]string // why lines were refused
	// wants has the identities of the targets of the lines in other collections, by their keys.
	wants map[string]map[uint64]bool
	// waits has the lines that are published when their targets are.
	waits []failure
}

// run is one run of an Importer.
type run struct {
	*Importer

	actor   core.Actor
	project *core.Project
	opts    Options
	report  *Report
	schema  core.Schema
	boxes   map[string]*box
	order   []*box
	done    int64
}

func (r *run) close() {
	for _, b := range r.boxes {
		b.spool.close()
	}
}

func (r *run) do(ctx context.Context, content Content) error {
	if err := r.define(ctx, content.Definitions()); err != nil {
		return err
	}
	total := int64(0)
	if err := content.Files(ctx, func(File) error { total++; return nil }); err != nil {
		return err
	}
	files := &loader{
		library: r.stores.Media, media: r.media, fetcher: r.opts.Fetcher, actor: r.actor, project: r.project, dry: r.opts.DryRun, timeout: cmp.Or(r.opts.FileTimeout, fileTimeout),
		rewrite: r.opts.Overwrite, found: map[string]FileRef{}, copies: map[string][]described{}, taken: map[string]*sync.Mutex{}, report: r.report, seen: func(n int64) { r.opts.Progress(n, total, "files") },
	}
	if err := files.load(ctx, content); err != nil {
		return err
	}
	if err := r.read(ctx, content, files.found); err != nil {
		return err
	}
	r.arrange()
	if r.opts.DryRun {
		if err := r.dangling(ctx); err != nil {
			return err
		}
	} else if err := r.write(ctx); err != nil {
		return err
	}
	return r.finish(ctx)
}

// lineOf is what the schema says of the place of a fault in a file that is not that of the user.
var lineOf = regexp.MustCompile(`^line \d+: `)

// define adds what the Project lacks of the definitions, and loads them.
func (r *run) define(ctx context.Context, wanted schema.File) error {
	components, err := r.stores.Components.Components(ctx, r.project.ID)
	if err != nil {
		return err
	}
	collections, err := r.stores.Collections.Collections(ctx, r.project.ID)
	if err != nil {
		return err
	}
	known := schema.Of(components, collections)
	if conflicts := known.Conflicts(wanted); len(conflicts) > 0 {
		err := core.Conflict("cannot_change", "the type, multiple and target of a field never change: give the fields other names")
		err.Fields = conflicts
		return err
	}
	file := known.With(wanted)
	if r.opts.Publish {
		for _, in := range wanted.Collections {
			governed, err := publishing.Governs(ctx, r.stores, r.project.ID, in.Slug, 0)
			if err != nil {
				return err
			}
			if governed {
				return core.Conflict("governed", "a workflow governs %s: import first without --published, or set the workflow after, which seals what is public", in.Slug)
			}
		}
	}
	plan, err := r.planner.Plan(ctx, r.actor, r.project, file.Text())
	if err == nil && !r.opts.DryRun {
		plan, err = r.planner.Apply(ctx, r.actor, r.project, file.Text(), schema.Options{Base: plan.Base})
	}
	if err != nil {
		return core.EditFields(err, func(f *core.FieldError) { f.Message = lineOf.ReplaceAllString(f.Message, "") })
	}
	for _, c := range plan.Changes {
		r.report.Definitions = append(r.report.Definitions, string(c.Kind)+" "+c.Path)
	}
	r.schema = file.Schema(r.project)
	if !r.opts.DryRun {
		r.schema.Collections, err = r.stores.Collections.Collections(ctx, r.project.ID)
	}
	return err
}

// read checks the lines and keeps them by their collections.
func (r *run) read(ctx context.Context, content Content, files map[string]FileRef) error {
	c := &checker{schema: r.schema, files: files, report: r.report, publish: r.opts.Publish, legacy: r.opts.KeepLegacy, now: r.clock.Now()}
	seen := map[uint64]bool{}
	return content.Lines(ctx, func(l *Line) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.eachField(func(name string) { r.field(l, name).In++ })
		for _, row := range l.Lost {
			if row.What == LostValue {
				r.field(l, row.Field).In++
			}
		}
		c.check(l)
		if id := identityOf(l.Collection, "group", l.Group+" "+l.Locale); l.Skipped == "" && seen[id] {
			l.Skipped = "another entry of the source has the same id and locale"
		} else {
			seen[id] = true
		}
		r.done++
		r.opts.Progress(r.done, 0, "entries read")
		for _, row := range l.Lost {
			if err := r.report.lose(row); err != nil {
				return err
			}
		}
		if l.Skipped != "" {
			return r.skip(l, l.Skipped)
		}
		return r.keep(l)
	})
}

// field returns the counts of a field of the kind of l.
func (r *run) field(l *Line, name string) *Counts {
	return count(r.report.Fields, l.From.Kind+"."+name)
}

// skip lists a line that is not written.
func (r *run) skip(l *Line, reason string) error {
	count(r.report.Kinds, l.From.Kind).Listed++
	l.eachField(func(name string) { r.field(l, name).Listed++ })
	for _, row := range l.Lost {
		if row.What == LostValue {
			r.field(l, row.Field).Listed++
		}
	}
	return r.report.lose(Lost{Origin: l.From, What: LostEntry, Reason: reason, Value: canonical.Quote(l.Group)})
}

// eachField calls visit with the name of the field of each value of the line.
func (l *Line) eachField(visit func(name string)) {
	l.Draft.eachField(visit)
	if l.Public != nil {
		l.Public.eachField(visit)
	}
	for _, fields := range l.Translations {
		for name := range fields {
			visit(name)
		}
	}
}

func (v *Version) eachField(visit func(name string)) {
	for name := range v.Fields {
		visit(name)
	}
	for name := range v.Relations {
		visit(name)
	}
	for name := range v.Media {
		visit(name)
	}
}

// keep adds a line to the box of its collection.
func (r *run) keep(l *Line) error {
	b := r.boxes[l.Collection]
	if b == nil {
		file, err := newSpool()
		if err != nil {
			return err
		}
		b = &box{collection: r.schema.BySlug(l.Collection), spool: file, wants: map[string]map[uint64]bool{}, reasons: map[int]string{}}
		r.boxes[l.Collection] = b
	}
	l.eachTarget(func(t Target) {
		if t.Collection == l.Collection {
			return
		}
		if b.wants[t.Collection] == nil {
			b.wants[t.Collection] = map[uint64]bool{}
		}
		for _, id := range t.identities() {
			b.wants[t.Collection][id] = true
		}
	})
	at, err := b.spool.add(l)
	b.at = append(b.at, at)
	b.status = append(b.status, pending)
	return err
}

func (l *Line) eachTarget(visit func(Target)) {
	for _, v := range []*Version{&l.Draft, l.Public} {
		if v == nil {
			continue
		}
		for _, targets := range v.Relations {
			for _, t := range targets {
				visit(t)
			}
		}
		for _, t := range v.Links.Entries {
			visit(t)
		}
	}
}

var seed = maphash.MakeSeed()

// identityOf returns the hash of a text of some kind in a collection. Of ten million, two are equal with a
// probability of about 3 in a million.
func identityOf(collection, kind, text string) uint64 {
	return maphash.Comparable(seed, [3]string{collection, kind, text})
}

// identities returns what the target may be found by.
func (t Target) identities() (ids []uint64) {
	if t.Group != "" {
		ids = append(ids, identityOf(t.Collection, "id", t.Group))
	}
	if len(t.Key) > 0 {
		ids = append(ids, identityOf(t.Collection, "key", string(t.Key)))
	}
	return ids
}

// identities returns by what targets find the entry of the line.
func (l *Line) identities(c *core.Collection) []uint64 {
	t := Target{Collection: l.Collection, Group: l.Group}
	if _, key := l.key(c); key != nil {
		t.Key = key
	}
	return t.identities()
}

// arrange puts the boxes into an order in which the targets of relations come first, as far as they do not point to
// each other.
func (r *run) arrange() {
	visited := map[string]bool{}
	var visit func(key string)
	visit = func(key string) {
		b := r.boxes[key]
		if b == nil || visited[key] {
			return
		}
		visited[key] = true
		for _, c := range r.schema.Collections {
			if b.wants[c.Slug] != nil {
				visit(c.Slug)
			}
		}
		r.order = append(r.order, b)
	}
	for _, c := range r.schema.Collections {
		visit(c.Slug)
	}
}

// finish counts what became of the lines, and lists their old addresses.
func (r *run) finish(ctx context.Context) error {
	for _, w := range r.report.Collections {
		if w.Updated < 0 { // entries that were created first, and had nothing more to write
			w.Unchanged, w.Updated = max(0, w.Unchanged+w.Updated), 0
		}
	}
	for _, b := range r.order {
		for from := 0; from < len(b.at); from += batch {
			lines, err := b.lines(ctx, from, min(from+batch, len(b.at)))
			if err != nil {
				return err
			}
			for i, l := range lines {
				if err := r.settle(l, b.status[from+i], b.reasons[from+i]); err != nil {
					return err
				}
			}
			if err := r.redirect(ctx, b, from, lines); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) settle(l *Line, is status, reason string) error {
	switch {
	case is == refused:
		return r.skip(l, reason)
	case is == left:
		return r.skip(l, "was changed here since, and is left as it is")
	case is == pending && !r.opts.DryRun:
		return errors.New("importing: a line is neither written nor refused")
	}
	count(r.report.Kinds, l.From.Kind).Out++
	l.eachField(func(name string) { r.field(l, name).Out++ })
	for _, row := range l.Lost {
		if row.What == LostValue {
			r.field(l, row.Field).Listed++
		}
	}
	return nil
}

// redirect lists the old addresses of lines, those from the index from in b, and keeps the slugs that their entries had.
func (r *run) redirect(ctx context.Context, b *box, from int, lines []*Line) error {
	if !slices.ContainsFunc(lines, func(l *Line) bool { return len(l.Paths) > 0 }) {
		return nil
	}
	standing, err := r.standing(ctx, b, lines)
	if err != nil {
		return err
	}
	var former []query.EntrySlug
	for i, l := range lines {
		e := standing[i].entry
		if r.opts.Redirects != nil {
			r.list(b, l, e)
		}
		if e != nil && b.status[from+i] == written {
			former = append(former, formerSlugs(b.collection, l, e)...)
		}
	}
	return r.keepFormer(ctx, b, former)
}

// list writes the old addresses of a line, whose entry is e, to the table.
func (r *run) list(b *box, l *Line, e *core.Entry) {
	for _, path := range l.Paths {
		if e == nil {
			r.opts.Redirects.add(path, l.Collection, l.Locale, "", "")
			continue
		}
		r.opts.Redirects.add(path, l.Collection, e.Locale, fmt.Sprint(e.ID), b.collection.Slugged(e.Draft))
	}
}

// formerSlugs returns the slugs in the old addresses of a line that its entry has not now.
func formerSlugs(c *core.Collection, l *Line, e *core.Entry) (former []query.EntrySlug) {
	f := c.SlugField()
	if f == nil {
		return nil
	}
	now, _ := core.DecodeValue(f.Type, e.Draft.Value(f.Name))
	for _, path := range l.Paths {
		if text := slugIn(path, f); text != "" && text != now.Text {
			former = append(former, query.EntrySlug{EntryID: e.ID, Slug: text})
		}
	}
	return former
}

// slugIn returns the slug at the end of an address, or the path of one for a field of paths; empty: it has none.
func slugIn(address string, f *core.Field) string {
	u, err := url.Parse(address)
	if err != nil || u.RawQuery != "" {
		return ""
	}
	text := norm.NFC.String(strings.Trim(u.Path, "/"))
	if !f.Path {
		text = text[strings.LastIndexByte(text, '/')+1:]
	}
	if len(text) > fieldtype.MaxText || !slug.Valid(text, f.Style, f.Path) {
		return ""
	}
	return text
}

// keepFormer keeps former slugs of the collection of b. The event of the end of an import makes readers see them.
func (r *run) keepFormer(ctx context.Context, b *box, former []query.EntrySlug) error {
	if len(former) == 0 {
		return nil
	}
	return r.tx.Do(ctx, r.actor, func(ctx context.Context, stores ports.Stores) error {
		added, err := stores.Publications.AddFormerSlugs(ctx, r.project.ID, b.collection.SlugField(), former)
		if err != nil || added == 0 {
			return err
		}
		return stores.Events.Record(ctx, event.Event{
			Type: event.ImportFinished, TenantID: r.project.TenantID, ProjectID: r.project.ID,
			Imported: &event.Imported{Collections: []string{b.collection.Slug}},
		})
	})
}

// lines reads some lines.
func (b *box) lines(ctx context.Context, from, to int) (lines []*Line, err error) {
	for i := from; i < to; i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l, err := b.spool.at(b.at[i])
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}
