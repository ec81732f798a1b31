DROP INDEX entry_texts_searchable;
