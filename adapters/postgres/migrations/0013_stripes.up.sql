-- Transactions that change the same row wait for each other until the disk has synced. Each
-- connection therefore counts in one of 8 rows, and the sum of these rows is the count.
ALTER TABLE entry_counters ADD COLUMN stripe smallint NOT NULL DEFAULT (pg_backend_pid() % 8);
ALTER TABLE entry_counters DROP CONSTRAINT entry_counters_pkey, ADD PRIMARY KEY (project_id, collection_id, state, serves, stripe);
ALTER TABLE entry_buckets ADD COLUMN stripe smallint NOT NULL DEFAULT (pg_backend_pid() % 8);
ALTER TABLE entry_buckets DROP CONSTRAINT entry_buckets_pkey, ADD PRIMARY KEY (project_id, scope, place, bucket, serves, stripe);
