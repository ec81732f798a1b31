ALTER TABLE schedules RENAME TO publications;
ALTER INDEX schedules_pkey RENAME TO publications_pkey;
ALTER INDEX schedules_due RENAME TO publications_due;
ALTER INDEX schedules_failed RENAME TO publications_failed;
