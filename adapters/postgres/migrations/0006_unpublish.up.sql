-- Publications can end at a scheduled time. The end of a present publication is a schedule of
-- its own; unpublish_at is the end of a publication that is still to come.
ALTER TABLE schedules ADD COLUMN action text COLLATE "C" NOT NULL DEFAULT 'publish'; -- publish or unpublish
ALTER TABLE schedules ADD COLUMN unpublish_at bigint;
ALTER TABLE schedules DROP CONSTRAINT schedules_pkey;
ALTER TABLE schedules ADD CONSTRAINT schedules_pkey PRIMARY KEY (project_id, entry_id, action);
ALTER TABLE approval_requests ADD COLUMN unpublish_at bigint;
ALTER TABLE approval_actions ADD COLUMN unpublish_at bigint;
