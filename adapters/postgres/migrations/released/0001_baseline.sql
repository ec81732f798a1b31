-- The schema of Imprimatur on PostgreSQL.
--
-- Texts compare byte by byte (COLLATE "C"), times are milliseconds since 1970, ids are never
-- reused, and JSON is stored as text. Except for what belongs to the organisation, each table
-- begins its key with project_id: content can be divided into partitions by Project.

-- Organisation ----------------------------------------------------------------------------

-- A Tenant is one customer of the installation.
CREATE TABLE tenants (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text COLLATE "C" NOT NULL,
    neutral_mail boolean NOT NULL DEFAULT false, -- e-mails do not say what they are about
    second_factor_from bigint, -- null: members need no second factor
    assistants boolean NOT NULL DEFAULT false, -- its Projects admit assistants
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);

-- A Department belongs to a Tenant. Its workflow is a column of the row, so that a lock of the
-- row keeps the workflow as it is.
CREATE TABLE departments (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id  bigint NOT NULL REFERENCES tenants,
    name       text COLLATE "C" NOT NULL,
    workflow   text COLLATE "C", -- JSON; null: none
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE INDEX departments_tenant ON departments (tenant_id, id);

-- A Project belongs to a Tenant and, unless department_id is null, to one of its Departments.
-- A number of a locale elsewhere is its index in locales.
CREATE TABLE projects (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uuid             text COLLATE "C" NOT NULL UNIQUE,
    tenant_id        bigint REFERENCES tenants, -- null: deleted; see deletions
    department_id    bigint REFERENCES departments,
    name             text COLLATE "C" NOT NULL,
    default_locale   text COLLATE "C" NOT NULL,
    locales          text COLLATE "C" NOT NULL, -- JSON array
    fallbacks        text COLLATE "C" NOT NULL, -- JSON object of arrays
    locale_index     text COLLATE "C" NOT NULL DEFAULT '{}', -- JSON object: the fallback chains that the masks of entry_index hold
    reindexing       boolean NOT NULL DEFAULT false, -- whether a back-fill has to change these masks
    upload_limit     bigint NOT NULL, -- bytes
    allowed_origins  text COLLATE "C" NOT NULL DEFAULT '["*"]', -- JSON array of the origins whose pages may call the content API; "*": all
    preview_url      text COLLATE "C" NOT NULL DEFAULT '', -- address of an entry's page on the website, with placeholders; empty: none
    revision_limit   bigint NOT NULL DEFAULT 100, -- revisions that an entry keeps; 0: all
    publication_days bigint NOT NULL DEFAULT 0, -- how long publications are kept after their end; 0: for ever
    keep_location    boolean NOT NULL DEFAULT false, -- store pictures with the metadata of their place
    shared_cache     bigint NOT NULL DEFAULT 0, -- seconds for which shared caches may keep reads of published entries
    workflow         text COLLATE "C", -- JSON; null: none
    created_at       bigint NOT NULL,
    updated_at       bigint NOT NULL
);
CREATE INDEX projects_tenant ON projects (tenant_id, id);
CREATE INDEX projects_department ON projects (department_id);
CREATE INDEX projects_reindexing ON projects (id) WHERE reindexing;

-- Deleted Projects and collections of which rows are left. No read shows these rows, and portions of them
-- are deleted in the background.
CREATE TABLE deletions (
    project_id    bigint NOT NULL,
    collection_id bigint NOT NULL, -- 0: the whole Project
    slug          text COLLATE "C" NOT NULL, -- of the collection; empty: of a Project
    began_at      bigint NOT NULL,
    PRIMARY KEY (project_id, collection_id)
);

-- How far the back-fill of the masks of a Project has come.
CREATE TABLE locale_fills (
    project_id bigint NOT NULL PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    version    bigint NOT NULL, -- of locale_index
    reached    bigint NOT NULL -- the last translation group done
);

-- Accounts and access ---------------------------------------------------------------------

-- Accounts. tenant_id is null for accounts of the installation. language, time_zone and theme are
-- how the user wants to see the dashboard; empty: as the browser and the system are set.
CREATE TABLE users (
    id                   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email                text COLLATE "C" NOT NULL UNIQUE, -- lower case
    name                 text COLLATE "C" NOT NULL,
    tenant_id            bigint REFERENCES tenants,
    password_hash        text COLLATE "C" NOT NULL,
    super_admin          boolean NOT NULL,
    active               boolean NOT NULL,
    must_change_password boolean NOT NULL DEFAULT false, -- another user set it
    language             text COLLATE "C" NOT NULL DEFAULT '',
    time_zone            text COLLATE "C" NOT NULL DEFAULT '', -- IANA name
    theme                text COLLATE "C" NOT NULL DEFAULT '',
    totp                 boolean NOT NULL DEFAULT false, -- has a confirmed authenticator app
    passkeys             bigint NOT NULL DEFAULT 0, -- number of passkeys
    last_sign_in_at      bigint, -- null: never
    mail                 bigint NOT NULL DEFAULT 0, -- set of kinds of notices whose e-mails differ from the default
    reach_above          boolean NOT NULL DEFAULT false,
    generation           bigint NOT NULL DEFAULT 0, -- grows when all sessions end
    created_at           bigint NOT NULL,
    updated_at           bigint NOT NULL
);
CREATE INDEX users_tenant ON users (tenant_id, id);

-- Roles of users in a Tenant, in a Department and in a Project.
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

-- Roles that a Department defines for its workflows.
CREATE TABLE custom_roles (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id     bigint NOT NULL REFERENCES tenants,
    department_id bigint NOT NULL REFERENCES departments ON DELETE CASCADE,
    name          text COLLATE "C" NOT NULL,
    created_at    bigint NOT NULL,
    UNIQUE (department_id, name)
);
CREATE INDEX custom_roles_tenant ON custom_roles (tenant_id);

-- Users with a custom role.
CREATE TABLE custom_role_holders (
    role_id bigint NOT NULL REFERENCES custom_roles ON DELETE CASCADE,
    user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (role_id, user_id)
);
CREATE INDEX custom_role_holders_user ON custom_role_holders (user_id);

-- Decisions that a user lends to another one. They stay when they have ended.
CREATE TABLE delegations (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    from_id       bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    to_id         bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    set_by        bigint NOT NULL,
    starts_at     bigint NOT NULL,
    until_at      bigint NOT NULL,
    projects      text COLLATE "C" NOT NULL, -- JSON array of ids
    departments   text COLLATE "C" NOT NULL, -- JSON array of ids
    department_id bigint NOT NULL, -- whose admin set it; 0: from_id did
    ceiling       text COLLATE "C" NOT NULL, -- the role of that admin
    tenant_id     bigint NOT NULL, -- for events; 0: none
    note          text COLLATE "C" NOT NULL,
    created_at    bigint NOT NULL,
    ended_at      bigint -- null: no user ended it
);
CREATE INDEX delegations_to ON delegations (to_id, until_at) WHERE ended_at IS NULL;
CREATE INDEX delegations_from ON delegations (from_id, until_at) WHERE ended_at IS NULL;
CREATE INDEX delegations_set ON delegations (set_by, until_at) WHERE ended_at IS NULL;

-- Programs that draft and propose content for a user. They stay when they are revoked.
CREATE TABLE assistants (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    tenant_id  bigint NOT NULL, -- for events; 0: none
    name       text COLLATE "C" NOT NULL,
    hash       bytea NOT NULL UNIQUE, -- SHA-256 of the secret
    hint       text COLLATE "C" NOT NULL,
    projects   text COLLATE "C" NOT NULL, -- JSON array of ids
    drafts     boolean NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint -- null: not revoked
);
CREATE INDEX assistants_user ON assistants (user_id, id);

-- Sessions of the dashboard.
CREATE TABLE sessions (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash       bytea NOT NULL UNIQUE, -- SHA-256 of the cookie's value
    user_id    bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    address    text COLLATE "C" NOT NULL DEFAULT '',
    user_agent text COLLATE "C" NOT NULL DEFAULT '',
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    used_at    bigint, -- the last request, some minutes behind
    -- When and how its user last proved again who they are.
    verified_at  bigint,
    verified_way text COLLATE "C" NOT NULL DEFAULT '',
    -- The decision that its user is asked to sign; the payload is empty without one.
    signing_payload text COLLATE "C" NOT NULL DEFAULT '',
    signing_version bigint NOT NULL DEFAULT 0,
    signing_until   bigint
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Authenticator apps of users. The latest accepted step counts once.
CREATE TABLE totp (
    user_id    bigint NOT NULL PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    secret     bytea NOT NULL, -- encrypted
    confirmed  boolean NOT NULL,
    last_step  bigint NOT NULL, -- number of 30 seconds since 1970
    created_at bigint NOT NULL
);

CREATE TABLE recovery_codes (
    user_id bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    hash    bytea NOT NULL, -- SHA-256
    PRIMARY KEY (user_id, hash)
);

-- Public keys of users (WebAuthn).
CREATE TABLE passkeys (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id       bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    credential_id bytea NOT NULL UNIQUE,
    public_key    bytea NOT NULL, -- COSE key
    sign_count    bigint NOT NULL, -- the authenticator's counter
    transports    text COLLATE "C" NOT NULL, -- JSON array
    syncable      boolean NOT NULL,
    synced        boolean NOT NULL,
    aaguid        bytea NOT NULL, -- model of the authenticator
    name          text COLLATE "C" NOT NULL,
    created_at    bigint NOT NULL,
    last_used_at  bigint -- null: never
);
CREATE INDEX passkeys_user ON passkeys (user_id);

-- Failed sign-ins of an account or from an address, counted since the first of them.
CREATE TABLE failed_sign_ins (
    key      text COLLATE "C" NOT NULL PRIMARY KEY,
    failures integer NOT NULL,
    ends_at  bigint NOT NULL -- from then on they do not count
);
CREATE INDEX failed_sign_ins_end ON failed_sign_ins (ends_at);

-- What may be used once only: the tickets and challenges of sign-ins that were used.
CREATE TABLE spent (
    hash       bytea NOT NULL PRIMARY KEY, -- SHA-256
    expires_at bigint NOT NULL -- from then on it is refused because of its age
);
CREATE INDEX spent_expiry ON spent (expires_at);

-- What sites may read in place of an entry's public version, for minutes.
CREATE TABLE previews (
    hash         bytea NOT NULL PRIMARY KEY, -- SHA-256 of the secret
    session_hash bytea NOT NULL, -- of the session that made it
    shows        text COLLATE "C" NOT NULL, -- JSON: a version of an entry, and whether all others show their drafts
    created_at   bigint NOT NULL,
    expires_at   bigint NOT NULL
);
CREATE INDEX previews_session ON previews (session_hash, created_at);
CREATE INDEX previews_expiry ON previews (expires_at);

-- Offers of roles to the holders of addresses.
CREATE TABLE invitations (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash         bytea NOT NULL UNIQUE, -- SHA-256 of the secret in the link
    email        text COLLATE "C" NOT NULL, -- lower case
    name         text COLLATE "C" NOT NULL,
    language     text COLLATE "C" NOT NULL,
    tenant_id    bigint NOT NULL REFERENCES tenants ON DELETE CASCADE, -- of the first role
    grants       text COLLATE "C" NOT NULL, -- JSON array
    custom_roles text COLLATE "C" NOT NULL, -- JSON array of ids
    invited_by   bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at   bigint NOT NULL,
    expires_at   bigint NOT NULL,
    accepted_at  bigint, -- null: not accepted
    accepted_by  bigint, -- a user
    revoked_at   bigint -- null: not revoked
);
CREATE INDEX invitations_inviter ON invitations (invited_by, id);
CREATE INDEX invitations_tenant ON invitations (tenant_id, id);
CREATE INDEX invitations_email ON invitations (email, id);
CREATE INDEX invitations_expiry ON invitations (expires_at);

-- Connections of Tenants to OpenID providers.
CREATE TABLE identity_providers (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id     bigint NOT NULL REFERENCES tenants ON DELETE CASCADE,
    name          text COLLATE "C" NOT NULL,
    issuer        text COLLATE "C" NOT NULL,
    client_id     text COLLATE "C" NOT NULL,
    client_secret bytea NOT NULL, -- under the secret key (AES-256-GCM, nonce first)
    domains       text COLLATE "C" NOT NULL, -- JSON array
    scopes        text COLLATE "C" NOT NULL, -- JSON array
    groups_claim  text COLLATE "C" NOT NULL, -- empty: none
    create_users  boolean NOT NULL,
    passwords     text COLLATE "C" NOT NULL,
    second_factor text COLLATE "C" NOT NULL,
    mappings      text COLLATE "C" NOT NULL, -- JSON array: groups and the roles of their members
    state         text COLLATE "C" NOT NULL,
    tried_by      bigint, -- a user
    tried_at      bigint, -- null: never since the last change
    created_by    bigint, -- a user, without a constraint: the account may go
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL
);
CREATE INDEX identity_providers_tenant ON identity_providers (tenant_id, id);

-- The domains of e-mail addresses that belong to a connection, each to one.
CREATE TABLE domain_claims (
    domain      text COLLATE "C" NOT NULL PRIMARY KEY, -- lower case, in Unicode
    tenant_id   bigint NOT NULL REFERENCES tenants ON DELETE CASCADE,
    provider_id bigint NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
    means       text COLLATE "C" NOT NULL, -- how it was shown to be right
    claimed_by  bigint NOT NULL, -- a user
    claimed_at  bigint NOT NULL
);
CREATE INDEX domain_claims_tenant ON domain_claims (tenant_id);
CREATE INDEX domain_claims_provider ON domain_claims (provider_id);

-- The persons at OpenID providers that accounts are linked to.
CREATE TABLE user_identities (
    provider_id bigint NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
    subject     text COLLATE "C" NOT NULL, -- of the person at the provider
    tenant_id   bigint NOT NULL REFERENCES tenants ON DELETE CASCADE, -- of the provider
    user_id     bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    linked_at   bigint NOT NULL,
    PRIMARY KEY (provider_id, subject),
    UNIQUE (user_id, provider_id)
);
CREATE INDEX user_identities_tenant ON user_identities (tenant_id);

-- Links in e-mails, deleted when they are used.
CREATE TABLE links (
    hash       bytea NOT NULL PRIMARY KEY, -- SHA-256 of the secret in the link
    kind       text COLLATE "C" NOT NULL,
    email      text COLLATE "C" NOT NULL, -- lower case
    user_id    bigint REFERENCES users ON DELETE CASCADE, -- null: found by the address when the link is used
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE INDEX links_email ON links (email);
CREATE INDEX links_user ON links (user_id);
CREATE INDEX links_expiry ON links (expires_at);

-- Bearer tokens of the content API. Each is for one Project.
CREATE TABLE tokens (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          text COLLATE "C" NOT NULL,
    hash          bytea NOT NULL UNIQUE, -- SHA-256 of the secret
    hint          text COLLATE "C" NOT NULL,
    abilities     text COLLATE "C" NOT NULL, -- JSON array
    allow_drafts  boolean NOT NULL,
    allow_history boolean NOT NULL DEFAULT false,
    allow_schema  text COLLATE "C" NOT NULL DEFAULT '' CHECK (allow_schema IN ('', 'change', 'destructive')),
    rate_limit    bigint, -- requests per 60 s
    expires_at    bigint,
    last_used_at  bigint,
    revoked_at    bigint,
    off           boolean NOT NULL DEFAULT false, -- since a restore, until an operator decides
    created_by    bigint, -- a user, without a constraint: the account may go
    created_at    bigint NOT NULL
);
CREATE INDEX tokens_project ON tokens (project_id, id);
CREATE INDEX tokens_creator ON tokens (created_by, project_id, id) WHERE revoked_at IS NULL;

-- The number of requests of a token on a day.
CREATE TABLE token_usage (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    token_id   bigint NOT NULL,
    day        bigint NOT NULL, -- its beginning in UTC
    reads      bigint NOT NULL,
    writes     bigint NOT NULL,
    PRIMARY KEY (project_id, token_id, day)
);
CREATE INDEX token_usage_day ON token_usage (day);

-- Definitions -----------------------------------------------------------------------------

-- Collections with their fields.
CREATE TABLE collections (
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    slug          text COLLATE "C" NOT NULL,
    name          text COLLATE "C" NOT NULL,
    description   text COLLATE "C" NOT NULL,
    icon          text COLLATE "C" NOT NULL DEFAULT 'article', -- shown in the dashboard
    singleton     boolean NOT NULL, -- whether the entries outside the trash are one translation group
    fields        text COLLATE "C" NOT NULL, -- JSON array, in the order they are shown
    removed       text COLLATE "C" NOT NULL, -- JSON array
    leaves        text COLLATE "C" NOT NULL, -- JSON array: what queries may use inside of items
    next_field_id bigint NOT NULL,
    version       bigint NOT NULL,
    forms         text COLLATE "C" NOT NULL DEFAULT '', -- version of the words package by which the entries are indexed; empty: several
    forms_ready   boolean NOT NULL DEFAULT false, -- false while a back-fill indexes the entries by it
    words_epoch   bigint NOT NULL DEFAULT 0, -- counts the changes after which searches must not find words that entry_words still has
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, slug)
);

-- The fields of items in entries.
CREATE TABLE components (
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

-- Media -----------------------------------------------------------------------------------

-- One row per item. The blob columns are names of its variants in the blob store.
CREATE TABLE media (
    project_id      bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    id              bigint GENERATED ALWAYS AS IDENTITY,
    file_name       text COLLATE "C" NOT NULL,
    caption         text COLLATE "C" NOT NULL,
    alt             text COLLATE "C" NOT NULL,
    tags            text COLLATE "C" NOT NULL, -- JSON array
    focal_point     text COLLATE "C" NOT NULL, -- canonical JSON object of x and y, or null
    folder          text COLLATE "C" NOT NULL, -- names joined by slashes; empty: in no folder
    search          text COLLATE "C" NOT NULL, -- folded: caption, file name and tags, one a unit separator from the next
    mime_type       text COLLATE "C" NOT NULL,
    kind            text COLLATE "C" NOT NULL,
    hash            text COLLATE "C" NOT NULL, -- SHA-256 of the stored bytes, hex
    uploaded_hash   text COLLATE "C" NOT NULL DEFAULT '', -- of the bytes as they were uploaded; empty: stored unchanged
    size            bigint NOT NULL, -- bytes
    width           bigint NOT NULL, -- pixels
    height          bigint NOT NULL,
    color           text COLLATE "C" NOT NULL DEFAULT '', -- like #5a7d9b; empty: has none, or is not a picture
    full_blob       text COLLATE "C" NOT NULL,
    thumb_blob      text COLLATE "C" NOT NULL,
    thumb_webp_blob text COLLATE "C" NOT NULL,
    full_webp_blob  text COLLATE "C" NOT NULL,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    removed_at      bigint, -- null: in the library; otherwise publications name the item
    PRIMARY KEY (project_id, id)
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
    project_id bigint NOT NULL,
    name       text COLLATE "C" NOT NULL,
    holders    bigint NOT NULL,
    mark       bigint NOT NULL DEFAULT 0, -- differs when a name is forgotten and added again
    PRIMARY KEY (project_id, name)
);
CREATE INDEX media_blobs_unheld ON media_blobs (project_id, name) WHERE holders = 0;

-- The pictures that were made of originals on demand. A row outlives its Project until the bytes of the
-- original are deleted.
CREATE TABLE media_renditions (
    project_id bigint NOT NULL,
    name       text COLLATE "C" NOT NULL, -- of its blob
    original   text COLLATE "C" NOT NULL, -- name in media_blobs
    used_at    bigint NOT NULL, -- recorded at most once a day
    PRIMARY KEY (project_id, name)
);
CREATE INDEX media_renditions_original ON media_renditions (project_id, original, used_at);
CREATE INDEX media_renditions_used ON media_renditions (used_at);

-- Entries ---------------------------------------------------------------------------------

-- The ids of entries. They are drawn before the row is written, because a translation group has
-- the id of its first entry.
CREATE SEQUENCE entry_ids;

-- One row per entry, with both versions as JSON objects. published is null unless the entry is
-- published. The newest revision is a part of the entry, because every write changes it. Reads take
-- the columns from the left to the last that they need, so the draft is last.
CREATE TABLE entries (
    project_id      bigint NOT NULL,
    id              bigint NOT NULL,
    collection_id   bigint NOT NULL,
    group_id        bigint NOT NULL,
    version         bigint NOT NULL,
    created_at      bigint NOT NULL,
    updated_at      bigint NOT NULL,
    created_by      bigint NOT NULL,
    updated_by      bigint NOT NULL,
    published_at    bigint,
    released_at     bigint,
    trashed_at      bigint,
    locale          text COLLATE "C" NOT NULL,
    published       text COLLATE "C",
    published_media text COLLATE "C", -- JSON object by media id: its words as they were published; null: readers see the library
    published_hash  text COLLATE "C" NOT NULL DEFAULT '', -- hex SHA-256 of what readers see; empty: not published
    revision        text COLLATE "C", -- JSON, see core.RevisionRecord
    draft           text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, group_id, locale)
);
CREATE INDEX entries_collection ON entries (project_id, collection_id, id);
CREATE INDEX entries_sealed ON entries (project_id, collection_id, id) WHERE published_media IS NOT NULL;
CREATE INDEX entries_edited ON entries (project_id, collection_id, updated_by, id, trashed_at, locale) WHERE updated_by <> 0; -- lists of what a user edited last
CREATE INDEX entries_trash ON entries (project_id, collection_id, trashed_at DESC, id DESC) WHERE trashed_at IS NOT NULL;

-- The past revisions of entries. record has the difference to the revision before.
CREATE TABLE revisions (
    project_id    bigint NOT NULL,
    entry_id      bigint NOT NULL,
    number        bigint NOT NULL,
    collection_id bigint NOT NULL,
    kept          boolean NOT NULL, -- a request or a publication refers to it
    record        text COLLATE "C" NOT NULL, -- JSON, see core.RevisionRecord
    PRIMARY KEY (project_id, entry_id, number)
);
CREATE INDEX revisions_prunable ON revisions (project_id, entry_id, number) WHERE NOT kept;

-- The reference by which a translation group was imported. A group that was created here has no
-- row: its reference consists of the Project's UUID and its id.
CREATE TABLE translation_origins (
    project_id    bigint NOT NULL,
    reference     text COLLATE "C" NOT NULL,
    collection_id bigint NOT NULL,
    group_id      bigint NOT NULL, -- without a constraint, like collection_id: it outlives its entries
    PRIMARY KEY (project_id, reference)
);
CREATE INDEX translation_origins_group ON translation_origins (project_id, group_id);
CREATE INDEX translation_origins_collection ON translation_origins (project_id, collection_id, reference);

-- The collections of translation groups of which an entry was deleted. References to such a group still
-- name its collection.
CREATE TABLE past_groups (
    project_id bigint NOT NULL,
    group_id   bigint NOT NULL,
    collection text COLLATE "C" NOT NULL, -- its slug: the collection may be deleted, too
    PRIMARY KEY (project_id, group_id)
);

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
    project_id    bigint NOT NULL,
    scope         bigint NOT NULL,
    entry_id      bigint NOT NULL,
    collection_id bigint NOT NULL,
    shelf         smallint NOT NULL,
    locale        smallint NOT NULL,
    group_id      bigint NOT NULL,
    serves        bigint NOT NULL,
    serves_draft  bigint NOT NULL,
    published_at  bigint,
    released_at   bigint,
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL,
    signature     bigint NOT NULL,
    t1 text COLLATE "C", t2 text COLLATE "C", t3 text COLLATE "C", t4 text COLLATE "C",
    t5 text COLLATE "C", t6 text COLLATE "C", t7 text COLLATE "C", t8 text COLLATE "C",
    n1 double precision, n2 double precision, n3 double precision, n4 double precision,
    n5 double precision, n6 double precision, n7 double precision, n8 double precision,
    d1 bigint, d2 bigint, d3 bigint, d4 bigint,
    PRIMARY KEY (project_id, scope, entry_id) INCLUDE (serves, serves_draft)
) WITH (
    -- Pages are read from the indexes alone as far as the table is vacuumed.
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05
);
CREATE INDEX entry_index_group ON entry_index (project_id, group_id, shelf);
-- The entries that stand in for missing translations.
CREATE INDEX entry_index_serves ON entry_index (project_id, scope, entry_id, serves) WHERE (serves & (serves - 1)) <> 0;
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

-- Values of fields with several values, and references: text and num as in a slot, ref an id.
-- Rich text has the media that it names under its field, and the entries and files that it names
-- (ref, text) under the negative number of its field.
-- versions has bit 1 when the published version holds the value, bit 2 when the draft does.
CREATE TABLE entry_values (
    project_id    bigint NOT NULL,
    collection_id bigint NOT NULL,
    entry_id      bigint NOT NULL,
    field_id      integer NOT NULL,
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

-- Caseless texts that the operator "like" searches; versions as in entry_values. folded is the folded
-- form of a single text with an order, null where it equals text; fields without a slot are sorted by it.
CREATE TABLE entry_texts (
    project_id    bigint NOT NULL,
    collection_id bigint NOT NULL,
    entry_id      bigint NOT NULL,
    field_id      integer NOT NULL,
    versions      smallint NOT NULL,
    searchable    boolean NOT NULL,
    text          text COLLATE "C" NOT NULL,
    folded        text COLLATE "C",
    locale        smallint NOT NULL
);
CREATE INDEX entry_texts_entry ON entry_texts (project_id, collection_id, entry_id, field_id);
-- For searches within a field of a collection: the trigram index does not contain the collection.
CREATE INDEX entry_texts_searchable ON entry_texts (project_id, collection_id, field_id, locale) WHERE searchable;

-- Without the trigram extension, or the right to install it, searches scan the texts.
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
        -- Every search reads the whole list of pending words. With the default of 4 MB that takes
        -- milliseconds.
        CREATE INDEX entry_texts_search ON entry_texts USING gin (text gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE searchable;
        CREATE INDEX entry_texts_folded ON entry_texts USING gin (folded gin_trgm_ops) WITH (gin_pending_list_limit = 256) WHERE searchable AND folded IS NOT NULL;
        CREATE INDEX media_search ON media USING gin (search gin_trgm_ops);
    END IF;
END
$$;

-- The words that searches find: one row per row of entry_index with searchable texts. The index has
-- lexemes: the scope, the epoch of the collection, a kind, and a token of the words package.
-- moment       seconds since 1970, when the entry was published, or created if it is not published
-- hash         of all lexemes, and of the version of the words package that made them
CREATE TABLE entry_words (
    project_id    bigint NOT NULL,
    collection_id bigint NOT NULL,
    entry_id      bigint NOT NULL,
    scope         bigint NOT NULL,
    moment        bigint NOT NULL,
    hash          bigint NOT NULL,
    words         tsvector NOT NULL,
    PRIMARY KEY (project_id, collection_id, entry_id, scope)
) WITH (
    -- Searches read many rows, but few of their words.
    toast_tuple_target = 128
);
CREATE INDEX entry_words_moment ON entry_words (project_id, scope, moment, entry_id);
-- Every search reads the whole list of pending words.
CREATE INDEX entry_words_search ON entry_words USING gin (words) WITH (gin_pending_list_limit = 256);

-- The entry that holds a unique value; hash is the SHA-256 of the value.
CREATE TABLE entry_claims (
    project_id    bigint NOT NULL,
    collection_id bigint NOT NULL,
    field_id      integer NOT NULL,
    locale        text COLLATE "C" NOT NULL,
    hash          bytea NOT NULL,
    entry_id      bigint NOT NULL,
    PRIMARY KEY (project_id, collection_id, field_id, locale, hash)
);
CREATE INDEX entry_claims_entry ON entry_claims (project_id, entry_id);

-- Number of entries that readers meet, by state (0 published, 1 only_draft, 2 with_draft) and mask of
-- locales. Transactions that change the same row wait for each other until the disk has synced. Each
-- connection therefore counts in one of 8 rows, its stripe, and the sum of these rows is the count.
CREATE TABLE entry_counters (
    project_id    bigint NOT NULL,
    collection_id bigint NOT NULL,
    state         smallint NOT NULL,
    serves        bigint NOT NULL,
    stripe        smallint NOT NULL DEFAULT (pg_backend_pid() % 8),
    entries       bigint NOT NULL,
    PRIMARY KEY (project_id, collection_id, state, serves, stripe)
);

-- Number of published rows of entry_index by scope, mask and stretch of the values in one column.
-- place is the column: 0 entry_id, 1 created_at, 2 published_at, 3 released_at, 4 to 7 d1 to d4. A
-- bucket is 4096 ids or 2^30 milliseconds. stripe is as in entry_counters.
CREATE TABLE entry_buckets (
    project_id bigint NOT NULL,
    scope      bigint NOT NULL,
    place      smallint NOT NULL,
    bucket     bigint NOT NULL,
    serves     bigint NOT NULL,
    stripe     smallint NOT NULL DEFAULT (pg_backend_pid() % 8),
    entries    integer NOT NULL,
    PRIMARY KEY (project_id, scope, place, bucket, serves, stripe)
) WITH (fillfactor = 70); -- the same rows are updated again and again

-- The functions document_… read a field of a document. document_text returns its text, null when
-- the document has none.
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

-- Whether the document has a value of the field; of a field with several values, at least one.
CREATE FUNCTION document_has(document text, name text, several boolean) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN several THEN coalesce(document::json ->> name, '[]') <> '[]' ELSE document::json -> name IS NOT NULL END
$$;

-- The sort key of a text: its folded form, U+0001 and the text itself.
CREATE FUNCTION text_key(folded text, value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT folded || chr(1) || value
$$;

-- Approval and publication ----------------------------------------------------------------

-- One row per approval request: what is decided, by which steps, and how far it is.
-- For inboxes: step_tier and step_role say who may act on an open step, by the least tier (1 project
-- admin, 2 department admin, 3 tenant admin) or by custom role; step_more has the other custom roles of
-- open steps, if there are several, barred the users excluded from these steps, step_roles the custom
-- roles of all steps, all as ids between commas. lent_tier and lent_roles are the least tier and all custom
-- roles of the open steps that may be decided on behalf of others; null: none.
CREATE TABLE approval_requests (
    project_id          bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    id                  bigint GENERATED ALWAYS AS IDENTITY,
    tenant_id           bigint NOT NULL,
    release_year        integer NOT NULL,
    release_count       bigint, -- null until it is given, in the transaction that inserts
    status              text COLLATE "C" NOT NULL,
    version             bigint NOT NULL,
    steps               text COLLATE "C" NOT NULL, -- JSON array
    allow_self_approval boolean NOT NULL,
    current_step        integer NOT NULL, -- the index of the first step that lacks an approval, or of the last step
    scheduled_at        bigint,
    unpublish_at        bigint,
    submitter_kind      text COLLATE "C" NOT NULL,
    submitter_id        bigint NOT NULL,
    submitter_name      text COLLATE "C" NOT NULL,
    submitter_maker     bigint NOT NULL DEFAULT 0, -- the user who made the token; 0: no token, or made by a command
    submitted_at        bigint NOT NULL,
    published_at        bigint,
    approvals           text COLLATE "C" NOT NULL, -- JSON array
    chain_hash          text COLLATE "C" NOT NULL,
    record_format       integer NOT NULL,
    contributors        text COLLATE "C" NOT NULL, -- JSON array of those at submission; the format 1 has none
    step_tier           smallint,
    step_role           bigint,
    step_more           text COLLATE "C",
    open_since          bigint, -- when the steps opened where the request waits, or waited last
    due_at              bigint, -- the earliest deadline of these steps
    escalate_at         bigint, -- the earliest time when others may decide one of them as well
    late_at             bigint, -- when users are told that it is not approved at its time; null: never, or they were
    lent_tier           smallint,
    lent_roles          text COLLATE "C",
    barred              text COLLATE "C" NOT NULL,
    step_roles          text COLLATE "C" NOT NULL,
    release_id          bigint, -- of which the items are members; null: the request publishes one entry
    release_name        text COLLATE "C", -- at submission
    release_hash        text COLLATE "C", -- hex SHA-256 of the release and its members
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, id, status) -- for request_items
);
CREATE UNIQUE INDEX approval_requests_release ON approval_requests (tenant_id, release_year, release_count);
CREATE INDEX approval_requests_pending ON approval_requests (project_id, submitted_at, id) INCLUDE (step_tier, step_role, step_more, barred, escalate_at) WHERE status = 'pending';
CREATE INDEX approval_requests_late ON approval_requests (late_at) WHERE status = 'pending' AND late_at IS NOT NULL;
CREATE INDEX approval_requests_scheduled ON approval_requests (project_id, scheduled_at, id) INCLUDE (step_roles) WHERE status = 'approved';
CREATE INDEX approval_requests_submitted ON approval_requests (project_id, submitter_id, submitted_at, id) INCLUDE (step_roles) WHERE submitter_kind = 'user';
CREATE INDEX approval_requests_returned ON approval_requests (project_id, submitter_id, submitted_at, id) INCLUDE (step_roles) WHERE submitter_kind = 'user' AND status IN ('rejected', 'revision_requested');
CREATE INDEX approval_requests_mine ON approval_requests (submitter_id, project_id, id) WHERE submitter_kind = 'user' AND status IN ('pending', 'approved');
CREATE INDEX approval_requests_of ON approval_requests (project_id, release_id, id) WHERE release_id IS NOT NULL;

-- What requests publish: one row per entry of a request. The snapshot is what becomes public; an entry that
-- goes offline has none. Items outlive their collection and entry. status is that of the request: the database
-- changes both together. So an entry has one open request, and lists of entries by status read one index.
CREATE TABLE request_items (
    project_id    bigint NOT NULL,
    request_id    bigint NOT NULL,
    entry_id      bigint NOT NULL, -- without a constraint, like collection_id: items outlive both
    collection_id bigint NOT NULL,
    collection    text COLLATE "C", -- the slug at submission; null in a request for one entry
    locale        text COLLATE "C" NOT NULL,
    action        text COLLATE "C" NOT NULL, -- publish or unpublish
    status        text COLLATE "C" NOT NULL,
    content_hash  text COLLATE "C", -- hex SHA-256 of the snapshot
    base_number   bigint, -- the publication that readers saw at submission; null: none
    base_hash     text COLLATE "C", -- its content_hash
    title         text COLLATE "C", -- for lists, which do not read the snapshot; null: none
    title_field   integer, -- the id of its field in the collection
    snapshot      text COLLATE "C", -- JSON
    withheld      text COLLATE "C", -- JSON
    changed       text COLLATE "C", -- JSON array of the paths that a member of a release changes
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
    project_id   bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    id           bigint GENERATED ALWAYS AS IDENTITY,
    name         text COLLATE "C" NOT NULL,
    description  text COLLATE "C" NOT NULL,
    search       text COLLATE "C" NOT NULL, -- both, folded
    state        text COLLATE "C" NOT NULL, -- open, pending, approved, published or closed
    publish_at   bigint,
    version      bigint NOT NULL,
    created_by   text COLLATE "C" NOT NULL, -- JSON object
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL,
    contributors text COLLATE "C" NOT NULL, -- JSON array
    request_id   bigint, -- the latest request; null: never submitted
    rounds       integer NOT NULL, -- number of requests
    fault        text COLLATE "C" NOT NULL, -- why the last publication failed
    published_at bigint,
    revert_of    bigint, -- the release that it takes back
    PRIMARY KEY (project_id, id)
);
CREATE INDEX releases_state ON releases (project_id, state, id);
CREATE INDEX releases_reverts ON releases (project_id, revert_of) WHERE revert_of IS NOT NULL;

-- What releases publish. collection is the slug. Members outlive their entry, and those of closed and published
-- releases their collection.
CREATE TABLE release_members (
    project_id    bigint NOT NULL,
    release_id    bigint NOT NULL,
    entry_id      bigint NOT NULL,
    collection_id bigint NOT NULL,
    collection    text COLLATE "C" NOT NULL,
    locale        text COLLATE "C" NOT NULL,
    action        text COLLATE "C" NOT NULL, -- publish or unpublish
    from_number   bigint, -- the publication that is published again; null: the draft
    -- As sealed at the last submission; null: never submitted.
    content_hash  text COLLATE "C",
    base_number   bigint, -- the publication that readers saw then; null: none
    base_hash     text COLLATE "C",
    title         text COLLATE "C",
    title_field   integer,
    changed       text COLLATE "C", -- JSON array of paths
    snapshot      text COLLATE "C", -- only without a request, which has it
    withheld      text COLLATE "C",
    PRIMARY KEY (project_id, release_id, entry_id),
    FOREIGN KEY (project_id, release_id) REFERENCES releases (project_id, id) ON DELETE CASCADE
);
CREATE INDEX release_members_entry ON release_members (project_id, entry_id, release_id);
CREATE INDEX release_members_collection ON release_members (project_id, collection_id, release_id);

-- Which members a user has seen, with which content.
CREATE TABLE release_marks (
    project_id   bigint NOT NULL,
    release_id   bigint NOT NULL,
    user_id      bigint NOT NULL,
    entry_id     bigint NOT NULL,
    content_hash text COLLATE "C" NOT NULL, -- empty: of a member that is unpublished
    PRIMARY KEY (project_id, release_id, user_id, entry_id),
    FOREIGN KEY (project_id, release_id) REFERENCES releases (project_id, id) ON DELETE CASCADE
);

-- How many releases of a Project were published. Reads of several statements compare it, so that none
-- shows a part of a release.
CREATE TABLE release_counts (
    project_id bigint PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
    published  bigint NOT NULL
);

-- The audit chain of a request: each row has the hash of the row before it.
CREATE TABLE approval_actions (
    project_id    bigint NOT NULL,
    request_id    bigint NOT NULL,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    type          text COLLATE "C" NOT NULL,
    step_order    integer NOT NULL,
    actor_kind    text COLLATE "C" NOT NULL,
    actor_id      bigint NOT NULL,
    actor_name    text COLLATE "C" NOT NULL,
    actor_maker   bigint NOT NULL DEFAULT 0, -- as submitter_maker
    comment       text COLLATE "C" NOT NULL,
    content_hash  text COLLATE "C" NOT NULL,
    draft_hash    text COLLATE "C" NOT NULL DEFAULT '',
    outcome       text COLLATE "C" NOT NULL DEFAULT '{}', -- JSON object
    scheduled_at  bigint,
    unpublish_at  bigint,
    behalf_id     bigint NOT NULL DEFAULT 0, -- the user on whose behalf the actor decided; 0: none
    behalf_name   text COLLATE "C" NOT NULL DEFAULT '',
    escalated     boolean NOT NULL DEFAULT false, -- the actor decided by the escalation of the step
    signature     text COLLATE "C", -- JSON object; null: none
    verified      text COLLATE "C" NOT NULL DEFAULT '', -- the way of the proof that the decision needed
    comments_hash text COLLATE "C" NOT NULL DEFAULT '', -- of the comments on the request when it was decided
    created_at    bigint NOT NULL,
    previous_hash text COLLATE "C" NOT NULL DEFAULT '',
    hash          text COLLATE "C" NOT NULL,
    PRIMARY KEY (project_id, request_id, id),
    FOREIGN KEY (project_id, request_id) REFERENCES approval_requests ON DELETE CASCADE
);
CREATE INDEX approval_actions_decided ON approval_actions (project_id, actor_id, request_id, id) WHERE actor_kind = 'user' AND type IN ('approve', 'reject', 'request_revision');

-- Comments on requests. closed_in is the request in whose round a comment was resolved or deleted.
CREATE TABLE comments (
    project_id    bigint NOT NULL,
    id            bigint GENERATED ALWAYS AS IDENTITY,
    request_id    bigint NOT NULL,
    release_id    bigint NOT NULL, -- 0: of a request for one entry
    entry_id      bigint NOT NULL, -- 0: about the whole release
    field         text COLLATE "C" NOT NULL,
    field_id      integer NOT NULL, -- 0: none
    item_key      text COLLATE "C" NOT NULL,
    quote         text COLLATE "C", -- JSON object
    replacement   text COLLATE "C",
    parent        bigint NOT NULL, -- 0: no reply
    must_step     integer NOT NULL, -- 0: none
    created_at    bigint NOT NULL,
    author_id     bigint NOT NULL,
    author_name   text COLLATE "C" NOT NULL,
    body          text COLLATE "C" NOT NULL,
    salt          bytea, -- null: it was deleted
    hash          text COLLATE "C" NOT NULL,
    edited_at     bigint,
    earlier       text COLLATE "C", -- JSON array
    closed_in     bigint NOT NULL, -- 0: open
    resolver_id   bigint NOT NULL, -- 0: not resolved
    resolver_name text COLLATE "C" NOT NULL,
    resolved_at   bigint,
    deleted_at    bigint,
    PRIMARY KEY (project_id, id),
    FOREIGN KEY (project_id, request_id) REFERENCES approval_requests ON DELETE CASCADE
);
CREATE INDEX comments_subject ON comments (project_id, release_id, entry_id, id);
CREATE INDEX comments_request ON comments (project_id, request_id, id);

-- The stays of requests at steps, for the overview of a Project. A stay that is not passed belongs
-- to a pending request.
CREATE TABLE approval_waits (
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    request_id    bigint NOT NULL,
    step_id       integer NOT NULL, -- the place of the step, from 1
    step_order    integer NOT NULL,
    label         text COLLATE "C" NOT NULL,
    since         bigint NOT NULL,
    passed_at     bigint, -- when the step had its approvals; null: the request waits at it
    remind_at     bigint, -- when the reviewers are reminded; null: never, or they were
    escalate_at   bigint, -- when others may decide the step as well; null: never
    escalate_tier smallint, -- as step_tier and step_role of approval_requests, of these others
    escalate_role bigint,
    escalate_lent boolean NOT NULL, -- whether users may decide on their behalf
    escalate_told boolean NOT NULL, -- whether they were told
    PRIMARY KEY (project_id, request_id, step_id)
);
CREATE INDEX approval_waits_waiting ON approval_waits (project_id, label, step_order, since) WHERE passed_at IS NULL;
CREATE INDEX approval_waits_passed ON approval_waits (project_id, label, step_order, passed_at) INCLUDE (since) WHERE passed_at IS NOT NULL;
CREATE INDEX approval_waits_due ON approval_waits (remind_at) WHERE remind_at IS NOT NULL;
CREATE INDEX approval_waits_escalated ON approval_waits (escalate_at) WHERE escalate_at IS NOT NULL AND NOT escalate_told AND passed_at IS NULL;

-- Number of release numbers that a Tenant has used in a year.
CREATE TABLE approval_release_counters (
    tenant_id bigint NOT NULL REFERENCES tenants ON DELETE CASCADE,
    year      integer NOT NULL,
    released  bigint NOT NULL,
    PRIMARY KEY (tenant_id, year)
);

-- Scheduled publications and ends of publications. A worker publishes or unpublishes an entry, or publishes
-- a release, when due_at has passed.
CREATE TABLE schedules (
    project_id      bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    entry_id        bigint NOT NULL, -- 0: the schedule of a release
    release_id      bigint NOT NULL DEFAULT 0, -- 0: the schedule of an entry
    action          text COLLATE "C" NOT NULL DEFAULT 'publish', -- publish or unpublish
    collection_id   bigint NOT NULL,
    request_id      bigint, -- null: no workflow governed the entry
    due_at          bigint NOT NULL,
    unpublish_at    bigint, -- the end of a publication that is still to come
    retry_at        bigint NOT NULL, -- due_at until an attempt failed
    attempts        integer NOT NULL, -- failed ones
    last_fault      text COLLATE "C" NOT NULL,
    scheduler_kind  text COLLATE "C" NOT NULL,
    scheduler_id    bigint NOT NULL,
    scheduler_name  text COLLATE "C" NOT NULL,
    scheduler_maker bigint NOT NULL DEFAULT 0, -- as submitter_maker
    PRIMARY KEY (project_id, entry_id, release_id, action)
);
CREATE INDEX schedules_due ON schedules (retry_at, project_id, entry_id);
CREATE INDEX schedules_failed ON schedules (project_id, retry_at) WHERE attempts > 0;
-- Calendars list schedules by time.
CREATE INDEX schedules_calendar ON schedules (project_id, due_at);
CREATE INDEX schedules_calendar_end ON schedules (project_id, unpublish_at) WHERE unpublish_at IS NOT NULL;

-- The versions that readers saw. A row is added when a version becomes public.
CREATE TABLE publications (
    project_id     bigint NOT NULL,
    entry_id       bigint NOT NULL, -- without a constraint, like collection_id: publications outlive both
    number         bigint NOT NULL, -- from 1 in each entry
    collection_id  bigint NOT NULL,
    group_id       bigint NOT NULL, -- of the entry, like created_at
    content_hash   text COLLATE "C" NOT NULL, -- hex SHA-256
    published_at   bigint NOT NULL,
    unpublished_at bigint, -- null: readers see the version now
    since          bigint NOT NULL, -- since when an entry was public without interruption
    created_at     bigint NOT NULL,
    by_kind        text COLLATE "C" NOT NULL,
    by_id          bigint NOT NULL,
    by_name        text COLLATE "C" NOT NULL,
    by_maker       bigint NOT NULL, -- the user who created the token; 0: no token, or created by a command
    request_id     bigint, -- null: no approval request
    content        bytea, -- the canonical content, compressed (zstd); null: the snapshot of the item of request_id
    ended_on_time  boolean NOT NULL DEFAULT false, -- by its scheduled end
    ended_release  bigint, -- the release that unpublished the entry; null: none
    ended_request  bigint, -- its request; null: no workflow governed it
    PRIMARY KEY (project_id, entry_id, number)
);
ALTER TABLE publications ALTER COLUMN content SET STORAGE EXTERNAL;
-- Reads of the past find the targets of relations by group.
CREATE INDEX publications_group ON publications (project_id, group_id, published_at);
CREATE INDEX publications_published ON publications (project_id, published_at);
CREATE INDEX publications_ended ON publications (project_id, unpublished_at) WHERE unpublished_at IS NOT NULL;

-- The media that the content of a publication names.
CREATE TABLE publication_media (
    project_id bigint NOT NULL,
    entry_id   bigint NOT NULL,
    number     bigint NOT NULL,
    media_id   bigint NOT NULL,
    PRIMARY KEY (project_id, entry_id, number, media_id)
);
CREATE INDEX publication_media_item ON publication_media (project_id, media_id);

-- The slugs that public versions of entries had, up to 20 of each entry. A row is added when a version with
-- another slug, or none, follows.
CREATE TABLE former_slugs (
    project_id    bigint NOT NULL,
    entry_id      bigint NOT NULL,
    slug          text COLLATE "C" NOT NULL,
    collection_id bigint NOT NULL, -- of the entry, like locale
    locale        text COLLATE "C" NOT NULL,
    field_id      bigint NOT NULL, -- of the slug
    ended_at      bigint NOT NULL,
    PRIMARY KEY (project_id, entry_id, slug)
);
CREATE INDEX former_slugs_slug ON former_slugs (project_id, collection_id, locale, slug, entry_id);

-- Requests and changes --------------------------------------------------------------------

-- Responses to requests with an Idempotency-Key, for replay.
CREATE TABLE idempotency_keys (
    caller      text COLLATE "C" NOT NULL,
    key         bytea NOT NULL,
    fingerprint bytea NOT NULL, -- HMAC of what was asked, under the secret key
    claimed_at  bigint NOT NULL,
    status      integer, -- null while under way, 0 from its effect until its answer
    header      text COLLATE "C" NOT NULL, -- JSON object
    body        bytea,
    PRIMARY KEY (caller, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (claimed_at);

-- The Ed25519 keys with which the installation signs. Rows are never removed.
CREATE TABLE signing_keys (
    id           bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    fingerprint  text COLLATE "C" NOT NULL UNIQUE, -- hex SHA-256 of public_key
    installation text COLLATE "C" NOT NULL, -- UUID, the same in all rows
    public_key   bytea NOT NULL,
    private_key  bytea, -- the seed under the secret key (AES-256-GCM, nonce first); null once revoked
    begins_at    bigint NOT NULL,
    ends_at      bigint, -- exclusive; null while there is no end
    revoked_at   bigint
);

-- What the secret key must derive, in one row; null until a process has started with it. A database
-- does not work with another key than the one that sealed its values.
CREATE TABLE secret_check (value bytea);
INSERT INTO secret_check (value) VALUES (NULL);

-- The state of the whole installation, in one row.
CREATE TABLE installation (
    epoch     text COLLATE "C" NOT NULL, -- another one after each restore
    paused_at bigint, -- the time of a restore, from then on nothing is published by time, and nothing is sent
    restoring boolean NOT NULL, -- a restore has begun and not finished
    place     text COLLATE "C" -- where a service had these rows last; null: nowhere yet
);
INSERT INTO installation (epoch, restoring) VALUES ('1', false);

-- Jobs, such as backups, for which the bytes of blobs stay although no item refers to them.
CREATE TABLE holds (
    id         text COLLATE "C" NOT NULL PRIMARY KEY,
    expires_at bigint NOT NULL
);

-- Every change, written by the transaction that makes it. Ids ascend; they are drawn by the last
-- statement before the commit. Rows refer to nothing: the subject may be deleted.
CREATE TABLE events (
    id             bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    at             bigint NOT NULL,
    type           text COLLATE "C" NOT NULL,
    actor_kind     text COLLATE "C" NOT NULL,
    actor_id       bigint NOT NULL,
    actor_name     text COLLATE "C" NOT NULL,
    tenant_id      bigint NOT NULL,
    project_id     bigint NOT NULL,
    subject_id     bigint NOT NULL,
    collection     text COLLATE "C" NOT NULL,
    entry_id       bigint NOT NULL,
    locale         text COLLATE "C" NOT NULL,
    content_hash   text COLLATE "C" NOT NULL,
    release_number text COLLATE "C" NOT NULL,
    request_id     text COLLATE "C" NOT NULL,
    group_id       bigint NOT NULL DEFAULT 0, -- translation group of the entry
    slug           text COLLATE "C" NOT NULL DEFAULT '', -- of what was published
    reason         text COLLATE "C" NOT NULL DEFAULT '', -- why it was unpublished, trashed or destroyed
    role           text COLLATE "C" NOT NULL DEFAULT '', -- that a user has got or lost
    place          text COLLATE "C" NOT NULL DEFAULT '', -- the name of where
    import         smallint NOT NULL DEFAULT 0, -- 1: an import made the change; 2: webhooks do not get it
    imported       text COLLATE "C" NOT NULL DEFAULT 'null', -- JSON object: the result of an import
    release_id     bigint NOT NULL DEFAULT 0, -- the release that it is about, or that published the entry
    released       text COLLATE "C" NOT NULL DEFAULT 'null', -- JSON object: the entries of a release
    public         boolean NOT NULL DEFAULT false, -- readers see the change
    outgoing       boolean NOT NULL DEFAULT false, -- has receivers outside the installation and is not yet a delivery
    xact           bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint -- the transaction: ids are drawn before commits
);
CREATE INDEX events_outgoing ON events (id) WHERE outgoing;
CREATE INDEX events_project ON events (project_id, id);
CREATE INDEX events_public ON events (project_id, xact, id) WHERE public;
CREATE INDEX events_tenant ON events (tenant_id, id);

-- The latest time before which events were deleted, in one row.
CREATE TABLE event_log (kept_since bigint NOT NULL);
INSERT INTO event_log (kept_since) VALUES (0);

-- Deliveries ------------------------------------------------------------------------------

-- Addresses that get the events of a Project.
CREATE TABLE webhooks (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id    bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    name          text COLLATE "C" NOT NULL,
    url           text COLLATE "C" NOT NULL,
    events        text COLLATE "C" NOT NULL, -- JSON array of patterns
    collections   text COLLATE "C" NOT NULL, -- JSON array of slugs
    locales       text COLLATE "C" NOT NULL, -- JSON array
    imports       boolean NOT NULL, -- it gets the events of imports
    active        boolean NOT NULL,
    quiet         bigint NOT NULL, -- milliseconds; 0: each event is a delivery
    most          bigint NOT NULL,
    secrets       bytea NOT NULL, -- under the secret key (AES-256-GCM, nonce first)
    failing_since bigint,
    off_reason    text COLLATE "C" NOT NULL,
    created_by    bigint, -- a user, without a constraint: the account may go
    created_at    bigint NOT NULL,
    updated_at    bigint NOT NULL
);
CREATE INDEX webhooks_project ON webhooks (project_id, id);

-- Messages to webhooks, made from events by the transaction that takes these from the outbox.
CREATE TABLE deliveries (
    project_id bigint NOT NULL,
    id         bigint GENERATED ALWAYS AS IDENTITY,
    webhook_id bigint NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    message    text COLLATE "C" NOT NULL, -- webhook-id of its requests
    type       text COLLATE "C" NOT NULL,
    events     text COLLATE "C" NOT NULL, -- JSON array of ids
    count      bigint NOT NULL, -- of the events, also of those that are left out
    status     text COLLATE "C" NOT NULL,
    due_at     bigint NOT NULL,
    attempts   bigint NOT NULL,
    created_at bigint NOT NULL,
    ended_at   bigint, -- null until it is delivered or parked
    PRIMARY KEY (project_id, id)
);
CREATE INDEX deliveries_due ON deliveries (project_id, webhook_id, due_at) WHERE ended_at IS NULL;
CREATE INDEX deliveries_webhook ON deliveries (project_id, webhook_id, id);
CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE delivery_attempts (
    project_id  bigint NOT NULL,
    delivery_id bigint NOT NULL,
    number      bigint NOT NULL,
    at          bigint NOT NULL,
    took        bigint NOT NULL, -- milliseconds
    code        bigint NOT NULL, -- status of the response; 0: none
    fault       text COLLATE "C" NOT NULL,
    answer      text COLLATE "C" NOT NULL, -- the beginning of the response
    PRIMARY KEY (project_id, delivery_id, number),
    FOREIGN KEY (project_id, delivery_id) REFERENCES deliveries ON DELETE CASCADE
);

-- What users are told. key is unique by user, so that nothing is told twice.
CREATE TABLE notices (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id        bigint NOT NULL REFERENCES users ON DELETE CASCADE,
    key            text COLLATE "C" NOT NULL,
    kind           text COLLATE "C" NOT NULL,
    event          text COLLATE "C" NOT NULL, -- its type
    reminder       boolean NOT NULL,
    project_id     bigint REFERENCES projects ON DELETE CASCADE,
    for_admins     boolean NOT NULL,
    approval_id    bigint NOT NULL, -- 0: none
    action_id      bigint NOT NULL DEFAULT 0, -- the action on the request; 0: none
    collection_id  bigint NOT NULL,
    entry_id       bigint NOT NULL,
    release_id     bigint NOT NULL DEFAULT 0, -- 0: none
    title          text COLLATE "C" NOT NULL,
    release_number text COLLATE "C" NOT NULL,
    actor_kind     text COLLATE "C" NOT NULL,
    actor_id       bigint NOT NULL,
    actor_name     text COLLATE "C" NOT NULL,
    comment        text COLLATE "C" NOT NULL,
    role           text COLLATE "C" NOT NULL DEFAULT '', -- that the user has got or lost
    place          text COLLATE "C" NOT NULL DEFAULT '', -- the name of where
    at             bigint NOT NULL,
    read_at        bigint -- null: unread
);
CREATE UNIQUE INDEX notices_key ON notices (user_id, key);
CREATE INDEX notices_user ON notices (user_id, id);
CREATE INDEX notices_unread ON notices (user_id, id) WHERE read_at IS NULL;
CREATE INDEX notices_project ON notices (project_id, id);
CREATE INDEX notices_at ON notices (at);

-- E-mails, made by the transaction that makes what they are about: a notice, or a letter to an address.
CREATE TABLE mails (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    notice_id  bigint UNIQUE REFERENCES notices ON DELETE CASCADE, -- null: a letter
    letter     bytea, -- under the secret key (AES-256-GCM, nonce first); null once it has ended
    status     text COLLATE "C" NOT NULL,
    due_at     bigint NOT NULL,
    attempts   bigint NOT NULL,
    fault      text COLLATE "C" NOT NULL, -- of the last attempt
    created_at bigint NOT NULL,
    ended_at   bigint -- null while it waits
);
CREATE INDEX mails_due ON mails (due_at) WHERE ended_at IS NULL;
CREATE INDEX mails_ended ON mails (ended_at) WHERE ended_at IS NOT NULL;

-- Statistics ------------------------------------------------------------------------------

-- Tables that were never analysed get statistics of a sample: many entries in few Projects and
-- collections. Without them the planner considers every column equally selective, and reads a
-- whole collection per row after an import. The first real analysis replaces them.

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

INSERT INTO entry_words (project_id, collection_id, entry_id, scope, moment, hash, words)
SELECT -1, -1, -n, -256 + shelf * 64, n, n, format('%s:1 %s:2', 'word' || n % 100, 'word' || n)::tsvector
FROM generate_series(1, 2000) AS n, (VALUES (0), (1)) AS shelves (shelf);

ANALYZE entries, entry_index, entry_values, entry_texts, entry_words, entry_claims;

DELETE FROM entries WHERE project_id = -1;
DELETE FROM entry_index WHERE project_id = -1;
DELETE FROM entry_values WHERE project_id = -1;
DELETE FROM entry_texts WHERE project_id = -1;
DELETE FROM entry_words WHERE project_id = -1;
DELETE FROM entry_claims WHERE project_id = -1;

-- The planner always assumes one Project and one collection. With the real number, thousands, it
-- would expect a few rows of each, and read all of them instead of the one row that is wanted.
-- With these settings it plans for the largest.

ALTER TABLE entries ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_index ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1), ALTER COLUMN scope SET (n_distinct = 2);
ALTER TABLE entry_values ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_texts ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
ALTER TABLE entry_words ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1), ALTER COLUMN scope SET (n_distinct = 2);
ALTER TABLE entry_claims ALTER COLUMN project_id SET (n_distinct = 1), ALTER COLUMN collection_id SET (n_distinct = 1);
