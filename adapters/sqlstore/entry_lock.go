package sqlstore

import (
	"context"
	"slices"

	"imprimatur/core"
)

// wholeGroup selects an entry with its translations, in the order in which everybody
// locks them.
const wholeGroup = "SELECT " + entryColumns + " FROM entries WHERE project_id = $1 AND group_id =" +
	" (SELECT o.group_id FROM entries o WHERE o.project_id = $1 AND o.id = $2) ORDER BY id"

func (s entryStore) Lock(ctx context.Context, projectID, id int64) (core.Entry, error) {
	if s.tx == nil {
		return s.Entry(ctx, projectID, id)
	}
	group, err := collect(ctx, s.conn, scanEntry, wholeGroup+s.db.dialect.LockUpdate(), projectID, id)
	if err != nil {
		return core.Entry{}, err
	}
	return memberOf(group, id)
}

func (s entryStore) TryLock(ctx context.Context, projectID, id int64) (core.Entry, bool, error) {
	lock := s.db.dialect.LockUpdate()
	if s.tx == nil || lock == "" {
		e, err := s.Entry(ctx, projectID, id)
		return e, err == nil, err
	}
	group, err := collect(ctx, s.conn, scanEntry, wholeGroup, projectID, id)
	if err != nil {
		return core.Entry{}, false, err
	}
	if _, err := memberOf(group, id); err != nil {
		return core.Entry{}, false, err
	}
	// Whoever joins the group now has a member of it, so that one is missing here.
	locked, err := collect(ctx, s.conn, scanEntry, wholeGroup+lock+" SKIP LOCKED", projectID, id)
	if err != nil || len(locked) < len(group) {
		return core.Entry{}, false, err
	}
	e, err := memberOf(locked, id)
	return e, err == nil, err
}

func memberOf(group []core.Entry, id int64) (core.Entry, error) {
	i := slices.IndexFunc(group, func(e core.Entry) bool { return e.ID == id })
	if i < 0 {
		return core.Entry{}, core.NotFound("entry")
	}
	return group[i], nil
}
