package sqlstore

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"imprimatur/core"
)

func (s entryStore) Taken(ctx context.Context, schema core.Schema, locale string, doc core.Document, except int64) ([]string, error) {
	wanted := readContent(schema.Collection, &core.Entry{Draft: doc}).claims
	if len(wanted) == 0 {
		return nil, nil
	}
	args := []any{schema.Project.ID, schema.Collection.ID, locale, except}
	var conditions []string
	for key := range wanted {
		args = append(args, key.hash[:])
		conditions = append(conditions, "(field_id = "+strconv.Itoa(key.field)+" AND hash = $"+strconv.Itoa(len(args))+")")
	}
	fields, err := collect(ctx, s.conn, scanInt, "SELECT DISTINCT field_id FROM entry_claims WHERE project_id = $1 AND collection_id = $2"+
		" AND locale = $3 AND entry_id <> $4 AND "+or(conditions...), args...)
	return fieldNames(schema.Collection, fields), err
}

func scanInt(rows Rows) (n int, err error) {
	err = rows.Scan(&n)
	return n, err
}

// fieldNames returns the names of the fields with those ids, in the collection's order.
func fieldNames(c *core.Collection, ids []int) []string {
	var names []string
	for _, f := range c.Fields {
		if slices.Contains(ids, f.ID) {
			names = append(names, f.Name)
		}
	}
	return names
}

// reclaim makes wanted the claims that e has. With lenient set, a claim that
// another entry has is left to it.
func (s entryStore) reclaim(ctx context.Context, schema core.Schema, e *core.Entry, wanted map[claimKey]struct{}, lenient bool) error {
	held, err := s.claims(ctx, e)
	if err != nil {
		return err
	}
	fresh := maps.Clone(wanted)
	maps.DeleteFunc(fresh, func(key claimKey, _ struct{}) bool { _, ok := held[key]; return ok })
	maps.DeleteFunc(held, func(key claimKey, _ struct{}) bool { _, ok := wanted[key]; return ok })
	if err := s.claim(ctx, schema, e, fresh, lenient); err != nil {
		return err
	}
	return s.unclaim(ctx, e, held)
}

// claims returns what e claims.
func (s entryStore) claims(ctx context.Context, e *core.Entry) (map[claimKey]struct{}, error) {
	keys, err := collect(ctx, s.conn, scanClaim, "SELECT field_id, hash FROM entry_claims WHERE project_id = $1 AND entry_id = $2", e.ProjectID, e.ID)
	return setOf(keys), err
}

func scanClaim(rows Rows) (key claimKey, err error) {
	var hash []byte
	err = rows.Scan(&key.field, &hash)
	copy(key.hash[:], hash)
	return key, err
}

func setOf(keys []claimKey) map[claimKey]struct{} {
	set := make(map[claimKey]struct{}, len(keys))
	for _, key := range keys {
		set[key] = struct{}{}
	}
	return set
}

// claim takes fresh for e: all or nothing, or with lenient set those that are free.
func (s entryStore) claim(ctx context.Context, schema core.Schema, e *core.Entry, fresh map[claimKey]struct{}, lenient bool) error {
	if len(fresh) == 0 {
		return nil
	}
	var got []claimKey
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(fresh)), rowsAtOnce) {
		var args []any
		for _, key := range chunk {
			args = append(args, e.ProjectID, e.CollectionID, int64(key.field), e.Locale, key.hash[:], e.ID)
		}
		more, err := collect(ctx, s.conn, scanClaim, "INSERT INTO entry_claims (project_id, collection_id, field_id, locale, hash, entry_id) VALUES "+
			placeholders(len(chunk), 6)+" ON CONFLICT DO NOTHING RETURNING field_id, hash", args...)
		if err != nil {
			return err
		}
		got = append(got, more...)
	}
	if len(got) == len(fresh) || lenient {
		return nil
	}
	taken := maps.Clone(fresh)
	for _, key := range got {
		delete(taken, key)
	}
	if err := s.unclaim(ctx, e, setOf(got)); err != nil {
		return err
	}
	return takenFault(schema.Collection, taken)
}

// takenFault names the fields of the claims that others have.
func takenFault(c *core.Collection, taken map[claimKey]struct{}) error {
	var ids []int
	for key := range taken {
		ids = append(ids, key.field)
	}
	var faults []core.FieldError
	for _, name := range fieldNames(c, ids) {
		faults = append(faults, core.FieldError{Location: "fields." + name, Message: "is taken by another entry"})
	}
	return core.Invalid(faults...)
}

// unclaim gives up claims of e.
func (s entryStore) unclaim(ctx context.Context, e *core.Entry, keys map[claimKey]struct{}) error {
	for key := range keys {
		if _, err := s.exec(ctx, "DELETE FROM entry_claims WHERE project_id = $1 AND collection_id = $2 AND field_id = $3 AND locale = $4 AND hash = $5",
			e.ProjectID, e.CollectionID, int64(key.field), e.Locale, key.hash[:]); err != nil {
			return err
		}
	}
	return nil
}
