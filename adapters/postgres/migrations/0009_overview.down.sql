DROP INDEX schedules_calendar_end;
DROP INDEX schedules_calendar;
DROP TABLE token_usage;
