-- Vectors once, what is known of a document once, bodies first in the word
-- index. What was indexed comes back with the next sync; vectors stay.

DROP TABLE IF EXISTS chunks_vec;
DROP TABLE chunks_vocab;
DROP TABLE chunks_fts;
DROP TABLE chunks;
DROP TABLE names;
DROP TABLE files;
DROP TABLE failed_texts;

-- One row per document.
CREATE TABLE files (
  id         INTEGER PRIMARY KEY,
  path       TEXT    NOT NULL UNIQUE, -- below the root of its source, with slashes, NFC
  kind       TEXT    NOT NULL,        -- note, session
  size       INTEGER NOT NULL,        -- bytes
  modified   TEXT    NOT NULL,        -- RFC 3339 in UTC, to the nanosecond
  hash       TEXT    NOT NULL,        -- SHA-256 of the content, hexadecimal
  recipe     TEXT    NOT NULL,        -- how it was cut and analysed
  title      TEXT    NOT NULL,
  date       TEXT    NOT NULL,        -- 2026-03-02, or empty
  importance REAL    NOT NULL,        -- above 0 to 10; 0: the front matter says nothing
  reinforced INTEGER NOT NULL,        -- how often it was confirmed
  accessed   INTEGER NOT NULL,        -- how often it was of use
  chunks     INTEGER NOT NULL,
  terms      INTEGER NOT NULL,        -- in the bodies of its chunks
  changed    INTEGER NOT NULL,        -- meta's generation when this row changed last
  -- What ranking knows of each chunk without reading it, 20 bytes, little endian:
  -- terms in the body (4, the highest bit says that it is source code, the next
  -- that only an assistant speaks), the first
  -- 8 bytes of the SHA-256 of its text, chunks.embed_text (8, 0 for NULL).
  facts      BLOB    NOT NULL
) STRICT;

CREATE INDEX files_by_date ON files (date);
CREATE INDEX files_by_change ON files (changed);

-- What links call the notes by: the names of a document, folded.
-- "/notes/people/mia" is its path, "*/people/mia" and "*/mia" the ends of that,
-- "=mia brown" a title or an alias, "#work" a tag.
CREATE TABLE names (
  name TEXT    NOT NULL,
  file INTEGER NOT NULL, -- files.id
  PRIMARY KEY (name, file)
) STRICT, WITHOUT ROWID;

CREATE INDEX names_by_file ON names (file);

-- The texts that vectors are of. A row outlives its chunks as long as it has a
-- vector, so that a text that comes back costs no second embedding.
CREATE TABLE texts (
  id      INTEGER PRIMARY KEY,
  hash    BLOB    NOT NULL UNIQUE, -- SHA-256 of the text as embedded
  used_at INTEGER NOT NULL         -- Unix seconds, to the day
) STRICT;

-- The vectors, each once and as the provider gave it: float32, little endian.
-- A vector in the place of another gets a new id, so that what is new has the
-- highest. With the sqlite-vec extension, what is near to chunk 1048576:
--   SELECT f.path, c.start_line, vec_distance_cosine(v.vector, q.vector) AS distance
--   FROM chunks a JOIN vectors q ON q.text = a.embed_text JOIN vectors v ON v.space = q.space
--     JOIN chunks c ON c.embed_text = v.text JOIN files f ON f.id = c.file
--   WHERE a.id = 1048576 ORDER BY distance LIMIT 5;
CREATE TABLE vectors (
  id     INTEGER PRIMARY KEY AUTOINCREMENT,
  space  INTEGER NOT NULL, -- spaces.id
  text   INTEGER NOT NULL, -- texts.id
  vector BLOB    NOT NULL,
  UNIQUE (space, text)
) STRICT;

-- Texts that a provider could not take. A row goes when the text gets a vector.
CREATE TABLE failed_texts (
  space    INTEGER NOT NULL, -- spaces.id
  text     INTEGER NOT NULL, -- texts.id
  attempts INTEGER NOT NULL, -- so far, from 1
  error    TEXT    NOT NULL, -- of the last attempt, for people
  next_try INTEGER NOT NULL, -- Unix seconds
  UNIQUE (space, text)
) STRICT;

-- One row per chunk. The id says where it stands, so that the word index alone
-- tells which chunks are of one document.
CREATE TABLE chunks (
  id         INTEGER PRIMARY KEY,   -- files.id << 20 | ordinal
  file       INTEGER GENERATED ALWAYS AS (id >> 20) VIRTUAL,
  ordinal    INTEGER GENERATED ALWAYS AS (id & 1048575) VIRTUAL, -- position in the document, from 0
  start_line INTEGER NOT NULL,      -- 1-based
  end_line   INTEGER NOT NULL,      -- inclusive
  embed_text INTEGER,               -- texts.id; NULL: it has no vector
  heading    TEXT    NOT NULL,      -- heading path, a JSON array
  text       TEXT    NOT NULL       -- the lines themselves
) STRICT;

CREATE INDEX chunks_by_text ON chunks (embed_text);

-- The word index, as before; most terms stand in the first column, which costs
-- nothing to name.
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  body, title, heading, date,
  content = '', contentless_delete = 1,
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

-- Every occurrence of every term: term, doc (chunks.id), col, offset.
CREATE VIRTUAL TABLE chunks_vocab USING fts5vocab (chunks_fts, instance);

INSERT INTO texts (hash, used_at)
SELECT unhex(hash), max(used_at) FROM embedding_cache WHERE length(unhex(hash)) = 32 GROUP BY hash;
INSERT INTO vectors (space, text, vector) SELECT space, texts.id, vector FROM embedding_cache JOIN texts ON texts.hash = unhex(embedding_cache.hash);
DROP TABLE embedding_cache;

CREATE TRIGGER files_insert AFTER INSERT ON files BEGIN
  UPDATE meta SET value = value + 1 WHERE key = 'documents';
  UPDATE meta SET value = value + new.chunks WHERE key = 'chunks';
  UPDATE meta SET value = value + new.terms WHERE key = 'terms';
END;

CREATE TRIGGER files_update AFTER UPDATE OF chunks, terms ON files BEGIN
  UPDATE meta SET value = value + new.chunks - old.chunks WHERE key = 'chunks';
  UPDATE meta SET value = value + new.terms - old.terms WHERE key = 'terms';
END;

CREATE TRIGGER files_delete AFTER DELETE ON files BEGIN
  UPDATE meta SET value = value - 1 WHERE key = 'documents';
  UPDATE meta SET value = value - old.chunks WHERE key = 'chunks';
  UPDATE meta SET value = value - old.terms WHERE key = 'terms';
END;

DELETE FROM meta WHERE key = 'serving_space';
UPDATE meta SET value = 0 WHERE key IN ('documents', 'chunks', 'terms');
UPDATE meta SET value = (SELECT json_group_object(name, sql) FROM sqlite_schema WHERE sql IS NOT NULL) WHERE key = 'schema';

PRAGMA user_version = 6;
