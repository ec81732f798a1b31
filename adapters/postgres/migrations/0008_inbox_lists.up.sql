-- The title of a request, for lists, which do not read the snapshot.
ALTER TABLE approval_requests ADD COLUMN title text COLLATE "C"; -- null: none, or submitted before this migration
ALTER TABLE approval_requests ADD COLUMN title_field integer; -- the id of its field in the collection

CREATE INDEX approval_requests_submitted ON approval_requests (project_id, submitter_id, submitted_at, id) INCLUDE (step_roles) WHERE submitter_kind = 'user';
DROP INDEX approval_requests_scheduled;
CREATE INDEX approval_requests_scheduled ON approval_requests (project_id, scheduled_at, id) INCLUDE (step_roles) WHERE status = 'approved';
CREATE INDEX approval_actions_decided ON approval_actions (project_id, actor_id, request_id, id) WHERE actor_kind = 'user' AND type IN ('approve', 'reject', 'request_revision');
