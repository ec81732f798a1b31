-- The number of requests of a token on a day.
CREATE TABLE token_usage (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    token_id   bigint NOT NULL,
    day        bigint NOT NULL, -- its beginning in UTC
    reads      bigint NOT NULL,
    writes     bigint NOT NULL,
    PRIMARY KEY (project_id, token_id, day)
);
CREATE INDEX token_usage_day ON token_usage (day);

-- Calendars list schedules by time.
CREATE INDEX schedules_calendar ON schedules (project_id, due_at);
CREATE INDEX schedules_calendar_end ON schedules (project_id, unpublish_at) WHERE unpublish_at IS NOT NULL;
