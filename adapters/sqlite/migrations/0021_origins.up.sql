-- By which reference a translation group was imported. A group that was made here has
-- none: its reference is made of the Project's UUID and its id.
CREATE TABLE translation_origins (
    project_id    integer NOT NULL,
    reference     text NOT NULL,
    collection_id integer NOT NULL,
    group_id      integer NOT NULL, -- without a constraint: it outlives its entries
    PRIMARY KEY (project_id, reference),
    FOREIGN KEY (project_id, collection_id) REFERENCES collections (project_id, id) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX translation_origins_group ON translation_origins (project_id, group_id);
CREATE INDEX translation_origins_collection ON translation_origins (project_id, collection_id);

-- An import finds media by their bytes.
CREATE INDEX media_hash ON media (project_id, hash, id);
