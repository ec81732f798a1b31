-- Lists of entries by status read the entries of requests with a status, and the entries whose
-- sealed media may differ from the library.
CREATE INDEX approval_requests_status ON approval_requests (project_id, collection_id, status, entry_id);
CREATE INDEX entries_sealed ON entries (project_id, collection_id, id) WHERE published_media IS NOT NULL;
