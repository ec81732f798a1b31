-- The table of scheduled publications is called schedules, because publications are the
-- versions that readers saw.
ALTER TABLE publications RENAME TO schedules;
DROP INDEX publications_due;
DROP INDEX publications_failed;
CREATE INDEX schedules_due ON schedules (retry_at, project_id, entry_id);
CREATE INDEX schedules_failed ON schedules (project_id, retry_at) WHERE attempts > 0;
