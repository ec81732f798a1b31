package comments

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"imprimatur/core"
	"imprimatur/core/review"
	"imprimatur/core/words"
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

// MaxPeople bounds the users that People returns.
const MaxPeople = 50

// People returns up to MaxPeople users that a comment can name, by name: those whose name has all words of search.
func (t *Thread) People(ctx context.Context, search string) ([]Person, error) {
	ids, err := t.viewers(ctx)
	if err != nil {
		return nil, err
	}
	users, err := t.stores.Users.UsersByIDs(ctx, ids)
	if err != nil {
		return nil, err
	}
	wanted := words.Tokens(search)
	found := []Person{}
	for _, u := range users {
		name := words.Fold(u.Name)
		if u.Active && !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(name, word) }) {
			found = append(found, Person{u.ID, u.Name})
		}
	}
	slices.SortFunc(found, func(a, b Person) int { return cmp.Or(words.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return found[:min(len(found), MaxPeople)], nil
}

// viewers returns the ids of the users that may see the request, active or not, ascending.
func (t *Thread) viewers(ctx context.Context) ([]int64, error) {
	p := t.project
	reviewers, err := t.stores.Grants.Reviewers(ctx, p.TenantID, p.DepartmentID, p.ID)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, by := range reviewers {
		if by.CustomRoleID == 0 || review.UsesRole(t.request.Steps, by.CustomRoleID) {
			ids = append(ids, by.UserID)
		}
	}
	members, err := t.stores.Grants.ProjectMembers(ctx, p.ID)
	for _, g := range members {
		ids = append(ids, g.UserID)
	}
	slices.Sort(ids)
	return slices.Compact(ids), err
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
