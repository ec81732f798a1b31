-- The organisation, who may do what in it, and what a Project defines.
-- Texts compare byte by byte, times are milliseconds since 1970, ids are never reused.

CREATE TABLE tenants (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);

-- The workflow of a Department or a Project is part of its row, so that a lock of the row
-- keeps the workflow as it is.
CREATE TABLE departments (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id  bigint NOT NULL REFERENCES tenants,
    name       text COLLATE "C" NOT NULL,
    workflow       text COLLATE "C", -- JSON; null: none
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE INDEX departments_tenant ON departments (tenant_id, id);

CREATE TABLE projects (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid           text COLLATE "C" NOT NULL UNIQUE,
    tenant_id      bigint NOT NULL REFERENCES tenants,
    department_id  bigint REFERENCES departments,
    name           text COLLATE "C" NOT NULL,
    default_locale text COLLATE "C" NOT NULL,
    locales        text COLLATE "C" NOT NULL, -- JSON array
    fallbacks      text COLLATE "C" NOT NULL, -- JSON object of arrays
    upload_limit   bigint NOT NULL,           -- bytes
    workflow       text COLLATE "C", -- JSON; null: none
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL
);
CREATE INDEX projects_tenant ON projects (tenant_id, id);
CREATE INDEX projects_department ON projects (department_id);

CREATE TABLE users (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email         text COLLATE "C" NOT NULL UNIQUE, -- lower case
    name          text COLLATE "C" NOT NULL,
    tenant_id     bigint REFERENCES tenants,
    password_hash text COLLATE "C" NOT NULL,
    super_admin   boolean NOT NULL,
    active        boolean NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL
);
CREATE INDEX users_tenant ON users (tenant_id, id);

CREATE TABLE tenant_members (
    scope_id bigint NOT NULL REFERENCES tenants ON DELETE CASCADE,
    user_id  bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    role     text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope_id, user_id)
);
CREATE INDEX tenant_members_user ON tenant_members (user_id);

CREATE TABLE department_members (
    scope_id bigint NOT NULL REFERENCES departments ON DELETE CASCADE,
    user_id  bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    role     text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope_id, user_id)
);
CREATE INDEX department_members_user ON department_members (user_id);

CREATE TABLE project_members (
    scope_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    user_id  bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    role     text COLLATE "C" NOT NULL,
    PRIMARY KEY (scope_id, user_id)
);
CREATE INDEX project_members_user ON project_members (user_id);

CREATE TABLE custom_roles (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id     bigint NOT NULL REFERENCES tenants,
    department_id bigint NOT NULL REFERENCES departments ON DELETE CASCADE,
    name          text COLLATE "C" NOT NULL,
    created_at    bigint NOT NULL,
    UNIQUE (department_id, name)
);
CREATE INDEX custom_roles_tenant ON custom_roles (tenant_id);

CREATE TABLE custom_role_holders (
    role_id bigint NOT NULL REFERENCES custom_roles ON DELETE CASCADE,
    user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (role_id, user_id)
);
CREATE INDEX custom_role_holders_user ON custom_role_holders (user_id);

CREATE TABLE sessions (
    hash       bytea NOT NULL PRIMARY KEY, -- SHA-256 of the cookie's value
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE tokens (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id   bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    name         text COLLATE "C" NOT NULL,
    hash         bytea NOT NULL UNIQUE, -- SHA-256 of the secret
    hint         text COLLATE "C" NOT NULL,
    abilities    text COLLATE "C" NOT NULL, -- JSON array
    allow_drafts boolean NOT NULL,
    rate_limit   bigint, -- requests per 60 s
    expires_at   bigint,
    last_used_at bigint,
    revoked_at   bigint,
    created_by   bigint, -- a user, without a constraint: the account may go
    created_at   bigint NOT NULL
);
CREATE INDEX tokens_project ON tokens (project_id, id);

CREATE TABLE collections (
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    slug          text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    description   text COLLATE "C" NOT NULL,
    fields        text COLLATE "C" NOT NULL, -- JSON array, in the order they are shown
    removed       text COLLATE "C" NOT NULL, -- JSON array
    next_field_id bigint NOT NULL,
    version       bigint NOT NULL,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, slug)
);

