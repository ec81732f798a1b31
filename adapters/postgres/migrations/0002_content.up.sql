-- Entries, and everything that finds them again. Times are milliseconds since 1970.

CREATE SEQUENCE entry_ids;

CREATE TABLE entries (
    project_id    bigint NOT NULL,
    id            bigint NOT NULL,
    collection_id bigint NOT NULL,
    locale        text COLLATE "C" NOT NULL,
    group_id      bigint NOT NULL,
    version       bigint NOT NULL,
    draft         text COLLATE "C" NOT NULL,
    published     text COLLATE "C",
    published_at  bigint,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    released_at   bigint,
    trashed_at    bigint,
    created_by    bigint NOT NULL,
    updated_by    bigint NOT NULL,
    PRIMARY KEY (project_id, id),
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
    project_id    bigint   NOT NULL,
    scope         bigint   NOT NULL,
    entry_id      bigint   NOT NULL,
    collection_id bigint   NOT NULL,
    state         smallint NOT NULL,
    locale        smallint NOT NULL,
    group_id      bigint   NOT NULL,
    serves        bigint   NOT NULL,
    published_at  bigint,
    created_at    bigint   NOT NULL,
    updated_at    bigint   NOT NULL,
    signature     bigint   NOT NULL,
    t1 text COLLATE "C",
    t2 text COLLATE "C",
    t3 text COLLATE "C",
    t4 text COLLATE "C",
    t5 text COLLATE "C",
    t6 text COLLATE "C",
    t7 text COLLATE "C",
    t8 text COLLATE "C",
    n1 double precision,
    n2 double precision,
    n3 double precision,
    n4 double precision,
    n5 double precision,
    n6 double precision,
    n7 double precision,
    n8 double precision,
    d1 bigint,
    d2 bigint,
    d3 bigint,
    d4 bigint,
    PRIMARY KEY (project_id, scope, entry_id) INCLUDE (serves)
) WITH (
    -- Pages are read from the indexes alone as far as the table is vacuumed.
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05
);
CREATE INDEX entry_index_group ON entry_index (project_id, group_id, state);
CREATE INDEX entry_index_published_at ON entry_index (project_id, scope, published_at, entry_id) INCLUDE (serves, signature) WHERE published_at IS NOT NULL;
CREATE INDEX entry_index_created_at ON entry_index (project_id, scope, created_at, entry_id) INCLUDE (serves, signature);
CREATE INDEX entry_index_updated_at ON entry_index (project_id, scope, updated_at, entry_id) INCLUDE (serves, signature);
CREATE INDEX entry_index_t1 ON entry_index (project_id, scope, t1, entry_id) INCLUDE (serves, signature) WHERE t1 IS NOT NULL;
CREATE INDEX entry_index_t2 ON entry_index (project_id, scope, t2, entry_id) INCLUDE (serves, signature) WHERE t2 IS NOT NULL;
CREATE INDEX entry_index_t3 ON entry_index (project_id, scope, t3, entry_id) INCLUDE (serves, signature) WHERE t3 IS NOT NULL;
CREATE INDEX entry_index_t4 ON entry_index (project_id, scope, t4, entry_id) INCLUDE (serves, signature) WHERE t4 IS NOT NULL;
CREATE INDEX entry_index_t5 ON entry_index (project_id, scope, t5, entry_id) INCLUDE (serves, signature) WHERE t5 IS NOT NULL;
CREATE INDEX entry_index_t6 ON entry_index (project_id, scope, t6, entry_id) INCLUDE (serves, signature) WHERE t6 IS NOT NULL;
CREATE INDEX entry_index_t7 ON entry_index (project_id, scope, t7, entry_id) INCLUDE (serves, signature) WHERE t7 IS NOT NULL;
CREATE INDEX entry_index_t8 ON entry_index (project_id, scope, t8, entry_id) INCLUDE (serves, signature) WHERE t8 IS NOT NULL;
CREATE INDEX entry_index_n1 ON entry_index (project_id, scope, n1, entry_id) INCLUDE (serves, signature) WHERE n1 IS NOT NULL;
CREATE INDEX entry_index_n2 ON entry_index (project_id, scope, n2, entry_id) INCLUDE (serves, signature) WHERE n2 IS NOT NULL;
CREATE INDEX entry_index_n3 ON entry_index (project_id, scope, n3, entry_id) INCLUDE (serves, signature) WHERE n3 IS NOT NULL;
CREATE INDEX entry_index_n4 ON entry_index (project_id, scope, n4, entry_id) INCLUDE (serves, signature) WHERE n4 IS NOT NULL;
CREATE INDEX entry_index_n5 ON entry_index (project_id, scope, n5, entry_id) INCLUDE (serves, signature) WHERE n5 IS NOT NULL;
CREATE INDEX entry_index_n6 ON entry_index (project_id, scope, n6, entry_id) INCLUDE (serves, signature) WHERE n6 IS NOT NULL;
CREATE INDEX entry_index_n7 ON entry_index (project_id, scope, n7, entry_id) INCLUDE (serves, signature) WHERE n7 IS NOT NULL;
CREATE INDEX entry_index_n8 ON entry_index (project_id, scope, n8, entry_id) INCLUDE (serves, signature) WHERE n8 IS NOT NULL;
CREATE INDEX entry_index_d1 ON entry_index (project_id, scope, d1, entry_id) INCLUDE (serves, signature) WHERE d1 IS NOT NULL;
CREATE INDEX entry_index_d2 ON entry_index (project_id, scope, d2, entry_id) INCLUDE (serves, signature) WHERE d2 IS NOT NULL;
CREATE INDEX entry_index_d3 ON entry_index (project_id, scope, d3, entry_id) INCLUDE (serves, signature) WHERE d3 IS NOT NULL;
CREATE INDEX entry_index_d4 ON entry_index (project_id, scope, d4, entry_id) INCLUDE (serves, signature) WHERE d4 IS NOT NULL;

