package memory

import (
	"context"
	"math/rand/v2"

	"imprimatur/core"
	"imprimatur/ports"
)

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
			key := ports.HeldBlob{ProjectID: projectID, Name: name}
			blob := st.heldBlob(key)
			blob.holders = max(blob.holders+n, 0)
			st.blobs.put(key, blob)
		}
	})
}

// heldBlob returns a row of the ledger, a new one for an unknown name.
func (st *state) heldBlob(key ports.HeldBlob) heldBlob {
	blob, known := st.blobs.get(key)
	if !known {
		blob.mark = rand.Int64()
	}
	return blob
}

func (s blobs) Reserve(ctx context.Context, projectID int64, names []string, mark int64) (map[string]int64, error) {
	err := s.apply(ctx, func(st *state) {
		for _, name := range names {
			if key := (ports.HeldBlob{ProjectID: projectID, Name: name}); !st.blobs.has(key) {
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
	return view(ctx, s.conn, func(st *state) ([]ports.HeldBlob, error) {
		var unheld []ports.HeldBlob
		for key, blob := range st.blobs.rows {
			if blob.holders == 0 && len(unheld) < limit {
				unheld = append(unheld, key)
			}
		}
		return unheld, nil
	})
}

func (s blobs) Forget(ctx context.Context, projectID int64, name string) (forgotten bool, err error) {
	err = s.apply(ctx, func(st *state) {
		key := ports.HeldBlob{ProjectID: projectID, Name: name}
		blob, known := st.blobs.get(key)
		if forgotten = known && blob.holders == 0; forgotten {
			st.blobs.remove(key)
		}
	})
	return forgotten, err
}

func (s blobs) Lock(ctx context.Context, projectID int64, name string) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) { // transactions run one after another
		blob, _ := st.blobs.get(ports.HeldBlob{ProjectID: projectID, Name: name})
		return blob.holders > 0, nil
	})
}

func (s blobs) Marks(ctx context.Context, projectID int64, names []string) (map[string]int64, error) {
	return view(ctx, s.conn, func(st *state) (map[string]int64, error) {
		marks := map[string]int64{}
		for _, name := range names {
			if blob, known := st.blobs.get(ports.HeldBlob{ProjectID: projectID, Name: name}); known {
				marks[name] = blob.mark
			}
		}
		return marks, nil
	})
}

// releaseBlobs removes all references of a Project to blobs.
func (st *state) releaseBlobs(projectID int64) {
	for key, blob := range st.blobs.rows {
		if key.ProjectID == projectID {
			blob.holders = 0
			st.blobs.put(key, blob)
		}
	}
}

// needed returns the number of media items of a Project, including kept ones, by blob name.
func (st *state) needed(projectID int64) map[string]int64 {
	counts := map[string]int64{}
	ofProject := func(m core.MediaItem) bool { return m.ProjectID == projectID }
	for _, item := range append(st.media.all(ofProject), st.kept.all(ofProject)...) {
		for _, name := range item.Blobs() {
			counts[name]++
		}
	}
	return counts
}

// holders returns the reference counts of a Project by blob name.
func (st *state) holders(projectID int64) map[string]int64 {
	counts := map[string]int64{}
	for key, blob := range st.blobs.rows {
		if key.ProjectID == projectID {
			counts[key.Name] = blob.holders
		}
	}
	return counts
}
