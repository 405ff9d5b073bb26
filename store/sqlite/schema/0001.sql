-- The index of one workspace. Everything in it is derived from the notes: it
-- may be deleted at any moment, and the next run builds it again.
--
-- Any SQLite 3.45 or newer reads it; chunks_vec needs the sqlite-vec extension.
--
--   Which chunks hold a term, by SQLite's own BM25:
--     SELECT f.path, c.start_line, c.end_line, c.text
--     FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid JOIN files f ON f.id = c.file
--     WHERE chunks_fts MATCH '"database"' ORDER BY chunks_fts.rank LIMIT 5;
--
--   Which chunks mean the same as chunk 1048576:
--     SELECT f.path, c.start_line, v.distance
--     FROM chunks_vec v JOIN chunks c ON c.id = v.rowid JOIN files f ON f.id = c.file
--     WHERE v.embedding MATCH (SELECT embedding FROM chunks_vec WHERE rowid = 1048576) AND v.k = 5
--     ORDER BY v.distance;
--
-- Migrations are numbered files that are never changed, only added to; each
-- ends by noting the schema in meta and setting user_version to its number.

PRAGMA application_id = 0x4d454d4f; -- "MEMO"

-- One row per document.
CREATE TABLE files (
  id       INTEGER PRIMARY KEY,
  path     TEXT    NOT NULL UNIQUE, -- below the root of its source, with slashes, NFC
  kind     TEXT    NOT NULL,        -- note, session
  size     INTEGER NOT NULL,        -- bytes
  modified TEXT    NOT NULL,        -- RFC 3339 in UTC, to the nanosecond
  hash     TEXT    NOT NULL,        -- SHA-256 of the content, hexadecimal
  recipe   TEXT    NOT NULL,        -- how it was cut and analysed
  chunks   INTEGER NOT NULL,
  terms    INTEGER NOT NULL,        -- in the bodies of its chunks
  lengths  TEXT    NOT NULL         -- terms in the body of each chunk: "120 87 3"
) STRICT;

-- One row per chunk. The id says where a chunk stands, so that the word index
-- alone tells which chunks are of one document.
CREATE TABLE chunks (
  id         INTEGER PRIMARY KEY,   -- file * 1048576 + ordinal
  file       INTEGER NOT NULL,      -- files.id
  ordinal    INTEGER NOT NULL,      -- position in the document, from 0
  start_line INTEGER NOT NULL,      -- 1-based
  end_line   INTEGER NOT NULL,      -- inclusive
  title      TEXT    NOT NULL,
  heading    TEXT    NOT NULL,      -- heading path, a JSON array
  date       TEXT    NOT NULL,      -- 2026-03-02, or empty
  text       TEXT    NOT NULL,      -- the lines themselves
  embed_hash TEXT    NOT NULL,      -- of the text as embedded; empty: it has no vector
  CHECK (id = file * 1048576 + ordinal AND ordinal BETWEEN 0 AND 1048575)
) STRICT;

CREATE INDEX chunks_by_hash ON chunks (embed_hash);

-- The word index: for each chunk its analysed terms, joined by spaces. The
-- terms come from memoir's analyser, so the tokenizer does nothing but split:
-- every printable ASCII character is part of a term, and so is all beyond
-- ASCII. What would split or fold a term (controls, spaces, capitals) is
-- written as the character 0xE000 above it. The text is not kept twice.
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  title, heading, date, body,
  content = '', contentless_delete = 1,
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

-- Every occurrence of every term: term, doc (chunks.id), col, offset.
CREATE VIRTUAL TABLE chunks_vocab USING fts5vocab (chunks_fts, instance);

-- Embedding spaces: vectors are comparable only within one.
CREATE TABLE spaces (
  id         INTEGER PRIMARY KEY,
  key        TEXT    NOT NULL UNIQUE, -- provider/model@version:dimensions
  dimensions INTEGER NOT NULL
) STRICT;

-- The truth about vectors. It outlives documents, so that a text that comes
-- back, or a rebuild, costs no second embedding.
CREATE TABLE embedding_cache (
  space   INTEGER NOT NULL, -- spaces.id
  hash    TEXT    NOT NULL, -- chunks.embed_hash
  vector  BLOB    NOT NULL, -- float32, little endian, as the provider gave it
  used_at INTEGER NOT NULL, -- Unix seconds, to the day
  UNIQUE (space, hash)
) STRICT;

-- chunks_vec, a vec0 table, is made when the first vectors come, for their
-- dimensions. It holds the vectors of one space, meta's serving_space, at unit
-- length and by chunks.id:
--   CREATE VIRTUAL TABLE chunks_vec USING vec0 (embedding float[384] distance_metric=cosine);

-- documents, chunks, terms: totals of files. generation: grows with every
-- write. serving_space: the space of chunks_vec, absent while there is none.
-- schema: this file as SQLite keeps it, by name, to tell damage by.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta VALUES ('documents', 0), ('chunks', 0), ('terms', 0), ('generation', 0);

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

INSERT INTO meta SELECT 'schema', json_group_object(name, sql) FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT GLOB 'chunks_vec*';

PRAGMA user_version = 1;
