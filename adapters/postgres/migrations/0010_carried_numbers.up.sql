-- The index of a slot carries the numbers and times of its row, so that whoever goes along it
-- and asks for any of those need not look at the row.

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
DROP INDEX entry_index_n1;
CREATE INDEX entry_index_n1 ON entry_index (project_id, scope, n1, entry_id) INCLUDE (serves, signature, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE n1 IS NOT NULL;
DROP INDEX entry_index_n2;
CREATE INDEX entry_index_n2 ON entry_index (project_id, scope, n2, entry_id) INCLUDE (serves, signature, n1, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE n2 IS NOT NULL;
DROP INDEX entry_index_n3;
CREATE INDEX entry_index_n3 ON entry_index (project_id, scope, n3, entry_id) INCLUDE (serves, signature, n1, n2, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE n3 IS NOT NULL;
DROP INDEX entry_index_n4;
CREATE INDEX entry_index_n4 ON entry_index (project_id, scope, n4, entry_id) INCLUDE (serves, signature, n1, n2, n3, n5, n6, n7, n8, d1, d2, d3, d4) WHERE n4 IS NOT NULL;
DROP INDEX entry_index_n5;
CREATE INDEX entry_index_n5 ON entry_index (project_id, scope, n5, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n6, n7, n8, d1, d2, d3, d4) WHERE n5 IS NOT NULL;
DROP INDEX entry_index_n6;
CREATE INDEX entry_index_n6 ON entry_index (project_id, scope, n6, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n7, n8, d1, d2, d3, d4) WHERE n6 IS NOT NULL;
DROP INDEX entry_index_n7;
CREATE INDEX entry_index_n7 ON entry_index (project_id, scope, n7, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n8, d1, d2, d3, d4) WHERE n7 IS NOT NULL;
DROP INDEX entry_index_n8;
CREATE INDEX entry_index_n8 ON entry_index (project_id, scope, n8, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, d1, d2, d3, d4) WHERE n8 IS NOT NULL;
DROP INDEX entry_index_d1;
CREATE INDEX entry_index_d1 ON entry_index (project_id, scope, d1, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d2, d3, d4) WHERE d1 IS NOT NULL;
DROP INDEX entry_index_d2;
CREATE INDEX entry_index_d2 ON entry_index (project_id, scope, d2, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d3, d4) WHERE d2 IS NOT NULL;
DROP INDEX entry_index_d3;
CREATE INDEX entry_index_d3 ON entry_index (project_id, scope, d3, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d4) WHERE d3 IS NOT NULL;
DROP INDEX entry_index_d4;
CREATE INDEX entry_index_d4 ON entry_index (project_id, scope, d4, entry_id) INCLUDE (serves, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3) WHERE d4 IS NOT NULL;

-- To make an index counts the rows of its table, which are none here, and the planner
-- believes that; so what it is to believe is said once more, as it was before.

INSERT INTO entry_index (project_id, scope, collection_id, state, locale, entry_id, group_id, serves, published_at, created_at, updated_at, signature,
    t1, t2, t3, t4, t5, t6, t7, t8, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4)
SELECT -1, -256 + state * 64, -1, state, 0, -n, -n, 1, n, n, n, v, x, x, x, x, x, x, x, x, v, v, v, v, v, v, v, v, v, v, v, v
FROM (SELECT n, n % 100 AS v, 'text ' || n % 100 AS x FROM generate_series(1, 2000) AS n) AS sample, (VALUES (0), (2)) AS states (state);

ANALYZE entry_index;

DELETE FROM entry_index WHERE project_id = -1;
