DROP INDEX approval_actions_decided;
DROP INDEX approval_requests_submitted;
ALTER TABLE approval_requests DROP COLUMN title_field;
ALTER TABLE approval_requests DROP COLUMN title;
