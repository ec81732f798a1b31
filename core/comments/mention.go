package comments

import (
	"context"
	"slices"

	"imprimatur/core"
)

// reads reports whether a user is active and may see the request.
func (t *Thread) reads(ctx context.Context, userID int64) (bool, error) {
	if known, ok := t.readers[userID]; ok {
		return known, nil
	}
	users, err := t.stores.Users.UsersByIDs(ctx, []int64{userID})
	if err != nil {
		return false, err
	}
	reads := false
	if len(users) == 1 && users[0].Active {
		actor := core.Actor{User: &users[0]}
		if actor.Grants, actor.CustomRoles, err = t.stores.Grants.UserGrants(ctx, userID); err != nil {
			return false, err
		}
		reads = t.request.VisibleTo(actor, t.project)
	}
	t.readers[userID] = reads
	return reads, nil
}

// names returns the names of users.
func (t *Thread) names(ctx context.Context, ids []int64) (map[int64]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	users, err := t.stores.Users.UsersByIDs(ctx, slices.Compact(ids))
	names := make(map[int64]string, len(users))
	for _, u := range users {
		names[u.ID] = u.Name
	}
	return names, err
}
