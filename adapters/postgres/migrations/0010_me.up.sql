-- How users want to see the dashboard; empty: as the browser and the system are set.
ALTER TABLE users ADD COLUMN language text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN time_zone text COLLATE "C" NOT NULL DEFAULT ''; -- IANA name
ALTER TABLE users ADD COLUMN theme text COLLATE "C" NOT NULL DEFAULT '';

-- Users list their sessions and end them by id.
ALTER TABLE sessions DROP CONSTRAINT sessions_pkey;
ALTER TABLE sessions ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;
ALTER TABLE sessions ADD CONSTRAINT sessions_hash UNIQUE (hash);
ALTER TABLE sessions ADD COLUMN address text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN user_agent text COLLATE "C" NOT NULL DEFAULT '';
