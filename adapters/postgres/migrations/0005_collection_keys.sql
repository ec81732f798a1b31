-- Slugs of collections that files of definitions change.

ALTER TABLE collections ADD COLUMN own_key text; -- what identifies the collection in files and sealed contents; null: the slug
