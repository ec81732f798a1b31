CREATE TEMPORARY TABLE counters_before ON COMMIT DROP AS
SELECT project_id, collection_id, state, serves, sum(entries) AS entries FROM entry_counters GROUP BY project_id, collection_id, state, serves;
CREATE TEMPORARY TABLE buckets_before ON COMMIT DROP AS
SELECT project_id, scope, place, bucket, serves, sum(entries) AS entries FROM entry_buckets GROUP BY project_id, scope, place, bucket, serves;
DELETE FROM entry_counters;
DELETE FROM entry_buckets;
ALTER TABLE entry_counters DROP COLUMN stripe, ADD PRIMARY KEY (project_id, collection_id, state, serves);
ALTER TABLE entry_buckets DROP COLUMN stripe, ADD PRIMARY KEY (project_id, scope, place, bucket, serves);
INSERT INTO entry_counters SELECT * FROM counters_before;
INSERT INTO entry_buckets SELECT * FROM buckets_before;
