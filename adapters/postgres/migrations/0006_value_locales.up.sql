-- The number of the entry's locale beside its values and texts, so that what answers
-- one locale is found, and counted, there alone.

ALTER TABLE entry_values ADD COLUMN locale smallint NOT NULL DEFAULT 0;
ALTER TABLE entry_texts ADD COLUMN locale smallint NOT NULL DEFAULT 0;

DROP INDEX entry_values_text, entry_values_num, entry_values_ref;

UPDATE entry_values v SET locale = i.locale FROM entries e JOIN entry_index i ON i.project_id = e.project_id AND i.group_id = e.group_id AND i.entry_id = e.id
WHERE e.project_id = v.project_id AND e.id = v.entry_id AND i.locale <> 0;
UPDATE entry_texts t SET locale = i.locale FROM entries e JOIN entry_index i ON i.project_id = e.project_id AND i.group_id = e.group_id AND i.entry_id = e.id
WHERE e.project_id = t.project_id AND e.id = t.entry_id AND i.locale <> 0;

CREATE INDEX entry_values_text ON entry_values (project_id, collection_id, field_id, text, entry_id) INCLUDE (versions, locale) WHERE text IS NOT NULL;
CREATE INDEX entry_values_num ON entry_values (project_id, collection_id, field_id, num, entry_id) INCLUDE (versions, locale) WHERE num IS NOT NULL;
CREATE INDEX entry_values_ref ON entry_values (project_id, collection_id, field_id, ref, entry_id) INCLUDE (versions, locale) WHERE ref IS NOT NULL;
