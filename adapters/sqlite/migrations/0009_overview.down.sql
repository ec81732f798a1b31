DROP INDEX publications_published;
DROP TABLE approval_waits;
DROP INDEX schedules_calendar_end;
DROP INDEX schedules_calendar;
DROP TABLE token_usage;
