-- The hash of what readers see, and the words of its media as they were published.
ALTER TABLE entries ADD COLUMN published_hash text COLLATE "C" NOT NULL DEFAULT ''; -- hex SHA-256; empty: not published
ALTER TABLE entries ADD COLUMN published_media text COLLATE "C"; -- JSON object by media id; null: readers see the library
