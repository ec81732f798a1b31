-- concurrent
CREATE INDEX CONCURRENTLY events_assistants ON events (project_id, id) WHERE actor_kind = 'assistant';
