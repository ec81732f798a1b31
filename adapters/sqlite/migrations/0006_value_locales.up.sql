-- The number of the entry's locale beside its values and texts, so that what answers
-- one locale is found, and counted, there alone.

ALTER TABLE entry_values ADD COLUMN locale INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entry_texts ADD COLUMN locale INTEGER NOT NULL DEFAULT 0;

DROP INDEX entry_values_text;
DROP INDEX entry_values_num;
DROP INDEX entry_values_ref;

UPDATE entry_values SET locale = coalesce((SELECT i.locale FROM entries e CROSS JOIN entry_index i INDEXED BY entry_index_group
    WHERE e.project_id = entry_values.project_id AND e.id = entry_values.entry_id AND i.project_id = e.project_id AND i.group_id = e.group_id AND i.entry_id = e.id), 0);
UPDATE entry_texts SET locale = coalesce((SELECT i.locale FROM entries e CROSS JOIN entry_index i INDEXED BY entry_index_group
    WHERE e.project_id = entry_texts.project_id AND e.id = entry_texts.entry_id AND i.project_id = e.project_id AND i.group_id = e.group_id AND i.entry_id = e.id), 0);

CREATE INDEX entry_values_text ON entry_values (project_id, collection_id, field_id, text, entry_id, versions, locale) WHERE text IS NOT NULL;
CREATE INDEX entry_values_num ON entry_values (project_id, collection_id, field_id, num, entry_id, versions, locale) WHERE num IS NOT NULL;
CREATE INDEX entry_values_ref ON entry_values (project_id, collection_id, field_id, ref, entry_id, versions, locale) WHERE ref IS NOT NULL;
