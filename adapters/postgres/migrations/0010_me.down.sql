ALTER TABLE sessions DROP COLUMN user_agent;
ALTER TABLE sessions DROP COLUMN address;
ALTER TABLE sessions DROP CONSTRAINT sessions_hash;
ALTER TABLE sessions DROP COLUMN id;
ALTER TABLE sessions ADD PRIMARY KEY (hash);
ALTER TABLE users DROP COLUMN theme;
ALTER TABLE users DROP COLUMN time_zone;
ALTER TABLE users DROP COLUMN language;
