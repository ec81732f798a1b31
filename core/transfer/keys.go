package transfer

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"imprimatur/core"
	"imprimatur/ports"
)

// keyring resolves the names on lines inside one transaction: entries by keys, translation
// groups by references, and media by hashes.
type keyring struct {
	run      *importRun
	schema   core.Schema
	batch    ports.Batch // nil: before the transaction
	known    map[keyOf][]member
	groups   map[string]group // by reference
	media    map[string][]core.MediaItem
	origins  []core.Origin      // added in the transaction
	refused  map[identity]int64 // numbers of the lines that the transaction has refused
	promised map[identity]int64 // the ids of groups that the transaction will create
}

// group is a translation group that a reference identifies.
type group struct {
	id, collection int64
	members        []member // outside the trash
}

// names are the names on lines: keys of entries, references of groups, hashes of media.
type names struct {
	keys   []keyOf
	groups []string
	hashes []string
}

func (n *names) add(collection int64, t target) {
	if t.group != "" {
		n.groups = append(n.groups, t.group)
	}
	if t.key != nil {
		n.keys = append(n.keys, keyOf{collection, string(t.key)})
	}
}

// keyOf is a canonical key of one collection.
type keyOf struct {
	collection int64
	key        string
}

// member is an entry with its translation group and locale.
type member struct {
	id, group int64
	locale    string
}

// openKeys returns a keyring with the entries, groups and media that wanted names.
func (r *importRun) openKeys(ctx context.Context, stores ports.Stores, schema core.Schema, wanted names) (*keyring, error) {
	ring := &keyring{
		run: r, schema: schema, known: map[keyOf][]member{}, groups: map[string]group{}, media: map[string][]core.MediaItem{},
		refused: map[identity]int64{}, promised: map[identity]int64{},
	}
	if err := ring.loadGroups(ctx, stores.Entries, stores.Origins, wanted.groups); err != nil {
		return nil, err
	}
	items, err := stores.Media.MediaByHash(ctx, r.project.ID, sorted(wanted.hashes))
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		for _, hash := range item.Hashes() {
			ring.media[hash] = append(ring.media[hash], item)
		}
	}
	byCollection := map[int64][]string{}
	for _, w := range wanted.keys {
		byCollection[w.collection] = append(byCollection[w.collection], w.key)
	}
	for id, keys := range byCollection {
		target := schema.ByID(id)
		if target == nil { // only links point to it
			target = r.schema.ByID(id)
		}
		if field := r.keyFieldOf(target); field != nil {
			if err := ring.load(ctx, stores.Entries, target, field, sorted(keys)); err != nil {
				return nil, err
			}
		}
	}
	return ring, nil
}

// load reads the entries of target that have one of keys in their draft.
func (ring *keyring) load(ctx context.Context, stored ports.EntryFinder, target *core.Collection, field *core.Field, keys []string) error {
	var values []core.UniqueValue
	for _, key := range keys {
		if value, ok := core.DecodeValue(field.Type, []byte(key)); ok {
			values = append(values, core.UniqueValue{Field: field.Name, Value: value})
		}
	}
	schema := ring.schema
	schema.Collection = target
	holders, err := stored.Holders(ctx, schema, schema.Project.Locales, values)
	if err != nil {
		return err
	}
	var ids []int64
	for _, h := range holders {
		ids = append(ids, h.Entry)
	}
	entries, err := stored.Entries(ctx, schema.Project.ID, sorted(ids))
	if err != nil {
		return err
	}
	for _, e := range entries {
		key := keyOf{target.ID, string(e.Draft.Values()[field.Name])}
		ring.known[key] = append(ring.known[key], member{id: e.ID, group: e.Group, locale: e.Locale})
	}
	return nil
}

// find returns an entry with that key, in that locale if possible.
func (ring *keyring) find(key keyOf, locale string) (member, bool) {
	members := ring.known[key]
	if len(members) == 0 {
		return member{}, false
	}
	return inLocale(members, locale), true
}

