-- Sites that draw previews of entries inside of the dashboard.

ALTER TABLE projects ADD COLUMN preview_origins text COLLATE "C" NOT NULL DEFAULT '[]'; -- JSON array of the origins that the dashboard may frame
ALTER TABLE collections ADD COLUMN preview_url text COLLATE "C" NOT NULL DEFAULT ''; -- the address of an entry's preview, with placeholders; '': none
