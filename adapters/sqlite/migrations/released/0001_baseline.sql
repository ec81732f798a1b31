-- The schema of Imprimatur on SQLite.
--
-- Texts compare byte by byte, times are milliseconds since 1970, ids are never reused
-- (AUTOINCREMENT), and JSON is stored as text.

-- Organisation ----------------------------------------------------------------------------

-- A Tenant is one customer of the installation.
CREATE TABLE tenants (
    id         integer PRIMARY KEY AUTOINCREMENT,
    name       text NOT NULL,
    neutral_mail boolean NOT NULL DEFAULT false, -- e-mails do not say what they are about
    second_factor_from integer, -- null: members need no second factor
    assistants boolean NOT NULL DEFAULT false, -- its Projects admit assistants
    created_at integer NOT NULL,
    updated_at integer NOT NULL
);

-- A Department belongs to a Tenant. Its workflow is a column of the row, so that a lock of the
-- row keeps the workflow as it is.
CREATE TABLE departments (
    id         integer PRIMARY KEY AUTOINCREMENT,
    tenant_id  integer NOT NULL REFERENCES tenants,
    name       text NOT NULL,
    workflow   text, -- JSON; null: none
    created_at integer NOT NULL,
    updated_at integer NOT NULL
);
CREATE INDEX departments_tenant ON departments (tenant_id, id);

-- A Project belongs to a Tenant and, unless department_id is null, to one of its Departments.
-- A number of a locale elsewhere is its index in locales.
CREATE TABLE projects (
    id               integer PRIMARY KEY AUTOINCREMENT,
    uuid             text NOT NULL UNIQUE,
    tenant_id        integer REFERENCES tenants, -- null: deleted; see deletions
    department_id    integer REFERENCES departments,
    name             text NOT NULL,
    default_locale   text NOT NULL,
    locales          text NOT NULL, -- JSON array
    fallbacks        text NOT NULL, -- JSON object of arrays
    locale_index     text NOT NULL DEFAULT '{}', -- JSON object: the fallback chains that the masks of entry_index hold
    reindexing       boolean NOT NULL DEFAULT false, -- whether a back-fill has to change these masks
    upload_limit     integer NOT NULL, -- bytes
    allowed_origins  text NOT NULL DEFAULT '["*"]', -- JSON array of the origins whose pages may call the content API; "*": all
    preview_url      text NOT NULL DEFAULT '', -- address of an entry's page on the website, with placeholders; empty: none
    revision_limit   integer NOT NULL DEFAULT 100, -- revisions that an entry keeps; 0: all
    publication_days integer NOT NULL DEFAULT 0, -- how long publications are kept after their end; 0: for ever
    keep_location    boolean NOT NULL DEFAULT false, -- store pictures with the metadata of their place
    shared_cache     integer NOT NULL DEFAULT 0, -- seconds for which shared caches may keep reads of published entries
    workflow         text, -- JSON; null: none
    created_at       integer NOT NULL,
    updated_at       integer NOT NULL
);
CREATE INDEX projects_tenant ON projects (tenant_id, id);
CREATE INDEX projects_department ON projects (department_id);
CREATE INDEX projects_reindexing ON projects (id) WHERE reindexing;

-- Deleted Projects and collections of which rows are left. No read shows these rows, and portions of them
-- are deleted in the background.
CREATE TABLE deletions (
    project_id    integer NOT NULL,
    collection_id integer NOT NULL, -- 0: the whole Project
    slug          text NOT NULL, -- of the collection; empty: of a Project
    began_at      integer NOT NULL,
    PRIMARY KEY (project_id, collection_id)
);

-- How far the back-fill of the masks of a Project has come.
CREATE TABLE locale_fills (
    project_id integer NOT NULL PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    version    integer NOT NULL, -- of locale_index
    reached    integer NOT NULL -- the last translation group done
) WITHOUT ROWID;

-- Accounts and access ---------------------------------------------------------------------

-- Accounts. tenant_id is null for accounts of the installation. language, time_zone and theme are
-- how the user wants to see the dashboard; empty: as the browser and the system are set.
CREATE TABLE users (
    id                   integer PRIMARY KEY AUTOINCREMENT,
    email                text NOT NULL UNIQUE, -- lower case
    name                 text NOT NULL,
    tenant_id            integer REFERENCES tenants,
    password_hash        text NOT NULL,
    super_admin          boolean NOT NULL,
    active               boolean NOT NULL,
    must_change_password boolean NOT NULL DEFAULT false, -- another user set it
    language             text NOT NULL DEFAULT '',
    time_zone            text NOT NULL DEFAULT '', -- IANA name
    theme                text NOT NULL DEFAULT '',
    totp                 boolean NOT NULL DEFAULT false, -- has a confirmed authenticator app
    passkeys             integer NOT NULL DEFAULT 0, -- number of passkeys
    last_sign_in_at      integer, -- null: never
    mail                 integer NOT NULL DEFAULT 0, -- set of kinds of notices whose e-mails differ from the default
    reach_above          boolean NOT NULL DEFAULT false,
    generation           integer NOT NULL DEFAULT 0, -- grows when all sessions end
    created_at           integer NOT NULL,
    updated_at           integer NOT NULL
);
CREATE INDEX users_tenant ON users (tenant_id, id);

-- Roles of users in a Tenant, in a Department and in a Project.
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

-- Roles that a Department defines for its workflows.
CREATE TABLE custom_roles (
    id            integer PRIMARY KEY AUTOINCREMENT,
    tenant_id     integer NOT NULL REFERENCES tenants,
    department_id integer NOT NULL REFERENCES departments ON DELETE CASCADE,
    name          text NOT NULL,
    created_at    integer NOT NULL,
    UNIQUE (department_id, name)
);
CREATE INDEX custom_roles_tenant ON custom_roles (tenant_id);

-- Users with a custom role.
CREATE TABLE custom_role_holders (
    role_id integer NOT NULL REFERENCES custom_roles ON DELETE CASCADE,
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (role_id, user_id)
) WITHOUT ROWID;
CREATE INDEX custom_role_holders_user ON custom_role_holders (user_id);

-- Decisions that a user lends to another one. They stay when they have ended.
CREATE TABLE delegations (
    id            integer PRIMARY KEY AUTOINCREMENT,
    from_id       integer NOT NULL REFERENCES users ON DELETE CASCADE,
    to_id         integer NOT NULL REFERENCES users ON DELETE CASCADE,
    set_by        integer NOT NULL,
    starts_at     integer NOT NULL,
    until_at      integer NOT NULL,
    projects      text NOT NULL, -- JSON array of ids
    departments   text NOT NULL, -- JSON array of ids
    department_id integer NOT NULL, -- whose admin set it; 0: from_id did
    ceiling       text NOT NULL, -- the role of that admin
    tenant_id     integer NOT NULL, -- for events; 0: none
    note          text NOT NULL,
    created_at    integer NOT NULL,
    ended_at      integer -- null: no user ended it
);
CREATE INDEX delegations_to ON delegations (to_id, until_at) WHERE ended_at IS NULL;
CREATE INDEX delegations_from ON delegations (from_id, until_at) WHERE ended_at IS NULL;
CREATE INDEX delegations_set ON delegations (set_by, until_at) WHERE ended_at IS NULL;

