ALTER TABLE approval_actions DROP COLUMN unpublish_at;
ALTER TABLE approval_requests DROP COLUMN unpublish_at;
DELETE FROM schedules WHERE action <> 'publish';
ALTER TABLE schedules DROP CONSTRAINT schedules_pkey;
ALTER TABLE schedules ADD CONSTRAINT schedules_pkey PRIMARY KEY (project_id, entry_id);
ALTER TABLE schedules DROP COLUMN unpublish_at;
ALTER TABLE schedules DROP COLUMN action;
