-- Slugs of collections and components that files of definitions change.

ALTER TABLE collections ADD COLUMN own_key text COLLATE "C"; -- what identifies the collection in files and sealed contents; null: the slug
ALTER TABLE components ADD COLUMN own_key text COLLATE "C"; -- what identifies the component in files and stored items; null: the slug
