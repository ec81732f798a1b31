-- Media that left the library, and that publications name.
ALTER TABLE media ADD COLUMN removed_at integer; -- null: in the library
CREATE INDEX media_kept ON media (project_id, id) WHERE removed_at IS NOT NULL;

-- The media that the content of a publication names.
CREATE TABLE publication_media (
    project_id integer NOT NULL,
    entry_id   integer NOT NULL,
    number     integer NOT NULL,
    media_id   integer NOT NULL,
    PRIMARY KEY (project_id, entry_id, number, media_id)
) WITHOUT ROWID;
CREATE INDEX publication_media_item ON publication_media (project_id, media_id);

ALTER TABLE projects ADD COLUMN publication_days integer NOT NULL DEFAULT 0; -- how long publications are kept after their end; 0: for ever
CREATE INDEX publications_ended ON publications (project_id, unpublished_at) WHERE unpublished_at IS NOT NULL;
