DROP TABLE failed_sign_ins;
ALTER TABLE approval_actions DROP COLUMN previous_hash;
ALTER TABLE approval_actions DROP COLUMN outcome;
ALTER TABLE approval_actions DROP COLUMN draft_hash;
ALTER TABLE publications DROP COLUMN scheduler_maker;
ALTER TABLE approval_actions DROP COLUMN actor_maker;
ALTER TABLE approval_requests DROP COLUMN submitter_maker;
