package transfer

import (
	"context"
	"encoding/json"
	"io"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// Exporter writes the entries of one collection as JSON Lines that Importer reads:
// a line each, with the published version of an entry that has one, else its draft.
// What hidden and password fields hold is never written.
//
// The key of a line is the value of the collection's first unique field or, without
// one, the number of the translation group. Relations are keys where the target
// collection has such a field, else ids of entries.
type Exporter struct{ stores ports.Stores }

// NewExporter returns an Exporter that reads from stores.
func NewExporter(stores ports.Stores) *Exporter { return &Exporter{stores: stores} }

// exportBatch is how many entries are read at a time.
const exportBatch = 200

// Export writes a line for each entry that is not in the trash, in the order of
// ids, and returns how many. progress, when set, is told how many after each batch.
func (ex *Exporter) Export(
	ctx context.Context, project *core.Project, collectionID int64, out io.Writer, progress func(entries int64),
) (int64, error) {
	schema, err := schemaOf(ctx, ex.stores, project, collectionID)
	if err != nil {
		return 0, err
	}
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	written := int64(0)
	for after := int64(0); ; {
		entries, err := ex.stores.Entries.Walk(ctx, project.ID, collectionID, after, exportBatch)
		if err != nil || len(entries) == 0 {
			return written, err
		}
		after = entries[len(entries)-1].ID
		entries = slices.DeleteFunc(entries, func(e core.Entry) bool { return !e.TrashedAt.IsZero() })
		batch, err := ex.lines(ctx, schema, entries)
		if err != nil {
			return written, err
		}
		for _, line := range batch {
			if err := lines.Encode(line); err != nil {
				return written, err
			}
			written++
		}
		if progress != nil {
			progress(written)
		}
	}
}

// exportLine is a line as Importer reads it.
type exportLine struct {
	Key       json.RawMessage `json:"key,omitempty"`
	Locale    string          `json:"locale"`
	Published bool            `json:"published"`
	Fields    json.RawMessage `json:"fields"`
	Relations json.RawMessage `json:"relations,omitempty"`
}

func (ex *Exporter) lines(ctx context.Context, schema core.Schema, entries []core.Entry) ([]exportLine, error) {
	targets, err := ex.targets(ctx, schema, entries)
	if err != nil {
		return nil, err
	}
	key, _ := keyField(schema.Collection, "")
	lines := make([]exportLine, len(entries))
	for i := range entries {
		e := &entries[i]
		values := exported(e).Values()
		line := exportLine{Key: formatID(e.Group), Locale: e.Locale, Published: e.Published != nil}
		if key != nil {
			line.Key = values[key.Name]
		}
		var fields, relations members
		for _, f := range schema.Collection.Fields {
			switch value := values[f.Name]; {
			case f.Secret():
			case f.Type != core.TypeRelation:
				fields.add(f, value)
			default:
				value, keyed := targets.relation(f, value)
				if keyed {
					relations.add(f, value)
				} else {
					fields.add(f, value)
				}
			}
		}
		line.Fields, line.Relations = fields.object(), relations.object()
		if len(relations) == 0 {
			line.Relations = nil
		}
		lines[i] = line
	}
	return lines, nil
}

// exported returns the version of e that is exported.
func exported(e *core.Entry) core.Document {
	if e.Published != nil {
		return e.Published
	}
	return e.Draft
}

// exportTargets are the entries that relations of a batch point to.
type exportTargets struct {
	schema core.Schema
	rows   map[int64]core.Row // by translation group
}

// targets reads a member of each translation group that entries point to: one with a
// key, if any has one.
func (ex *Exporter) targets(ctx context.Context, schema core.Schema, entries []core.Entry) (exportTargets, error) {
	found := exportTargets{schema: schema, rows: map[int64]core.Row{}}
	var groups []int64
	for i := range entries {
		values := exported(&entries[i]).Values()
		for _, f := range schema.Collection.Fields {
			if f.Type == core.TypeRelation && !f.Secret() {
				groups = append(groups, idsIn(values[f.Name])...)
			}
		}
	}
	slices.Sort(groups)
	if groups = slices.Compact(groups); len(groups) == 0 {
		return found, nil
	}
	everyLocale := uint64(1)<<len(schema.Project.Locales) - 1
	rows, err := ex.stores.Entries.Serving(ctx, schema.Project.ID, core.StateWithDraft, groups, everyLocale, true)
	if err != nil {
		return found, err
	}
	slices.SortFunc(rows, func(a, b core.Row) int { return int(a.ID - b.ID) })
	for _, row := range rows {
		if _, there := found.rows[row.Group]; !there || found.key(found.rows[row.Group]) == nil {
			found.rows[row.Group] = row
		}
	}
	return found, nil
}

// key returns the key of row, nil when it has none.
func (t exportTargets) key(row core.Row) json.RawMessage {
	collection := t.schema.ByID(row.CollectionID)
	if collection == nil {
		return nil
	}
	field, _ := keyField(collection, "")
	switch {
	case field != nil:
		return row.Document.Values()[field.Name]
	case collection == t.schema.Collection:
		return formatID(row.Group)
	}
	return nil
}

// relation returns the value of relation f with keys in the place of groups, if the
// target collection has keys, else with ids. Targets that are gone are left out.
func (t exportTargets) relation(f *core.Field, stored json.RawMessage) (value json.RawMessage, keyed bool) {
	keyed = t.keyed(f)
	list := []byte{'['}
	for _, group := range idsIn(stored) {
		row, there := t.rows[group]
		reference := formatID(row.ID)
		if keyed {
			reference = t.key(row)
		}
		if !there || reference == nil {
			continue
		}
		if !f.Multiple {
			return reference, keyed
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, reference...)
	}
	if !f.Multiple {
		return nil, keyed
	}
	return append(list, ']'), keyed
}

func (t exportTargets) keyed(f *core.Field) bool {
	target := t.schema.Target(f)
	if target == nil {
		return false
	}
	field, _ := keyField(target, "")
	return field != nil || target == t.schema.Collection
}

// members are the members of a JSON object that is being written.
type members []byte

// add appends the value of f; a field without one is null or an empty list, so that
// reading the line back gives it no default.
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
	*m = append(*m, '"')
	*m = append(*m, f.Name...)
	*m = append(*m, '"', ':')
	*m = append(*m, value...)
}

func (m members) object() json.RawMessage {
	return append(append(json.RawMessage{'{'}, m...), '}')
}
