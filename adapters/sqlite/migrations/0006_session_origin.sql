-- What identity providers say when they open sessions.

ALTER TABLE sessions ADD COLUMN provider_id bigint; -- the identity provider that opened the session; null: none
ALTER TABLE sessions ADD COLUMN provider_sid text; -- its claim sid; null: none
ALTER TABLE sessions ADD COLUMN provider_methods text; -- its claim amr, separated by spaces; null: none
ALTER TABLE sessions ADD COLUMN provider_context text; -- its claim acr; null: none
