package memory

import (
	"context"
	"time"

	"imprimatur/core"
	"imprimatur/ports"
)

// renditions implements ports.RenditionStore.
type renditions struct{ conn }

func (s renditions) Put(ctx context.Context, r ports.StoredRendition) error {
	return s.apply(ctx, func(st *state) { st.renditions.put(ports.HeldBlob{ProjectID: r.ProjectID, Name: r.Name}, r) })
}

func (s renditions) Touch(ctx context.Context, projectID int64, name string, before, at time.Time) error {
	found := false
	err := s.apply(ctx, func(st *state) {
		key := ports.HeldBlob{ProjectID: projectID, Name: name}
		var r ports.StoredRendition
		if r, found = st.renditions.get(key); found && r.Used.Before(before) {
			r.Used = at
			st.renditions.put(key, r)
		}
	})
	if err == nil && !found {
		return core.NotFound("rendition")
	}
	return err
}

func (s renditions) CountUsed(ctx context.Context, projectID int64, original string, since time.Time) (int64, error) {
	return view(ctx, s.conn, func(st *state) (int64, error) {
		return int64(len(st.renditions.all(func(r ports.StoredRendition) bool {
			return r.ProjectID == projectID && r.Original == original && r.Used.After(since)
		}))), nil
	})
}

func (s renditions) Unused(ctx context.Context, before time.Time, limit int) ([]ports.StoredRendition, error) {
	return view(ctx, s.conn, func(st *state) ([]ports.StoredRendition, error) {
		unused := st.renditions.all(func(r ports.StoredRendition) bool { return r.Used.Before(before) })
		return unused[:min(len(unused), limit)], nil
	})
}

func (s renditions) RemoveUnused(ctx context.Context, projectID int64, name string, before time.Time) (removed bool, err error) {
	err = s.apply(ctx, func(st *state) {
		key := ports.HeldBlob{ProjectID: projectID, Name: name}
		r, found := st.renditions.get(key)
		if removed = found && r.Used.Before(before); removed {
			st.renditions.remove(key)
		}
	})
	return removed, err
}

func (s renditions) RemoveOf(ctx context.Context, projectID int64, original string) (names []string, err error) {
	err = s.apply(ctx, func(st *state) {
		names = nil
		for _, r := range st.renditions.all(func(r ports.StoredRendition) bool { return r.ProjectID == projectID && r.Original == original }) {
			names = append(names, r.Name)
			st.renditions.remove(ports.HeldBlob{ProjectID: projectID, Name: r.Name})
		}
	})
	return names, err
}

func (s renditions) Recorded(ctx context.Context, projectID int64, names []string) ([]string, error) {
	return view(ctx, s.conn, func(st *state) ([]string, error) {
		var recorded []string
		for _, name := range names {
			if st.renditions.has(ports.HeldBlob{ProjectID: projectID, Name: name}) {
				recorded = append(recorded, name)
			}
		}
		return recorded, nil
	})
}
