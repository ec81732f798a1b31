package approval

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/ports"
)

// Diff has the differences between the versions of an entry as JSON Patches (RFC 6902) of their
// field objects, without secret fields. The object of a version that shows media also has
// MediaMember with the sealed media. The published version of an unpublished entry and the draft
// of a deleted entry are {}.
type Diff struct {
	PublishedToSnapshot json.RawMessage
	SnapshotToDraft     json.RawMessage // nil: the actor may not read the draft
	Published           *core.Version   // nil: unpublished
	Draft               *core.Version   // nil: the entry was deleted, or the actor may not read the draft
	// FromToSnapshot and From, the snapshot of an earlier request, are nil unless the caller named one.
	FromToSnapshot json.RawMessage
	From           *core.Version
	// Fields are the definitions of the fields, without secret ones; none if the collection was
	// deleted. A reviewer may be unable to read the collection itself.
	Fields []*core.Field
	// Components are those of the items in the versions, by ascending slug.
	Components []*core.Component
	// Faults are the required relations of the snapshot of an open request that have no public target now. A release
	// has none: its members may be the targets of each other.
	Faults []core.FieldError
	// Withheld is what the draft has in its items that the definition does not admit now. It stays, and is in no
	// version that is compared. nil if the actor may not read the draft.
	Withheld []core.Withheld
	// Library has the media items of the versions that still exist, with their current words. An
	// actor that may not read the draft gets the words of the snapshot or of the published version.
	Library []core.MediaItem
	// Assistants has the fields of the snapshot that assistants changed after the version that was public at submission.
	Assistants []core.FieldBy
}

// Diff compares the snapshot of an entry in the open or latest request of its own, or in that of a release, with the published version and with the draft. A member that ends has no snapshot:
// it is {}. An actor without a role in the Project, who sees the request through a custom role,
// gets nothing of the draft. If from is not 0, it also compares the snapshot with that of the request
// from. It returns core.ErrNotFound for an entry that the request does not have, and unless from is a request for the
// subject with the entry that the actor may see.
func (rs *Reviews) Diff(ctx context.Context, actor core.Actor, ref review.ItemRef, from int64) (*Diff, error) {
	v, err := rs.versions(ctx, actor, ref, from)
	if err != nil {
		return nil, err
	}
	d := &Diff{Library: v.library, Draft: v.draft, From: v.from}
	if v.collection != nil {
		if v.assisted {
			item := v.item
			if d.Assistants, err = ports.AssistantFields(ctx, rs.stores, v.collection, ref.Of().In().ID, ref.Entry(), item.BaseHash, item.ContentHash); err != nil {
				return nil, err
			}
		}
		if d.Faults, err = rs.unpublished(ctx, actor, ref.Of().In(), v); err != nil {
			return nil, err
		}
		d.Fields = slices.DeleteFunc(slices.Clone(v.collection.Fields), (*core.Field).Secret)
		if v.readsDraft {
			d.Withheld = v.collection.Withheld(v.entry.Draft)
		}
		components := v.collection.Components()
		for _, slug := range slices.Sorted(maps.Keys(components)) {
			d.Components = append(d.Components, components[slug])
		}
	}
	if v.isPublished {
		d.Published = &v.published
	}
	snapshot := v.snapshot.Document()
	if d.PublishedToSnapshot, err = core.Patch(v.published.Document(), snapshot); err != nil {
		return nil, err
	}
	if v.from != nil {
		if d.FromToSnapshot, err = core.Patch(v.from.Document(), snapshot); err != nil {
			return nil, err
		}
	}
	if !v.readsDraft {
		return d, nil
	}
	d.SnapshotToDraft, err = core.Patch(snapshot, v.draft.Document())
	return d, err
}

// unpublished returns Diff.Faults.
func (rs *Reviews) unpublished(ctx context.Context, actor core.Actor, project *core.Project, v *versions) ([]core.FieldError, error) {
	if !v.isOpen || v.together {
		return nil, nil
	}
	schema, err := ports.SchemaOf(ctx, rs.stores.Collections, project, v.collection.ID)
	if err != nil {
		return nil, err
	}
	targets := ports.TargetsIn(rs.stores, actor)
	targets.Titled = v.readsDraft
	var found core.Faults
	err = targets.AddUnpublished(ctx, schema, v.snapshot.Fields.Values(), ports.WhollyPublic(&v.entry), &found)
	return found.List, err
}

// Comparison names the two versions that Changes compares.
type Comparison struct {
	// From is the id of an earlier request for the subject, whose snapshot is the first version. 0 means
	// the published version or, if ToDraft is set, the snapshot of the present request.
	From    int64
	ToDraft bool // the second version is the draft, otherwise the snapshot of the present request
}

// Changes is Diff for one pair of versions, by the keys of items. An actor without a role in the
// Project gets core.ErrForbidden for the draft.
func (rs *Reviews) Changes(ctx context.Context, actor core.Actor, ref review.ItemRef, which Comparison) ([]core.Change, error) {
	v, err := rs.versions(ctx, actor, ref, which.From)
	if err != nil {
		return nil, err
	}
	if which.ToDraft && !v.readsDraft {
		return nil, core.Forbidden("reading the draft needs a role in the project")
	}
	from, to := &v.published, &v.snapshot
	if which.ToDraft {
		from, to = &v.snapshot, v.draft
	}
	if v.from != nil {
		from = v.from
	}
	return v.collection.Changes(from.Document(), to.Document()), nil
}