// add records the entry of a line's key, for later lines.
func (ring *keyring) add(key keyOf, at member) {
	if members := ring.known[key]; !slices.Contains(members, at) {
		ring.known[key] = append(slices.Clip(members), at)
	}
}

// remove records that the entry no longer has the key.
func (ring *keyring) remove(key keyOf, at member) {
	ring.known[key] = slices.DeleteFunc(slices.Clone(ring.known[key]), func(p member) bool { return p == at })
}

// refuse records a refused line that has changed nothing in the transaction.
func (ring *keyring) refuse(refused refusal, done *outcome) {
	done.refused = append(done.refused, refused)
	ring.withdraw(bundle{refused.line})
	for _, id := range refused.line.claims {
		ring.refused[id] = refused.line.number
	}
}

// loadGroups reads the groups that references identify. It ignores groups without entries.
func (ring *keyring) loadGroups(ctx context.Context, stored ports.EntryFinder, origins ports.OriginStore, references []string) error {
	if len(references) == 0 {
		return nil
	}
	references = sorted(references)
	project := ring.schema.Project
	ids := map[string]int64{}
	for _, reference := range references {
		if id, own := groupOf(project, reference); own {
			ids[reference] = id
		}
	}
	imported, err := origins.Origins(ctx, project.ID, references)
	if err != nil {
		return err
	}
	for _, o := range imported {
		ids[o.Reference] = o.Group
	}
	entries, err := stored.Translations(ctx, project.ID, sorted(slices.Collect(maps.Values(ids)))...)
	if err != nil {
		return err
	}
	byID := map[int64]group{}
	for _, e := range entries {
		g := byID[e.Group]
		g.id, g.collection = e.Group, e.CollectionID
		if e.TrashedAt.IsZero() {
			g.members = append(g.members, member{id: e.ID, group: e.Group, locale: e.Locale})
		}
		byID[e.Group] = g
	}
	for reference, id := range ids {
		if g, there := byID[id]; there {
			ring.groups[reference] = g
		}
	}
	return nil
}

// learn records that reference names the group of a written entry.
func (ring *keyring) learn(reference string, at member) {
	g, known := ring.groups[reference]
	if !known {
		g = group{id: at.group, collection: ring.run.collectionID}
		ring.origins = append(ring.origins, core.Origin{
			ProjectID: ring.run.project.ID, Reference: reference, CollectionID: g.collection, Group: g.id,
		})
	}
	if !slices.Contains(g.members, at) {
		g.members = append(slices.Clip(g.members), at)
	}
	ring.groups[reference] = g
}

// own returns the translation group of a line, or 0 when it does not exist yet. A reference that
// is not known yet means the group of the entry with the line's key and locale.
func (ring *keyring) own(l *line, locale string) (int64, error) {
	g, known := ring.groups[l.group]
	switch {
	case known && g.collection != ring.run.collectionID:
		return 0, core.Invalid(core.FieldError{Location: "group", Message: "is a group of another collection"})
	case known && len(g.members) == 0:
		return 0, core.Invalid(core.FieldError{Location: "group", Message: "is in the trash: restore or destroy its entries"})
	case known:
		return g.id, nil
	case l.key == nil:
		return ring.promisedTo(groupIdentity(l.group)), nil
	}
	at, found := ring.find(keyOf{ring.run.collectionID, string(l.key)}, locale)
	switch {
	case l.group != "" && at.locale != locale:
		return ring.promisedTo(groupIdentity(l.group)), nil
	case !found:
		return ring.promisedTo(keyIdentity(l.key)), nil
	}
	return at.group, nil
}

