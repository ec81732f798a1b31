-- Roles that groups at identity providers give.

ALTER TABLE user_identities ADD COLUMN given text COLLATE "C"; -- JSON array of the roles that groups have given; null: none
ALTER TABLE identity_providers ADD COLUMN password_user_id bigint; -- the user that keeps its password if they are forbidden; null: none