-- The values of fields that hold several, and of references: text and num as in a
-- slot, ref an id. versions has bit 1 when the published version holds the value,
-- bit 2 when the draft does.
CREATE TABLE entry_values (
    project_id    bigint   NOT NULL,
    collection_id bigint   NOT NULL,
    entry_id      bigint   NOT NULL,
    field_id      integer  NOT NULL,
    versions      smallint NOT NULL,
    text          text COLLATE "C",
    num           double precision,
    ref           bigint
);
CREATE INDEX entry_values_entry ON entry_values (project_id, collection_id, entry_id, field_id);
CREATE INDEX entry_values_text ON entry_values (project_id, collection_id, field_id, text, entry_id) INCLUDE (versions) WHERE text IS NOT NULL;
CREATE INDEX entry_values_num ON entry_values (project_id, collection_id, field_id, num, entry_id) INCLUDE (versions) WHERE num IS NOT NULL;
CREATE INDEX entry_values_ref ON entry_values (project_id, collection_id, field_id, ref, entry_id) INCLUDE (versions) WHERE ref IS NOT NULL;

-- The folded texts that "like" looks in, whole; versions as in entry_values.
CREATE TABLE entry_texts (
    project_id    bigint   NOT NULL,
    collection_id bigint   NOT NULL,
    entry_id      bigint   NOT NULL,
    field_id      integer  NOT NULL,
    versions      smallint NOT NULL,
    searchable    boolean  NOT NULL,
    text          text COLLATE "C" NOT NULL
);
CREATE INDEX entry_texts_entry ON entry_texts (project_id, collection_id, entry_id, field_id);
CREATE INDEX entry_texts_field ON entry_texts (project_id, collection_id, field_id, entry_id) WHERE NOT searchable;

-- Without the trigram extension, or the right to install it, searches scan.
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
    RAISE NOTICE 'pg_trgm is not available: "like" will scan';
END
$$;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
        CREATE INDEX entry_texts_search ON entry_texts USING gin (text gin_trgm_ops) WHERE searchable;
        CREATE INDEX media_search ON media USING gin (search gin_trgm_ops);
    END IF;
END
$$;

-- Who holds a unique value; hash is the SHA-256 of the value.
CREATE TABLE entry_claims (
    project_id    bigint  NOT NULL,
    collection_id bigint  NOT NULL,
    field_id      integer NOT NULL,
    locale        text COLLATE "C" NOT NULL,
    hash          bytea   NOT NULL,
    entry_id      bigint  NOT NULL,
    PRIMARY KEY (project_id, collection_id, field_id, locale, hash)
);
CREATE INDEX entry_claims_entry ON entry_claims (project_id, entry_id);

-- How many rows of entry_index there are of each collection, state and serves.
CREATE TABLE entry_counters (
    project_id    bigint   NOT NULL,
    collection_id bigint   NOT NULL,
    state         smallint NOT NULL,
    serves        bigint   NOT NULL,
    entries       bigint   NOT NULL,
    PRIMARY KEY (project_id, collection_id, state, serves)
);

-- What takes part in ordering of a text: its first 2000 bytes, cut at a code point.
CREATE FUNCTION sort_prefix(whole text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length(whole) <= 2000 THEN whole ELSE (
        SELECT convert_from(substring(bytes FROM 1 FOR cut), 'UTF8')
        FROM (SELECT convert_to(whole, 'UTF8') AS bytes) AS b,
        LATERAL (SELECT max(n) AS cut FROM generate_series(1997, 2000) AS n WHERE get_byte(bytes, n) & 192 <> 128) AS c
    ) END
$$;

-- The value of a field in a document, null when it has none.
CREATE FUNCTION document_text(document text, name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT document::json ->> name
$$;

-- Numbers, and booleans as 0 and 1.
CREATE FUNCTION document_number(document text, name text) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE document::json ->> name WHEN 'true' THEN 1 WHEN 'false' THEN 0 ELSE (document::json ->> name)::double precision END
$$;

-- Dates, times and datetimes in milliseconds.
CREATE FUNCTION document_time(document text, name text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE length(value)
        WHEN 10 THEN (value::date - DATE '1970-01-01')::bigint * 86400000
        WHEN 24 THEN (extract(epoch FROM value::timestamptz) * 1000)::bigint
        ELSE (extract(epoch FROM value::time) * 1000)::bigint
    END
    FROM (SELECT document::json ->> name AS value) AS v
$$;

-- Whether the document has a value of the field; of a field of several, at least one.
CREATE FUNCTION document_has(document text, name text, several boolean) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN several THEN coalesce(document::json ->> name, '[]') <> '[]' ELSE document::json -> name IS NOT NULL END
$$;

-- Whether wanted is one of the texts of a field of several values.
CREATE FUNCTION document_lists(document text, name text, wanted text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT wanted IN (SELECT json_array_elements_text(document::json -> name))
$$;