// promise gives an id to each new group of the lines of b, so that they can point to each other.
// It returns the error of a line that has a group of its own and must not.
func (ring *keyring) promise(b bundle) error {
	for _, q := range b {
		group, err := ring.own(q.line, localeOf(ring.schema.Project, q.line.write.Locale))
		if err != nil {
			if fault := faultOf(err, ""); fault != nil && !errors.Is(err, core.ErrChangedMeanwhile) {
				return refusal{q, fault}
			}
			return err
		}
		if group == 0 {
			group = q.ids[0]
		}
		for _, id := range q.claims {
			if ring.promised[id] == 0 {
				ring.promised[id] = group
			}
		}
	}
	return nil
}

// withdraw withdraws the promises for lines that are not written.
func (ring *keyring) withdraw(b bundle) {
	for _, q := range b {
		for _, id := range q.claims {
			delete(ring.promised, id)
		}
	}
}

// promisedTo returns the id of the promised group that a relation to id finds, or 0.
func (ring *keyring) promisedTo(id identity) int64 {
	group := ring.promised[id]
	if c := ring.run.cycle; group == 0 && c != nil {
		group = c.promised[id]
	}
	return group
}

// target returns the id of an entry that a relation points to with t, in that locale if possible. A later line may create an unknown group of the imported collection; the key is then
// used only after all lines are written.
func (ring *keyring) target(t target, locale string) (id int64, ok bool) {
	collection := ring.run.collectionOf(t.collection)
	g, known := ring.groups[t.group]
	if known && g.collection == collection && len(g.members) > 0 {
		return inLocale(g.members, locale).id, true
	}
	own := collection == ring.run.collectionID
	if own {
		if id = ring.promisedTo(groupIdentity(t.group)); id != 0 {
			ring.batch.Promise(id)
			return id, true
		}
	}
	if t.key == nil || own && t.group != "" && !known && !ring.run.ended {
		return 0, false
	}
	at, ok := ring.find(keyOf{collection, string(t.key)}, locale)
	if id = at.id; !ok && own {
		if id = ring.promisedTo(keyIdentity(t.key)); id != 0 {
			ring.batch.Promise(id)
		}
	}
	return id, id != 0
}

// file returns the id of a media item with the hash of f that is not in taken, if possible one
// with the same file name. If all such items are taken, it returns the first one.
func (ring *keyring) file(f file, taken []int64) (id int64, ok bool) {
	for _, item := range ring.media[f.Hash] {
		switch {
		case slices.Contains(taken, item.ID):
		case item.FileName == f.FileName:
			return item.ID, true
		case !ok:
			id, ok = item.ID, true
		}
	}
	if items := ring.media[f.Hash]; !ok && len(items) > 0 {
		return items[0].ID, true
	}
	return id, ok
}

func inLocale(members []member, locale string) member {
	i := slices.IndexFunc(members, func(p member) bool { return p.locale == locale })
	return members[max(i, 0)]
}

// groupReference returns the reference of a group that was created in the Project.
func groupReference(project *core.Project, id int64) string {
	return project.UUID + "/" + strconv.FormatInt(id, 10)
}

// groupOf is the inverse of groupReference. own is false for any other reference.
func groupOf(project *core.Project, reference string) (id int64, own bool) {
	digits, own := strings.CutPrefix(reference, project.UUID+"/")
	if !own {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	return id, err == nil && groupReference(project, id) == reference
}

// sorted returns the elements of list in ascending order, without duplicates.
func sorted[T cmp.Ordered](list []T) []T {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

// want adds the names on a line to wanted.
func (r *importRun) want(wanted *names, l *line) {
	wanted.add(r.collectionID, target{group: l.group, key: l.key})
	r.wantReferences(wanted, &l.draft)
	if l.public != nil {
		r.wantReferences(wanted, l.public)
	}
}

func (r *importRun) wantReferences(wanted *names, v *version) {
	for _, targets := range v.relations {
		for _, t := range targets {
			wanted.add(r.collectionOf(t.collection), t)
		}
	}
	v.links.want(r, wanted)
	for _, files := range v.media {
		for _, f := range files {
			wanted.hashes = append(wanted.hashes, f.Hash)
		}
	}
}
