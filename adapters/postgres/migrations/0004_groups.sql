-- Roles that groups at identity providers give.

ALTER TABLE user_identities ADD COLUMN given text COLLATE "C"; -- JSON array of the roles that groups have given; null: none
