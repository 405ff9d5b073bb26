-- What is known of a space: which one searches are answered with, how far apart
-- its vectors lie, and which texts it could not take.

ALTER TABLE spaces ADD COLUMN provider TEXT NOT NULL DEFAULT '';
ALTER TABLE spaces ADD COLUMN model    TEXT NOT NULL DEFAULT '';
ALTER TABLE spaces ADD COLUMN version  TEXT NOT NULL DEFAULT '';
-- 1 for the space that searches are answered with: the first, until another
-- has a vector of every text. One at most.
ALTER TABLE spaces ADD COLUMN serving INTEGER NOT NULL DEFAULT 0;
-- Cosine of unrelated texts, as measured; NULL before that.
ALTER TABLE spaces ADD COLUMN unrelated REAL;
-- How many vectors the space had when that was measured.
ALTER TABLE spaces ADD COLUMN measured INTEGER NOT NULL DEFAULT 0;

UPDATE spaces SET serving = 1 WHERE id = (SELECT value FROM meta WHERE key = 'serving_space');
UPDATE spaces SET
  provider = substr(key, 1, instr(key, '/') - 1),
  model = substr(key, instr(key, '/') + 1, instr(key, '@') - instr(key, '/') - 1),
  version = substr(key, instr(key, '@') + 1, length(key) - instr(key, '@') - length(dimensions) - 1);

-- Texts that a provider could not take. A row goes when the text gets a vector.
CREATE TABLE failed_texts (
  space    INTEGER NOT NULL, -- spaces.id
  hash     TEXT    NOT NULL, -- chunks.embed_hash
  attempts INTEGER NOT NULL, -- so far, from 1
  error    TEXT    NOT NULL, -- of the last attempt, for people
  next_try INTEGER NOT NULL, -- Unix seconds
  UNIQUE (space, hash)
) STRICT;

-- written: Unix seconds of the last write, 0 before the first.
INSERT INTO meta VALUES ('written', 0);

UPDATE meta SET value = (SELECT json_group_object(name, sql) FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT GLOB 'chunks_vec*') WHERE key = 'schema';

PRAGMA user_version = 2;
