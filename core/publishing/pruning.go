package publishing

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// pruning removes the revisions that exceed the limit of the Project, those of all its entries together. The zero
// value has no entries.
type pruning struct {
	projectID int64
	through   []core.RevisionKey
	entries   map[int64]longHistory // by id
}

// longHistory is an entry with more revisions than the limit, and its newest one.
type longHistory struct {
	entry  *core.Entry
	newest *core.RevisionRecord
}

// add adds an entry, unless it has few revisions. newest is its newest revision.
func (p *pruning) add(project *core.Project, e *core.Entry, newest *core.RevisionRecord) {
	limit := project.RevisionLimit
	if limit == 0 || newest.Number <= limit {
		return
	}
	if p.entries == nil {
		p.entries = map[int64]longHistory{}
	}
	p.projectID = project.ID
	p.through = append(p.through, core.RevisionKey{EntryID: e.ID, Number: newest.Number - limit})
	p.entries[e.ID] = longHistory{e, newest}
}

// run removes the revisions of the added entries, and forgets the entries. It changes Entry.Revision of those whose
// newest revision follows a removed one.
func (p *pruning) run(ctx context.Context, revisions ports.RevisionStore) error {
	if len(p.through) == 0 {
		return nil
	}
	found, err := revisions.Prunable(ctx, p.projectID, p.through...)
	if err != nil {
		return err
	}
	past := make(map[int64][]core.Revision, len(p.through))
	for _, r := range found {
		past[r.EntryID] = append(past[r.EntryID], r)
	}
	var changed []core.Revision
	var removed []core.RevisionKey
	for _, of := range p.through {
		if len(past[of.EntryID]) == 0 {
			continue
		}
		rewritten, numbers := p.entries[of.EntryID].prune(past[of.EntryID], of.Number)
		changed = append(changed, rewritten...)
		for _, n := range numbers {
			removed = append(removed, core.RevisionKey{EntryID: of.EntryID, Number: n})
		}
	}
	projectID := p.projectID
	*p = pruning{}
	if err := revisions.Save(ctx, changed...); err != nil {
		return err
	}
	return revisions.Delete(ctx, projectID, removed...)
}

// prune returns the past revisions to save again, and the numbers of those to remove.
func (h longHistory) prune(past []core.Revision, through int64) (changed []core.Revision, removed []int64) {
	// The newest one is the successor if no past revision follows.
	rewritten, removed := core.PruneRevisions(slices.Concat(past, []core.Revision{{RevisionRecord: *h.newest}}), through)
	for _, r := range rewritten {
		if r.Number == h.newest.Number {
			h.newest.Undo = r.Undo
			h.entry.Revision = h.newest.Encode()
		} else {
			changed = append(changed, r)
		}
	}
	return changed, removed
}
