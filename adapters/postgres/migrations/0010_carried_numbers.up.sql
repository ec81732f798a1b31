-- The index of a text carries the numbers and times of its row, so that a total of one text
-- and any of those is counted from the index alone.

DROP INDEX entry_index_t1;
CREATE INDEX entry_index_t1 ON entry_index (project_id, scope, t1, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t1 IS NOT NULL;
DROP INDEX entry_index_t2;
CREATE INDEX entry_index_t2 ON entry_index (project_id, scope, t2, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t2 IS NOT NULL;
DROP INDEX entry_index_t3;
CREATE INDEX entry_index_t3 ON entry_index (project_id, scope, t3, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t3 IS NOT NULL;
DROP INDEX entry_index_t4;
CREATE INDEX entry_index_t4 ON entry_index (project_id, scope, t4, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t4 IS NOT NULL;
DROP INDEX entry_index_t5;
CREATE INDEX entry_index_t5 ON entry_index (project_id, scope, t5, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t5 IS NOT NULL;
DROP INDEX entry_index_t6;
CREATE INDEX entry_index_t6 ON entry_index (project_id, scope, t6, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t6 IS NOT NULL;
DROP INDEX entry_index_t7;
CREATE INDEX entry_index_t7 ON entry_index (project_id, scope, t7, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t7 IS NOT NULL;
DROP INDEX entry_index_t8;
CREATE INDEX entry_index_t8 ON entry_index (project_id, scope, t8, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t8 IS NOT NULL;

-- To make an index counts the rows of its table, which are none here, and the planner
-- believes that; so what it is to believe is said once more, as it was before.

INSERT INTO entry_index (project_id, scope, collection_id, state, locale, entry_id, group_id, serves, published_at, created_at, updated_at, signature,
    t1, t2, t3, t4, t5, t6, t7, t8, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4)
SELECT -1, -256 + state * 64, -1, state, 0, -n, -n, 1, n, n, n, v, x, x, x, x, x, x, x, x, v, v, v, v, v, v, v, v, v, v, v, v
FROM (SELECT n, n % 100 AS v, 'text ' || n % 100 AS x FROM generate_series(1, 2000) AS n) AS sample, (VALUES (0), (2)) AS states (state);

ANALYZE entry_index;

DELETE FROM entry_index WHERE project_id = -1;
