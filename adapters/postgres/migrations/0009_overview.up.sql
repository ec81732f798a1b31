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

-- The stays of requests at steps, for the overview of a Project. A stay that is not passed belongs
-- to a pending request.
CREATE TABLE approval_waits (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    request_id bigint NOT NULL,
    step_order integer NOT NULL,
    label      text COLLATE "C" NOT NULL,
    since      bigint NOT NULL,
    passed_at  bigint, -- when the step was approved; null: the request waits at it
    PRIMARY KEY (project_id, request_id, step_order)
);
CREATE INDEX approval_waits_waiting ON approval_waits (project_id, label, step_order, since) WHERE passed_at IS NULL;
CREATE INDEX approval_waits_passed ON approval_waits (project_id, label, step_order, passed_at) INCLUDE (since) WHERE passed_at IS NOT NULL;
INSERT INTO approval_waits (project_id, request_id, step_order, label, since, passed_at)
SELECT r.project_id, r.id, a.step_order, coalesce((SELECT s ->> 'stepLabel' FROM json_array_elements(r.steps::json) AS s WHERE (s ->> 'stepOrder')::integer = a.step_order LIMIT 1), ''), a.since, a.created_at
FROM (
    SELECT project_id, request_id, type, step_order, created_at, lag(created_at) OVER (PARTITION BY project_id, request_id ORDER BY id) AS since
    FROM approval_actions WHERE type IN ('submit', 'approve')
) AS a JOIN approval_requests r ON r.project_id = a.project_id AND r.id = a.request_id
WHERE a.type = 'approve' AND a.since IS NOT NULL;
INSERT INTO approval_waits (project_id, request_id, step_order, label, since)
SELECT r.project_id, r.id, (r.steps::json -> r.current_step ->> 'stepOrder')::integer, coalesce(r.steps::json -> r.current_step ->> 'stepLabel', ''),
    coalesce((SELECT max(a.created_at) FROM approval_actions a WHERE a.project_id = r.project_id AND a.request_id = r.id AND a.type = 'approve'), r.submitted_at)
FROM approval_requests r WHERE r.status = 'pending';

CREATE INDEX publications_published ON publications (project_id, published_at);
