-- How many published rows of entry_index there are of each scope and serves whose value, at
-- one place, falls into one bucket. Places are those of the slots t1 to t8, n1 to n8 and d1 to
-- d4, from 0 on, then entry_id, created_at and published_at. Buckets are of an
-- eighth of the texts of one signature, of numbers that begin with the same 18 bits, of 2^30
-- milliseconds, and of 4096 ids. text or num is the only one in the bucket, where there is but one.

CREATE TABLE entry_tallies (
    project_id INTEGER NOT NULL,
    scope      INTEGER NOT NULL,
    place      INTEGER NOT NULL,
    bucket     INTEGER NOT NULL,
    serves     INTEGER NOT NULL,
    entries    INTEGER NOT NULL,
    text       TEXT,
    num        REAL,
    PRIMARY KEY (project_id, scope, place, bucket, serves)
) WITHOUT ROWID;

INSERT INTO entry_tallies (project_id, scope, place, bucket, serves, entries, text, num)
SELECT project_id, scope, 0, ((signature >> 0) & 63) * 8 + tally_part(t1), serves, count(*), CASE WHEN octet_length(min(t1)) <= 64 THEN CASE WHEN min(t1) = max(t1) THEN min(t1) END END, CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND t1 IS NOT NULL GROUP BY project_id, scope, ((signature >> 0) & 63) * 8 + tally_part(t1), serves
UNION ALL SELECT project_id, scope, 1, ((signature >> 6) & 63) * 8 + tally_part(t2), serves, count(*), CASE WHEN octet_length(min(t2)) <= 64 THEN CASE WHEN min(t2) = max(t2) THEN min(t2) END END, CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND t2 IS NOT NULL GROUP BY project_id, scope, ((signature >> 6) & 63) * 8 + tally_part(t2), serves
UNION ALL SELECT project_id, scope, 2, ((signature >> 12) & 63) * 8 + tally_part(t3), serves, count(*), CASE WHEN octet_length(min(t3)) <= 64 THEN CASE WHEN min(t3) = max(t3) THEN min(t3) END END, CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND t3 IS NOT NULL GROUP BY project_id, scope, ((signature >> 12) & 63) * 8 + tally_part(t3), serves
UNION ALL SELECT project_id, scope, 3, ((signature >> 18) & 63) * 8 + tally_part(t4), serves, count(*), CASE WHEN octet_length(min(t4)) <= 64 THEN CASE WHEN min(t4) = max(t4) THEN min(t4) END END, CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND t4 IS NOT NULL GROUP BY project_id, scope, ((signature >> 18) & 63) * 8 + tally_part(t4), serves
UNION ALL SELECT project_id, scope, 4, ((signature >> 24) & 63) * 8 + tally_part(t5), serves, count(*), CASE WHEN octet_length(min(t5)) <= 64 THEN CASE WHEN min(t5) = max(t5) THEN min(t5) END END, CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND t5 IS NOT NULL GROUP BY project_id, scope, ((signature >> 24) & 63) * 8 + tally_part(t5), serves
UNION ALL SELECT project_id, scope, 5, ((signature >> 30) & 63) * 8 + tally_part(t6), serves, count(*), CASE WHEN octet_length(min(t6)) <= 64 THEN CASE WHEN min(t6) = max(t6) THEN min(t6) END END, CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND t6 IS NOT NULL GROUP BY project_id, scope, ((signature >> 30) & 63) * 8 + tally_part(t6), serves
UNION ALL SELECT project_id, scope, 6, ((signature >> 36) & 63) * 8 + tally_part(t7), serves, count(*), CASE WHEN octet_length(min(t7)) <= 64 THEN CASE WHEN min(t7) = max(t7) THEN min(t7) END END, CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND t7 IS NOT NULL GROUP BY project_id, scope, ((signature >> 36) & 63) * 8 + tally_part(t7), serves
UNION ALL SELECT project_id, scope, 7, ((signature >> 42) & 63) * 8 + tally_part(t8), serves, count(*), CASE WHEN octet_length(min(t8)) <= 64 THEN CASE WHEN min(t8) = max(t8) THEN min(t8) END END, CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND t8 IS NOT NULL GROUP BY project_id, scope, ((signature >> 42) & 63) * 8 + tally_part(t8), serves
UNION ALL SELECT project_id, scope, 8, tally_bucket(n1), serves, count(*), CAST(NULL AS text), CASE WHEN min(n1) = max(n1) THEN min(n1) END FROM entry_index WHERE state = 0 AND n1 IS NOT NULL GROUP BY project_id, scope, tally_bucket(n1), serves
UNION ALL SELECT project_id, scope, 9, tally_bucket(n2), serves, count(*), CAST(NULL AS text), CASE WHEN min(n2) = max(n2) THEN min(n2) END FROM entry_index WHERE state = 0 AND n2 IS NOT NULL GROUP BY project_id, scope, tally_bucket(n2), serves
UNION ALL SELECT project_id, scope, 10, tally_bucket(n3), serves, count(*), CAST(NULL AS text), CASE WHEN min(n3) = max(n3) THEN min(n3) END FROM entry_index WHERE state = 0 AND n3 IS NOT NULL GROUP BY project_id, scope, tally_bucket(n3), serves
UNION ALL SELECT project_id, scope, 11, tally_bucket(n4), serves, count(*), CAST(NULL AS text), CASE WHEN min(n4) = max(n4) THEN min(n4) END FROM entry_index WHERE state = 0 AND n4 IS NOT NULL GROUP BY project_id, scope, tally_bucket(n4), serves
UNION ALL SELECT project_id, scope, 12, tally_bucket(n5), serves, count(*), CAST(NULL AS text), CASE WHEN min(n5) = max(n5) THEN min(n5) END FROM entry_index WHERE state = 0 AND n5 IS NOT NULL GROUP BY project_id, scope, tally_bucket(n5), serves
UNION ALL SELECT project_id, scope, 13, tally_bucket(n6), serves, count(*), CAST(NULL AS text), CASE WHEN min(n6) = max(n6) THEN min(n6) END FROM entry_index WHERE state = 0 AND n6 IS NOT NULL GROUP BY project_id, scope, tally_bucket(n6), serves
UNION ALL SELECT project_id, scope, 14, tally_bucket(n7), serves, count(*), CAST(NULL AS text), CASE WHEN min(n7) = max(n7) THEN min(n7) END FROM entry_index WHERE state = 0 AND n7 IS NOT NULL GROUP BY project_id, scope, tally_bucket(n7), serves
UNION ALL SELECT project_id, scope, 15, tally_bucket(n8), serves, count(*), CAST(NULL AS text), CASE WHEN min(n8) = max(n8) THEN min(n8) END FROM entry_index WHERE state = 0 AND n8 IS NOT NULL GROUP BY project_id, scope, tally_bucket(n8), serves
UNION ALL SELECT project_id, scope, 16, d1 >> 30, serves, count(*), CAST(NULL AS text), CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND d1 IS NOT NULL GROUP BY project_id, scope, d1 >> 30, serves
UNION ALL SELECT project_id, scope, 17, d2 >> 30, serves, count(*), CAST(NULL AS text), CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND d2 IS NOT NULL GROUP BY project_id, scope, d2 >> 30, serves
UNION ALL SELECT project_id, scope, 18, d3 >> 30, serves, count(*), CAST(NULL AS text), CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND d3 IS NOT NULL GROUP BY project_id, scope, d3 >> 30, serves
UNION ALL SELECT project_id, scope, 19, d4 >> 30, serves, count(*), CAST(NULL AS text), CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND d4 IS NOT NULL GROUP BY project_id, scope, d4 >> 30, serves
UNION ALL SELECT project_id, scope, 20, entry_id >> 12, serves, count(*), CAST(NULL AS text), CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND entry_id IS NOT NULL GROUP BY project_id, scope, entry_id >> 12, serves
UNION ALL SELECT project_id, scope, 21, created_at >> 30, serves, count(*), CAST(NULL AS text), CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND created_at IS NOT NULL GROUP BY project_id, scope, created_at >> 30, serves
UNION ALL SELECT project_id, scope, 22, published_at >> 30, serves, count(*), CAST(NULL AS text), CAST(NULL AS double precision) FROM entry_index WHERE state = 0 AND published_at IS NOT NULL GROUP BY project_id, scope, published_at >> 30, serves;
