ALTER TABLE schedules RENAME TO publications;
DROP INDEX schedules_due;
DROP INDEX schedules_failed;
CREATE INDEX publications_due ON publications (retry_at, project_id, entry_id);
CREATE INDEX publications_failed ON publications (project_id, retry_at) WHERE attempts > 0;
