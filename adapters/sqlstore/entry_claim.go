package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/core"
)

// claim says that an entry holds a value of a unique field in its locale.
type claim struct {
	entryindex.Claim
	locale string
}

var (
	claimTable = newTable("entry_claims", "project_id bigint", "collection_id bigint", "field_id bigint", "locale text", "hash bytea", "entry_id bigint")
	// claimNames has what tells the claims of one Project apart.
	claimNames = newTable("entry_claims", "collection_id bigint", "field_id bigint", "locale text", "hash bytea")
)

// name is a row of claimNames.
func (c claim) name(collectionID int64) []any {
	return []any{collectionID, int64(c.Field), c.locale, c.Hash[:]}
}

// compareClaims is the order in which everybody takes claims, so that no two
// transactions each wait for the other.
func compareClaims(a, b claim) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.locale, b.locale), bytes.Compare(a.Hash[:], b.Hash[:]))
}

func (s entryStore) Holders(ctx context.Context, schema core.Schema, locales []string, values []core.UniqueValue) (holders []core.Holder, err error) {
	wanted := make(map[entryindex.Claim]core.UniqueValue, len(values))
	for _, v := range values {
		if f := schema.Collection.Field(v.Field); f != nil && f.Unique {
			wanted[entryindex.ClaimOf(f, v.Value)] = v
		}
	}
	var rows [][]any // of claimNames
	for key := range wanted {
		for _, locale := range locales {
			rows = append(rows, claim{key, locale}.name(schema.Collection.ID))
		}
	}
	held, err := s.holders(ctx, schema, rows)
	if err != nil {
		return nil, err
	}
	for _, c := range held {
		holders = append(holders, core.Holder{UniqueValue: wanted[c.Claim], Locale: c.locale, Entry: c.entry})
	}
	return holders, nil
}

// scanClaim scans the field and the hash of a claim, and what else is read of it.
func scanClaim(rows Rows, key *entryindex.Claim, more ...any) error {
	var hash []byte
	err := rows.Scan(append([]any{&key.Field, &hash}, more...)...)
	copy(key.Hash[:], hash)
	return err
}

// reclaim makes the claims of the entries what their documents hold, all of it or
// nothing. With lenient set, a claim that another entry has is left to it.
func (s entryStore) reclaim(ctx context.Context, schema core.Schema, batch []change, lenient bool) error {
	held, err := s.claims(ctx, schema, batch)
	if err != nil {
		return err
	}
	var wanted, given []claimed
	for _, e := range batch {
		for key := range e.Found.Claims {
			if _, has := held[e.ID][key]; !has {
				wanted = append(wanted, claimed{claim{key, e.Locale}, e.ID})
			}
		}
		for key := range held[e.ID] {
			if _, wants := e.Found.Claims[key]; !wants {
				given = append(given, claimed{claim{key, e.Locale}, e.ID})
			}
		}
	}
	// First what is given up: another of the entries may take it.
	if err := s.unclaim(ctx, schema, given); err != nil {
		return err
	}
	got, err := s.claim(ctx, schema, wanted)
	if err != nil || len(got) == len(wanted) || lenient {
		return err
	}
	taken := slices.DeleteFunc(slices.Clone(wanted), func(c claimed) bool { return slices.Contains(got, c) })
	if err := s.unclaim(ctx, schema, got); err != nil {
		return err
	}
	if _, err := s.claim(ctx, schema, given); err != nil {
		return err
	}
	return takenFault(schema.Collection, taken)
}

// claimed is a claim and who has it.
type claimed struct {
	claim
	entry int64
}