CREATE TABLE media (
    project_id     bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    id             bigint GENERATED ALWAYS AS IDENTITY,
    file_name      text COLLATE "C" NOT NULL,
    caption        text COLLATE "C" NOT NULL,
    tags           text COLLATE "C" NOT NULL, -- JSON array
    search         text COLLATE "C" NOT NULL, -- folded: caption, file name and tags, one a unit separator from the next
    mime_type      text COLLATE "C" NOT NULL,
    kind           text COLLATE "C" NOT NULL,
    hash           text COLLATE "C" NOT NULL, -- SHA-256 of the bytes, hex
    size           bigint NOT NULL,           -- bytes
    width          bigint NOT NULL,           -- pixels
    height         bigint NOT NULL,
    full_blob       text COLLATE "C" NOT NULL,
    thumb_blob      text COLLATE "C" NOT NULL,
    thumb_webp_blob text COLLATE "C" NOT NULL,
    full_webp_blob  text COLLATE "C" NOT NULL,
    created_at     bigint NOT NULL,
    updated_at     bigint NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX media_kind ON media (project_id, kind, id);
CREATE INDEX media_pictures ON media (id) WHERE kind = 'image';

-- How many rows of media need the bytes of that name. A Project's names outlive it,
-- until the bytes are gone, too.
CREATE TABLE media_blobs (
    project_id bigint NOT NULL,
    name       text COLLATE "C" NOT NULL,
    holders    bigint NOT NULL,
    PRIMARY KEY (project_id, name)
);
CREATE INDEX media_blobs_unheld ON media_blobs (project_id, name) WHERE holders = 0;

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

-- One row per version of an untrashed entry that readers can meet. shelf says which: 0 what
-- is published, 1 the draft of what is not, 2 the draft of a published entry where it
-- differs. locale is its number in the Project; bit n of a mask says that the row is the
-- answer for locale number n: serves to readers of what is published, or of drafts that
-- never were, serves_draft to readers of all drafts. scope is collection_id * 256 + shelf *
-- 64 + locale, which makes one narrow key of the three. The slots hold the values of the
-- fields that were given one; texts are cut. signature has a few bits of a hash of each text
-- and number in them. released_at is when what is published last changed.
CREATE TABLE entry_index (
    project_id    bigint   NOT NULL,
    scope         bigint   NOT NULL,
    entry_id      bigint   NOT NULL,
    collection_id bigint   NOT NULL,
    shelf         smallint NOT NULL,
    locale        smallint NOT NULL,
    group_id      bigint   NOT NULL,
    serves        bigint   NOT NULL,
    serves_draft  bigint   NOT NULL,
    published_at  bigint,
    released_at   bigint,
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
    PRIMARY KEY (project_id, scope, entry_id) INCLUDE (serves, serves_draft)
) WITH (
    -- Pages are read from the indexes alone as far as the table is vacuumed.
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05
);
CREATE INDEX entry_index_group ON entry_index (project_id, group_id, shelf);
CREATE INDEX entry_index_published_at ON entry_index (project_id, scope, published_at, entry_id) INCLUDE (serves, serves_draft, signature) WHERE published_at IS NOT NULL;
CREATE INDEX entry_index_released_at ON entry_index (project_id, scope, released_at, entry_id) INCLUDE (serves, serves_draft, signature) WHERE released_at IS NOT NULL;
CREATE INDEX entry_index_created_at ON entry_index (project_id, scope, created_at, entry_id) INCLUDE (serves, serves_draft, signature);
CREATE INDEX entry_index_updated_at ON entry_index (project_id, scope, updated_at, entry_id) INCLUDE (serves, serves_draft, signature);
CREATE INDEX entry_index_t1 ON entry_index (project_id, scope, t1, entry_id) INCLUDE (serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t1 IS NOT NULL;
CREATE INDEX entry_index_t2 ON entry_index (project_id, scope, t2, entry_id) INCLUDE (serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t2 IS NOT NULL;
CREATE INDEX entry_index_t3 ON entry_index (project_id, scope, t3, entry_id) INCLUDE (serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t3 IS NOT NULL;
CREATE INDEX entry_index_t4 ON entry_index (project_id, scope, t4, entry_id) INCLUDE (serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t4 IS NOT NULL;
CREATE INDEX entry_index_t5 ON entry_index (project_id, scope, t5, entry_id) INCLUDE (serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t5 IS NOT NULL;
CREATE INDEX entry_index_t6 ON entry_index (project_id, scope, t6, entry_id) INCLUDE (serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t6 IS NOT NULL;
CREATE INDEX entry_index_t7 ON entry_index (project_id, scope, t7, entry_id) INCLUDE (serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t7 IS NOT NULL;
CREATE INDEX entry_index_t8 ON entry_index (project_id, scope, t8, entry_id) INCLUDE (serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t8 IS NOT NULL;
CREATE INDEX entry_index_n1 ON entry_index (project_id, scope, n1, entry_id) INCLUDE (serves, serves_draft, signature) WHERE n1 IS NOT NULL;
CREATE INDEX entry_index_n2 ON entry_index (project_id, scope, n2, entry_id) INCLUDE (serves, serves_draft, signature) WHERE n2 IS NOT NULL;
CREATE INDEX entry_index_n3 ON entry_index (project_id, scope, n3, entry_id) INCLUDE (serves, serves_draft, signature) WHERE n3 IS NOT NULL;
CREATE INDEX entry_index_n4 ON entry_index (project_id, scope, n4, entry_id) INCLUDE (serves, serves_draft, signature) WHERE n4 IS NOT NULL;
CREATE INDEX entry_index_n5 ON entry_index (project_id, scope, n5, entry_id) INCLUDE (serves, serves_draft, signature) WHERE n5 IS NOT NULL;
CREATE INDEX entry_index_n6 ON entry_index (project_id, scope, n6, entry_id) INCLUDE (serves, serves_draft, signature) WHERE n6 IS NOT NULL;
CREATE INDEX entry_index_n7 ON entry_index (project_id, scope, n7, entry_id) INCLUDE (serves, serves_draft, signature) WHERE n7 IS NOT NULL;
CREATE INDEX entry_index_n8 ON entry_index (project_id, scope, n8, entry_id) INCLUDE (serves, serves_draft, signature) WHERE n8 IS NOT NULL;
CREATE INDEX entry_index_d1 ON entry_index (project_id, scope, d1, entry_id) INCLUDE (serves, serves_draft, signature) WHERE d1 IS NOT NULL;
CREATE INDEX entry_index_d2 ON entry_index (project_id, scope, d2, entry_id) INCLUDE (serves, serves_draft, signature) WHERE d2 IS NOT NULL;
CREATE INDEX entry_index_d3 ON entry_index (project_id, scope, d3, entry_id) INCLUDE (serves, serves_draft, signature) WHERE d3 IS NOT NULL;
CREATE INDEX entry_index_d4 ON entry_index (project_id, scope, d4, entry_id) INCLUDE (serves, serves_draft, signature) WHERE d4 IS NOT NULL;

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
    ref           bigint,
    locale        smallint NOT NULL -- number of the entry's
);
CREATE INDEX entry_values_entry ON entry_values (project_id, collection_id, entry_id, field_id);
CREATE INDEX entry_values_text ON entry_values (project_id, collection_id, field_id, text, entry_id) INCLUDE (versions, locale) WHERE text IS NOT NULL;
CREATE INDEX entry_values_num ON entry_values (project_id, collection_id, field_id, num, entry_id) INCLUDE (versions, locale) WHERE num IS NOT NULL;
CREATE INDEX entry_values_ref ON entry_values (project_id, collection_id, field_id, ref, entry_id) INCLUDE (versions, locale) WHERE ref IS NOT NULL;

-- The folded texts that "like" looks in, whole; versions as in entry_values.
CREATE TABLE entry_texts (
    project_id    bigint   NOT NULL,
    collection_id bigint   NOT NULL,
    entry_id      bigint   NOT NULL,
    field_id      integer  NOT NULL,
    versions      smallint NOT NULL,
    searchable    boolean  NOT NULL,
    text          text COLLATE "C" NOT NULL,
    locale        smallint NOT NULL
);
CREATE INDEX entry_texts_entry ON entry_texts (project_id, collection_id, entry_id, field_id);
-- Of one field of one collection, for searches that read them: what the trigram index finds
-- may be in any other collection.
CREATE INDEX entry_texts_searchable ON entry_texts (project_id, collection_id, field_id, locale) WHERE searchable;

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
        -- New words wait in a list that every search reads: of 4 MB, the default, for milliseconds.
        CREATE INDEX entry_texts_search ON entry_texts USING gin (text gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE searchable;
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

-- How many published rows of entry_index there are of each scope and serves whose value, at
-- one place, falls into one bucket. Places are, from 0 on, entry_id, created_at, published_at,
-- released_at and d1 to d4. A bucket is of 4096 ids or of 2^30 milliseconds.
CREATE TABLE entry_buckets (
    project_id bigint   NOT NULL,
    scope      bigint   NOT NULL,
    place      smallint NOT NULL,
    bucket     bigint   NOT NULL,
    serves     bigint   NOT NULL,
    entries    integer  NOT NULL,
    PRIMARY KEY (project_id, scope, place, bucket, serves)
) WITH (fillfactor = 70); -- the same rows are written again and again

-- How many entries readers in each state meet: by collection, state (0 published, 1
-- only_draft, 2 with_draft) and whom the rows serve.
CREATE TABLE entry_counters (
    project_id    bigint   NOT NULL,
    collection_id bigint   NOT NULL,
    state         smallint NOT NULL,
    serves        bigint   NOT NULL,
    entries       bigint   NOT NULL,
    PRIMARY KEY (project_id, collection_id, state, serves)
);

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

-- Whether one of them is between low and high, of which either may be null; above and below
-- leave these out themselves.
CREATE FUNCTION document_between(document text, name text, low text, above boolean, high text, below boolean)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT EXISTS (SELECT FROM json_array_elements_text(document::json -> name) AS texts (value)
        WHERE (low IS NULL OR value COLLATE "C" > low COLLATE "C" OR value = low AND NOT above)
        AND (high IS NULL OR value COLLATE "C" < high COLLATE "C" OR value = high AND NOT below))
$$;

-- What content goes through before it is public, and what became of it. Times are
-- milliseconds since 1970.

CREATE TABLE approval_requests (
    project_id          bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    id                  bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id           bigint NOT NULL,
    collection_id       bigint NOT NULL, -- without a constraint, like entry_id: requests outlive both
    entry_id            bigint NOT NULL,
    locale              text COLLATE "C" NOT NULL,
    release_year        integer NOT NULL,
    release_count       bigint, -- null until it is given, in the transaction that inserts
    status              text COLLATE "C" NOT NULL,
    version             bigint NOT NULL,
    steps               text COLLATE "C" NOT NULL, -- JSON array
    allow_self_approval boolean NOT NULL,
    current_step        integer NOT NULL, -- its index
    content_hash        text COLLATE "C" NOT NULL,
    scheduled_at        bigint,
    submitter_kind      text COLLATE "C" NOT NULL,
    submitter_id        bigint NOT NULL,
    submitter_name      text COLLATE "C" NOT NULL,
    submitted_at        bigint NOT NULL,
    published_at        bigint,
    approvers           text COLLATE "C" NOT NULL, -- JSON array
    chain_hash          text COLLATE "C" NOT NULL,
    -- For inboxes: who the current step waits for, by tier (1 project admin, 2
    -- department admin, 3 tenant admin) or by custom role; who may not approve it, and
    -- the custom roles of all steps, as ids between commas.
    step_tier           smallint,
    step_role           bigint,
    barred              text COLLATE "C" NOT NULL,
    step_roles          text COLLATE "C" NOT NULL,
    snapshot            text COLLATE "C" NOT NULL, -- JSON
    withheld            text COLLATE "C",          -- JSON
    PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX approval_requests_open ON approval_requests (project_id, entry_id) WHERE status IN ('pending', 'approved');
CREATE UNIQUE INDEX approval_requests_release ON approval_requests (tenant_id, release_year, release_count);
CREATE INDEX approval_requests_entry ON approval_requests (project_id, entry_id, id);
CREATE INDEX approval_requests_collection ON approval_requests (project_id, collection_id, id) WHERE status IN ('pending', 'approved');
CREATE INDEX approval_requests_pending ON approval_requests (project_id, submitted_at, id) INCLUDE (step_tier, step_role, barred) WHERE status = 'pending';
CREATE INDEX approval_requests_scheduled ON approval_requests (project_id, scheduled_at) INCLUDE (step_roles) WHERE status = 'approved';
CREATE INDEX approval_requests_mine ON approval_requests (submitter_id, project_id, id) WHERE submitter_kind = 'user' AND status IN ('pending', 'approved');

CREATE TABLE approval_actions (
    project_id   bigint NOT NULL,
    request_id   bigint NOT NULL,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    type         text COLLATE "C" NOT NULL,
    step_order   integer NOT NULL,
    actor_kind   text COLLATE "C" NOT NULL,
    actor_id     bigint NOT NULL,
    actor_name   text COLLATE "C" NOT NULL,
    comment      text COLLATE "C" NOT NULL,
    content_hash text COLLATE "C" NOT NULL,
    scheduled_at bigint,
    created_at   bigint NOT NULL,
    hash         text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, request_id, id),
    FOREIGN KEY (project_id, request_id) REFERENCES approval_requests ON DELETE CASCADE
);

-- How many release numbers were given out.
CREATE TABLE approval_release_counters (
    tenant_id bigint NOT NULL REFERENCES tenants ON DELETE CASCADE,
    year      integer NOT NULL,
    released  bigint NOT NULL,
    PRIMARY KEY (tenant_id, year)
);

-- What goes public when its time comes.
CREATE TABLE publications (
    project_id     bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    entry_id       bigint NOT NULL,
    collection_id  bigint NOT NULL,
    request_id     bigint, -- null: no workflow governed the entry
    due_at         bigint NOT NULL,
    retry_at       bigint NOT NULL, -- due_at until an attempt failed
    attempts       integer NOT NULL, -- failed ones
    last_fault     text COLLATE "C" NOT NULL,
    scheduler_kind text COLLATE "C" NOT NULL,
    scheduler_id   bigint NOT NULL,
    scheduler_name text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, entry_id)
);
CREATE INDEX publications_due ON publications (retry_at, project_id, entry_id);
CREATE INDEX publications_failed ON publications (project_id, retry_at) WHERE attempts > 0;

-- The answers of requests that may be sent again.
CREATE TABLE idempotency_keys (
    caller      text COLLATE "C" NOT NULL,
    key         bytea NOT NULL,
    fingerprint bytea NOT NULL, -- SHA-256 of what was asked
    claimed_at  bigint NOT NULL,
    status      integer, -- null while under way, 0 from its effect until its answer
    header      text COLLATE "C" NOT NULL, -- JSON object
    body        bytea,
    PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (claimed_at);

-- What the planner should believe of tables that have never been analysed: many
-- entries in few Projects and collections. Otherwise it takes every column for
-- equally telling, and right after an import reads a whole collection per row.
-- A sample is analysed and taken away; the first real analysis replaces it.

INSERT INTO entries (project_id, id, collection_id, locale, group_id, version, draft, published, created_at, updated_at, created_by, updated_by)
SELECT -1, -n, -1, 'en', -n, 1, '{}', '{}', n, n, 0, 0 FROM generate_series(1, 2000) AS n;

INSERT INTO entry_index (project_id, scope, collection_id, shelf, locale, entry_id, group_id, serves, serves_draft, published_at, released_at, created_at, updated_at, signature,
    t1, t2, t3, t4, t5, t6, t7, t8, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4)
SELECT -1, -256 + shelf * 64, -1, shelf, 0, -n, -n, 1, 1, n, n, n, n, v, x, x, x, x, x, x, x, x, v, v, v, v, v, v, v, v, v, v, v, v
FROM (SELECT n, n % 100 AS v, 'text ' || n % 100 AS x FROM generate_series(1, 2000) AS n) AS sample, (VALUES (0), (1)) AS shelves (shelf);

INSERT INTO entry_values (project_id, collection_id, entry_id, field_id, versions, locale, text, num, ref)
SELECT -1, -1, -n, field, 3, 0,
    CASE field WHEN 1 THEN 'text ' || n % 100 END, CASE field WHEN 2 THEN n % 100 END, CASE field WHEN 3 THEN -n END
FROM generate_series(1, 2000) AS n, generate_series(1, 3) AS field;

INSERT INTO entry_texts (project_id, collection_id, entry_id, field_id, versions, locale, searchable, text)
SELECT -1, -1, -n, field, 3, 0, field = 1, 'text ' || n FROM generate_series(1, 2000) AS n, generate_series(1, 3) AS field;

INSERT INTO entry_claims (project_id, collection_id, field_id, locale, hash, entry_id)
SELECT -1, -1, 1, 'en', sha256(convert_to(n::text, 'UTF8')), -n FROM generate_series(1, 2000) AS n;

ANALYZE entries, entry_index, entry_values, entry_texts, entry_claims;

DELETE FROM entries WHERE project_id = -1;
DELETE FROM entry_index WHERE project_id = -1;
DELETE FROM entry_values WHERE project_id = -1;
DELETE FROM entry_texts WHERE project_id = -1;
DELETE FROM entry_claims WHERE project_id = -1;

-- How many Projects and collections there are, no analysis is to find out. Among
-- thousands of them the planner would take each for one of a few rows, and the whole of
-- it for as good to read as the one row that is meant. Like this it plans for the largest.

ALTER TABLE entries ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_index ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1), ALTER COLUMN scope SET (n_distinct = 2);
ALTER TABLE entry_values ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_texts ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_claims ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
