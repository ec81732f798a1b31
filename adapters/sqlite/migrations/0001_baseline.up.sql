-- The organisation, who may do what in it, and what a Project defines.
-- Times are milliseconds since 1970, ids are never reused.

CREATE TABLE tenants (
    id         integer PRIMARY KEY AUTOINCREMENT,
    name       text NOT NULL,
    created_at integer NOT NULL,
    updated_at integer NOT NULL
);

-- The workflow of a Department or a Project is part of its row, so that a lock of the row
-- keeps the workflow as it is.
CREATE TABLE departments (
    id         integer PRIMARY KEY AUTOINCREMENT,
    tenant_id  integer NOT NULL REFERENCES tenants,
    name       text NOT NULL,
    workflow       text, -- JSON; null: none
    created_at integer NOT NULL,
    updated_at integer NOT NULL
);
CREATE INDEX departments_tenant ON departments (tenant_id, id);

CREATE TABLE projects (
    id             integer PRIMARY KEY AUTOINCREMENT,
    uuid           text NOT NULL UNIQUE,
    tenant_id      integer NOT NULL REFERENCES tenants,
    department_id  integer REFERENCES departments,
    name           text NOT NULL,
    default_locale text NOT NULL,
    locales        text NOT NULL, -- JSON array
    fallbacks      text NOT NULL, -- JSON object of arrays
    upload_limit   integer NOT NULL,           -- bytes
    workflow       text, -- JSON; null: none
    created_at     integer NOT NULL,
    updated_at     integer NOT NULL
);
CREATE INDEX projects_tenant ON projects (tenant_id, id);
CREATE INDEX projects_department ON projects (department_id);

CREATE TABLE users (
    id            integer PRIMARY KEY AUTOINCREMENT,
    email         text NOT NULL UNIQUE, -- lower case
    name          text NOT NULL,
    tenant_id     integer REFERENCES tenants,
    password_hash text NOT NULL,
    super_admin   boolean NOT NULL,
    active        boolean NOT NULL,
    created_at    integer NOT NULL,
    updated_at    integer NOT NULL
);
CREATE INDEX users_tenant ON users (tenant_id, id);

CREATE TABLE tenant_members (
    scope_id integer NOT NULL REFERENCES tenants ON DELETE CASCADE,
    user_id  integer NOT NULL REFERENCES users ON DELETE CASCADE,
    role     text NOT NULL,
    PRIMARY KEY (scope_id, user_id)
) WITHOUT ROWID;
CREATE INDEX tenant_members_user ON tenant_members (user_id);

CREATE TABLE department_members (
    scope_id integer NOT NULL REFERENCES departments ON DELETE CASCADE,
    user_id  integer NOT NULL REFERENCES users ON DELETE CASCADE,
    role     text NOT NULL,
    PRIMARY KEY (scope_id, user_id)
) WITHOUT ROWID;
CREATE INDEX department_members_user ON department_members (user_id);

CREATE TABLE project_members (
    scope_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    user_id  integer NOT NULL REFERENCES users ON DELETE CASCADE,
    role     text NOT NULL,
    PRIMARY KEY (scope_id, user_id)
) WITHOUT ROWID;
CREATE INDEX project_members_user ON project_members (user_id);

CREATE TABLE custom_roles (
    id            integer PRIMARY KEY AUTOINCREMENT,
    tenant_id     integer NOT NULL REFERENCES tenants,
    department_id integer NOT NULL REFERENCES departments ON DELETE CASCADE,
    name          text NOT NULL,
    created_at    integer NOT NULL,
    UNIQUE (department_id, name)
);
CREATE INDEX custom_roles_tenant ON custom_roles (tenant_id);

CREATE TABLE custom_role_holders (
    role_id integer NOT NULL REFERENCES custom_roles ON DELETE CASCADE,
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (role_id, user_id)
) WITHOUT ROWID;
CREATE INDEX custom_role_holders_user ON custom_role_holders (user_id);

