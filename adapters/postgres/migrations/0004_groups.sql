-- Roles that groups at identity providers give.

ALTER TABLE user_identities ADD COLUMN given text COLLATE "C" NOT NULL DEFAULT '[]'; -- JSON array of the roles that groups have given
