DROP INDEX media_hash;
DROP TABLE translation_origins;
