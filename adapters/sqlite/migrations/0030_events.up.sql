-- Every change, written by the transaction that makes it. The ids ascend; they are drawn
-- by the last statement before the commit. What an event is about may be gone, so that
-- nothing here refers to another table.
CREATE TABLE events (
    id             integer PRIMARY KEY AUTOINCREMENT,
    at             integer NOT NULL,
    type           text    NOT NULL,
    actor_kind     text    NOT NULL,
    actor_id       integer NOT NULL,
    actor_name     text    NOT NULL,
    tenant_id      integer NOT NULL,
    project_id     integer NOT NULL,
    subject_id     integer NOT NULL,
    collection     text    NOT NULL,
    entry_id       integer NOT NULL,
    locale         text    NOT NULL,
    content_hash   text    NOT NULL,
    release_number text    NOT NULL,
    request_id     text    NOT NULL
);
-- What happened in a Project, and what happened in a Tenant outside of its Projects.
CREATE INDEX events_project ON events (project_id, id);
CREATE INDEX events_tenant ON events (tenant_id, id) WHERE project_id = 0;
