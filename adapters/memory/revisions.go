package memory

import (
	"cmp"
	"context"
	"slices"

	"imprimatur/core"
)

type revisions struct{ store }

// revisionKey is a past revision of an entry.
type revisionKey struct {
	entry  entryKey
	number int64
}

func (s revisions) Save(ctx context.Context, all ...core.Revision) error {
	return s.apply(ctx, func(st *state) {
		for _, r := range all {
			st.revisions.put(revisionKey{entryKey{r.ProjectID, r.EntryID}, r.Number}, r)
		}
	})
}

func (s revisions) Delete(ctx context.Context, projectID int64, gone ...core.RevisionKey) error {
	return s.apply(ctx, func(st *state) {
		for _, r := range gone {
			st.revisions.remove(revisionKey{entryKey{projectID, r.EntryID}, r.Number})
		}
	})
}

func (s revisions) Revisions(ctx context.Context, q core.RevisionQuery) ([]core.Revision, error) {
	all, err := s.ascending(ctx, q.ProjectID, q.EntryID)
	all = slices.DeleteFunc(all, func(r core.Revision) bool { return r.Number < q.From })
	return page(latest(all), q.Offset, cmp.Or(q.Limit, int64(len(all)))), err
}

func (s revisions) Count(ctx context.Context, projectID, entryID int64) (int64, error) {
	all, err := s.ascending(ctx, projectID, entryID)
	return int64(len(all)), err
}

func (s revisions) Prunable(ctx context.Context, projectID int64, through ...core.RevisionKey) (all []core.Revision, err error) {
	ordered := sort(slices.Clone(through), by(func(k core.RevisionKey) int64 { return k.EntryID }))
	for _, of := range ordered {
		some, err := s.prunable(ctx, projectID, of.EntryID, of.Number)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// prunable is Prunable for one entry.
func (s revisions) prunable(ctx context.Context, projectID, entryID, through int64) ([]core.Revision, error) {
	all, err := s.ascending(ctx, projectID, entryID)
	first := slices.IndexFunc(all, func(r core.Revision) bool { return !r.Kept && r.Number <= through })
	if err != nil || first < 0 {
		return nil, err
	}
	end := slices.IndexFunc(all, func(r core.Revision) bool { return r.Number > through }) + 1
	if end == 0 {
		end = len(all)
	}
	return all[max(first-1, 0):end], nil
}

// ascending returns the past revisions of an entry by number.
func (s revisions) ascending(ctx context.Context, projectID, entryID int64) ([]core.Revision, error) {
	return where(ctx, s.store, func(r core.Revision) bool { return r.ProjectID == projectID && r.EntryID == entryID })
}
