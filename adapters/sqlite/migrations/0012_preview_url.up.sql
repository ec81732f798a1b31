ALTER TABLE projects ADD COLUMN preview_url text NOT NULL DEFAULT ''; -- address of an entry's page on the website, with placeholders; empty: none
