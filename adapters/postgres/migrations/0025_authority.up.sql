-- Who answers for what a token does, what an action left of its request, and how often
-- signing in failed. Times are milliseconds since 1970.

-- The user who made the token that acted; 0: no token, or one that a command made.
ALTER TABLE approval_requests ADD COLUMN submitter_maker bigint NOT NULL DEFAULT 0;
ALTER TABLE approval_actions ADD COLUMN actor_maker bigint NOT NULL DEFAULT 0;
ALTER TABLE publications ADD COLUMN scheduler_maker bigint NOT NULL DEFAULT 0;
UPDATE approval_requests SET submitter_maker = COALESCE((SELECT created_by FROM tokens WHERE tokens.id = submitter_id), 0)
    WHERE submitter_kind = 'token';
UPDATE publications SET scheduler_maker = COALESCE((SELECT created_by FROM tokens WHERE tokens.id = scheduler_id), 0)
    WHERE scheduler_kind = 'token';
UPDATE approval_requests SET barred = ',' || submitter_maker || CASE WHEN barred = '' THEN ',' ELSE barred END
    WHERE submitter_maker <> 0 AND status = 'pending' AND NOT allow_self_approval;

ALTER TABLE approval_actions ADD COLUMN draft_hash text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE approval_actions ADD COLUMN outcome text COLLATE "C" NOT NULL DEFAULT '{}'; -- JSON object
ALTER TABLE approval_actions ADD COLUMN previous_hash text COLLATE "C" NOT NULL DEFAULT '';

-- Failed sign-ins of an account or from an address, since the first of them.
CREATE TABLE failed_sign_ins (
    key      text COLLATE "C" NOT NULL PRIMARY KEY,
    failures integer NOT NULL,
    ends_at  bigint NOT NULL -- from then on they do not count
);
CREATE INDEX failed_sign_ins_end ON failed_sign_ins (ends_at);
