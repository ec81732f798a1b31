package content

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/core/fieldtype"
	"imprimatur/ports"
)

// DefaultRevisions is the default number of revisions on a page.
const DefaultRevisions = 24

// RevisionView is a revision with its content. Changed does not name secret fields.
type RevisionView struct {
	core.RevisionRecord
	Fields json.RawMessage // as Managed.Fields
	Media  core.Document   // the sealed media of Fields; nil: none
}

// Revisions lists the revisions of an entry that is not in the trash, the newest first. Changed does
// not name secret fields. page starts at 1. 0 means the default: page 1, DefaultRevisions per page.
func (m *Manager) Revisions(
	ctx context.Context, project *core.Project, collectionID, id, page, perPage int64,
) (p core.Page[core.RevisionRecord], err error) {
	p.Page, p.PerPage = max(page, 1), cmp.Or(perPage, DefaultRevisions)
	switch {
	case p.PerPage < 1 || p.PerPage > core.MaxPerPage:
		return p, core.BadParameter("perPage", nil, "must be from 1 to "+strconv.Itoa(core.MaxPerPage))
	case p.Page > maxRevisionPage:
		return p, core.BadParameter("page", nil, "must be at most "+strconv.Itoa(maxRevisionPage))
	}
	schema, e, err := m.entry(ctx, project, collectionID, id)
	if err != nil {
		return p, err
	}
	if p.Total, err = m.stores.Revisions.Count(ctx, project.ID, id); err != nil {
		return p, err
	}
	p.Total++ // the newest revision is stored in the entry
	q := core.RevisionQuery{ProjectID: project.ID, EntryID: id, Offset: p.Offset() - 1, Limit: p.PerPage}
	if p.Page == 1 {
		newest, err := core.DecodeRevision(e.Revision)
		if err != nil {
			return p, err
		}
		p.Items = append(p.Items, newest)
		q.Offset, q.Limit = 0, p.PerPage-1
	}
	if q.Limit > 0 {
		past, err := m.stores.Revisions.Revisions(ctx, q)
		if err != nil {
			return p, err
		}
		for _, r := range past {
			p.Items = append(p.Items, r.RevisionRecord)
		}
	}
	for i := range p.Items {
		p.Items[i].Changed = shownNames(schema.Collection, p.Items[i].Changed)
	}
	p.HasMore = p.Page*p.PerPage < p.Total
	return p, nil
}

// maxRevisionPage keeps the offset of a page within an int64.
const maxRevisionPage = 1_000_000_000

// shownNames returns names without the names of secret fields.
func shownNames(c *core.Collection, names []string) []string {
	return slices.DeleteFunc(append([]string{}, names...), func(name string) bool {
		return slices.ContainsFunc(slices.Concat(c.Fields, c.Removed), func(f *core.Field) bool { return f.Name == name && f.Secret() })
	})
}

// Revision returns a revision of an entry that is not in the trash.
func (m *Manager) Revision(ctx context.Context, project *core.Project, collectionID, id, number int64) (*RevisionView, error) {
	schema, e, revisions, err := m.revisionsOf(ctx, project, collectionID, id, number)
	if err != nil {
		return nil, err
	}
	r := revisions[0]
	fields, err := m.fieldsOf(ctx, schema, &e, r.fields)
	if err != nil {
		return nil, err
	}
	r.Changed = shownNames(schema.Collection, r.Changed)
	return &RevisionView{RevisionRecord: r.RevisionRecord, Fields: fields[0], Media: visibleMedia(schema.Collection, r.fields, r.media)}, nil
}