CREATE TABLE sessions (
    hash       blob NOT NULL PRIMARY KEY, -- SHA-256 of the cookie's value
    user_id    integer NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at integer NOT NULL,
    expires_at integer NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE tokens (
    id           integer PRIMARY KEY AUTOINCREMENT,
    project_id   integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    name         text NOT NULL,
    hash         blob NOT NULL UNIQUE, -- SHA-256 of the secret
    hint         text NOT NULL,
    abilities    text NOT NULL, -- JSON array
    allow_drafts boolean NOT NULL,
    rate_limit   integer, -- requests per 60 s
    expires_at   integer,
    last_used_at integer,
    revoked_at   integer,
    created_by   integer, -- a user, without a constraint: the account may go
    created_at   integer NOT NULL
);
CREATE INDEX tokens_project ON tokens (project_id, id);

CREATE TABLE collections (
    project_id    integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    id            integer PRIMARY KEY AUTOINCREMENT,
    slug          text NOT NULL,
    name          text NOT NULL,
    description   text NOT NULL,
    fields        text NOT NULL, -- JSON array, in the order they are shown
    removed       text NOT NULL, -- JSON array
    next_field_id integer NOT NULL,
    version       integer NOT NULL,
    created_at    integer NOT NULL,
    updated_at    integer NOT NULL,
    UNIQUE (project_id, id),
    UNIQUE (project_id, slug)
);

CREATE TABLE media (
    project_id     integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    id             integer PRIMARY KEY AUTOINCREMENT,
    file_name      text NOT NULL,
    caption        text NOT NULL,
    tags           text NOT NULL, -- JSON array
    search         text NOT NULL, -- folded: caption, file name and tags, one a unit separator from the next
    mime_type      text NOT NULL,
    kind           text NOT NULL,
    hash           text NOT NULL, -- SHA-256 of the bytes, hex
    size           integer NOT NULL,           -- bytes
    width          integer NOT NULL,           -- pixels
    height         integer NOT NULL,
    full_blob       text NOT NULL,
    thumb_blob      text NOT NULL,
    thumb_webp_blob text NOT NULL,
    full_webp_blob  text NOT NULL,
    created_at     integer NOT NULL,
    updated_at     integer NOT NULL,
    UNIQUE (project_id, id)
);
CREATE INDEX media_kind ON media (project_id, kind, id);
CREATE INDEX media_pictures ON media (id) WHERE kind = 'image';

-- How many rows of media need the bytes of that name. A Project's names outlive it,
-- until the bytes are gone, too.
CREATE TABLE media_blobs (
    project_id integer NOT NULL,
    name       text NOT NULL,
    holders    integer NOT NULL,
    PRIMARY KEY (project_id, name)
) WITHOUT ROWID;
CREATE INDEX media_blobs_unheld ON media_blobs (project_id, name) WHERE holders = 0;

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

-- One row per version of an untrashed entry that readers can meet. shelf says which: 0 what
-- is published, 1 the draft of what is not, 2 the draft of a published entry where it
-- differs. locale is its number in the Project; bit n of a mask says that the row is the
-- answer for locale number n: serves to readers of what is published, or of drafts that
-- never were, serves_draft to readers of all drafts. scope is collection_id * 256 + shelf *
-- 64 + locale, which makes one narrow key of the three. The slots hold the values of the
-- fields that were given one; texts are cut. signature has a few bits of a hash of each text
-- and number in them. released_at is when what is published last changed.
CREATE TABLE entry_index (
    project_id    INTEGER NOT NULL,
    scope         INTEGER NOT NULL,
    entry_id      INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    shelf         INTEGER NOT NULL,
    locale        INTEGER NOT NULL,
    group_id      INTEGER NOT NULL,
    serves        INTEGER NOT NULL,
    serves_draft  INTEGER NOT NULL,
    published_at  INTEGER,
    released_at   INTEGER,
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
CREATE INDEX entry_index_group ON entry_index (project_id, group_id, shelf);
CREATE INDEX entry_index_published_at ON entry_index (project_id, scope, published_at, entry_id, serves, serves_draft, signature) WHERE published_at IS NOT NULL;
CREATE INDEX entry_index_released_at ON entry_index (project_id, scope, released_at, entry_id, serves, serves_draft, signature) WHERE released_at IS NOT NULL;
CREATE INDEX entry_index_created_at ON entry_index (project_id, scope, created_at, entry_id, serves, serves_draft, signature);
CREATE INDEX entry_index_updated_at ON entry_index (project_id, scope, updated_at, entry_id, serves, serves_draft, signature);
CREATE INDEX entry_index_t1 ON entry_index (project_id, scope, t1, entry_id, serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t1 IS NOT NULL;
CREATE INDEX entry_index_t2 ON entry_index (project_id, scope, t2, entry_id, serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t2 IS NOT NULL;
CREATE INDEX entry_index_t3 ON entry_index (project_id, scope, t3, entry_id, serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t3 IS NOT NULL;
CREATE INDEX entry_index_t4 ON entry_index (project_id, scope, t4, entry_id, serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t4 IS NOT NULL;
CREATE INDEX entry_index_t5 ON entry_index (project_id, scope, t5, entry_id, serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t5 IS NOT NULL;
CREATE INDEX entry_index_t6 ON entry_index (project_id, scope, t6, entry_id, serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t6 IS NOT NULL;
CREATE INDEX entry_index_t7 ON entry_index (project_id, scope, t7, entry_id, serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t7 IS NOT NULL;
CREATE INDEX entry_index_t8 ON entry_index (project_id, scope, t8, entry_id, serves, serves_draft, signature, n1, n2, n3, n4, n5, n6, n7, n8, d1, d2, d3, d4) WHERE t8 IS NOT NULL;
CREATE INDEX entry_index_n1 ON entry_index (project_id, scope, n1, entry_id, serves, serves_draft, signature) WHERE n1 IS NOT NULL;
CREATE INDEX entry_index_n2 ON entry_index (project_id, scope, n2, entry_id, serves, serves_draft, signature) WHERE n2 IS NOT NULL;
CREATE INDEX entry_index_n3 ON entry_index (project_id, scope, n3, entry_id, serves, serves_draft, signature) WHERE n3 IS NOT NULL;
CREATE INDEX entry_index_n4 ON entry_index (project_id, scope, n4, entry_id, serves, serves_draft, signature) WHERE n4 IS NOT NULL;
CREATE INDEX entry_index_n5 ON entry_index (project_id, scope, n5, entry_id, serves, serves_draft, signature) WHERE n5 IS NOT NULL;
CREATE INDEX entry_index_n6 ON entry_index (project_id, scope, n6, entry_id, serves, serves_draft, signature) WHERE n6 IS NOT NULL;
CREATE INDEX entry_index_n7 ON entry_index (project_id, scope, n7, entry_id, serves, serves_draft, signature) WHERE n7 IS NOT NULL;
CREATE INDEX entry_index_n8 ON entry_index (project_id, scope, n8, entry_id, serves, serves_draft, signature) WHERE n8 IS NOT NULL;
CREATE INDEX entry_index_d1 ON entry_index (project_id, scope, d1, entry_id, serves, serves_draft, signature) WHERE d1 IS NOT NULL;
CREATE INDEX entry_index_d2 ON entry_index (project_id, scope, d2, entry_id, serves, serves_draft, signature) WHERE d2 IS NOT NULL;
CREATE INDEX entry_index_d3 ON entry_index (project_id, scope, d3, entry_id, serves, serves_draft, signature) WHERE d3 IS NOT NULL;
CREATE INDEX entry_index_d4 ON entry_index (project_id, scope, d4, entry_id, serves, serves_draft, signature) WHERE d4 IS NOT NULL;

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
    ref           INTEGER,
    locale        INTEGER NOT NULL -- number of the entry's
);
CREATE INDEX entry_values_entry ON entry_values (project_id, collection_id, entry_id, field_id, ref, versions);
CREATE INDEX entry_values_text ON entry_values (project_id, collection_id, field_id, text, entry_id, versions, locale) WHERE text IS NOT NULL;
CREATE INDEX entry_values_num ON entry_values (project_id, collection_id, field_id, num, entry_id, versions, locale) WHERE num IS NOT NULL;
CREATE INDEX entry_values_ref ON entry_values (project_id, collection_id, field_id, ref, entry_id, versions, locale) WHERE ref IS NOT NULL;

-- The folded texts that "like" looks in, whole; versions as in entry_values.
CREATE TABLE entry_texts (
    id            INTEGER PRIMARY KEY,
    project_id    INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    entry_id      INTEGER NOT NULL,
    field_id      INTEGER NOT NULL,
    versions      INTEGER NOT NULL,
    searchable    INTEGER NOT NULL,
    text          TEXT    NOT NULL,
    locale        INTEGER NOT NULL
);
CREATE INDEX entry_texts_entry ON entry_texts (project_id, collection_id, entry_id, field_id);
-- Of one field of one collection, for searches that read them: what the trigram index finds
-- may be in any other collection.
CREATE INDEX entry_texts_searchable ON entry_texts (project_id, collection_id, field_id, locale) WHERE searchable;
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

-- How many published rows of entry_index there are of each scope and serves whose value, at
-- one place, falls into one bucket. Places are, from 0 on, entry_id, created_at, published_at,
-- released_at and d1 to d4. A bucket is of 4096 ids or of 2^30 milliseconds.
CREATE TABLE entry_buckets (
    project_id INTEGER NOT NULL,
    scope      INTEGER NOT NULL,
    place      INTEGER NOT NULL,
    bucket     INTEGER NOT NULL,
    serves     INTEGER NOT NULL,
    entries    INTEGER NOT NULL,
    PRIMARY KEY (project_id, scope, place, bucket, serves)
) WITHOUT ROWID;

-- How many entries readers in each state meet: by collection, state (0 published, 1
-- only_draft, 2 with_draft) and whom the rows serve.
CREATE TABLE entry_counters (
    project_id    INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    state         INTEGER NOT NULL,
    serves        INTEGER NOT NULL,
    entries       INTEGER NOT NULL,
    PRIMARY KEY (project_id, collection_id, state, serves)
) WITHOUT ROWID;

-- What content goes through before it is public, and what became of it. Times are
-- milliseconds since 1970.

CREATE TABLE approval_requests (
    project_id          integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    id                  integer PRIMARY KEY AUTOINCREMENT,
    tenant_id           integer NOT NULL,
    collection_id       integer NOT NULL, -- without a constraint, like entry_id: requests outlive both
    entry_id            integer NOT NULL,
    locale              text NOT NULL,
    release_year        integer NOT NULL,
    release_count       integer, -- null until it is given, in the transaction that inserts
    status              text NOT NULL,
    version             integer NOT NULL,
    steps               text NOT NULL, -- JSON array
    allow_self_approval boolean NOT NULL,
    current_step        integer NOT NULL, -- its index
    content_hash        text NOT NULL,
    scheduled_at        integer,
    submitter_kind      text NOT NULL,
    submitter_id        integer NOT NULL,
    submitter_name      text NOT NULL,
    submitted_at        integer NOT NULL,
    published_at        integer,
    approvers           text NOT NULL, -- JSON array
    chain_hash          text NOT NULL,
    -- For inboxes: who the current step waits for, by tier (1 project admin, 2
    -- department admin, 3 tenant admin) or by custom role; who may not approve it, and
    -- the custom roles of all steps, as ids between commas.
    step_tier           integer,
    step_role           integer,
    barred              text NOT NULL,
    step_roles          text NOT NULL,
    snapshot            text NOT NULL, -- JSON
    withheld            text,          -- JSON
    UNIQUE (project_id, id)
);
CREATE UNIQUE INDEX approval_requests_open ON approval_requests (project_id, entry_id) WHERE status IN ('pending', 'approved');
CREATE UNIQUE INDEX approval_requests_release ON approval_requests (tenant_id, release_year, release_count);
CREATE INDEX approval_requests_entry ON approval_requests (project_id, entry_id, id);
CREATE INDEX approval_requests_collection ON approval_requests (project_id, collection_id, id) WHERE status IN ('pending', 'approved');
CREATE INDEX approval_requests_pending ON approval_requests (project_id, submitted_at, id, step_tier, step_role, barred) WHERE status = 'pending';
CREATE INDEX approval_requests_scheduled ON approval_requests (project_id, scheduled_at, step_roles) WHERE status = 'approved';
CREATE INDEX approval_requests_mine ON approval_requests (submitter_id, project_id, id) WHERE submitter_kind = 'user' AND status IN ('pending', 'approved');

CREATE TABLE approval_actions (
    project_id   integer NOT NULL,
    request_id   integer NOT NULL,
    id           integer PRIMARY KEY AUTOINCREMENT,
    type         text NOT NULL,
    step_order   integer NOT NULL,
    actor_kind   text NOT NULL,
    actor_id     integer NOT NULL,
    actor_name   text NOT NULL,
    comment      text NOT NULL,
    content_hash text NOT NULL,
    scheduled_at integer,
    created_at   integer NOT NULL,
    hash         text NOT NULL,
    FOREIGN KEY (project_id, request_id) REFERENCES approval_requests (project_id, id) ON DELETE CASCADE
);
CREATE INDEX approval_actions_request ON approval_actions (project_id, request_id, id);

-- How many release numbers were given out.
CREATE TABLE approval_release_counters (
    tenant_id integer NOT NULL REFERENCES tenants ON DELETE CASCADE,
    year      integer NOT NULL,
    released  integer NOT NULL,
    PRIMARY KEY (tenant_id, year)
) WITHOUT ROWID;

-- What goes public when its time comes.
CREATE TABLE publications (
    project_id     integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    entry_id       integer NOT NULL,
    collection_id  integer NOT NULL,
    request_id     integer, -- null: no workflow governed the entry
    due_at         integer NOT NULL,
    retry_at       integer NOT NULL, -- due_at until an attempt failed
    attempts       integer NOT NULL, -- failed ones
    last_fault     text NOT NULL,
    scheduler_kind text NOT NULL,
    scheduler_id   integer NOT NULL,
    scheduler_name text NOT NULL,
    PRIMARY KEY (project_id, entry_id)
) WITHOUT ROWID;
CREATE INDEX publications_due ON publications (retry_at, project_id, entry_id);
CREATE INDEX publications_failed ON publications (project_id, retry_at) WHERE attempts > 0;

-- The answers of requests that may be sent again.
CREATE TABLE idempotency_keys (
    caller      text NOT NULL,
    key         blob NOT NULL,
    fingerprint blob NOT NULL, -- SHA-256 of what was asked
    claimed_at  integer NOT NULL,
    status      integer, -- null while under way, 0 from its effect until its answer
    header      text NOT NULL, -- JSON object
    body        blob,
    PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (claimed_at);
