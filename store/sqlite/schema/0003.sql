-- What links call the notes by.

-- The names of a document, folded: "/notes/people/mia" its path, "*/people/mia"
-- and "*/mia" the ends of that, "=mia brown" a title or an alias. Whom is Mia's
-- note linked as?
--   SELECT name FROM names JOIN files ON files.id = file WHERE path = 'notes/people/mia.md';
CREATE TABLE names (
  name TEXT    NOT NULL,
  file INTEGER NOT NULL, -- files.id
  PRIMARY KEY (name, file)
) STRICT, WITHOUT ROWID;

CREATE INDEX names_by_file ON names (file);

UPDATE meta SET value = (SELECT json_group_object(name, sql) FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT GLOB 'chunks_vec*') WHERE key = 'schema';

PRAGMA user_version = 3;
