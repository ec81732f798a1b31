package transfer

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/ports"
)

// Importer writes entries of one collection from JSON Lines. A line is the body of a write with
// additional members, all of them optional:
//
//	{"group":"c5d2…/17", "key":"CHE", "locale":"en", "published":true,
//	 "publishAt":"2026-…", "unpublishAt":"2027-…", "publishedAt":"2025-…", "fields":{…},
//	 "relations":{"borders":["DEU",{"group":"c5d2…/4","key":"FRA"}]},
//	 "media":{"cover":{"hash":"9f86…","fileName":"cover.jpg"}},
//	 "publishedVersion":{"fields":{…},"relations":{…},"media":{…}},
//	 "translations":{"de":{…fields…}}}
//
// The group is any text that identifies the line's translation group. It is stored with the group,
// so that importing a file twice changes nothing, in any Project. A group that is not known yet
// means the group of the entry with the line's key and locale, or else a new group. Without a
// group, the key, which is the value of a unique field, identifies the translation group. In a
// collection without a unique field, keys only join the lines of one run.
//
// Relations name groups, or keys of their target collection. The order of the lines does not
// matter. Media are identified by the hash of their bytes and must be in the library already. A
// translation starts from the line's own fields, relations and media.
//
// The fields are the draft. With "published" true the draft becomes public, or publishedVersion if
// the line has one; core.EntryWrite has the rules. If this import publishes an entry without
// approval, publishedAt is the time since which the entry has been public.
type Importer struct {
	collections ports.CollectionStore
	writer      ports.BatchWriter
}

// NewImporter returns an Importer. All its writes go through writer and its gate.
func NewImporter(stores ports.Stores, writer ports.BatchWriter) *Importer {
	return &Importer{collections: stores.Collections, writer: writer}
}

// ImportOptions are the options of an import.
type ImportOptions struct {
	// From is the first line to write, counted from 1; 0 is 1. Earlier lines with relations are
	// written again, because only the end of a run writes relations to later lines and publishes
	// their entries.
	From int64
	// KeyField names the unique field that has the keys as values; empty: the first unique field
	// of the collection.
	KeyField string
	// Publish is the value of "published" for lines without it; nil: none.
	Publish *bool
	// AllowIncomplete accepts incomplete drafts, as content.Write does. Versions that a line
	// publishes must always be complete.
	AllowIncomplete bool
	// Progress, unless it is nil, is called after each batch with the number of lines and bytes
	// processed so far.
	Progress func(lines, bytes int64)
}

// ImportReport is the result of an import.
type ImportReport struct {
	Lines     int64 // processed; an interrupted run is resumed with From = Lines+1
	Created   int64 // entries, translations included
	Updated   int64
	Unchanged int64
	Failed    []LineError // in the order of lines
}

// LineError is the reason why a line, or a part of it, was not written.
type LineError struct {
	Line int64
	Err  *core.Error
}

// Import writes the lines of in to the collection. It reports refused lines and writes the others.
// The error is the reason why the run stopped early; the report then has the progress of the run.
// A read of in that was in progress at that time may end after Import has returned.
func (im *Importer) Import(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, in io.Reader, opts ImportOptions,
) (ImportReport, error) {
	schema, err := ports.SchemaOf(ctx, im.collections, project, collectionID)
	if err != nil {
		return ImportReport{}, err
	}
	if schema.Collections, err = im.collections.Collections(ctx, project.ID); err != nil { // rich text links to any
		return ImportReport{}, err
	}
	key, err := keyField(schema.Collection, opts.KeyField)
	if err != nil {
		return ImportReport{}, err
	}
	run := &importRun{
		writer: im.writer, actor: actor, project: project, collectionID: collectionID,
		schema: schema, key: key, opts: opts, places: map[keyOf][]place{},
	}
	err = run.lines(ctx, in)
	if err == nil {
		err = run.relations(ctx)
	}
	slices.SortStableFunc(run.report.Failed, func(a, b LineError) int { return int(a.Line - b.Line) })
	return run.report, err
}

// importRun is one run of an Importer.
type importRun struct {
	writer       ports.BatchWriter
	actor        core.Actor
	project      *core.Project
	collectionID int64
	schema       core.Schema // at the start of the run
	key          *core.Field // nil: the collection has no field to find entries by
	opts         ImportOptions
	places       map[keyOf][]place // used if key is nil: the entries of the keys of this run
	later        []*line
	written      bool // all lines are written, except the relations of later
	pace         pace
	report       ImportReport
}

// lines writes all lines and collects their later parts. It reads one portion ahead.
func (r *importRun) lines(ctx context.Context, in io.Reader) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	portions := r.portions(reading, in)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-portions:
			last, err := r.write(ctx, p)
			if last || err != nil {
				return err
			}
		}
	}
}

// write writes one portion, and reports whether it was the last.
func (r *importRun) write(ctx context.Context, p portion) (last bool, err error) {
	if p.err != nil && !errors.Is(p.err, io.EOF) {
		return true, p.err
	}
	r.report.Failed = append(r.report.Failed, p.failed...)
	if err := r.paced(ctx, p.lines, step{"fields.", r.readAhead, r.writeLine}); err != nil {
		return true, err
	}
	r.report.Lines = p.number
	if r.opts.Progress != nil {
		r.opts.Progress(p.number, p.bytes)
	}
	return p.err != nil, nil
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

// refusal returns err if it is a fault of the line, and nil if it stops the run. prefix
// replaces "fields." in its locations.
func refusal(err error, prefix string) *core.Error {
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
		if rest, ok := strings.CutPrefix(f.Location, "fields."); ok {
			moved.Fields[i].Location = prefix + rest
		}
	}
	return &moved
}
