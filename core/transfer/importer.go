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

// Importer writes entries of one collection from JSON Lines. A line is the body of a
// write with more members, all of them optional:
//
//	{"group":"c5d2…/17", "key":"CHE", "locale":"en", "published":true,
//	 "publishAt":"2026-…", "unpublishAt":"2027-…", "publishedAt":"2025-…", "fields":{…},
//	 "relations":{"borders":["DEU",{"group":"c5d2…/4","key":"FRA"}]},
//	 "media":{"cover":{"hash":"9f86…","fileName":"cover.jpg"}},
//	 "publishedVersion":{"fields":{…},"relations":{…},"media":{…}},
//	 "translations":{"de":{…fields…}}}
//
// The group is any text that names the line's translation group. It is remembered with
// the group, so that importing a file twice changes nothing, in whichever Project. A
// group that is not known yet is that of the entry with the line's key and locale, else a
// new one. Without a group, the key is the value of a unique field, and one key is one
// translation group. In a collection without a unique field, keys only join the lines of
// one run.
//
// Relations name groups, or keys of their target collection, in whatever order the lines
// come. Media are named by their bytes, and have to be in the library before.
// A translation starts from the line's own fields, relations and media.
//
// The fields are the draft, and with "published" true they become public, unless
// publishedVersion says what does: core.EntryWrite has its rules. publishedAt is since
// when an entry has been public that this import publishes without approval.
type Importer struct {
	collections ports.CollectionStore
	writer      ports.BatchWriter
}

// NewImporter returns an Importer that writes through writer, and so through its gate.
func NewImporter(stores ports.Stores, writer ports.BatchWriter) *Importer {
	return &Importer{collections: stores.Collections, writer: writer}
}

// ImportOptions say how to read a file.
type ImportOptions struct {
	// From is the first line to write, counted from 1; 0 is 1. Of the lines before it, those
	// with relations are written again: an interrupted run writes the relations to later
	// lines, and publishes, only at its end.
	From int64
	// KeyField names the unique field that keys are values of. Empty takes the
	// collection's first unique field.
	KeyField string
	// Publish is the value of "published" for lines without it; nil: none.
	Publish *bool
	// AllowIncomplete accepts incomplete drafts, as content.Write does. What a line publishes is
	// always complete.
	AllowIncomplete bool
	// Progress, when set, is called after each batch with the number of lines and bytes
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

// LineError is why a line was not written, or not all of it.
type LineError struct {
	Line int64
	Err  *core.Error
}

// Import writes the lines of in to the collection. A line that is refused is
// reported and the others are written all the same. The error is what stopped the
// run; the report then says how far it came. A read of in that was under way when the
// run stopped may still end afterwards.
func (im *Importer) Import(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID int64, in io.Reader, opts ImportOptions,
) (ImportReport, error) {
	schema, err := ports.SchemaOf(ctx, im.collections, project, collectionID)
	if err != nil {
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
	places       map[keyOf][]place // without key: where the keys of this run are
	later        []*line
	written      bool // all lines, but for the relations of later
	report       ImportReport
}

// lines writes all lines and collects their later parts. It reads the next portion while one
// is written.
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
	if err := r.inHalves(ctx, p.lines, step{"fields.", r.readAhead, r.writeLine}); err != nil {
		return true, err
	}
	r.report.Lines = p.number
	if r.opts.Progress != nil {
		r.opts.Progress(p.number, p.bytes)
	}
	return p.err != nil, nil
}

// keyField returns the field of c that keys are values of: the named one, else the
// first that will do, nil when there is none.
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

// firstKey returns the first field of c that keys can be values of, nil when there is none.
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

// keyFieldOf returns the field that keys of entries of c are values of, nil when there is none.
func (r *importRun) keyFieldOf(c *core.Collection) *core.Field {
	if c != nil && c.ID == r.collectionID {
		return r.key
	}
	return firstKey(c)
}

func isKey(f *core.Field) bool { return f.Unique && !f.Secret() }

// stopped is an error that stops a run, whatever its kind: no line is at fault.
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
	case core.KindInvalid, core.KindBadRequest, core.KindConflict, core.KindNotFound:
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
