package memory

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"imprimatur/ports"
)

// heldBlob is a name in the ledger of blobs.
type heldBlob struct{ holders, mark int64 }

func blobKey(projectID int64, name string) ports.HeldBlob {
	return ports.HeldBlob{ProjectID: projectID, Name: name}
}

type blobs struct{ conn }

func (s blobs) Hold(ctx context.Context, projectID int64, names []string) error {
	return s.add(ctx, projectID, names, 1)
}
func (s blobs) Release(ctx context.Context, projectID int64, names []string) error {
	return s.add(ctx, projectID, names, -1)
}

func (s blobs) add(ctx context.Context, projectID int64, names []string, n int64) error {
	return s.apply(ctx, func(st *state) {
		for _, name := range names {
			st.setHolders(blobKey(projectID, name), func(holders int64) int64 { return max(holders+n, 0) })
		}
	})
}

// setHolders changes the number of references to a name, a new one if it is unknown, and locks it.
func (st *state) setHolders(key ports.HeldBlob, set func(int64) int64) {
	blob, known := st.blobs.get(key)
	if !known {
		blob.mark = rand.Int64()
	}
	blob.holders = set(blob.holders)
	st.blobs.put(key, blob)
	st.lock(key.Name, key.ProjectID)
}

func (s blobs) Reserve(ctx context.Context, projectID int64, names []string, mark int64) (map[string]int64, error) {
	err := s.apply(ctx, func(st *state) {
		for _, name := range names {
			if key := blobKey(projectID, name); !st.blobs.has(key) {
				st.blobs.put(key, heldBlob{mark: mark})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return s.Marks(ctx, projectID, names)
}

func (s blobs) Unheld(ctx context.Context, limit int) ([]ports.HeldBlob, error) {
	return view(ctx, s.conn, func(st *state) (unheld []ports.HeldBlob, _ error) {
		for key, blob := range st.blobs.each {
			if blob.holders == 0 && len(unheld) < limit {
				unheld = append(unheld, key)
			}
		}
		return unheld, nil
	})
}

func (s blobs) Forget(ctx context.Context, projectID int64, name string) (forgotten bool, err error) {
	err = s.apply(ctx, func(st *state) {
		key := blobKey(projectID, name)
		blob, known := st.blobs.get(key)
		if forgotten = known && blob.holders == 0; forgotten {
			st.blobs.remove(key)
		}
	})
	return forgotten, err
}

func (s blobs) Lock(ctx context.Context, projectID int64, name string) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) {
		st.lock(name, projectID)
		blob, _ := st.blobs.get(blobKey(projectID, name))
		return blob.holders > 0, nil
	})
}

func (s blobs) Marks(ctx context.Context, projectID int64, names []string) (map[string]int64, error) {
	return view(ctx, s.conn, func(st *state) (map[string]int64, error) {
		marks := map[string]int64{}
		for _, name := range names {
			if blob, known := st.blobs.get(blobKey(projectID, name)); known {
				marks[name] = blob.mark
			}
		}
		return marks, nil
	})
}

// releaseBlobs removes all references of a Project to blobs.
func (st *state) releaseBlobs(projectID int64) {
	for key := range st.blobs.each {
		if key.ProjectID == projectID {
			st.setHolders(key, func(int64) int64 { return 0 })
		}
	}
}

// needed returns the number of media items of a Project, including kept ones, by blob name.
func (st *state) needed(projectID int64) map[string]int64 {
	counts := map[string]int64{}
	for _, item := range append(st.media.of(projectID), st.kept.of(projectID)...) {
		for _, name := range item.Blobs() {
			counts[name]++
		}
	}
	return counts
}

// holders returns the reference counts of a Project by blob name.
func (st *state) holders(projectID int64) map[string]int64 {
	counts := map[string]int64{}
	for key, blob := range st.blobs.each {
		if key.ProjectID == projectID {
			counts[key.Name] = blob.holders
		}
	}
	return counts
}

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
		st.setHolders(blobKey(projectID, name), func(int64) int64 { return st.needed(projectID)[name] })
	})
}

func (s blobChecks) Held(ctx context.Context, projectID int64, after string, limit int) ([]string, error) {
	return view(ctx, s.conn, func(st *state) ([]string, error) {
		held := st.holders(projectID)
		names := slices.Sorted(maps.Keys(held))
		return first(slices.DeleteFunc(names, func(name string) bool { return name <= after || held[name] == 0 }), limit), nil
	})
}

type renditions struct{ store }

func (s renditions) Put(ctx context.Context, r ports.StoredRendition) error {
	return s.apply(ctx, func(st *state) {
		st.needLock(r.Original, r.ProjectID)
		st.renditions.put(blobKey(r.ProjectID, r.Name), r)
	})
}

func (s renditions) Touch(ctx context.Context, projectID int64, name string, before, at time.Time) error {
	return edit(ctx, s.store, blobKey(projectID, name), func(_ *state, r *ports.StoredRendition) error {
		if r.Used.Before(before) {
			r.Used = at
		}
		return nil
	})
}

func (s renditions) CountUsed(ctx context.Context, projectID int64, original string, since time.Time) (int64, error) {
	return count(ctx, s.store, func(r ports.StoredRendition) bool {
		return r.ProjectID == projectID && r.Original == original && r.Used.After(since)
	})
}

func (s renditions) Unused(ctx context.Context, before time.Time, limit int) ([]ports.StoredRendition, error) {
	unused, err := where(ctx, s.store, func(r ports.StoredRendition) bool { return r.Used.Before(before) })
	return first(unused, limit), err
}

func (s renditions) RemoveUnused(ctx context.Context, projectID int64, name string, before time.Time) (removed bool, err error) {
	err = s.apply(ctx, func(st *state) {
		r, found := st.renditions.get(blobKey(projectID, name))
		if removed = found && r.Used.Before(before); removed {
			st.renditions.remove(blobKey(projectID, name))
		}
	})
	return removed, err
}

func (s renditions) RemoveOf(ctx context.Context, projectID int64, original string) (names []string, err error) {
	err = s.apply(ctx, func(st *state) {
		for _, r := range st.renditions.where(func(r ports.StoredRendition) bool { return r.ProjectID == projectID && r.Original == original }) {
			names = append(names, r.Name)
			st.renditions.remove(blobKey(projectID, r.Name))
		}
	})
	return names, err
}

func (s renditions) Recorded(ctx context.Context, projectID int64, names []string) ([]string, error) {
	return view(ctx, s.conn, func(st *state) (recorded []string, _ error) {
		for _, name := range names {
			if st.renditions.has(blobKey(projectID, name)) {
				recorded = append(recorded, name)
			}
		}
		return recorded, nil
	})
}

// holds implements ports.HoldStore.
type holds struct{ store }

func (s holds) Keep(ctx context.Context, id string, lifetime time.Duration) error {
	return s.put(ctx, id, s.now().Add(lifetime))
}

func (s holds) End(ctx context.Context, id string) error {
	return s.apply(ctx, func(st *state) {
		removeIf(&st.byteHolds, func(held string, ends time.Time) bool { return held == id || !ends.After(s.now()) })
	})
}

func (s holds) Held(ctx context.Context) (bool, error) {
	return exists(ctx, s.store, func(ends time.Time) bool { return ends.After(s.now()) })
}
