package releasing

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/release"
	"imprimatur/core/review"
	"imprimatur/core/schedule"
)

// contributors returns the contributors of a submission by the actor: the actor, those of r and those of the
// members, each once.
func (s *sealer) contributors(ctx context.Context, r *release.Release) ([]core.ActorRef, error) {
	all := release.Release{}
	all.Contribute(s.actor.Ref())
	for _, by := range r.Contributors {
		all.Contribute(by)
	}
	var requests []int64
	for _, m := range s.all {
		switch {
		case m.past != nil && m.past.RequestID != 0:
			requests = append(requests, m.past.RequestID)
		case m.past != nil:
			if err := s.pastAuthors(ctx, m, &all); err != nil {
				return nil, err
			}
		case m.Action == schedule.Publish:
			refs, err := core.ContributorsOf(m.entry.Revision)
			if err != nil {
				return nil, err
			}
			for _, by := range refs {
				all.Contribute(by)
			}
		}
	}
	frozen, err := s.stores.Requests.ByIDs(ctx, s.project.ID, core.Distinct(requests))
	slices.SortFunc(frozen, func(a, b review.Request) int { return cmp.Compare(a.ID, b.ID) })
	for _, request := range frozen {
		for _, by := range request.Contributors {
			all.Contribute(by)
		}
	}
	return all.Contributors, err
}

// clockDifference is the most by which the time of a revision, by the clock of a process, may be after that of its
// publication, by the clock of the database.
const clockDifference = time.Minute

// pastAuthors adds those of a publication that had no request, which was therefore never reviewed: who published it, and
// who wrote the revisions of the entry until then.
func (s *sealer) pastAuthors(ctx context.Context, m *sealed, to *release.Release) error {
	to.Contribute(m.past.By)
	newest, err := core.DecodeRevision(m.entry.Revision)
	if err != nil {
		return err
	}
	until := m.past.PublishedAt.Add(clockDifference)
	past, err := s.stores.Revisions.Revisions(ctx, core.RevisionQuery{ProjectID: s.project.ID, EntryID: m.EntryID})
	for _, r := range append(past, core.Revision{RevisionRecord: newest}) {
		if !r.CreatedAt.Time().After(until) {
			to.Contribute(r.By)
		}
	}
	return err
}
