DROP TABLE idempotency_keys;
DROP TABLE publications;
DROP TABLE approval_release_counters;
DROP TABLE approval_actions;
DROP TABLE approval_requests;
ALTER TABLE projects DROP COLUMN workflow;
ALTER TABLE departments DROP COLUMN workflow;
