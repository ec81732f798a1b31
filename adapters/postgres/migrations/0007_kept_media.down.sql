DROP INDEX publications_ended;
ALTER TABLE projects DROP COLUMN publication_days;
DROP TABLE publication_media;
-- Earlier versions show what is in this table as the library.
DELETE FROM media WHERE removed_at IS NOT NULL;
DROP INDEX media_kept;
ALTER TABLE media DROP COLUMN removed_at;
