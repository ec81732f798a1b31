-- Divides the tables of content into hash partitions by Project, 1 to 256 of them.
-- Run it with psql after "imprimatur migrate up", while the service is stopped:
--
--     psql "$DATABASE_URL" -v partitions=16 -f partition.sql
--
-- It works on empty and on full tables, and again with another number; 1 makes whole
-- tables. Columns, keys, indexes and settings keep their names. Everything happens in
-- one transaction that copies the rows and blocks all readers and writers. When other
-- connections use the tables for 5 s, it fails and changes nothing. Privileges that
-- were granted by hand on these tables are lost. growth.md says what partitions cost.

\set ON_ERROR_STOP on

BEGIN;

SET LOCAL lock_timeout = '5s';
SELECT set_config('imprimatur.partitions', :'partitions', true);

-- The lock that migrations take, so that none runs at the same time.
SELECT pg_advisory_xact_lock(x'696d7072'::bigint);
LOCK TABLE entries, entry_index, entry_values, entry_texts, entry_words, entry_claims, revisions IN ACCESS EXCLUSIVE MODE;

DO $$
DECLARE
    partitions constant integer := current_setting('imprimatur.partitions');
    name       text;
    part       text;
    leaf       regclass; -- the table, or one of its partitions: only these have settings
    storage    text;     -- WITH (…)
    settings   text[];   -- ALTER COLUMN … SET (…)
    keys       text[];   -- CONSTRAINT …
    indexes    text[];   -- CREATE INDEX …
    definition text;
BEGIN
    IF partitions NOT BETWEEN 1 AND 256 THEN
        RAISE EXCEPTION 'the number of partitions must be 1 to 256, not %', partitions;
    END IF;
    IF partitions = (SELECT greatest(count(*), 1) FROM pg_inherits WHERE inhparent = 'entries'::regclass) THEN
        RAISE NOTICE 'the tables have this number of partitions already';
        RETURN;
    END IF;
    FOREACH name IN ARRAY ARRAY['entries', 'entry_index', 'entry_values', 'entry_texts', 'entry_words', 'entry_claims', 'revisions'] LOOP
        leaf := coalesce((SELECT inhrelid FROM pg_inherits WHERE inhparent = name::regclass LIMIT 1), name::regclass);
        storage := (SELECT coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '') FROM pg_class WHERE oid = leaf);
        settings := ARRAY(SELECT format('ALTER COLUMN %I SET (%s)', attname, array_to_string(attoptions, ', '))
            FROM pg_attribute WHERE attrelid = leaf AND attoptions IS NOT NULL);
        keys := ARRAY(SELECT format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid))
            FROM pg_constraint WHERE conrelid = name::regclass AND contype IN ('p', 'u', 'c', 'f') ORDER BY contype = 'f', conname);
        indexes := ARRAY(SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
            FROM pg_index WHERE indrelid = name::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid) ORDER BY indexrelid);

        EXECUTE format('ALTER TABLE %I RENAME TO %I', name, name || '_before');
        definition := format('CREATE TABLE %I (LIKE %I INCLUDING ALL EXCLUDING CONSTRAINTS EXCLUDING INDEXES)', name, name || '_before');
        IF partitions = 1 THEN
            EXECUTE definition || storage;
        ELSE
            EXECUTE definition || ' PARTITION BY HASH (project_id)';
        END IF;
        FOR remainder IN 0 .. partitions - 1 LOOP
            part := name;
            IF partitions > 1 THEN
                part := format('%s_%s_of_%s', name, remainder, partitions);
                EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS %s, REMAINDER %s)%s', part, name, partitions, remainder, storage);
            END IF;
            IF settings <> '{}' THEN
                EXECUTE format('ALTER TABLE %I %s', part, array_to_string(settings, ', '));
            END IF;
        END LOOP;

        EXECUTE format('INSERT INTO %I SELECT * FROM %I', name, name || '_before');
        EXECUTE format('DROP TABLE %I', name || '_before');
        -- Building an index after the copy is cheaper than maintaining it during the copy.
        FOREACH definition IN ARRAY keys LOOP
            EXECUTE format('ALTER TABLE %I ADD %s', name, definition);
        END LOOP;
        FOREACH definition IN ARRAY indexes LOOP
            EXECUTE definition;
        END LOOP;
    END LOOP;
END $$;

ANALYZE entries, entry_index, entry_values, entry_texts, entry_words, entry_claims, revisions;

COMMIT;
