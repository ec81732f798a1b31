DROP INDEX approval_actions_decided;
DROP INDEX approval_requests_scheduled;
CREATE INDEX approval_requests_scheduled ON approval_requests (project_id, scheduled_at) INCLUDE (step_roles) WHERE status = 'approved';
DROP INDEX approval_requests_submitted;
ALTER TABLE approval_requests DROP COLUMN title_field;
ALTER TABLE approval_requests DROP COLUMN title;
