-- The table of scheduled publications is called schedules, because publications are the
-- versions that readers saw.
ALTER TABLE publications RENAME TO schedules;
ALTER INDEX publications_pkey RENAME TO schedules_pkey;
ALTER INDEX publications_due RENAME TO schedules_due;
ALTER INDEX publications_failed RENAME TO schedules_failed;
