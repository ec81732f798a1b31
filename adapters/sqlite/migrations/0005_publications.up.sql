-- The versions that readers saw. A row is added when a version becomes public.
CREATE TABLE publications (
    project_id     integer NOT NULL,
    entry_id       integer NOT NULL, -- without a constraint, like collection_id: publications outlive both
    number         integer NOT NULL, -- from 1 in each entry
    collection_id  integer NOT NULL,
    content_hash   text NOT NULL, -- hex SHA-256
    published_at   integer NOT NULL,
    unpublished_at integer, -- null: readers see the version now
    since          integer NOT NULL, -- since when an entry was public without interruption
    by_kind        text NOT NULL,
    by_id          integer NOT NULL,
    by_name        text NOT NULL,
    by_maker       integer NOT NULL, -- the user who created the token; 0: no token, or created by a command
    request_id     integer, -- null: no approval request
    content        blob, -- the canonical content, compressed (zstd); null: the snapshot of the request
    PRIMARY KEY (project_id, entry_id, number)
) WITHOUT ROWID;
ALTER TABLE tokens ADD COLUMN allow_history boolean NOT NULL DEFAULT false;
