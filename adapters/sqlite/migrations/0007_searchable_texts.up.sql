-- The searchable texts of one field of one collection, for searches that read them: what
-- the trigram index finds may be in any other collection.

CREATE INDEX entry_texts_searchable ON entry_texts (project_id, collection_id, field_id, locale) WHERE searchable;
