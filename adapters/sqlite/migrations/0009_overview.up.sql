-- The number of requests of a token on a day.
CREATE TABLE token_usage (
    project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
    token_id   integer NOT NULL,
    day        integer NOT NULL, -- its beginning in UTC
    reads      integer NOT NULL,
    writes     integer NOT NULL,
    PRIMARY KEY (project_id, token_id, day)
) WITHOUT ROWID;
CREATE INDEX token_usage_day ON token_usage (day);

-- Calendars list schedules by time.
CREATE INDEX schedules_calendar ON schedules (project_id, due_at);
CREATE INDEX schedules_calendar_end ON schedules (project_id, unpublish_at) WHERE unpublish_at IS NOT NULL;
