-- Words of media that imports have given.

ALTER TABLE media ADD COLUMN imported_words text; -- hash of the words that the last import gave; null: no import has
