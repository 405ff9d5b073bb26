-- Which chunks are of some days, and the latest chunks:
--   SELECT path, start_line, c.date FROM chunks c JOIN files f ON f.id = c.file
--   WHERE c.date BETWEEN '2026-03-01' AND '2026-03-31' ORDER BY c.date DESC, path, ordinal;

CREATE INDEX chunks_by_date ON chunks (date);

UPDATE meta SET value = (SELECT json_group_object(name, sql) FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT GLOB 'chunks_vec*') WHERE key = 'schema';

PRAGMA user_version = 4;
