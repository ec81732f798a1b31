-- How users want to see the dashboard; empty: as the browser and the system are set.
ALTER TABLE users ADD COLUMN language text NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN time_zone text NOT NULL DEFAULT ''; -- IANA name
ALTER TABLE users ADD COLUMN theme text NOT NULL DEFAULT '';

-- Users list their sessions and end them by id. SQLite cannot change a primary key, so the table
-- is made again.
CREATE TABLE sessions_new (
    id         integer PRIMARY KEY AUTOINCREMENT,
    hash       blob NOT NULL UNIQUE, -- SHA-256 of the cookie's value
    user_id    integer NOT NULL REFERENCES users ON DELETE CASCADE,
    address    text NOT NULL DEFAULT '',
    user_agent text NOT NULL DEFAULT '',
    created_at integer NOT NULL,
    expires_at integer NOT NULL
);
INSERT INTO sessions_new (hash, user_id, created_at, expires_at) SELECT hash, user_id, created_at, expires_at FROM sessions ORDER BY created_at;
DROP TABLE sessions;
ALTER TABLE sessions_new RENAME TO sessions;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);
