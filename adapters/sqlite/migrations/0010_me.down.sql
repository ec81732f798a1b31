CREATE TABLE sessions_old (
    hash       blob NOT NULL PRIMARY KEY, -- SHA-256 of the cookie's value
    user_id    integer NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at integer NOT NULL,
    expires_at integer NOT NULL
);
INSERT INTO sessions_old SELECT hash, user_id, created_at, expires_at FROM sessions;
DROP TABLE sessions;
ALTER TABLE sessions_old RENAME TO sessions;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);
ALTER TABLE users DROP COLUMN theme;
ALTER TABLE users DROP COLUMN time_zone;
ALTER TABLE users DROP COLUMN language;
