ALTER TABLE approval_actions DROP COLUMN unpublish_at;
ALTER TABLE approval_requests DROP COLUMN unpublish_at;
CREATE TABLE schedules_new (
    project_id      integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    entry_id        integer NOT NULL,
    collection_id   integer NOT NULL,
    request_id      integer, -- null: no workflow governed the entry
    due_at          integer NOT NULL,
    retry_at        integer NOT NULL, -- due_at until an attempt failed
    attempts        integer NOT NULL, -- failed ones
    last_fault      text NOT NULL,
    scheduler_kind  text NOT NULL,
    scheduler_id    integer NOT NULL,
    scheduler_name  text NOT NULL,
    scheduler_maker integer NOT NULL DEFAULT 0, -- as submitter_maker
    PRIMARY KEY (project_id, entry_id)
) WITHOUT ROWID;
INSERT INTO schedules_new (project_id, entry_id, collection_id, request_id, due_at, retry_at, attempts, last_fault, scheduler_kind, scheduler_id, scheduler_name, scheduler_maker)
SELECT project_id, entry_id, collection_id, request_id, due_at, retry_at, attempts, last_fault, scheduler_kind, scheduler_id, scheduler_name, scheduler_maker
FROM schedules WHERE action = 'publish';
DROP TABLE schedules;
ALTER TABLE schedules_new RENAME TO schedules;
CREATE INDEX schedules_due ON schedules (retry_at, project_id, entry_id);
CREATE INDEX schedules_failed ON schedules (project_id, retry_at) WHERE attempts > 0;