// versions are the versions of an entry that an actor may compare.
type versions struct {
	collection  *core.Collection // nil: deleted
	library     []core.MediaItem // as Diff.Library
	snapshot    core.Version     // of the open or latest request
	published   core.Version     // without fields unless isPublished
	isPublished bool
	from        *core.Version // the snapshot of an earlier request; nil: none was named
	isOpen      bool          // the request is
	together    bool          // the request is that of a release
	entry       core.Entry
	readsDraft  bool
	draft       *core.Version // nil: the entry was deleted, or the actor may not read it
	item        *review.RequestItem
	assisted    bool // assistants contributed to the request
}

// versions returns what Diff and Changes compare. It returns core.ErrNotFound unless the actor may see
// the request and it has the entry and, if from is not 0, also that one.
func (rs *Reviews) versions(ctx context.Context, actor core.Actor, ref review.ItemRef, from int64) (*versions, error) {
	r, err := find(ctx, rs.stores.Requests, actor, ref.Of())
	if err != nil {
		return nil, err
	}
	item, err := rs.itemOf(ctx, &r, ref.Entry())
	if err != nil {
		return nil, err
	}
	earlier, err := rs.earlier(ctx, actor, ref, from)
	if err != nil {
		return nil, err
	}
	project := ref.Of().In()
	v := &versions{readsDraft: actor.RoleInProject(project) != "", isOpen: r.Status.Open(), together: r.Release != nil, item: item}
	v.assisted = slices.ContainsFunc(r.Contributors, func(by core.ActorRef) bool { return by.Kind == core.KindAssistant })
	if v.collection, err = collectionOf(ctx, rs.stores.Collections, project.ID, item); err != nil {
		return nil, err
	}
	e, err := rs.stores.Entries.Entry(ctx, project.ID, ref.Entry())
	if err != nil && !errors.Is(err, core.ErrNotFound) {
		return nil, err
	}
	if v.entry = e; !v.readsDraft {
		e.Draft = nil
	}
	if v.collection != nil {
		shown := v.collection.References(e.Draft, e.Published, item.Fields(), earlier.Fields())
		if v.library, err = ports.MediaShown(ctx, rs.stores.Media, project.ID, shown); err != nil {
			return nil, err
		}
	}
	seen := e.PublishedMedia
	if seen == nil {
		seen = sealed(v.collection, e.Published, v.library)
	}
	v.snapshot = v.collection.VersionOf(item.Fields(), item.Media())
	v.published, v.isPublished = v.collection.VersionOf(e.Published, seen), e.Published != nil
	before := v.collection.VersionOf(earlier.Fields(), earlier.Media())
	if from != 0 {
		v.from = &before
	}
	if !v.readsDraft {
		v.library = withWords(v.library, v.snapshot.Media, v.published.Media, before.Media)
	} else if e.ID != 0 {
		draft := v.collection.VersionOf(e.Draft, sealed(v.collection, e.Draft, v.library))
		v.draft = &draft
	}
	return v, nil
}

// itemOf returns the item of an entry in a request, or core.ErrNotFound.
func (rs *Reviews) itemOf(ctx context.Context, r *review.Request, entryID int64) (*review.RequestItem, error) {
	if r.Release == nil {
		return r.Item(), nil
	}
	items, err := rs.stores.Requests.Items(ctx, r.ProjectID, r.ID, entryID)
	if err == nil && len(items) == 0 {
		err = core.NotFound("member")
	}
	if err != nil {
		return nil, err
	}
	return &items[0], nil
}

// earlier returns the item of the entry in the request with the id from, or the zero RequestItem for 0. It returns
// core.ErrNotFound unless it is a request for the subject, with the entry, that the actor may see.
func (rs *Reviews) earlier(ctx context.Context, actor core.Actor, ref review.ItemRef, from int64) (item review.RequestItem, err error) {
	if from == 0 {
		return item, nil
	}
	r, err := rs.stores.Requests.Request(ctx, ref.Of().In().ID, from)
	if errors.Is(err, core.ErrNotFound) || err == nil && !shows(actor, ref.Of(), &r) {
		return item, errNoRequest
	}
	if err != nil {
		return item, err
	}
	found, err := rs.itemOf(ctx, &r, ref.Entry())
	if err != nil {
		return item, err
	}
	return *found, nil
}

// withWords returns items with the words of the first version that has them, in place of those of
// the library. It leaves out items without such words.
func withWords(items []core.MediaItem, versions ...core.Document) []core.MediaItem {
	var shown []core.MediaItem
	for _, item := range items {
		for _, version := range versions {
			if words, ok := core.Unseal(version)[item.ID]; ok {
				shown = append(shown, words.WithWords(item))
				break
			}
		}
	}
	return shown
}

// sealed returns the sealed media of doc, or nil when the collection was deleted.
func sealed(collection *core.Collection, doc core.Document, library []core.MediaItem) core.Document {
	if collection == nil {
		return nil
	}
	return collection.Seal(doc, library)
}
