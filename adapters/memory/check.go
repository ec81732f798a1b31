package memory

import (
	"context"
	"maps"
	"slices"

	"imprimatur/core"
	"imprimatur/ports"
)

// indexChecks only walks the entries, because this store has no index to check.
type indexChecks struct{ conn }

func (s indexChecks) CheckEntries(ctx context.Context, schema core.Schema, after int64, limit int) (int64, []core.Difference, error) {
	last, err := entries(s).Reindex(ctx, schema, after, limit)
	return last, nil, err
}

func (indexChecks) CheckStrays(context.Context, int64, func(core.Difference)) error { return nil }

func (indexChecks) RepairStrays(context.Context, int64) error { return nil }

func (indexChecks) CheckTotals(context.Context, int64, func(core.Difference)) error { return nil }

func (indexChecks) RepairTotals(context.Context, int64) error { return nil }

type blobChecks struct{ conn }

func (s blobChecks) CheckHolders(ctx context.Context, projectID int64, report func(name string, needed, held int64)) error {
	counts, err := view(ctx, s.conn, func(st *state) ([2]map[string]int64, error) {
		return [2]map[string]int64{st.needed(projectID), st.holders(projectID)}, nil
	})
	needed, held := counts[0], counts[1]
	names := maps.Clone(held)
	maps.Copy(names, needed)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if needed[name] != held[name] {
			report(name, needed[name], held[name])
		}
	}
	return err
}

func (s blobChecks) RepairHolders(ctx context.Context, projectID int64, name string) error {
	return s.apply(ctx, func(st *state) {
		key := ports.HeldBlob{ProjectID: projectID, Name: name}
		blob := st.heldBlob(key)
		blob.holders = st.needed(projectID)[name]
		st.blobs.put(key, blob)
	})
}

func (s blobChecks) Held(ctx context.Context, projectID int64, after string, limit int) ([]string, error) {
	return view(ctx, s.conn, func(st *state) ([]string, error) {
		held := st.holders(projectID)
		names := slices.Sorted(maps.Keys(held))
		names = slices.DeleteFunc(names, func(name string) bool { return name <= after || held[name] == 0 })
		return names[:min(len(names), limit)], nil
	})
}
