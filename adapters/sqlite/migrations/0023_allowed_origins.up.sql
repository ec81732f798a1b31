-- The origins of pages that may call the content API from a browser: a JSON list, "*" being all.
ALTER TABLE projects ADD COLUMN allowed_origins text NOT NULL DEFAULT '["*"]';
