DROP TABLE entry_counters;
DROP TABLE entry_claims;
DROP TABLE entry_texts_search;
DROP TABLE entry_texts;
DROP TABLE entry_values;
DROP TABLE entry_index;
DROP TABLE entries;
DROP TABLE entry_ids;
