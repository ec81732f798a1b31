-- What content goes through before it is public, and what became of it. Times are
-- milliseconds since 1970.

-- The workflow of a Department or a Project is part of its row, so that to lock the
-- row is to keep the workflow as it is. JSON; null: none.
ALTER TABLE departments ADD COLUMN workflow text;
ALTER TABLE projects ADD COLUMN workflow text;

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
