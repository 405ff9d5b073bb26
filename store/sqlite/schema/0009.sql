-- Counted as it is written, so that a search need not count: how many texts
-- chunks use (meta's texts), and of those how many a space has no vector of.

INSERT INTO meta VALUES ('texts', (SELECT count(DISTINCT embed_text) FROM chunks));

ALTER TABLE spaces ADD COLUMN pending INTEGER NOT NULL DEFAULT 0; -- neither a vector nor in failed_texts
ALTER TABLE spaces ADD COLUMN failed  INTEGER NOT NULL DEFAULT 0; -- no vector, and in failed_texts

UPDATE spaces SET failed = (SELECT count(*) FROM failed_texts x WHERE x.space = spaces.id
  AND EXISTS (SELECT 1 FROM chunks WHERE embed_text = x.text)
  AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = spaces.id AND v.text = x.text));
UPDATE spaces SET pending = (SELECT value FROM meta WHERE key = 'texts') - failed
  - (SELECT count(*) FROM vectors v WHERE v.space = spaces.id AND EXISTS (SELECT 1 FROM chunks WHERE embed_text = v.text));

UPDATE meta SET value = (SELECT json_group_object(name, sql) FROM sqlite_schema WHERE sql IS NOT NULL) WHERE key = 'schema';

PRAGMA user_version = 9;