// RevisionDiff returns the differences from a revision to another version of the entry as a JSON
// Patch (RFC 6902) of their fields. to is "draft", "published" or the number of a revision. For an
// unpublished entry, "published" has no fields. The member "@media" holds the sealed media.
func (m *Manager) RevisionDiff(ctx context.Context, project *core.Project, collectionID, id, number int64, to string) (json.RawMessage, error) {
	numbers := []int64{number}
	if to != "draft" && to != "published" {
		other, err := strconv.ParseInt(to, 10, 64)
		if err != nil || other < 1 || strconv.FormatInt(other, 10) != to {
			return nil, core.BadParameter("to", nil, "must be draft, published or the number of a revision")
		}
		numbers = append(numbers, other)
	}
	schema, e, revisions, err := m.revisionsOf(ctx, project, collectionID, id, numbers...)
	if err != nil {
		return nil, err
	}
	from, target := revisions[0], revisions[len(revisions)-1]
	switch to {
	case "draft":
		target.fields = e.Draft
		target.media, err = ports.Seal(ctx, m.stores.Media, project.ID, schema.Collection, e.Draft)
	case "published":
		target.fields, target.media = e.Published, e.PublishedMedia
		if e.Published != nil && e.PublishedMedia == nil {
			target.media, err = ports.Seal(ctx, m.stores.Media, project.ID, schema.Collection, e.Published)
		}
	}
	if err != nil {
		return nil, err
	}
	fields, err := m.fieldsOf(ctx, schema, &e, from.fields, target.fields)
	if err != nil {
		return nil, err
	}
	if target.fields == nil {
		fields[1] = json.RawMessage("{}")
	}
	return core.Patch(
		core.WithMedia(fields[0], visibleMedia(schema.Collection, from.fields, from.media)),
		core.WithMedia(fields[1], visibleMedia(schema.Collection, target.fields, target.media)),
	)
}

// fieldsOf returns documents as versions of e in the shape of Managed.Fields.
func (m *Manager) fieldsOf(ctx context.Context, schema core.Schema, e *core.Entry, docs ...core.Document) ([]json.RawMessage, error) {
	rows := make([]core.Row, len(docs))
	for i, doc := range docs {
		rows[i] = e.Row(core.StateWithDraft)
		rows[i].Document = doc
	}
	fields, _, err := m.fields(ctx, schema, rows)
	return fields, err
}

// visibleMedia returns the members of sealed that doc shows in fields that are not secret in the
// present definition.
func visibleMedia(c *core.Collection, doc, sealed core.Document) core.Document {
	return c.OnlyShown(sealed, doc)
}

// pastContent is a revision with the content that it restores.
type pastContent struct {
	core.RevisionRecord
	fields, media core.Document
}

// revisionsOf returns an entry that is not in the trash and its revisions with the given numbers.
// It reads again if a write has changed the revisions between the reads.
func (m *Manager) revisionsOf(
	ctx context.Context, project *core.Project, collectionID, id int64, numbers ...int64,
) (schema core.Schema, e core.Entry, revisions []pastContent, err error) {
	err = retry(ctx, func() error {
		if schema, e, err = m.entry(ctx, project, collectionID, id); err != nil {
			return err
		}
		revisions, err = readRevisions(ctx, m.stores.Revisions, schema.Collection, &e, numbers...)
		if err != nil && !errors.Is(err, core.ErrNotFound) {
			return err
		}
		now, failed := m.stores.Entries.Entry(ctx, project.ID, id)
		if failed == nil && string(now.Revision) != string(e.Revision) {
			return core.ErrChangedMeanwhile
		}
		return errors.Join(err, failed)
	})
	return schema, e, revisions, err
}

// readRevisions returns the revisions of e with the given numbers, in their order. The caller
// ensures that no other write changes e meanwhile.
func readRevisions(
	ctx context.Context, store ports.RevisionStore, c *core.Collection, e *core.Entry, numbers ...int64,
) ([]pastContent, error) {
	newest, err := core.DecodeRevision(e.Revision)
	if err != nil {
		return nil, err
	}
	chain := []core.RevisionRecord{newest}
	if least := slices.Min(numbers); least < newest.Number {
		past, err := store.Revisions(ctx, core.RevisionQuery{ProjectID: e.ProjectID, EntryID: e.ID, From: least})
		if err != nil {
			return nil, err
		}
		for _, r := range past {
			chain = append(chain, r.RevisionRecord)
		}
	}
	found := make([]pastContent, len(numbers))
	content := c.RevisionContent(e.Draft, core.Document(newest.Media))
	for i, r := range chain {
		if i > 0 {
			if content, err = chain[i-1].Undo.Apply(content); err != nil {
				return nil, err
			}
		}
		for n := range numbers {
			if numbers[n] == r.Number {
				found[n] = pastContent{r, content.Value("fields"), content.Value("media")}
			}
		}
	}
	if slices.ContainsFunc(found, func(r pastContent) bool { return r.Number == 0 }) {
		return nil, core.NotFound("revision")
	}
	return found, nil
}

