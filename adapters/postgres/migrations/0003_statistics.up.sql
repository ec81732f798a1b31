-- What the planner should believe of tables that nobody has analysed yet: many
-- entries in few Projects and collections. Otherwise it takes every column for
-- equally telling, and right after an import reads a whole collection per row.
-- A sample is analysed and taken away; the first real analysis replaces it.

INSERT INTO entries (project_id, id, collection_id, locale, group_id, version, draft, published, created_at, updated_at, created_by, updated_by)
SELECT -1, -n, -1, 'en', -n, 1, '{}', '{}', n, n, 0, 0 FROM generate_series(1, 2000) AS n;

INSERT INTO entry_index (project_id, scope, collection_id, state, locale, entry_id, group_id, serves, published_at, created_at, updated_at, signature,
    t1, t2, t3, t4, t5, t6, t7, t8, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4)
SELECT -1, -256 + state * 64, -1, state, 0, -n, -n, 1, n, n, n, v, x, x, x, x, x, x, x, x, v, v, v, v, v, v, v, v, v, v, v, v
FROM (SELECT n, n % 100 AS v, 'text ' || n % 100 AS x FROM generate_series(1, 2000) AS n) AS sample, (VALUES (0), (2)) AS states (state);

INSERT INTO entry_values (project_id, collection_id, entry_id, field_id, versions, text, num, ref)
SELECT -1, -1, -n, field, 3,
    CASE field WHEN 1 THEN 'text ' || n % 100 END, CASE field WHEN 2 THEN n % 100 END, CASE field WHEN 3 THEN -n END
FROM generate_series(1, 2000) AS n, generate_series(1, 3) AS field;

INSERT INTO entry_texts (project_id, collection_id, entry_id, field_id, versions, searchable, text)
SELECT -1, -1, -n, field, 3, field = 1, 'text ' || n FROM generate_series(1, 2000) AS n, generate_series(1, 3) AS field;

INSERT INTO entry_claims (project_id, collection_id, field_id, locale, hash, entry_id)
SELECT -1, -1, 1, 'en', sha256(convert_to(n::text, 'UTF8')), -n FROM generate_series(1, 2000) AS n;

ANALYZE entries, entry_index, entry_values, entry_texts, entry_claims;

DELETE FROM entries WHERE project_id = -1;
DELETE FROM entry_index WHERE project_id = -1;
DELETE FROM entry_values WHERE project_id = -1;
DELETE FROM entry_texts WHERE project_id = -1;
DELETE FROM entry_claims WHERE project_id = -1;

-- How many Projects and collections there are, no analysis is to find out. Among
-- thousands of them the planner would take each for one of a few rows, and the whole of
-- it for as good to read as the one row that is meant. Like this it plans for the largest.

ALTER TABLE entries ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_index ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1), ALTER COLUMN scope SET (n_distinct = 2);
ALTER TABLE entry_values ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_texts ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_claims ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
