package transfer

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/schedule"
	"imprimatur/ports"
)

// Exporter writes the entries of one collection as JSON Lines that Importer reads, one line per
// entry. A line has both versions, the time of a scheduled publication that no workflow governs,
// and the end of that publication or else of the current one. After an import into an empty
// Project, the export has the same lines. Values of hidden fields are written only on request, those
// of password fields and entries in the trash never.
//
// Lines name translation groups by references that are also valid in other Projects:
// "<UUID>/<id>", with the UUID of the Project where the group was created. A relation also has the
// key of its target if the target's collection has keys.
type Exporter struct{ stores ports.Stores }

// NewExporter returns an Exporter that reads from stores.
func NewExporter(stores ports.Stores) *Exporter { return &Exporter{stores: stores} }

// exportBatch is the number of entries that are read at once.
const exportBatch = 200

// ExportOptions are the options of an export.
type ExportOptions struct {
	// Hidden writes the values of hidden fields too. The caller must be allowed to read them.
	Hidden bool
	// Progress, unless it is nil, is called after each batch with the number of lines written.
	Progress func(entries int64)
}

// ExportReport is the result of an export.
type ExportReport struct {
	Entries           int64    // lines
	Hidden, Passwords []string // the names of fields whose values were left out
}

// leftOut returns a report with the fields of c whose values an export leaves out.
func (o ExportOptions) leftOut(c *core.Collection) (report ExportReport) {
	for _, f := range c.Fields {
		switch {
		case f.Type == core.TypePassword:
			report.Passwords = append(report.Passwords, f.Name)
		case f.Hidden && !o.Hidden:
			report.Hidden = append(report.Hidden, f.Name)
		}
	}
	return report
}

// withheld reports whether the values of f are left out.
func (o ExportOptions) withheld(f *core.Field) bool {
	return f.Type == core.TypePassword || f.Hidden && !o.Hidden
}

// Export writes a line for each entry that is not in the trash, ordered by id.
func (ex *Exporter) Export(
	ctx context.Context, project *core.Project, collectionID int64, out io.Writer, opts ExportOptions,
) (report ExportReport, err error) {
	schema, err := ports.SchemaOf(ctx, ex.stores.Collections, project, collectionID)
	if err != nil {
		return report, err
	}
	if schema.Collections, err = ex.stores.Collections.Collections(ctx, project.ID); err != nil { // rich text links to any
		return report, err
	}
	report = opts.leftOut(schema.Collection)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for after := int64(0); ; {
		entries, err := ex.stores.Entries.Walk(ctx, project.ID, collectionID, after, exportBatch)
		if err != nil || len(entries) == 0 {
			return report, err
		}
		after = entries[len(entries)-1].ID
		entries = slices.DeleteFunc(entries, func(e core.Entry) bool { return !e.TrashedAt.IsZero() })
		batch, err := ex.lines(ctx, schema, entries, opts)
		if err != nil {
			return report, err
		}
		for _, line := range batch {
			if err := lines.Encode(line); err != nil {
				return report, err
			}
			report.Entries++
		}
		if opts.Progress != nil {
			opts.Progress(report.Entries)
		}
	}
}

// exportLine is a line as Importer reads it.
type exportLine struct {
	Group       string `json:"group"`
	Locale      string `json:"locale"`
	Published   bool   `json:"published"`
	PublishAt   string `json:"publishAt,omitempty"`
	UnpublishAt string `json:"unpublishAt,omitempty"`
	PublishedAt string `json:"publishedAt,omitempty"`
	CreatedAt   string `json:"createdAt"`
	exportVersion
	PublishedVersion *exportVersion `json:"publishedVersion,omitempty"`
}

// exportVersion is one version of an entry on a line.
type exportVersion struct {
	Fields    json.RawMessage `json:"fields"`
	Relations json.RawMessage `json:"relations,omitempty"`
	Media     json.RawMessage `json:"media,omitempty"`
	Links     json.RawMessage `json:"links,omitempty"` // the targets of links in rich text
}

func (v exportVersion) equal(other exportVersion) bool {
	return string(v.Fields) == string(other.Fields) && string(v.Relations) == string(other.Relations) && string(v.Media) == string(other.Media) &&
		string(v.Links) == string(other.Links)
}

