ALTER TABLE tokens DROP COLUMN allow_history;
DROP TABLE publications;
