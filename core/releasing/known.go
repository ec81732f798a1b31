package releasing

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// targets has the entries and the media that the members of a release refer to, read together, so that checks of
// single members read nothing. Its stores answer what it has from memory and everything else from the database.
type targets struct {
	ports.EntryStore

	groups map[int64][]core.Entry // every group that was read; without documents if it is public
	ids    map[int64]core.Entry
	public map[int64]bool // groups that readers see after the release
	media  knownMedia
}

// knownMedia answers reads of items that are known.
type knownMedia struct {
	ports.MediaStore

	asked map[int64]bool
	items map[int64]core.MediaItem
}

// groupsAtOnce bounds the documents that are in memory at once.
const groupsAtOnce = 200

// readTargets reads what refs names. gone are the entries that the release unpublishes, and coming the groups of
// those that it publishes.
func readTargets(ctx context.Context, stores ports.Stores, project *core.Project, refs core.References, gone, coming map[int64]bool) (*targets, []core.MediaItem, error) {
	t := &targets{
		EntryStore: stores.Entries, groups: map[int64][]core.Entry{}, ids: map[int64]core.Entry{}, public: map[int64]bool{},
		media: knownMedia{MediaStore: stores.Media, asked: map[int64]bool{}, items: map[int64]core.MediaItem{}},
	}
	if err := t.readPublic(ctx, project, refs.Groups, gone, coming); err != nil {
		return nil, nil, err
	}
	for some := range slices.Chunk(refs.Groups, groupsAtOnce) {
		found, err := stores.Entries.Translations(ctx, project.ID, some...)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range some {
			t.groups[id] = nil
		}
		for _, e := range found {
			if e.Published = nil; t.public[e.Group] {
				e.Draft = nil // only faults of other groups name their title
			}
			t.groups[e.Group] = append(t.groups[e.Group], e)
			t.ids[e.ID] = e
		}
	}
	library, err := ports.MediaShown(ctx, stores.Media, project.ID, refs)
	for _, id := range refs.Media {
		t.media.asked[id] = true
	}
	for _, item := range library {
		t.media.items[item.ID] = item
	}
	return t, library, err
}

// readPublic finds the groups that readers see after the release.
func (t *targets) readPublic(ctx context.Context, project *core.Project, groups []int64, gone, coming map[int64]bool) error {
	if len(groups) == 0 {
		return nil
	}
	everyLocale := uint64(1)<<len(project.Locales) - 1
	rows, err := t.EntryStore.Serving(ctx, project.ID, core.StatePublished, groups, everyLocale, false)
	for _, r := range rows {
		t.public[r.Group] = t.public[r.Group] || !gone[r.ID]
	}
	for _, id := range groups {
		t.public[id] = t.public[id] || coming[id]
	}
	return err
}

// Translations implements ports.EntryFinder.
func (t *targets) Translations(ctx context.Context, projectID int64, groups ...int64) ([]core.Entry, error) {
	var found []core.Entry
	for _, id := range groups {
		members, known := t.groups[id]
		if !known {
			return t.EntryStore.Translations(ctx, projectID, groups...)
		}
		found = append(found, members...)
	}
	slices.SortFunc(found, func(a, b core.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return found, nil
}

// Entries implements ports.EntryFinder.
func (t *targets) Entries(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	found := make([]core.Entry, 0, len(ids))
	for _, id := range ids {
		e, known := t.ids[id]
		if !known {
			return t.EntryStore.Entries(ctx, projectID, ids)
		}
		found = append(found, e)
	}
	return found, nil
}

// Serving implements ports.EntryReader. Of known published groups it returns those that readers see after the release.
func (t *targets) Serving(ctx context.Context, projectID int64, state core.State, groups []int64, mask uint64, documents bool) ([]core.Row, error) {
	unknown := slices.ContainsFunc(groups, func(id int64) bool { _, known := t.groups[id]; return !known })
	if unknown || state != core.StatePublished || documents {
		return t.EntryStore.Serving(ctx, projectID, state, groups, mask, documents)
	}
	var rows []core.Row
	for _, id := range groups {
		if t.public[id] {
			rows = append(rows, core.Row{Group: id})
		}
	}
	return rows, nil
}

// MediaByIDs implements ports.MediaReader.
func (m *knownMedia) MediaByIDs(ctx context.Context, projectID int64, ids []int64) ([]core.MediaItem, error) {
	var found []core.MediaItem
	for _, id := range ids {
		if !m.asked[id] {
			return m.MediaStore.MediaByIDs(ctx, projectID, ids)
		}
		if item, exists := m.items[id]; exists {
			found = append(found, item)
		}
	}
	return found, nil
}
