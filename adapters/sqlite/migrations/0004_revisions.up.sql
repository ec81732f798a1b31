-- The newest revision of an entry is a part of the entry, because every write changes it. null:
-- written before revisions were stored.
ALTER TABLE entries ADD COLUMN revision text; -- JSON, see core.RevisionRecord

-- The past revisions of entries. record has the difference to the revision before.
CREATE TABLE revisions (
    project_id    integer NOT NULL,
    entry_id      integer NOT NULL,
    number        integer NOT NULL,
    collection_id integer NOT NULL,
    kept          integer NOT NULL, -- a request or a publication refers to it
    record        text NOT NULL, -- JSON, see core.RevisionRecord
    PRIMARY KEY (project_id, entry_id, number)
) WITHOUT ROWID;
CREATE INDEX revisions_prunable ON revisions (project_id, entry_id, number) WHERE NOT kept;

ALTER TABLE projects ADD COLUMN revision_limit integer NOT NULL DEFAULT 100; -- revisions that an entry keeps; 0: all
