-- What the front matter of a chunk's document says of its weight; 0: nothing.

ALTER TABLE chunks ADD COLUMN importance REAL    NOT NULL DEFAULT 0; -- above 0 to 10
ALTER TABLE chunks ADD COLUMN reinforced INTEGER NOT NULL DEFAULT 0; -- how often it was confirmed
ALTER TABLE chunks ADD COLUMN accessed   INTEGER NOT NULL DEFAULT 0; -- how often it was of use

UPDATE meta SET value = (SELECT json_group_object(name, sql) FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT GLOB 'chunks_vec*') WHERE key = 'schema';

PRAGMA user_version = 5;
