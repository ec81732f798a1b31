DROP INDEX entries_sealed;
DROP INDEX approval_requests_status;
