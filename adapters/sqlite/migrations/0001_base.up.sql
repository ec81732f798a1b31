-- The organisation, who may do what in it, and what a Project defines.
-- Times are milliseconds since 1970, ids are never reused.

CREATE TABLE tenants (
    id         integer PRIMARY KEY AUTOINCREMENT,
    name       text NOT NULL,
    created_at integer NOT NULL,
    updated_at integer NOT NULL
);

CREATE TABLE departments (
    id         integer PRIMARY KEY AUTOINCREMENT,
    tenant_id  integer NOT NULL REFERENCES tenants,
    name       text NOT NULL,
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
