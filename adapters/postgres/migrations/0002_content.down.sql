-- The extension stays: others may use it.
DROP INDEX IF EXISTS media_search;
DROP FUNCTION document_lists(text, text, text);
DROP FUNCTION document_has(text, text, boolean);
DROP FUNCTION document_time(text, text);
DROP FUNCTION document_number(text, text);
DROP FUNCTION document_text(text, text);
DROP FUNCTION sort_prefix(text);
DROP TABLE entry_counters;
DROP TABLE entry_claims;
DROP TABLE entry_texts;
DROP TABLE entry_values;
DROP TABLE entry_index;
DROP TABLE entries;
DROP SEQUENCE entry_ids;