-- Programs that draft and propose content for a user. They stay when they are revoked.
CREATE TABLE assistants (
    id         integer PRIMARY KEY AUTOINCREMENT,
    user_id    integer NOT NULL REFERENCES users ON DELETE CASCADE,
    tenant_id  integer NOT NULL, -- for events; 0: none
    name       text NOT NULL,
    hash       blob NOT NULL UNIQUE, -- SHA-256 of the secret
    hint       text NOT NULL,
    projects   text NOT NULL, -- JSON array of ids
    drafts     boolean NOT NULL,
    created_at integer NOT NULL,
    expires_at integer NOT NULL,
    revoked_at integer -- null: not revoked
);
CREATE INDEX assistants_user ON assistants (user_id, id);

-- Sessions of the dashboard.
CREATE TABLE sessions (
    id         integer PRIMARY KEY AUTOINCREMENT,
    hash       blob NOT NULL UNIQUE, -- SHA-256 of the cookie's value
    user_id    integer NOT NULL REFERENCES users ON DELETE CASCADE,
    address    text NOT NULL DEFAULT '',
    user_agent text NOT NULL DEFAULT '',
    created_at integer NOT NULL,
    expires_at integer NOT NULL,
    used_at    integer, -- the last request, some minutes behind
    -- When and how its user last proved again who they are.
    verified_at  integer,
    verified_way text NOT NULL DEFAULT '',
    -- The decision that its user is asked to sign; the payload is empty without one.
    signing_payload text NOT NULL DEFAULT '',
    signing_version integer NOT NULL DEFAULT 0,
    signing_until   integer
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Authenticator apps of users. The latest accepted step counts once.
CREATE TABLE totp (
    user_id    integer NOT NULL PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    secret     blob NOT NULL, -- encrypted
    confirmed  boolean NOT NULL,
    last_step  integer NOT NULL, -- number of 30 seconds since 1970
    created_at integer NOT NULL
);

CREATE TABLE recovery_codes (
    user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
    hash    blob NOT NULL, -- SHA-256
    PRIMARY KEY (user_id, hash)
);

-- Public keys of users (WebAuthn).
CREATE TABLE passkeys (
    id            integer PRIMARY KEY AUTOINCREMENT,
    user_id       integer NOT NULL REFERENCES users ON DELETE CASCADE,
    credential_id blob NOT NULL UNIQUE,
    public_key    blob NOT NULL, -- COSE key
    sign_count    integer NOT NULL, -- the authenticator's counter
    transports    text NOT NULL, -- JSON array
    syncable      boolean NOT NULL,
    synced        boolean NOT NULL,
    aaguid        blob NOT NULL, -- model of the authenticator
    name          text NOT NULL,
    created_at    integer NOT NULL,
    last_used_at  integer -- null: never
);
CREATE INDEX passkeys_user ON passkeys (user_id);

-- Failed sign-ins of an account or from an address, counted since the first of them.
CREATE TABLE failed_sign_ins (
    key      text NOT NULL PRIMARY KEY,
    failures integer NOT NULL,
    ends_at  integer NOT NULL -- from then on they do not count
) WITHOUT ROWID;
CREATE INDEX failed_sign_ins_end ON failed_sign_ins (ends_at);

-- What may be used once only: the tickets and challenges of sign-ins that were used.
CREATE TABLE spent (
    hash       blob NOT NULL PRIMARY KEY, -- SHA-256
    expires_at integer NOT NULL -- from then on it is refused because of its age
) WITHOUT ROWID;
CREATE INDEX spent_expiry ON spent (expires_at);

-- What sites may read in place of an entry's public version, for minutes.
CREATE TABLE previews (
    hash         blob NOT NULL PRIMARY KEY, -- SHA-256 of the secret
    session_hash blob NOT NULL, -- of the session that made it
    shows        text NOT NULL, -- JSON: a version of an entry, and whether all others show their drafts
    created_at   integer NOT NULL,
    expires_at   integer NOT NULL
) WITHOUT ROWID;
CREATE INDEX previews_session ON previews (session_hash, created_at);
CREATE INDEX previews_expiry ON previews (expires_at);

-- Offers of roles to the holders of addresses.
CREATE TABLE invitations (
    id           integer PRIMARY KEY AUTOINCREMENT,
    hash         blob NOT NULL UNIQUE, -- SHA-256 of the secret in the link
    email        text NOT NULL, -- lower case
    name         text NOT NULL,
    language     text NOT NULL,
    tenant_id    integer NOT NULL REFERENCES tenants ON DELETE CASCADE, -- of the first role
    grants       text NOT NULL, -- JSON array
    custom_roles text NOT NULL, -- JSON array of ids
    invited_by   integer NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at   integer NOT NULL,
    expires_at   integer NOT NULL,
    accepted_at  integer, -- null: not accepted
    accepted_by  integer, -- a user
    revoked_at   integer -- null: not revoked
);
CREATE INDEX invitations_inviter ON invitations (invited_by, id);
CREATE INDEX invitations_tenant ON invitations (tenant_id, id);
CREATE INDEX invitations_email ON invitations (email, id);
CREATE INDEX invitations_expiry ON invitations (expires_at);

-- Connections of Tenants to OpenID providers.
CREATE TABLE identity_providers (
    id            integer PRIMARY KEY AUTOINCREMENT,
    tenant_id     integer NOT NULL REFERENCES tenants ON DELETE CASCADE,
    name          text NOT NULL,
    issuer        text NOT NULL,
    client_id     text NOT NULL,
    client_secret blob NOT NULL, -- under the secret key (AES-256-GCM, nonce first)
    domains       text NOT NULL, -- JSON array
    scopes        text NOT NULL, -- JSON array
    groups_claim  text NOT NULL, -- empty: none
    create_users  boolean NOT NULL,
    passwords     text NOT NULL,
    second_factor text NOT NULL,
    mappings      text NOT NULL, -- JSON array: groups and the roles of their members
    state         text NOT NULL,
    tried_by      integer, -- a user
    tried_at      integer, -- null: never since the last change
    created_by    integer, -- a user, without a constraint: the account may go
    created_at    integer NOT NULL,
    updated_at    integer NOT NULL
);
CREATE INDEX identity_providers_tenant ON identity_providers (tenant_id, id);

-- The domains of e-mail addresses that belong to a connection, each to one.
CREATE TABLE domain_claims (
    domain      text NOT NULL PRIMARY KEY, -- lower case, in Unicode
    tenant_id   integer NOT NULL REFERENCES tenants ON DELETE CASCADE,
    provider_id integer NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
    means       text NOT NULL, -- how it was shown to be right
    claimed_by  integer NOT NULL, -- a user
    claimed_at  integer NOT NULL
) WITHOUT ROWID;
CREATE INDEX domain_claims_tenant ON domain_claims (tenant_id);
CREATE INDEX domain_claims_provider ON domain_claims (provider_id);

-- The persons at OpenID providers that accounts are linked to.
CREATE TABLE user_identities (
    provider_id integer NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
    subject     text NOT NULL, -- of the person at the provider
    tenant_id   integer NOT NULL REFERENCES tenants ON DELETE CASCADE, -- of the provider
    user_id     integer NOT NULL REFERENCES users ON DELETE CASCADE,
    linked_at   integer NOT NULL,
    PRIMARY KEY (provider_id, subject),
    UNIQUE (user_id, provider_id)
) WITHOUT ROWID;
CREATE INDEX user_identities_tenant ON user_identities (tenant_id);

-- Links in e-mails, deleted when they are used.
CREATE TABLE links (
    hash       blob NOT NULL PRIMARY KEY, -- SHA-256 of the secret in the link
    kind       text NOT NULL,
    email      text NOT NULL, -- lower case
    user_id    integer REFERENCES users ON DELETE CASCADE, -- null: found by the address when the link is used
    created_at integer NOT NULL,
    expires_at integer NOT NULL
) WITHOUT ROWID;
CREATE INDEX links_email ON links (email);
CREATE INDEX links_user ON links (user_id);
CREATE INDEX links_expiry ON links (expires_at);

-- Bearer tokens of the content API. Each is for one Project.
CREATE TABLE tokens (
    id            integer PRIMARY KEY AUTOINCREMENT,
    project_id    integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          text NOT NULL,
    hash          blob NOT NULL UNIQUE, -- SHA-256 of the secret
    hint          text NOT NULL,
    abilities     text NOT NULL, -- JSON array
    allow_drafts  boolean NOT NULL,
    allow_history boolean NOT NULL DEFAULT false,
    allow_schema  text NOT NULL DEFAULT '' CHECK (allow_schema IN ('', 'change', 'destructive')),
    rate_limit    integer, -- requests per 60 s
    expires_at    integer,
    last_used_at  integer,
    revoked_at    integer,
    off           boolean NOT NULL DEFAULT false, -- since a restore, until an operator decides
    created_by    integer, -- a user, without a constraint: the account may go
    created_at    integer NOT NULL
);
CREATE INDEX tokens_project ON tokens (project_id, id);
CREATE INDEX tokens_creator ON tokens (created_by, project_id, id) WHERE revoked_at IS NULL;

-- The number of requests of a token on a day.
CREATE TABLE token_usage (
    project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    token_id   integer NOT NULL,
    day        integer NOT NULL, -- its beginning in UTC
    reads      integer NOT NULL,
    writes     integer NOT NULL,
    PRIMARY KEY (project_id, token_id, day)
) WITHOUT ROWID;
CREATE INDEX token_usage_day ON token_usage (day);

-- Definitions -----------------------------------------------------------------------------

-- Collections with their fields.
CREATE TABLE collections (
    project_id    integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    id            integer PRIMARY KEY AUTOINCREMENT,
    slug          text NOT NULL,
    name          text NOT NULL,
    description   text NOT NULL,
    icon          text NOT NULL DEFAULT 'article', -- shown in the dashboard
    singleton     boolean NOT NULL, -- whether the entries outside the trash are one translation group
    fields        text NOT NULL, -- JSON array, in the order they are shown
    removed       text NOT NULL, -- JSON array
    leaves        text NOT NULL, -- JSON array: what queries may use inside of items
    next_field_id integer NOT NULL,
    version       integer NOT NULL,
    forms         text NOT NULL DEFAULT '', -- version of the words package by which the entries are indexed; empty: several
    forms_ready   boolean NOT NULL DEFAULT false, -- false while a back-fill indexes the entries by it
    words_epoch   integer NOT NULL DEFAULT 0, -- counts the changes after which searches must not find words that entry_words still has
    created_at    integer NOT NULL,
    updated_at    integer NOT NULL,
    UNIQUE (project_id, id),
    UNIQUE (project_id, slug)
);

-- The fields of items in entries.
CREATE TABLE components (
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

-- Media -----------------------------------------------------------------------------------

-- One row per item. The blob columns are names of its variants in the blob store.
CREATE TABLE media (
    project_id      integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    id              integer PRIMARY KEY AUTOINCREMENT,
    file_name       text NOT NULL,
    caption         text NOT NULL,
    alt             text NOT NULL,
    tags            text NOT NULL, -- JSON array
    focal_point     text NOT NULL, -- canonical JSON object of x and y, or null
    folder          text NOT NULL, -- names joined by slashes; empty: in no folder
    search          text NOT NULL, -- folded: caption, file name and tags, one a unit separator from the next
    mime_type       text NOT NULL,
    kind            text NOT NULL,
    hash            text NOT NULL, -- SHA-256 of the stored bytes, hex
    uploaded_hash   text NOT NULL DEFAULT '', -- of the bytes as they were uploaded; empty: stored unchanged
    size            integer NOT NULL, -- bytes
    width           integer NOT NULL, -- pixels
    height          integer NOT NULL,
    color           text NOT NULL DEFAULT '', -- like #5a7d9b; empty: has none, or is not a picture
    full_blob       text NOT NULL,
    thumb_blob      text NOT NULL,
    thumb_webp_blob text NOT NULL,
    full_webp_blob  text NOT NULL,
    created_at      integer NOT NULL,
    updated_at      integer NOT NULL,
    removed_at      integer, -- null: in the library; otherwise publications name the item
    UNIQUE (project_id, id)
);
CREATE INDEX media_kept ON media (project_id, id) WHERE removed_at IS NOT NULL;
CREATE INDEX media_kind ON media (project_id, kind, id);
CREATE INDEX media_folder ON media (project_id, folder, id) WHERE removed_at IS NULL;
CREATE INDEX media_pictures ON media (id) WHERE kind = 'image';
CREATE INDEX media_hash ON media (project_id, hash, id);
CREATE INDEX media_full ON media (project_id, full_blob);
CREATE INDEX media_thumb ON media (project_id, thumb_blob);
CREATE INDEX media_thumb_webp ON media (project_id, thumb_webp_blob);
CREATE INDEX media_full_webp ON media (project_id, full_webp_blob);
CREATE INDEX media_uploaded ON media (project_id, uploaded_hash, id) WHERE uploaded_hash <> '';

-- How many rows of media refer to a blob. A row outlives its Project until the bytes are deleted.
CREATE TABLE media_blobs (
    project_id integer NOT NULL,
    name       text NOT NULL,
    holders    integer NOT NULL,
    mark       integer NOT NULL DEFAULT 0, -- differs when a name is forgotten and added again
    PRIMARY KEY (project_id, name)
) WITHOUT ROWID;
CREATE INDEX media_blobs_unheld ON media_blobs (project_id, name) WHERE holders = 0;

-- The pictures that were made of originals on demand. A row outlives its Project until the bytes of the
-- original are deleted.
CREATE TABLE media_renditions (
    project_id integer NOT NULL,
    name       text NOT NULL, -- of its blob
    original   text NOT NULL, -- name in media_blobs
    used_at    integer NOT NULL, -- recorded at most once a day
    PRIMARY KEY (project_id, name)
) WITHOUT ROWID;
CREATE INDEX media_renditions_original ON media_renditions (project_id, original, used_at);
CREATE INDEX media_renditions_used ON media_renditions (used_at);

-- Entries ---------------------------------------------------------------------------------

-- The last id of an entry. Ids are drawn before the row is written, because a translation group
-- has the id of its first entry.
CREATE TABLE entry_ids (last integer NOT NULL);
INSERT INTO entry_ids (last) VALUES (0);

-- One row per entry, with both versions as JSON objects. published is null unless the entry is
-- published. The newest revision is a part of the entry, because every write changes it. Reads take
-- the columns from the left to the last that they need, so the draft is last.
CREATE TABLE entries (
    id              integer PRIMARY KEY,
    project_id      integer NOT NULL,
    collection_id   integer NOT NULL,
    locale          text NOT NULL,
    group_id        integer NOT NULL,
    version         integer NOT NULL,
    published_at    integer,
    created_at      integer NOT NULL,
    updated_at      integer NOT NULL,
    released_at     integer,
    trashed_at      integer,
    created_by      integer NOT NULL,
    updated_by      integer NOT NULL,
    published       text,
    published_media text, -- JSON object by media id: its words as they were published; null: readers see the library
    published_hash  text NOT NULL DEFAULT '', -- hex SHA-256 of what readers see; empty: not published
    revision        text, -- JSON, see core.RevisionRecord
    draft           text NOT NULL,
    UNIQUE (project_id, group_id, locale)
);
CREATE INDEX entries_collection ON entries (project_id, collection_id, id);
CREATE INDEX entries_sealed ON entries (project_id, collection_id, id) WHERE published_media IS NOT NULL;
CREATE INDEX entries_edited ON entries (project_id, collection_id, updated_by, id, trashed_at, locale) WHERE updated_by <> 0; -- lists of what a user edited last
CREATE INDEX entries_trash ON entries (project_id, collection_id, trashed_at DESC, id DESC) WHERE trashed_at IS NOT NULL;

-- The past revisions of entries. record has the difference to the revision before.
CREATE TABLE revisions (
    project_id    integer NOT NULL,
    entry_id      integer NOT NULL,
    number        integer NOT NULL,
    collection_id integer NOT NULL,
    kept          integer NOT NULL, -- a request or a publication refers to it
    record        text NOT NULL, -- JSON, see core.RevisionRecord
    PRIMARY KEY (project_id, entry_id, number)
) WITHOUT ROWID;
CREATE INDEX revisions_prunable ON revisions (project_id, entry_id, number) WHERE NOT kept;

-- The reference by which a translation group was imported. A group that was created here has no
-- row: its reference consists of the Project's UUID and its id.
CREATE TABLE translation_origins (
    project_id    integer NOT NULL,
    reference     text NOT NULL,
    collection_id integer NOT NULL,
    group_id      integer NOT NULL, -- without a constraint, like collection_id: it outlives its entries
    PRIMARY KEY (project_id, reference)
) WITHOUT ROWID;
CREATE INDEX translation_origins_group ON translation_origins (project_id, group_id);
CREATE INDEX translation_origins_collection ON translation_origins (project_id, collection_id, reference);

-- The collections of translation groups of which an entry was deleted. References to such a group still
-- name its collection.
CREATE TABLE past_groups (
    project_id integer NOT NULL,
    group_id   integer NOT NULL,
    collection text NOT NULL, -- its slug: the collection may be deleted, too
    PRIMARY KEY (project_id, group_id)
) WITHOUT ROWID;

-- Finding entries -------------------------------------------------------------------------

-- One row per version of an untrashed entry that readers can meet.
-- shelf        0: the published version, 1: the draft of an unpublished entry, 2: the draft of a
--              published entry, where it differs
-- locale       number of the entry's locale
-- scope        collection_id * 256 + shelf * 64 + locale: one narrow key for the three
-- serves       mask of locales: the bits of projects.locale_index for which the row answers, to readers of
--              its own version only
-- serves_draft the same to readers of all drafts
-- released_at  when the published version last changed
-- t*, n*, d*   values of the fields that have a slot; texts as their sort keys: the folded text, U+0001
--              and the text, at most 2001 bytes. Texts without an order (URLs) as they are
-- signature    a few bits of a hash of each text and number in the slots
CREATE TABLE entry_index (
    project_id    integer NOT NULL,
    scope         integer NOT NULL,
    entry_id      integer NOT NULL,
    collection_id integer NOT NULL,
    shelf         integer NOT NULL,
    locale        integer NOT NULL,
    group_id      integer NOT NULL,
    serves        integer NOT NULL,
    serves_draft  integer NOT NULL,
    published_at  integer,
    released_at   integer,
    created_at    integer NOT NULL,
    updated_at    integer NOT NULL,
    signature     integer NOT NULL,
    t1 text, t2 text, t3 text, t4 text,
    t5 text, t6 text, t7 text, t8 text,
    n1 real, n2 real, n3 real, n4 real,
    n5 real, n6 real, n7 real, n8 real,
    d1 integer, d2 integer, d3 integer, d4 integer,
    PRIMARY KEY (project_id, scope, entry_id)
) WITHOUT ROWID;
CREATE INDEX entry_index_group ON entry_index (project_id, group_id, shelf);
-- The entries that stand in for missing translations.
CREATE INDEX entry_index_serves ON entry_index (project_id, scope, entry_id, serves) WHERE (serves & (serves - 1)) <> 0;
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

-- Values of fields with several values, and references: text and num as in a slot, ref an id.
-- Rich text has the media that it names under its field, and the entries and files that it names
-- (ref, text) under the negative number of its field.
-- versions has bit 1 when the published version holds the value, bit 2 when the draft does.
CREATE TABLE entry_values (
    project_id    integer NOT NULL,
    collection_id integer NOT NULL,
    entry_id      integer NOT NULL,
    field_id      integer NOT NULL,
    versions      integer NOT NULL,
    text          text,
    num           real,
    ref           integer,
    locale        integer NOT NULL -- number of the entry's
);
CREATE INDEX entry_values_entry ON entry_values (project_id, collection_id, entry_id, field_id, ref, versions);
CREATE INDEX entry_values_text ON entry_values (project_id, collection_id, field_id, text, entry_id, versions, locale) WHERE text IS NOT NULL;
CREATE INDEX entry_values_num ON entry_values (project_id, collection_id, field_id, num, entry_id, versions, locale) WHERE num IS NOT NULL;
CREATE INDEX entry_values_ref ON entry_values (project_id, collection_id, field_id, ref, entry_id, versions, locale) WHERE ref IS NOT NULL;

-- Caseless texts that the operator "like" searches; versions as in entry_values. folded is the folded
-- form of a single text with an order, null where it equals text; fields without a slot are sorted by it.
CREATE TABLE entry_texts (
    id            integer PRIMARY KEY,
    project_id    integer NOT NULL,
    collection_id integer NOT NULL,
    entry_id      integer NOT NULL,
    field_id      integer NOT NULL,
    versions      integer NOT NULL,
    searchable    integer NOT NULL,
    text          text NOT NULL,
    folded        text,
    locale        integer NOT NULL
);
CREATE INDEX entry_texts_entry ON entry_texts (project_id, collection_id, entry_id, field_id);
-- For searches within a field of a collection: the trigram index does not contain the collection.
CREATE INDEX entry_texts_searchable ON entry_texts (project_id, collection_id, field_id, locale) WHERE searchable;
CREATE VIRTUAL TABLE entry_texts_search USING fts5 (text, folded, content = 'entry_texts', content_rowid = 'id', tokenize = 'trigram case_sensitive 1', columnsize = 0, detail = full);
CREATE TRIGGER entry_texts_insert AFTER INSERT ON entry_texts WHEN new.searchable BEGIN
    INSERT INTO entry_texts_search (rowid, text, folded) VALUES (new.id, new.text, new.folded);
END;
CREATE TRIGGER entry_texts_delete AFTER DELETE ON entry_texts WHEN old.searchable BEGIN
    INSERT INTO entry_texts_search (entry_texts_search, rowid, text, folded) VALUES ('delete', old.id, old.text, old.folded);
END;

-- The words that searches find: one row per row of entry_index with searchable texts. The index has
-- lexemes: the scope, the epoch of the collection, a kind, and a token of the words package.
-- moment       seconds since 1970, when the entry was published, or created if it is not published
-- hash         of all lexemes, and of the version of the words package that made them
--
-- The lexemes are only in the table entry_words_search, whose rows have ids in the order of the results of
-- a search: 32 bits of the moment, 31 of the entry, and whether it is a draft of a published entry. Rows
-- are inserted into the view entry_words_added.
CREATE TABLE entry_words (
    project_id    integer NOT NULL,
    collection_id integer NOT NULL,
    entry_id      integer NOT NULL CHECK (entry_id < 2147483648),
    scope         integer NOT NULL,
    moment        integer NOT NULL,
    hash          integer NOT NULL,
    PRIMARY KEY (project_id, collection_id, entry_id, scope)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE entry_words_search USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = full);
CREATE VIEW entry_words_added (project_id, collection_id, entry_id, scope, moment, hash, words) AS
    SELECT project_id, collection_id, entry_id, scope, moment, hash, '' FROM entry_words;
CREATE TRIGGER entry_words_insert INSTEAD OF INSERT ON entry_words_added BEGIN
    INSERT INTO entry_words (project_id, collection_id, entry_id, scope, moment, hash)
        VALUES (new.project_id, new.collection_id, new.entry_id, new.scope, new.moment, new.hash);
    INSERT INTO entry_words_search (rowid, words)
        VALUES ((new.moment - 2147483648) * 4294967296 + new.entry_id * 2 + (new.scope / 64 % 4 = 2), new.words);
END;
CREATE TRIGGER entry_words_delete AFTER DELETE ON entry_words BEGIN
    DELETE FROM entry_words_search WHERE rowid = (old.moment - 2147483648) * 4294967296 + old.entry_id * 2 + (old.scope / 64 % 4 = 2);
END;

-- The entry that holds a unique value; hash is the SHA-256 of the value.
CREATE TABLE entry_claims (
    project_id    integer NOT NULL,
    collection_id integer NOT NULL,
    field_id      integer NOT NULL,
    locale        text NOT NULL,
    hash          blob NOT NULL,
    entry_id      integer NOT NULL,
    PRIMARY KEY (project_id, collection_id, field_id, locale, hash)
) WITHOUT ROWID;
CREATE INDEX entry_claims_entry ON entry_claims (project_id, entry_id);

-- Number of entries that readers meet, by state (0 published, 1 only_draft, 2 with_draft) and mask of
-- locales.
CREATE TABLE entry_counters (
    project_id    integer NOT NULL,
    collection_id integer NOT NULL,
    state         integer NOT NULL,
    serves        integer NOT NULL,
    entries       integer NOT NULL,
    PRIMARY KEY (project_id, collection_id, state, serves)
) WITHOUT ROWID;

-- Number of published rows of entry_index by scope, mask and stretch of the values in one column.
-- place is the column: 0 entry_id, 1 created_at, 2 published_at, 3 released_at, 4 to 7 d1 to d4. A
-- bucket is 4096 ids or 2^30 milliseconds.
CREATE TABLE entry_buckets (
    project_id integer NOT NULL,
    scope      integer NOT NULL,
    place      integer NOT NULL,
    bucket     integer NOT NULL,
    serves     integer NOT NULL,
    entries    integer NOT NULL,
    PRIMARY KEY (project_id, scope, place, bucket, serves)
) WITHOUT ROWID;

-- Approval and publication ----------------------------------------------------------------

-- One row per approval request: what is decided, by which steps, and how far it is.
-- For inboxes: step_tier and step_role say who may act on an open step, by the least tier (1 project
-- admin, 2 department admin, 3 tenant admin) or by custom role; step_more has the other custom roles of
-- open steps, if there are several, barred the users excluded from these steps, step_roles the custom
-- roles of all steps, all as ids between commas. lent_tier and lent_roles are the least tier and all custom
-- roles of the open steps that may be decided on behalf of others; null: none.
CREATE TABLE approval_requests (
    project_id          integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    id                  integer PRIMARY KEY AUTOINCREMENT,
    tenant_id           integer NOT NULL,
    release_year        integer NOT NULL,
    release_count       integer, -- null until it is given, in the transaction that inserts
    status              text NOT NULL,
    version             integer NOT NULL,
    steps               text NOT NULL, -- JSON array
    allow_self_approval boolean NOT NULL,
    current_step        integer NOT NULL, -- the index of the first step that lacks an approval, or of the last step
    scheduled_at        integer,
    unpublish_at        integer,
    submitter_kind      text NOT NULL,
    submitter_id        integer NOT NULL,
    submitter_name      text NOT NULL,
    submitter_maker     integer NOT NULL DEFAULT 0, -- the user who made the token; 0: no token, or made by a command
    submitted_at        integer NOT NULL,
    published_at        integer,
    approvals           text NOT NULL, -- JSON array
    chain_hash          text NOT NULL,
    record_format       integer NOT NULL,
    contributors        text NOT NULL, -- JSON array of those at submission; the format 1 has none
    step_tier           integer,
    step_role           integer,
    step_more           text,
    open_since          integer, -- when the steps opened where the request waits, or waited last
    due_at              integer, -- the earliest deadline of these steps
    escalate_at         integer, -- the earliest time when others may decide one of them as well
    late_at             integer, -- when users are told that it is not approved at its time; null: never, or they were
    lent_tier           integer,
    lent_roles          text,
    barred              text NOT NULL,
    step_roles          text NOT NULL,
    release_id          integer, -- of which the items are members; null: the request publishes one entry
    release_name        text, -- at submission
    release_hash        text, -- hex SHA-256 of the release and its members
    UNIQUE (project_id, id),
    UNIQUE (project_id, id, status) -- for request_items
);
CREATE UNIQUE INDEX approval_requests_release ON approval_requests (tenant_id, release_year, release_count);
CREATE INDEX approval_requests_pending ON approval_requests (project_id, submitted_at, id, step_tier, step_role, step_more, barred, escalate_at) WHERE status = 'pending';
CREATE INDEX approval_requests_late ON approval_requests (late_at) WHERE status = 'pending' AND late_at IS NOT NULL;
CREATE INDEX approval_requests_scheduled ON approval_requests (project_id, scheduled_at, step_roles) WHERE status = 'approved';
CREATE INDEX approval_requests_submitted ON approval_requests (project_id, submitter_id, submitted_at, id, step_roles) WHERE submitter_kind = 'user';
CREATE INDEX approval_requests_returned ON approval_requests (project_id, submitter_id, submitted_at, id, step_roles) WHERE submitter_kind = 'user' AND status IN ('rejected', 'revision_requested');
CREATE INDEX approval_requests_mine ON approval_requests (submitter_id, project_id, id) WHERE submitter_kind = 'user' AND status IN ('pending', 'approved');
CREATE INDEX approval_requests_of ON approval_requests (project_id, release_id, id) WHERE release_id IS NOT NULL;

-- What requests publish: one row per entry of a request. The snapshot is what becomes public; an entry that
-- goes offline has none. Items outlive their collection and entry. status is that of the request: the database
-- changes both together. So an entry has one open request, and lists of entries by status read one index.
CREATE TABLE request_items (
    project_id    integer NOT NULL,
    request_id    integer NOT NULL,
    entry_id      integer NOT NULL, -- without a constraint, like collection_id: items outlive both
    collection_id integer NOT NULL,
    collection    text, -- the slug at submission; null in a request for one entry
    locale        text NOT NULL,
    action        text NOT NULL, -- publish or unpublish
    status        text NOT NULL,
    content_hash  text, -- hex SHA-256 of the snapshot
    base_number   integer, -- the publication that readers saw at submission; null: none
    base_hash     text, -- its content_hash
    title         text, -- for lists, which do not read the snapshot; null: none
    title_field   integer, -- the id of its field in the collection
    snapshot      text, -- JSON
    withheld      text, -- JSON
    changed       text, -- JSON array of the paths that a member of a release changes
    PRIMARY KEY (project_id, request_id, entry_id),
    FOREIGN KEY (project_id, request_id, status) REFERENCES approval_requests (project_id, id, status) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX request_items_open ON request_items (project_id, entry_id) WHERE status IN ('pending', 'approved');
-- The own requests of entries, without releases.
CREATE INDEX request_items_entry ON request_items (project_id, entry_id, request_id) WHERE collection IS NULL;
CREATE INDEX request_items_collection ON request_items (project_id, collection_id, request_id) WHERE status IN ('pending', 'approved');
CREATE INDEX request_items_status ON request_items (project_id, collection_id, status, entry_id) WHERE collection IS NULL;

-- Entries of a Project that are published and unpublished together.
CREATE TABLE releases (
    project_id   integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    id           integer PRIMARY KEY AUTOINCREMENT,
    name         text NOT NULL,
    description  text NOT NULL,
    search       text NOT NULL, -- both, folded
    state        text NOT NULL, -- open, pending, approved, published or closed
    publish_at   integer,
    version      integer NOT NULL,
    created_by   text NOT NULL, -- JSON object
    created_at   integer NOT NULL,
    updated_at   integer NOT NULL,
    contributors text NOT NULL, -- JSON array
    request_id   integer, -- the latest request; null: never submitted
    rounds       integer NOT NULL, -- number of requests
    fault        text NOT NULL, -- why the last publication failed
    published_at integer,
    revert_of    integer, -- the release that it takes back
    UNIQUE (project_id, id)
);
CREATE INDEX releases_state ON releases (project_id, state, id);
CREATE INDEX releases_reverts ON releases (project_id, revert_of) WHERE revert_of IS NOT NULL;

-- What releases publish. collection is the slug. Members outlive their entry, and those of closed and published
-- releases their collection.
CREATE TABLE release_members (
    project_id    integer NOT NULL,
    release_id    integer NOT NULL,
    entry_id      integer NOT NULL,
    collection_id integer NOT NULL,
    collection    text NOT NULL,
    locale        text NOT NULL,
    action        text NOT NULL, -- publish or unpublish
    from_number   integer, -- the publication that is published again; null: the draft
    -- As sealed at the last submission; null: never submitted.
    content_hash  text,
    base_number   integer, -- the publication that readers saw then; null: none
    base_hash     text,
    title         text,
    title_field   integer,
    changed       text, -- JSON array of paths
    snapshot      text, -- only without a request, which has it
    withheld      text,
    PRIMARY KEY (project_id, release_id, entry_id),
    FOREIGN KEY (project_id, release_id) REFERENCES releases (project_id, id) ON DELETE CASCADE
);
CREATE INDEX release_members_entry ON release_members (project_id, entry_id, release_id);
CREATE INDEX release_members_collection ON release_members (project_id, collection_id, release_id);

-- Which members a user has seen, with which content.
CREATE TABLE release_marks (
    project_id   integer NOT NULL,
    release_id   integer NOT NULL,
    user_id      integer NOT NULL,
    entry_id     integer NOT NULL,
    content_hash text NOT NULL, -- empty: of a member that is unpublished
    PRIMARY KEY (project_id, release_id, user_id, entry_id),
    FOREIGN KEY (project_id, release_id) REFERENCES releases (project_id, id) ON DELETE CASCADE
);

-- How many releases of a Project were published. Reads of several statements compare it, so that none
-- shows a part of a release.
CREATE TABLE release_counts (
    project_id integer PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    published  integer NOT NULL
) WITHOUT ROWID;

-- The audit chain of a request: each row has the hash of the row before it.
CREATE TABLE approval_actions (
    project_id    integer NOT NULL,
    request_id    integer NOT NULL,
    id            integer PRIMARY KEY AUTOINCREMENT,
    type          text NOT NULL,
    step_order    integer NOT NULL,
    actor_kind    text NOT NULL,
    actor_id      integer NOT NULL,
    actor_name    text NOT NULL,
    actor_maker   integer NOT NULL DEFAULT 0, -- as submitter_maker
    comment       text NOT NULL,
    content_hash  text NOT NULL,
    draft_hash    text NOT NULL DEFAULT '',
    outcome       text NOT NULL DEFAULT '{}', -- JSON object
    scheduled_at  integer,
    unpublish_at  integer,
    behalf_id     integer NOT NULL DEFAULT 0, -- the user on whose behalf the actor decided; 0: none
    behalf_name   text NOT NULL DEFAULT '',
    escalated     boolean NOT NULL DEFAULT false, -- the actor decided by the escalation of the step
    signature     text, -- JSON object; null: none
    verified      text NOT NULL DEFAULT '', -- the way of the proof that the decision needed
    comments_hash text NOT NULL DEFAULT '', -- of the comments on the request when it was decided
    created_at    integer NOT NULL,
    previous_hash text NOT NULL DEFAULT '',
    hash          text NOT NULL,
    FOREIGN KEY (project_id, request_id) REFERENCES approval_requests (project_id, id) ON DELETE CASCADE
);
CREATE INDEX approval_actions_request ON approval_actions (project_id, request_id, id);
CREATE INDEX approval_actions_decided ON approval_actions (project_id, actor_id, request_id, id) WHERE actor_kind = 'user' AND type IN ('approve', 'reject', 'request_revision');

-- Comments on requests. closed_in is the request in whose round a comment was resolved or deleted.
CREATE TABLE comments (
    project_id    integer NOT NULL,
    id            integer PRIMARY KEY AUTOINCREMENT,
    request_id    integer NOT NULL,
    release_id    integer NOT NULL, -- 0: of a request for one entry
    entry_id      integer NOT NULL, -- 0: about the whole release
    field         text NOT NULL,
    field_id      integer NOT NULL, -- 0: none
    item_key      text NOT NULL,
    quote         text, -- JSON object
    replacement   text,
    parent        integer NOT NULL, -- 0: no reply
    must_step     integer NOT NULL, -- 0: none
    created_at    integer NOT NULL,
    author_id     integer NOT NULL,
    author_name   text NOT NULL,
    body          text NOT NULL,
    salt          blob, -- null: it was deleted
    hash          text NOT NULL,
    edited_at     integer,
    earlier       text, -- JSON array
    closed_in     integer NOT NULL, -- 0: open
    resolver_id   integer NOT NULL, -- 0: not resolved
    resolver_name text NOT NULL,
    resolved_at   integer,
    deleted_at    integer,
    FOREIGN KEY (project_id, request_id) REFERENCES approval_requests (project_id, id) ON DELETE CASCADE
);
CREATE INDEX comments_subject ON comments (project_id, release_id, entry_id, id);
CREATE INDEX comments_request ON comments (project_id, request_id, id);

-- The stays of requests at steps, for the overview of a Project. A stay that is not passed belongs
-- to a pending request.
CREATE TABLE approval_waits (
    project_id    integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    request_id    integer NOT NULL,
    step_id       integer NOT NULL, -- the place of the step, from 1
    step_order    integer NOT NULL,
    label         text NOT NULL,
    since         integer NOT NULL,
    passed_at     integer, -- when the step had its approvals; null: the request waits at it
    remind_at     integer, -- when the reviewers are reminded; null: never, or they were
    escalate_at   integer, -- when others may decide the step as well; null: never
    escalate_tier integer, -- as step_tier and step_role of approval_requests, of these others
    escalate_role integer,
    escalate_lent boolean NOT NULL, -- whether users may decide on their behalf
    escalate_told boolean NOT NULL, -- whether they were told
    PRIMARY KEY (project_id, request_id, step_id)
) WITHOUT ROWID;
CREATE INDEX approval_waits_waiting ON approval_waits (project_id, label, step_order, since) WHERE passed_at IS NULL;
CREATE INDEX approval_waits_passed ON approval_waits (project_id, label, step_order, passed_at, since) WHERE passed_at IS NOT NULL;
CREATE INDEX approval_waits_due ON approval_waits (remind_at) WHERE remind_at IS NOT NULL;
CREATE INDEX approval_waits_escalated ON approval_waits (escalate_at) WHERE escalate_at IS NOT NULL AND NOT escalate_told AND passed_at IS NULL;

-- Number of release numbers that a Tenant has used in a year.
CREATE TABLE approval_release_counters (
    tenant_id integer NOT NULL REFERENCES tenants ON DELETE CASCADE,
    year      integer NOT NULL,
    released  integer NOT NULL,
    PRIMARY KEY (tenant_id, year)
) WITHOUT ROWID;

-- Scheduled publications and ends of publications. A worker publishes or unpublishes an entry, or publishes
-- a release, when due_at has passed.
CREATE TABLE schedules (
    project_id      integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    entry_id        integer NOT NULL, -- 0: the schedule of a release
    release_id      integer NOT NULL DEFAULT 0, -- 0: the schedule of an entry
    action          text NOT NULL DEFAULT 'publish', -- publish or unpublish
    collection_id   integer NOT NULL,
    request_id      integer, -- null: no workflow governed the entry
    due_at          integer NOT NULL,
    unpublish_at    integer, -- the end of a publication that is still to come
    retry_at        integer NOT NULL, -- due_at until an attempt failed
    attempts        integer NOT NULL, -- failed ones
    last_fault      text NOT NULL,
    scheduler_kind  text NOT NULL,
    scheduler_id    integer NOT NULL,
    scheduler_name  text NOT NULL,
    scheduler_maker integer NOT NULL DEFAULT 0, -- as submitter_maker
    PRIMARY KEY (project_id, entry_id, release_id, action)
) WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (retry_at, project_id, entry_id);
CREATE INDEX schedules_failed ON schedules (project_id, retry_at) WHERE attempts > 0;
-- Calendars list schedules by time.
CREATE INDEX schedules_calendar ON schedules (project_id, due_at);
CREATE INDEX schedules_calendar_end ON schedules (project_id, unpublish_at) WHERE unpublish_at IS NOT NULL;

-- The versions that readers saw. A row is added when a version becomes public.
CREATE TABLE publications (
    project_id     integer NOT NULL,
    entry_id       integer NOT NULL, -- without a constraint, like collection_id: publications outlive both
    number         integer NOT NULL, -- from 1 in each entry
    collection_id  integer NOT NULL,
    group_id       integer NOT NULL, -- of the entry, like created_at
    content_hash   text NOT NULL, -- hex SHA-256
    published_at   integer NOT NULL,
    unpublished_at integer, -- null: readers see the version now
    since          integer NOT NULL, -- since when an entry was public without interruption
    created_at     integer NOT NULL,
    by_kind        text NOT NULL,
    by_id          integer NOT NULL,
    by_name        text NOT NULL,
    by_maker       integer NOT NULL, -- the user who created the token; 0: no token, or created by a command
    request_id     integer, -- null: no approval request
    content        blob, -- the canonical content, compressed (zstd); null: the snapshot of the item of request_id
    ended_on_time  boolean NOT NULL DEFAULT false, -- by its scheduled end
    ended_release  integer, -- the release that unpublished the entry; null: none
    ended_request  integer, -- its request; null: no workflow governed it
    PRIMARY KEY (project_id, entry_id, number)
) WITHOUT ROWID;
-- Reads of the past find the targets of relations by group.
CREATE INDEX publications_group ON publications (project_id, group_id, published_at);
CREATE INDEX publications_published ON publications (project_id, published_at);
CREATE INDEX publications_ended ON publications (project_id, unpublished_at) WHERE unpublished_at IS NOT NULL;

-- The media that the content of a publication names.
CREATE TABLE publication_media (
    project_id integer NOT NULL,
    entry_id   integer NOT NULL,
    number     integer NOT NULL,
    media_id   integer NOT NULL,
    PRIMARY KEY (project_id, entry_id, number, media_id)
) WITHOUT ROWID;
CREATE INDEX publication_media_item ON publication_media (project_id, media_id);

-- The slugs that public versions of entries had, up to 20 of each entry. A row is added when a version with
-- another slug, or none, follows.
CREATE TABLE former_slugs (
    project_id    integer NOT NULL,
    entry_id      integer NOT NULL,
    slug          text NOT NULL,
    collection_id integer NOT NULL, -- of the entry, like locale
    locale        text NOT NULL,
    field_id      integer NOT NULL, -- of the slug
    ended_at      integer NOT NULL,
    PRIMARY KEY (project_id, entry_id, slug)
) WITHOUT ROWID;
CREATE INDEX former_slugs_slug ON former_slugs (project_id, collection_id, locale, slug, entry_id);

-- Requests and changes --------------------------------------------------------------------

-- Responses to requests with an Idempotency-Key, for replay.
CREATE TABLE idempotency_keys (
    caller      text NOT NULL,
    key         blob NOT NULL,
    fingerprint blob NOT NULL, -- HMAC of what was asked, under the secret key
    claimed_at  integer NOT NULL,
    status      integer, -- null while under way, 0 from its effect until its answer
    header      text NOT NULL, -- JSON object
    body        blob,
    PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (claimed_at);

-- The Ed25519 keys with which the installation signs. Rows are never removed.
CREATE TABLE signing_keys (
    id           integer PRIMARY KEY AUTOINCREMENT,
    fingerprint  text NOT NULL UNIQUE, -- hex SHA-256 of public_key
    installation text NOT NULL, -- UUID, the same in all rows
    public_key   blob NOT NULL,
    private_key  blob, -- the seed under the secret key (AES-256-GCM, nonce first); null once revoked
    begins_at    integer NOT NULL,
    ends_at      integer, -- exclusive; null while there is no end
    revoked_at   integer
);

-- What the secret key must derive, in one row; null until a process has started with it. A database
-- does not work with another key than the one that sealed its values.
CREATE TABLE secret_check (value blob);
INSERT INTO secret_check (value) VALUES (NULL);

-- The state of the whole installation, in one row.
CREATE TABLE installation (
    epoch     text NOT NULL, -- another one after each restore
    paused_at integer, -- the time of a restore, from then on nothing is published by time, and nothing is sent
    restoring boolean NOT NULL, -- a restore has begun and not finished
    place     text -- where a service had these rows last; null: nowhere yet
);
INSERT INTO installation (epoch, restoring) VALUES ('1', false);

-- Jobs, such as backups, for which the bytes of blobs stay although no item refers to them.
CREATE TABLE holds (
    id         text NOT NULL PRIMARY KEY,
    expires_at integer NOT NULL
);

-- Every change, written by the transaction that makes it. Ids ascend; they are drawn by the last
-- statement before the commit. Rows refer to nothing: the subject may be deleted.
CREATE TABLE events (
    id             integer PRIMARY KEY AUTOINCREMENT,
    at             integer NOT NULL,
    type           text NOT NULL,
    actor_kind     text NOT NULL,
    actor_id       integer NOT NULL,
    actor_name     text NOT NULL,
    tenant_id      integer NOT NULL,
    project_id     integer NOT NULL,
    subject_id     integer NOT NULL,
    collection     text NOT NULL,
    entry_id       integer NOT NULL,
    locale         text NOT NULL,
    content_hash   text NOT NULL,
    release_number text NOT NULL,
    request_id     text NOT NULL,
    group_id       integer NOT NULL DEFAULT 0, -- translation group of the entry
    slug           text NOT NULL DEFAULT '', -- of what was published
    reason         text NOT NULL DEFAULT '', -- why it was unpublished, trashed or destroyed
    role           text NOT NULL DEFAULT '', -- that a user has got or lost
    place          text NOT NULL DEFAULT '', -- the name of where
    import         integer NOT NULL DEFAULT 0, -- 1: an import made the change; 2: webhooks do not get it
    imported       text NOT NULL DEFAULT 'null', -- JSON object: the result of an import
    release_id     integer NOT NULL DEFAULT 0, -- the release that it is about, or that published the entry
    released       text NOT NULL DEFAULT 'null', -- JSON object: the entries of a release
    public         boolean NOT NULL DEFAULT false, -- readers see the change
    outgoing       boolean NOT NULL DEFAULT false, -- has receivers outside the installation and is not yet a delivery
    xact           integer GENERATED ALWAYS AS (id) VIRTUAL -- transactions run one after another
);
CREATE INDEX events_outgoing ON events (id) WHERE outgoing;
CREATE INDEX events_project ON events (project_id, id);
CREATE INDEX events_public ON events (project_id, xact, id) WHERE public;
CREATE INDEX events_tenant ON events (tenant_id, id);

-- The latest time before which events were deleted, in one row.
CREATE TABLE event_log (kept_since integer NOT NULL);
INSERT INTO event_log (kept_since) VALUES (0);

-- Deliveries ------------------------------------------------------------------------------

-- Addresses that get the events of a Project.
CREATE TABLE webhooks (
    id            integer PRIMARY KEY AUTOINCREMENT,
    project_id    integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          text NOT NULL,
    url           text NOT NULL,
    events        text NOT NULL, -- JSON array of patterns
    collections   text NOT NULL, -- JSON array of slugs
    locales       text NOT NULL, -- JSON array
    imports       boolean NOT NULL, -- it gets the events of imports
    active        boolean NOT NULL,
    quiet         integer NOT NULL, -- milliseconds; 0: each event is a delivery
    most          integer NOT NULL,
    secrets       blob NOT NULL, -- under the secret key (AES-256-GCM, nonce first)
    failing_since integer,
    off_reason    text NOT NULL,
    created_by    integer, -- a user, without a constraint: the account may go
    created_at    integer NOT NULL,
    updated_at    integer NOT NULL
);
CREATE INDEX webhooks_project ON webhooks (project_id, id);

-- Messages to webhooks, made from events by the transaction that takes these from the outbox.
CREATE TABLE deliveries (
    id         integer PRIMARY KEY AUTOINCREMENT,
    project_id integer NOT NULL,
    webhook_id integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    message    text NOT NULL, -- webhook-id of its requests
    type       text NOT NULL,
    events     text NOT NULL, -- JSON array of ids
    count      integer NOT NULL, -- of the events, also of those that are left out
    status     text NOT NULL,
    due_at     integer NOT NULL,
    attempts   integer NOT NULL,
    created_at integer NOT NULL,
    ended_at   integer -- null until it is delivered or parked
);
CREATE INDEX deliveries_due ON deliveries (project_id, webhook_id, due_at) WHERE ended_at IS NULL;
CREATE INDEX deliveries_webhook ON deliveries (project_id, webhook_id, id);
CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE delivery_attempts (
    project_id  integer NOT NULL,
    delivery_id integer NOT NULL REFERENCES deliveries ON DELETE CASCADE,
    number      integer NOT NULL,
    at          integer NOT NULL,
    took        integer NOT NULL, -- milliseconds
    code        integer NOT NULL, -- status of the response; 0: none
    fault       text NOT NULL,
    answer      text NOT NULL, -- the beginning of the response
    PRIMARY KEY (project_id, delivery_id, number)
);

-- What users are told. key is unique by user, so that nothing is told twice.
CREATE TABLE notices (
    id             integer PRIMARY KEY AUTOINCREMENT,
    user_id        integer NOT NULL REFERENCES users ON DELETE CASCADE,
    key            text NOT NULL,
    kind           text NOT NULL,
    event          text NOT NULL, -- its type
    reminder       boolean NOT NULL,
    project_id     integer REFERENCES projects ON DELETE CASCADE,
    for_admins     boolean NOT NULL,
    approval_id    integer NOT NULL, -- 0: none
    action_id      integer NOT NULL DEFAULT 0, -- the action on the request; 0: none
    collection_id  integer NOT NULL,
    entry_id       integer NOT NULL,
    release_id     integer NOT NULL DEFAULT 0, -- 0: none
    title          text NOT NULL,
    release_number text NOT NULL,
    actor_kind     text NOT NULL,
    actor_id       integer NOT NULL,
    actor_name     text NOT NULL,
    comment        text NOT NULL,
    role           text NOT NULL DEFAULT '', -- that the user has got or lost
    place          text NOT NULL DEFAULT '', -- the name of where
    at             integer NOT NULL,
    read_at        integer -- null: unread
);
CREATE UNIQUE INDEX notices_key ON notices (user_id, key);
CREATE INDEX notices_user ON notices (user_id, id);
CREATE INDEX notices_unread ON notices (user_id, id) WHERE read_at IS NULL;
CREATE INDEX notices_project ON notices (project_id, id);
CREATE INDEX notices_at ON notices (at);

-- E-mails, made by the transaction that makes what they are about: a notice, or a letter to an address.
CREATE TABLE mails (
    id         integer PRIMARY KEY AUTOINCREMENT,
    notice_id  integer UNIQUE REFERENCES notices ON DELETE CASCADE, -- null: a letter
    letter     blob, -- under the secret key (AES-256-GCM, nonce first); null once it has ended
    status     text NOT NULL,
    due_at     integer NOT NULL,
    attempts   integer NOT NULL,
    fault      text NOT NULL, -- of the last attempt
    created_at integer NOT NULL,
    ended_at   integer -- null while it waits
);
CREATE INDEX mails_due ON mails (due_at) WHERE ended_at IS NULL;
CREATE INDEX mails_ended ON mails (ended_at) WHERE ended_at IS NOT NULL;
