-- What assistants did in a project, newest first.
CREATE INDEX events_assistants ON events (project_id, id) WHERE actor_kind = 'assistant';
