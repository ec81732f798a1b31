DO $$
DECLARE words regclass;
BEGIN
    FOR words IN SELECT oid FROM pg_class WHERE relkind = 'i' AND (oid = to_regclass('entry_texts_search')
        OR oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = to_regclass('entry_texts_search')))
    LOOP
        EXECUTE format('ALTER INDEX %s RESET (gin_pending_list_limit)', words);
    END LOOP;
END
$$;
