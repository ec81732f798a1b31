-- Entries, and everything that finds them again. Times are milliseconds since 1970.
-- The functions document_text and its like are the program's own.

CREATE TABLE entry_ids (last INTEGER NOT NULL);
INSERT INTO entry_ids (last) VALUES (0);

CREATE TABLE entries (
    id            INTEGER PRIMARY KEY,
    project_id    INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    locale        TEXT    NOT NULL,
    group_id      INTEGER NOT NULL,
    version       INTEGER NOT NULL,
    published_at  INTEGER,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    released_at   INTEGER,
    trashed_at    INTEGER,
    created_by    INTEGER NOT NULL,
    updated_by    INTEGER NOT NULL,
    published     TEXT,
    draft         TEXT    NOT NULL,
    UNIQUE (project_id, group_id, locale)
);
CREATE INDEX entries_collection ON entries (project_id, collection_id, id);
CREATE INDEX entries_trash ON entries (project_id, collection_id, trashed_at DESC, id DESC) WHERE trashed_at IS NOT NULL;

-- One row per untrashed entry and state that sees it: 0 published, 1 only_draft,
-- 2 with_draft. locale is its number in the Project; bit n of serves says that the
-- row is the answer for locale number n. scope is collection_id * 256 + state * 64 +
-- locale, which makes one narrow key of the three. The slots hold the values of the fields
-- that were given one; texts are cut to what takes part in ordering. signature has a
-- few bits of a hash of each text and number in them.
CREATE TABLE entry_index (
    project_id    INTEGER NOT NULL,
    scope         INTEGER NOT NULL,
    entry_id      INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    state         INTEGER NOT NULL,
    locale        INTEGER NOT NULL,
    group_id      INTEGER NOT NULL,
    serves        INTEGER NOT NULL,
    published_at  INTEGER,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    signature     INTEGER NOT NULL,
    t1 TEXT,
    t2 TEXT,
    t3 TEXT,
    t4 TEXT,
    t5 TEXT,
    t6 TEXT,
    t7 TEXT,
    t8 TEXT,
    n1 REAL,
    n2 REAL,
    n3 REAL,
    n4 REAL,
    n5 REAL,
    n6 REAL,
    n7 REAL,
    n8 REAL,
    d1 INTEGER,
    d2 INTEGER,
    d3 INTEGER,
    d4 INTEGER,
    PRIMARY KEY (project_id, scope, entry_id)
) WITHOUT ROWID;
CREATE INDEX entry_index_group ON entry_index (project_id, group_id, state);
CREATE INDEX entry_index_published_at ON entry_index (project_id, scope, published_at, entry_id, serves, signature) WHERE published_at IS NOT NULL;
CREATE INDEX entry_index_created_at ON entry_index (project_id, scope, created_at, entry_id, serves, signature);
CREATE INDEX entry_index_updated_at ON entry_index (project_id, scope, updated_at, entry_id, serves, signature);
CREATE INDEX entry_index_t1 ON entry_index (project_id, scope, t1, entry_id, serves, signature) WHERE t1 IS NOT NULL;
CREATE INDEX entry_index_t2 ON entry_index (project_id, scope, t2, entry_id, serves, signature) WHERE t2 IS NOT NULL;
CREATE INDEX entry_index_t3 ON entry_index (project_id, scope, t3, entry_id, serves, signature) WHERE t3 IS NOT NULL;
CREATE INDEX entry_index_t4 ON entry_index (project_id, scope, t4, entry_id, serves, signature) WHERE t4 IS NOT NULL;
CREATE INDEX entry_index_t5 ON entry_index (project_id, scope, t5, entry_id, serves, signature) WHERE t5 IS NOT NULL;
CREATE INDEX entry_index_t6 ON entry_index (project_id, scope, t6, entry_id, serves, signature) WHERE t6 IS NOT NULL;
CREATE INDEX entry_index_t7 ON entry_index (project_id, scope, t7, entry_id, serves, signature) WHERE t7 IS NOT NULL;
CREATE INDEX entry_index_t8 ON entry_index (project_id, scope, t8, entry_id, serves, signature) WHERE t8 IS NOT NULL;
CREATE INDEX entry_index_n1 ON entry_index (project_id, scope, n1, entry_id, serves, signature) WHERE n1 IS NOT NULL;
CREATE INDEX entry_index_n2 ON entry_index (project_id, scope, n2, entry_id, serves, signature) WHERE n2 IS NOT NULL;
CREATE INDEX entry_index_n3 ON entry_index (project_id, scope, n3, entry_id, serves, signature) WHERE n3 IS NOT NULL;
CREATE INDEX entry_index_n4 ON entry_index (project_id, scope, n4, entry_id, serves, signature) WHERE n4 IS NOT NULL;
CREATE INDEX entry_index_n5 ON entry_index (project_id, scope, n5, entry_id, serves, signature) WHERE n5 IS NOT NULL;
CREATE INDEX entry_index_n6 ON entry_index (project_id, scope, n6, entry_id, serves, signature) WHERE n6 IS NOT NULL;
CREATE INDEX entry_index_n7 ON entry_index (project_id, scope, n7, entry_id, serves, signature) WHERE n7 IS NOT NULL;
CREATE INDEX entry_index_n8 ON entry_index (project_id, scope, n8, entry_id, serves, signature) WHERE n8 IS NOT NULL;
CREATE INDEX entry_index_d1 ON entry_index (project_id, scope, d1, entry_id, serves, signature) WHERE d1 IS NOT NULL;
CREATE INDEX entry_index_d2 ON entry_index (project_id, scope, d2, entry_id, serves, signature) WHERE d2 IS NOT NULL;
CREATE INDEX entry_index_d3 ON entry_index (project_id, scope, d3, entry_id, serves, signature) WHERE d3 IS NOT NULL;
CREATE INDEX entry_index_d4 ON entry_index (project_id, scope, d4, entry_id, serves, signature) WHERE d4 IS NOT NULL;

