-- Words that were written wait in a list to be put into the index of searches, and each
-- search reads all of the list: of 4 MB, the default, for several milliseconds. A short one
-- is put away by a writer every hundred texts or so, in a few milliseconds.
DO $$
DECLARE words regclass;
BEGIN
    FOR words IN SELECT oid FROM pg_class WHERE relkind = 'i' AND (oid = to_regclass('entry_texts_search')
        OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass('entry_texts_search')))
    LOOP
        EXECUTE format('ALTER INDEX %s SET (gin_pending_list_limit = 256)', words);
    END LOOP;
END
$$;
