-- The organisation, who may do what in it, and what a Project defines.
-- Texts compare byte by byte, times are milliseconds since 1970, ids are never reused.

CREATE TABLE tenants (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);

CREATE TABLE departments (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id  bigint NOT NULL REFERENCES tenants,
    name       text COLLATE "C" NOT NULL,
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