// claims returns what those of the entries claim that are not fresh, by their ids.
func (s entryStore) claims(ctx context.Context, schema core.Schema, batch []change) (map[int64]map[entryindex.Claim]struct{}, error) {
	held := map[int64]map[entryindex.Claim]struct{}{}
	for some := range slices.Chunk(olderIDs(batch), lockedAtOnce) {
		among, args := s.amongIDs(2, some)
		list, err := collect(ctx, s.conn, func(rows Rows) (c claimed, err error) {
			err = scanClaim(rows, &c.Claim, &c.entry)
			return c, err
		}, "SELECT field_id, hash, entry_id FROM entry_claims WHERE project_id = $1 AND entry_id "+among, append([]any{schema.Project.ID}, args...)...)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if held[c.entry] == nil {
				held[c.entry] = map[entryindex.Claim]struct{}{}
			}
			held[c.entry][c.Claim] = struct{}{}
		}
	}
	return held, nil
}

// claim takes claims, and returns those that were free.
func (s entryStore) claim(ctx context.Context, schema core.Schema, wanted []claimed) (got []claimed, err error) {
	slices.SortStableFunc(wanted, func(a, b claimed) int { return compareClaims(a.claim, b.claim) })
	rows, names := make([][]any, len(wanted)), make([][]any, len(wanted))
	for i, c := range wanted {
		names[i] = c.name(schema.Collection.ID)
		rows[i] = append([]any{schema.Project.ID}, append(names[i], c.entry)...)
	}
	added, err := s.add(ctx, claimTable, rows, " ON CONFLICT DO NOTHING")
	if err != nil || added == int64(len(wanted)) {
		return wanted, err
	}
	held, err := s.holders(ctx, schema, names)
	return slices.DeleteFunc(slices.Clone(wanted), func(c claimed) bool { return !slices.Contains(held, c) }), err
}

// holders returns the claims of those names, rows of claimNames, and who has them.
func (s entryStore) holders(ctx context.Context, schema core.Schema, names [][]any) (held []claimed, err error) {
	for some := range chunks(names, len(claimNames.columns)) {
		values, args := s.db.dialect.Values(2, claimNames.types, some)
		text := "SELECT c.field_id, c.hash, c.locale, c.entry_id FROM " + s.db.dialect.ForEach("("+values+") AS v", claimNames.name, "c",
			"c.project_id = $1 AND c.collection_id = v.column1 AND c.field_id = v.column2 AND c.locale = v.column3 AND c.hash = v.column4")
		list, err := collect(ctx, s.conn, func(rows Rows) (c claimed, err error) {
			err = scanClaim(rows, &c.Claim, &c.locale, &c.entry)
			return c, err
		}, text, append([]any{schema.Project.ID}, args...)...)
		if err != nil {
			return nil, err
		}
		held = append(held, list...)
	}
	return held, nil
}

// takenFault names the fields of the claims that others have.
func takenFault(c *core.Collection, taken []claimed) error {
	var faults []core.FieldError
	for _, f := range c.Fields {
		if slices.ContainsFunc(taken, func(t claimed) bool { return t.Field == f.ID }) {
			faults = append(faults, core.FieldError{Location: "fields." + f.Name, Message: "is taken by another entry"})
		}
	}
	return core.Invalid(faults...)
}

// unclaim gives claims up.
func (s entryStore) unclaim(ctx context.Context, schema core.Schema, given []claimed) error {
	slices.SortFunc(given, func(a, b claimed) int { return compareClaims(a.claim, b.claim) })
	rows := make([][]any, len(given))
	for i, c := range given {
		rows[i] = c.name(schema.Collection.ID)
	}
	return s.removeRows(ctx, claimNames, schema.Project, rows)
}

// disclaim takes back what reclaim did for fresh entries.
func (s entryStore) disclaim(ctx context.Context, schema core.Schema, batch []change) error {
	var given []claimed
	for _, e := range batch {
		for key := range e.Found.Claims {
			given = append(given, claimed{claim{key, e.Locale}, e.ID})
		}
	}
	return s.unclaim(ctx, schema, given)
}

// olderIDs returns the ids of those that are not fresh.
func olderIDs(batch []change) []int64 {
	var ids []int64
	for _, e := range batch {
		if !e.fresh {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
