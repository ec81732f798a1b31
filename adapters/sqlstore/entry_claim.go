package sqlstore

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"imprimatur/adapters/sqlstore/entryindex"
	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// claimed is a claim of an entry, in its locale.
type claimed struct {
	entryindex.Claim
	locale string
	entry  int64
}

var (
	claimTable = sqldb.NewTable("entry_claims", "project_id bigint", "collection_id bigint", "field_id bigint", "locale text", "hash bytea", "entry_id bigint")
	// claimNames identify a claim within a Project.
	claimNames = sqldb.NewTable("entry_claims", "collection_id bigint", "field_id bigint", "locale text", "hash bytea")
)

// name is a row of claimNames.
func (c claimed) name(collectionID int64) []any {
	return []any{collectionID, int64(c.Field), c.locale, c.Hash[:]}
}

// compareClaims is the order in which all transactions take claims, which prevents deadlocks.
func compareClaims(a, b claimed) int {
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
			rows = append(rows, claimed{Claim: key, locale: locale}.name(schema.Collection.ID))
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

// scanClaim scans the field and the hash of a claim, and more columns.
func scanClaim(rows sqldb.Rows, key *entryindex.Claim, more ...any) error {
	var hash []byte
	err := rows.Scan(append([]any{&key.Field, &hash}, more...)...)
	copy(key.Hash[:], hash)
	return err
}

// claimChanges compares the claims that the entries need with held, by entry. It returns the
// claims to take and the claims to release, in the order of compareClaims.
func claimChanges(batch []change, held map[int64]map[entryindex.Claim]struct{}) (wanted, released []claimed) {
	for _, e := range batch {
		for key := range e.Found.Claims {
			if _, has := held[e.ID][key]; !has {
				wanted = append(wanted, claimed{key, e.Locale, e.ID})
			}
		}
		for key := range held[e.ID] {
			if _, wants := e.Found.Claims[key]; !wants {
				released = append(released, claimed{key, e.Locale, e.ID})
			}
		}
	}
	slices.SortStableFunc(wanted, compareClaims)
	slices.SortFunc(released, compareClaims)
	return wanted, released
}

// claim returns the statements that release claims and take others. The releases run first: an
// entry may take a claim that another entry of the batch releases. Claims that other entries
// hold are skipped.
func (s entryStore) claim(schema core.Schema, wanted, released []claimed) (give, take []sqldb.Statement) {
	rows := sqldb.Mapped(wanted, func(w claimed) []any {
		return append(append([]any{schema.Project.ID}, w.name(schema.Collection.ID)...), w.entry)
	})
	return s.Removed(claimNames, schema.Project, claimRows(schema, released)), sqldb.Added(claimTable, rows, " ON CONFLICT DO NOTHING")
}

// claimRows returns rows of claimNames.
func claimRows(schema core.Schema, claims []claimed) [][]any {
	return sqldb.Mapped(claims, func(c claimed) []any { return c.name(schema.Collection.ID) })
}

// takenFault returns the error that names each entry and its fields whose claims other entries hold, or want as well.
func (s entryStore) takenFault(ctx context.Context, schema core.Schema, wanted []claimed) error {
	held, err := s.holders(ctx, schema, claimRows(schema, wanted))
	if err != nil {
		return err
	}
	refused := func(w claimed) bool {
		return !slices.Contains(held, w) || slices.ContainsFunc(wanted, func(o claimed) bool { return o != w && compareClaims(o, w) == 0 })
	}
	var faults []core.FieldError
	for _, f := range schema.Collection.Fields {
		var entries []int64
		for _, w := range wanted {
			if w.Field == f.ID && refused(w) {
				entries = append(entries, w.entry)
			}
		}
		for _, id := range core.Distinct(entries) {
			faults = append(faults, core.FieldError{Location: "fields." + f.Name, Message: "is taken by another entry", Entry: id})
		}
	}
	return core.Invalid(faults...)
}

// holders returns the stored claims with the given names, which are rows of claimNames.
func (s entryStore) holders(ctx context.Context, schema core.Schema, names [][]any) (held []claimed, err error) {
	for some := range sqldb.Chunks(names, len(claimNames.Columns)) {
		text := "SELECT c.field_id, c.hash, c.locale, c.entry_id FROM (?) AS v" + s.DB.Dialect.ForEach(claimNames.Name, "c",
			"c.project_id = @project AND c.collection_id = v.column1 AND c.field_id = v.column2 AND c.locale = v.column3 AND c.hash = v.column4")
		list, err := sqldb.Collect(ctx, s.Conn, func(rows sqldb.Rows) (c claimed, err error) {
			err = scanClaim(rows, &c.Claim, &c.locale, &c.entry)
			return c, err
		}, text, sqldb.RowList{Types: claimNames.Types, Rows: some}, schema.Project.ID)
		if err != nil {
			return nil, err
		}
		held = append(held, list...)
	}
	return held, nil
}
