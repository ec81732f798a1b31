ALTER TABLE projects DROP COLUMN allowed_origins;
