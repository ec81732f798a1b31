-- The versions that readers saw. A row is added when a version becomes public.
CREATE TABLE publications (
    project_id     bigint NOT NULL,
    entry_id       bigint NOT NULL, -- without a constraint, like collection_id: publications outlive both
    number         bigint NOT NULL, -- from 1 in each entry
    collection_id  bigint NOT NULL,
    content_hash   text COLLATE "C" NOT NULL, -- hex SHA-256
    published_at   bigint NOT NULL,
    unpublished_at bigint, -- null: readers see the version now
    since          bigint NOT NULL, -- since when an entry was public without interruption
    by_kind        text COLLATE "C" NOT NULL,
    by_id          bigint NOT NULL,
    by_name        text COLLATE "C" NOT NULL,
    by_maker       bigint NOT NULL, -- the user who created the token; 0: no token, or created by a command
    request_id     bigint, -- null: no approval request
    content        bytea, -- the canonical content, compressed (zstd); null: the snapshot of the request
    PRIMARY KEY (project_id, entry_id, number)
);
ALTER TABLE publications ALTER COLUMN content SET STORAGE EXTERNAL;
ALTER TABLE tokens ADD COLUMN allow_history boolean NOT NULL DEFAULT false;
