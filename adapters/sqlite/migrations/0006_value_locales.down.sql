DROP INDEX entry_values_text;
DROP INDEX entry_values_num;
DROP INDEX entry_values_ref;
ALTER TABLE entry_values DROP COLUMN locale;
ALTER TABLE entry_texts DROP COLUMN locale;
CREATE INDEX entry_values_text ON entry_values (project_id, collection_id, field_id, text, entry_id, versions) WHERE text IS NOT NULL;
CREATE INDEX entry_values_num ON entry_values (project_id, collection_id, field_id, num, entry_id, versions) WHERE num IS NOT NULL;
CREATE INDEX entry_values_ref ON entry_values (project_id, collection_id, field_id, ref, entry_id, versions) WHERE ref IS NOT NULL;
