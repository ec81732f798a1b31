ALTER TABLE entries DROP COLUMN published_media;
ALTER TABLE entries DROP COLUMN published_hash;