-- The values of fields that hold several, and of references: text and num as in a
-- slot, ref an id. versions has bit 1 when the published version holds the value,
-- bit 2 when the draft does.
CREATE TABLE entry_values (
    project_id    INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    entry_id      INTEGER NOT NULL,
    field_id      INTEGER NOT NULL,
    versions      INTEGER NOT NULL,
    text          TEXT,
    num           REAL,
    ref           INTEGER
);
CREATE INDEX entry_values_entry ON entry_values (project_id, collection_id, entry_id, field_id, ref, versions);
CREATE INDEX entry_values_text ON entry_values (project_id, collection_id, field_id, text, entry_id, versions) WHERE text IS NOT NULL;
CREATE INDEX entry_values_num ON entry_values (project_id, collection_id, field_id, num, entry_id, versions) WHERE num IS NOT NULL;
CREATE INDEX entry_values_ref ON entry_values (project_id, collection_id, field_id, ref, entry_id, versions) WHERE ref IS NOT NULL;

-- The folded texts that "like" looks in, whole; versions as in entry_values.
CREATE TABLE entry_texts (
    id            INTEGER PRIMARY KEY,
    project_id    INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    entry_id      INTEGER NOT NULL,
    field_id      INTEGER NOT NULL,
    versions      INTEGER NOT NULL,
    searchable    INTEGER NOT NULL,
    text          TEXT    NOT NULL
);
CREATE INDEX entry_texts_entry ON entry_texts (project_id, collection_id, entry_id, field_id);
CREATE INDEX entry_texts_field ON entry_texts (project_id, collection_id, field_id, entry_id) WHERE NOT searchable;
CREATE VIRTUAL TABLE entry_texts_search USING fts5 (text, content = 'entry_texts', content_rowid = 'id', tokenize = 'trigram case_sensitive 1', columnsize = 0, detail = full);
CREATE TRIGGER entry_texts_insert AFTER INSERT ON entry_texts WHEN new.searchable BEGIN
    INSERT INTO entry_texts_search (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER entry_texts_delete AFTER DELETE ON entry_texts WHEN old.searchable BEGIN
    INSERT INTO entry_texts_search (entry_texts_search, rowid, text) VALUES ('delete', old.id, old.text);
END;

-- Who holds a unique value; hash is the SHA-256 of the value.
CREATE TABLE entry_claims (
    project_id    INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    field_id      INTEGER NOT NULL,
    locale        TEXT    NOT NULL,
    hash          BLOB    NOT NULL,
    entry_id      INTEGER NOT NULL,
    PRIMARY KEY (project_id, collection_id, field_id, locale, hash)
) WITHOUT ROWID;
CREATE INDEX entry_claims_entry ON entry_claims (project_id, entry_id);

-- How many rows of entry_index there are of each collection, state and serves.
CREATE TABLE entry_counters (
    project_id    INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    state         INTEGER NOT NULL,
    serves        INTEGER NOT NULL,
    entries       INTEGER NOT NULL,
    PRIMARY KEY (project_id, collection_id, state, serves)
) WITHOUT ROWID;
