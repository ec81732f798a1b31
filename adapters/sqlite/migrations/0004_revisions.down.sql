ALTER TABLE projects DROP COLUMN revision_limit;
DROP TABLE revisions;
ALTER TABLE entries DROP COLUMN revision;