func (ex *Exporter) lines(ctx context.Context, schema core.Schema, entries []core.Entry, opts ExportOptions) ([]exportLine, error) {
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	scheduled, err := ex.stores.Schedules.ScheduledOf(ctx, schema.Project.ID, ids)
	if err != nil {
		return nil, err
	}
	periods := map[int64]schedule.Period{}
	for _, s := range scheduled {
		p := periods[s.EntryID]
		switch {
		case s.Action == schedule.Unpublish && p.From.IsZero():
			p.Until = s.DueAt
		case s.Action == schedule.Publish && s.RequestID == 0:
			p = schedule.Period{From: s.DueAt, Until: s.UnpublishAt}
		}
		periods[s.EntryID] = p
	}
	targets, err := ex.targets(ctx, schema, entries, opts)
	if err != nil {
		return nil, err
	}
	lines := make([]exportLine, len(entries))
	for i := range entries {
		lines[i] = targets.line(&entries[i], periods[entries[i].ID])
	}
	return lines, nil
}

// line returns the line of an entry. period is the period of its scheduled publication or, without
// a start, has the end of its current publication.
func (t exportTargets) line(e *core.Entry, period schedule.Period) exportLine {
	line := exportLine{Group: t.reference(e.Group), Locale: e.Locale, CreatedAt: core.FormatTime(e.CreatedAt), exportVersion: t.version(e.Draft)}
	line.Published = e.Published != nil || !period.From.IsZero()
	changed := false
	if e.Published != nil {
		public := t.version(e.Published)
		line.PublishedAt = core.FormatTime(e.PublishedAt)
		if changed = !public.equal(line.exportVersion); changed {
			line.PublishedVersion = &public
		}
	}
	// A schedule for a draft that is already public has no effect and is left out.
	if !period.From.IsZero() && (e.Published == nil || changed) {
		line.PublishAt = core.FormatTime(period.From)
	}
	if !period.Until.IsZero() {
		line.UnpublishAt = core.FormatTime(period.Until)
	}
	return line
}

// exportTargets has what a batch of entries refers to.
type exportTargets struct {
	schema  core.Schema
	opts    ExportOptions
	origins map[int64]string         // references of translation groups that were imported
	rows    map[int64]core.Row       // by translation group
	media   map[int64]core.MediaItem // by id
}

// targets reads one member of each translation group that entries point to, preferably one with a
// key, and the media items that entries point to.
func (ex *Exporter) targets(ctx context.Context, schema core.Schema, entries []core.Entry, opts ExportOptions) (exportTargets, error) {
	found := exportTargets{schema: schema, opts: opts, origins: map[int64]string{}, rows: map[int64]core.Row{}, media: map[int64]core.MediaItem{}}
	var own []int64
	var named core.References
	for i := range entries {
		own = append(own, entries[i].Group)
		for _, doc := range []core.Document{entries[i].Draft, entries[i].Published} {
			schema.Collection.EachReference(doc, func(f *core.Field) bool { return !opts.withheld(f) }, func(_ *core.Field, to core.Reference) { named.Add(to) })
		}
	}
	named.Settle()
	groups := named.Groups
	origins, err := ex.stores.Origins.OriginsOf(ctx, schema.Project.ID, sorted(slices.Concat(own, groups)))
	if err != nil {
		return found, err
	}
	for _, o := range origins {
		if _, there := found.origins[o.Group]; !there {
			found.origins[o.Group] = o.Reference
		}
	}
	items, err := ports.MediaShown(ctx, ex.stores.Media, schema.Project.ID, named)
	if err != nil {
		return found, err
	}
	for _, item := range items {
		found.media[item.ID] = item
	}
	if len(groups) == 0 {
		return found, nil
	}
	everyLocale := uint64(1)<<len(schema.Project.Locales) - 1
	rows, err := ex.stores.Entries.Serving(ctx, schema.Project.ID, core.StateWithDraft, groups, everyLocale, true)
	if err != nil {
		return found, err
	}
	slices.SortFunc(rows, func(a, b core.Row) int { return cmp.Compare(a.ID, b.ID) })
	for _, row := range rows {
		if _, there := found.rows[row.Group]; !there || found.key(found.rows[row.Group]) == nil {
			found.rows[row.Group] = row
		}
	}
	return found, nil
}

