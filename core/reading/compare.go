package reading

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// The kinds of versions of an entry. Only revisions and publications have numbers.
const (
	draftVersion     = "draft"
	publishedVersion = "published"
	revisionKind     = "revision"
	publicationKind  = "publication"
)

// versionName names a version of an entry.
type versionName struct {
	kind   string
	number int64 // 0: the kind has one version
}

// versionNamed returns the version that a client names beside one of the kind: "draft", "published", the number of
// another version of the kind, or "revision:3" and "publication:3".
func versionNamed(kind, text string) (versionName, error) {
	if text == draftVersion || text == publishedVersion {
		return versionName{kind: text}, nil
	}
	name := versionName{kind: kind}
	if of, number, given := strings.Cut(text, ":"); given && (of == revisionKind || of == publicationKind) {
		name.kind, text = of, number
	}
	var err error
	if name.number, err = strconv.ParseInt(text, 10, 64); err != nil || name.number < 1 || strconv.FormatInt(name.number, 10) != text {
		return name, core.BadParameter("to", nil, "must be draft, published, the number of a "+kind+", or revision: or publication: and its number")
	}
	return name, nil
}

// RevisionDiff returns the differences from a revision to another version of the entry as a JSON
// Patch (RFC 6902) of their fields. to is "draft", "published", the number of a revision, or "publication:" and the
// number of one. For an unpublished entry, "published" has no fields. The member "@media" holds the sealed media.
func (d *Drafts) RevisionDiff(ctx context.Context, ref review.EntryRef, number int64, to string) (json.RawMessage, error) {
	p, err := d.pair(ctx, ref, versionName{revisionKind, number}, to)
	if err != nil {
		return nil, err
	}
	return core.Patch(p.from, p.to)
}

// RevisionChanges is RevisionDiff by the keys of items.
func (d *Drafts) RevisionChanges(ctx context.Context, ref review.EntryRef, number int64, to string) ([]core.Change, error) {
	return d.changes(ctx, ref, versionName{revisionKind, number}, to)
}

// PublicationChanges returns the differences from a publication to another version of the entry by the keys of items.
// to is the number of a publication, also of an entry that is in the trash or destroyed, or as in RevisionDiff
// "draft", "published", or "revision:" and the number of one. A publication that sealed no media shows the words that
// the library has now.
func (d *Drafts) PublicationChanges(ctx context.Context, ref review.EntryRef, number int64, to string) ([]core.Change, error) {
	return d.changes(ctx, ref, versionName{publicationKind, number}, to)
}

func (d *Drafts) changes(ctx context.Context, ref review.EntryRef, name versionName, to string) ([]core.Change, error) {
	p, err := d.pair(ctx, ref, name, to)
	if err != nil {
		return nil, err
	}
	from, err := canonical.Transform(p.from)
	if err != nil {
		return nil, err
	}
	target, err := canonical.Transform(p.to)
	return p.collection.Changes(from, target), err
}

// pair is two versions of an entry that are compared: their fields with the sealed media as core.MediaMember. They are
// not canonical.
type pair struct {
	collection *core.Collection
	from, to   []byte
}

// pair returns a version and the one that to names. Fields are as in Managed.Fields. Beside a publication they are as
// in a snapshot instead: that also has media and relations whose targets no longer exist.
func (d *Drafts) pair(ctx context.Context, ref review.EntryRef, name versionName, to string) (p pair, err error) {
	target, err := versionNamed(name.kind, to)
	if err != nil {
		return p, err
	}
	schema, e, stored, err := d.versions(ctx, ref, name, target)
	if err != nil {
		return p, err
	}
	c, before, after := schema.Collection, &stored[0], &stored[1]
	if name.kind == publicationKind || target.kind == publicationKind {
		from, to := c.VersionOf(before.Fields, before.Media), c.VersionOf(after.Fields, after.Media)
		return pair{c, from.Document(), to.Document()}, nil
	}
	fields, err := d.fieldsOf(ctx, schema, &e, before.Fields, after.Fields)
	if err != nil {
		return p, err
	}
	if after.Fields == nil {
		fields[1] = json.RawMessage("{}")
	}
	return pair{
		c,
		core.WithMedia(fields[0], visibleMedia(c, before.Fields, before.Media)),
		core.WithMedia(fields[1], visibleMedia(c, after.Fields, after.Media)),
	}, nil
}

// versions returns the named versions as they are stored. The entry is read, and may not be in the trash, unless all are
// publications.
func (d *Drafts) versions(ctx context.Context, ref review.EntryRef, names ...versionName) (schema core.Schema, e core.Entry, found []core.Version, err error) {
	var numbers []int64
	ofEntry := false
	for _, name := range names {
		ofEntry = ofEntry || name.kind != publicationKind
		if name.kind == revisionKind {
			numbers = append(numbers, name.number)
		}
	}
	var revisions []core.PastRevision
	switch {
	case len(numbers) > 0:
		schema, e, revisions, err = d.revisionsOf(ctx, ref, numbers...)
	case ofEntry:
		schema, e, err = d.entry(ctx, ref)
	default:
		schema, err = d.schema(ctx, ref.Project, ref.CollectionID)
	}
	for i := 0; i < len(names) && err == nil; i++ {
		var v core.Version
		if names[i].kind == revisionKind {
			v, revisions = core.Version{Fields: revisions[0].Fields, Media: revisions[0].Media}, revisions[1:]
		} else {
			v, err = d.version(ctx, ref, schema.Collection, &e, names[i])
		}
		found = append(found, v)
	}
	return schema, e, found, err
}

// version returns a version that is not a revision. One that sealed no media has those of the library.
func (d *Drafts) version(ctx context.Context, ref review.EntryRef, c *core.Collection, e *core.Entry, name versionName) (v core.Version, err error) {
	switch name.kind {
	case draftVersion:
		v.Fields = e.Draft
	case publishedVersion:
		v = core.Version{Fields: e.Published, Media: e.PublishedMedia}
	default:
		p, err := d.stores.Publications.Publication(ctx, ref.Project.ID, ref.CollectionID, ref.ID, name.number)
		if err != nil {
			return v, named(err, publicationKind)
		}
		content := core.Document(p.Content)
		v = core.Version{Fields: content.Value("fields"), Media: content.Value("media")}
	}
	if v.Media == nil && v.Fields != nil {
		v.Media, err = ports.Seal(ctx, d.stores.Media, ref.Project.ID, c, v.Fields)
	}
	return v, err
}
