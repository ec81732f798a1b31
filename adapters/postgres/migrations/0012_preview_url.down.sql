ALTER TABLE projects DROP COLUMN preview_url;