// reference returns the reference of a translation group of the Project.
func (t exportTargets) reference(group int64) string {
	if origin, imported := t.origins[group]; imported {
		return origin
	}
	return groupReference(t.schema.Project, group)
}

// version returns one version of an entry in the form of a line.
func (t exportTargets) version(doc core.Document) exportVersion {
	values := doc.Values()
	var fields, relations, media members
	var linked core.References
	for _, f := range t.schema.Collection.Fields {
		switch value := values[f.Name]; {
		case t.opts.withheld(f):
		case f.ToSeveral():
			relations.add(f, references(f, value, func(group int64) json.RawMessage { return t.admitted(f, group) }))
		case f.Type == core.TypeRelation:
			relations.add(f, references(f, value, t.relation))
		case f.Type == core.TypeMedia:
			media.add(f, references(f, value, t.file))
		case f.RefersInside():
			fields.add(f, f.EditValues(f.AsWritten(value), func(inner *core.Field, _ string, raw json.RawMessage) json.RawMessage {
				return t.inside(inner, raw, &linked)
			}))
		default:
			fields.add(f, value)
		}
	}
	linked.Settle()
	v := exportVersion{Fields: fields.object(), Links: t.links(linked)}
	if len(relations) > 0 {
		v.Relations = relations.object()
	}
	if len(media) > 0 {
		v.Media = media.object()
	}
	return v
}

// references returns the value of a reference field, with each id replaced by the result of show.
// It omits ids for which show returns nil, because their target was deleted.
func references(f *core.Field, stored json.RawMessage, show func(id int64) json.RawMessage) json.RawMessage {
	var list []byte
	for _, id := range core.ReferenceIDs(stored) {
		if shown := show(id); shown != nil {
			list = append(append(list, ','), shown...)
		}
	}
	switch {
	case len(list) == 0: // nil, like a field without a value
		return nil
	case !f.Multiple:
		return list[1:]
	}
	list[0] = '[' // replaces the comma before the first element
	return append(list, ']')
}

// relation returns the reference of a line to a translation group, or nil without an entry.
func (t exportTargets) relation(group int64) json.RawMessage {
	row, there := t.rows[group]
	if !there {
		return nil
	}
	b := append([]byte(`{"group":`), canonical.Quote(t.reference(group))...)
	if key := t.key(row); key != nil {
		b = append(append(b, `,"key":`...), key...)
	}
	return append(b, '}')
}

// named is relation with the slug of the collection of the entry, which exists.
func (t exportTargets) named(group int64) json.RawMessage {
	target := core.Document(t.relation(group)).Values()
	target["collection"] = canonical.Quote(t.schema.ByID(t.rows[group].CollectionID).Slug)
	return json.RawMessage(core.NewDocument(target))
}

// admitted is named for a relation to several collections, or nil unless it admits the entry.
func (t exportTargets) admitted(f *core.Field, group int64) json.RawMessage {
	if row, there := t.rows[group]; !there || !t.schema.Admits(f, row.CollectionID) {
		return nil
	}
	return t.named(group)
}

// key returns the key of row, or nil when it has none.
func (t exportTargets) key(row core.Row) json.RawMessage {
	field := firstKey(t.schema.ByID(row.CollectionID))
	if field == nil {
		return nil
	}
	key := row.Document.Values()[field.Name]
	if field.Missing(key) {
		return nil
	}
	return key
}

// file returns the reference of a line to a media item, or nil when the item was deleted.
func (t exportTargets) file(id int64) json.RawMessage {
	item, there := t.media[id]
	if !there {
		return nil
	}
	b := append([]byte(`{"hash":`), canonical.Quote(item.Hash)...)
	b = append(append(b, `,"fileName":`...), canonical.Quote(item.FileName)...)
	return append(b, '}')
}

// members are the members of a JSON object that is being written.
type members []byte

// add appends f with its value. A field without a value is written as null or [], so that an
// import does not set its default.
func (m *members) add(f *core.Field, value json.RawMessage) {
	switch {
	case value == nil && f.Multiple:
		value = json.RawMessage("[]")
	case value == nil:
		value = json.RawMessage("null")
	}
	if len(*m) > 0 {
		*m = append(*m, ',')
	}
	*m = append(append(append(*m, '"'), f.Name...), `":`...)
	*m = append(*m, value...)
}

func (m members) object() json.RawMessage {
	return append(append(json.RawMessage{'{'}, m...), '}')
}
