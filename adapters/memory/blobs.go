package memory

import (
	"context"

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
			blob := ports.HeldBlob{ProjectID: projectID, Name: name}
			holders, _ := st.blobs.get(blob)
			st.blobs.put(blob, max(holders+n, 0))
		}
	})
}

func (s blobs) Unheld(ctx context.Context, limit int) ([]ports.HeldBlob, error) {
	return view(ctx, s.conn, func(st *state) ([]ports.HeldBlob, error) {
		var unheld []ports.HeldBlob
		for blob, holders := range st.blobs.rows {
			if holders == 0 && len(unheld) < limit {
				unheld = append(unheld, blob)
			}
		}
		return unheld, nil
	})
}

func (s blobs) Forget(ctx context.Context, projectID int64, name string) (forgotten bool, err error) {
	err = s.apply(ctx, func(st *state) {
		blob := ports.HeldBlob{ProjectID: projectID, Name: name}
		holders, known := st.blobs.get(blob)
		if forgotten = known && holders == 0; forgotten {
			st.blobs.remove(blob)
		}
	})
	return forgotten, err
}

func (s blobs) Lock(ctx context.Context, projectID int64, name string) (bool, error) {
	return view(ctx, s.conn, func(st *state) (bool, error) { // transactions run one after another
		holders, _ := st.blobs.get(ports.HeldBlob{ProjectID: projectID, Name: name})
		return holders > 0, nil
	})
}

func (s blobs) Known(ctx context.Context, projectID int64, names []string) ([]string, error) {
	return view(ctx, s.conn, func(st *state) ([]string, error) {
		var known []string
		for _, name := range names {
			if _, ok := st.blobs.get(ports.HeldBlob{ProjectID: projectID, Name: name}); ok {
				known = append(known, name)
			}
		}
		return known, nil
	})
}

// releaseBlobs removes all references of a Project to blobs.
func (st *state) releaseBlobs(projectID int64) {
	for blob := range st.blobs.rows {
		if blob.ProjectID == projectID {
			st.blobs.put(blob, 0)
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
	for blob, holders := range st.blobs.rows {
		if blob.ProjectID == projectID {
			counts[blob.Name] = holders
		}
	}
	return counts
}
