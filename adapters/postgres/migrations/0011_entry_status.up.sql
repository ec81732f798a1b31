-- Lists of entries by status read the entries of requests with a status, and the entries whose
-- sealed media may differ from the library.
CREATE INDEX approval_requests_status ON approval_requests (project_id, collection_id, status, entry_id);

-- CREATE INDEX counts the rows of its table: an empty one needs the statistics of a sample again,
-- as in 0001.
INSERT INTO entries (project_id, id, collection_id, locale, group_id, version, draft, published, created_at, updated_at, created_by, updated_by)
SELECT -1, -n, -1, 'en', -n, 1, '{}', '{}', n, n, 0, 0 FROM generate_series(1, 2000) AS n;
CREATE INDEX entries_sealed ON entries (project_id, collection_id, id) WHERE published_media IS NOT NULL;
ANALYZE entries;
DELETE FROM entries WHERE project_id = -1;
