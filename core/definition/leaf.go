package definition

import (
	"context"
	"slices"
	"strconv"

	"imprimatur/core"
	"imprimatur/ports"
)

// assignLeaves sets the leaves of d to those that its fields and their components ask for. A leaf of a
// single value gets a slot while one is free, so that entries can be sorted by it. ready reports that no
// existing entry needs a back-fill.
func (d *definition) assignLeaves(ready bool) {
	leaves, filterable := d.Filterable(), 0
	for _, f := range leaves {
		f.ID, f.Slot, f.SlotReady, f.SearchReady, f.Default, f.Required = 0, "", ready, f.Searchable && ready, nil, false
		if old := d.Leaf(f.Name); old != nil && old.SameLeaf(f) {
			f.ID, f.Slot, f.SlotReady = old.ID, old.Slot, old.SlotReady
			f.SearchReady = f.Searchable && f.SlotReady && (old.SearchReady || ready)
			f.SlotReady = f.SlotReady && f.SearchReady == f.Searchable
		}
		if f.Filterable {
			filterable++
		}
	}
	if filterable > core.MaxLeaves {
		d.faults.Add("filterable", true, "gives the collection "+d.Slug+" "+strconv.Itoa(filterable)+" leaves; the most are "+strconv.Itoa(core.MaxLeaves))
		return
	}
	gone := slices.ContainsFunc(d.Leaves, func(old *core.Field) bool {
		return !slices.ContainsFunc(leaves, func(f *core.Field) bool { return f.ID == old.ID })
	})
	d.FormsReady = d.FormsReady && (!gone || ready) // the back-fill removes the rows of its index
	d.Leaves = leaves
	for _, f := range leaves {
		if f.ID == 0 {
			f.ID = d.NextFieldID
			d.NextFieldID++
			if slottable(f) {
				f.Slot = d.freeSlot(f.Kind())
			}
		}
	}
	d.components.Bind(d.Collection)
}

// settleLeaves returns the faults of the leaves of d, or assigns them. It indexes the new ones, and what
// searches find, at once if the collection has few entries, and leaves others to a back-fill.
func settleLeaves(ctx context.Context, stores ports.Stores, d *definition) error {
	unused, err := empty(ctx, stores.Entries, d)
	if err != nil {
		return err
	}
	d.assignLeaves(unused)
	if err := d.faults.Err(); err != nil || unused || !d.reworded && !slices.ContainsFunc(d.Leaves, unready) {
		return err
	}
	schema := core.Schema{Project: d.project, Collection: d.Collection, Collections: d.others}
	last, err := stores.Entries.Reindex(ctx, schema, 0, reindexBatch)
	if err != nil {
		return err
	}
	var more []core.Entry
	if last > 0 {
		more, err = stores.Entries.Walk(ctx, d.ProjectID, d.ID, last, 1)
	}
	if err != nil || len(more) > 0 {
		d.FormsReady = d.FormsReady && !d.reworded
		return err
	}
	leavesReady(d.Collection)
	return nil
}

// unready reports whether a back-fill of a leaf has not ended.
func unready(f *core.Field) bool { return !f.SlotReady }

// leavesReady marks the index of the leaves as filled.
func leavesReady(c *core.Collection) {
	for _, f := range c.Leaves {
		f.SlotReady, f.SearchReady = true, f.Searchable
	}
}
