-- What content goes through before it is public, and what became of it. Times are
-- milliseconds since 1970.

-- The workflow of a Department or a Project is part of its row, so that to lock the
-- row is to keep the workflow as it is. JSON; null: none.
ALTER TABLE departments ADD COLUMN workflow text COLLATE "C";
ALTER TABLE projects ADD COLUMN workflow text COLLATE "C";

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