// RestoreRevision makes the content of a revision the draft, as a new revision. Passwords and the
// published version do not change. The draft may be incomplete. core.ErrInvalid has all faults, including targets of
// references that no longer exist. Managed.Dropped of the result names the fields that no longer
// exist. It returns core.ErrNotFound also when the entry has no such revision.
func (w *Writer) RestoreRevision(
	ctx context.Context, actor core.Actor, project *core.Project, collectionID, id, number int64, ifMatch *int64,
) (*Managed, error) {
	var dropped []string
	m, err := w.change(ctx, actor, project, collectionID, id, ifMatch, live, func(ctx context.Context, k *work, e *core.Entry) error {
		revisions, err := readRevisions(ctx, k.stores.Revisions, k.schema.Collection, e, number)
		if err != nil {
			return err
		}
		values := revisions[0].fields.Values()
		fields, err := k.restored(ctx, values)
		if err != nil {
			return err
		}
		in := input{EntryWrite: core.EntryWrite{AllowIncomplete: true}, keepPublished: true}
		if in.Fields, err = checkFields(ctx, k.hasher, k.schema.Collection, fields, e.Draft); err != nil {
			return err
		}
		dropped = k.dropped(values)
		k.restoring = true
		return k.write(ctx, e, in)
	})
	if err != nil {
		return nil, err
	}
	m.Dropped = dropped
	return m, nil
}

// restored returns the values of a revision as a write of all fields except passwords. Stored
// references to entries are translation groups, but a write names an entry of the group.
func (k *work) restored(ctx context.Context, values map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	members, err := k.groupMembers(ctx, values)
	if err != nil {
		return nil, err
	}
	fields := map[string]json.RawMessage{}
	for _, f := range k.schema.Collection.Fields {
		value := values[f.Name]
		switch {
		case fieldtype.Of(f.Type).Secret:
			continue
		case value == nil:
			value = json.RawMessage("null")
		case f.Type == core.TypeRelation:
			ids := core.ReferenceIDs(value)
			for i, group := range ids {
				if id, ok := members[groupIn{group, f.Collection}]; ok {
					ids[i] = id
				}
			}
			value = core.ReferenceValue(f, ids)
		case f.HasLinks():
			value = f.EditLinks(value, func(_ string, l *core.Link) {
				if id, ok := members[groupIn{l.ID, ""}]; ok && l.Target == core.ToGroup {
					l.PointTo(core.ToGroup, id)
				}
			})
		}
		fields[f.Name] = value
	}
	return fields, nil
}

// groupIn is a translation group and the slug of its collection; "": any.
type groupIn struct {
	group      int64
	collection string
}

// groupMembers returns the id of one entry of each group that values name.
func (k *work) groupMembers(ctx context.Context, values map[string]json.RawMessage) (map[groupIn]int64, error) {
	entries, err := k.stores.Entries.Translations(ctx, k.schema.Project.ID, k.references(values).Groups...)
	if err != nil {
		return nil, err
	}
	members := map[groupIn]int64{}
	for i := range entries {
		if c := k.schema.ByID(entries[i].CollectionID); c != nil {
			members[groupIn{entries[i].Group, c.Slug}] = entries[i].ID
		}
		members[groupIn{entries[i].Group, ""}] = entries[i].ID
	}
	return members, nil
}

// dropped returns the names in values that are no field of the collection, without the names of
// secret fields.
func (k *work) dropped(values map[string]json.RawMessage) []string {
	c := k.schema.Collection
	gone := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { return c.Field(name) != nil })
	return shownNames(c, gone)
}
