-- The index of one workspace. Everything in it is derived from the notes: it
-- may be deleted at any moment, and the next run builds it again. So it has one
-- schema: an index of an older one is replaced, with its vectors
-- (docs/design/ports.md), and user_version below grows with every change here.
--
-- Any SQLite 3.45 or newer reads it. What follows are queries to try:
--
-- Which chunks hold a term, by SQLite's own BM25:
--   SELECT f.path, c.start_line, c.end_line, c.text
--   FROM chunks_fts JOIN chunks c ON c.id = chunks_fts.rowid JOIN files f ON f.id = c.file
--   WHERE chunks_fts MATCH '"database"' ORDER BY chunks_fts.rank LIMIT 5;
--
-- Which terms begin so, and in how many chunks each is:
--   SELECT term, count(DISTINCT doc) FROM chunks_vocab WHERE term GLOB 'data*' GROUP BY term ORDER BY term;
--
-- What is near to the first chunk of a note, with the sqlite-vec extension:
--   SELECT f.path, c.start_line, round(vec_distance_cosine(v.vector, q.vector), 3) AS distance
--   FROM files a JOIN uses b ON b.chunk = a.id << 20 JOIN vectors q ON q.text = b.text JOIN vectors v ON v.space = q.space
--     JOIN uses u ON u.text = v.text JOIN chunks c ON c.id = u.chunk JOIN files f ON f.id = c.file
--   WHERE a.path = 'MEMORY.md' ORDER BY distance, f.path LIMIT 5;
--
-- Whom is a note linked as?
--   SELECT name FROM names JOIN files ON files.id = names.file WHERE path = 'people/mia.md' ORDER BY name;
--
-- Which passages are of some days, the latest first?
--   SELECT f.path, c.start_line, f.date FROM chunks c JOIN files f ON f.id = c.file
--   WHERE f.date BETWEEN '2026-03-01' AND '2026-03-31' ORDER BY f.date DESC, f.path, c.ordinal;
--
-- Which are of a type?
--   SELECT f.path, c.start_line FROM chunks c JOIN files f ON f.id = c.file JOIN labels l ON l.id = c.labels
--   WHERE EXISTS (SELECT 1 FROM json_each(l.names) WHERE value = 'type:decision') ORDER BY f.path, c.ordinal;
--
-- Which texts could not be embedded, and why?
--   SELECT s.model, x.attempts, x.error, datetime(x.next_try, 'unixepoch') AS next_try, c.text
--   FROM failed_texts x JOIN spaces s ON s.id = x.space JOIN uses u ON u.text = x.text JOIN chunks c ON c.id = u.chunk ORDER BY c.id;

PRAGMA application_id = 0x4d454d4f; -- "MEMO"

-- One row per document.
CREATE TABLE files (
  id         INTEGER PRIMARY KEY,
  path       TEXT    NOT NULL UNIQUE, -- below the root of its source, with slashes, NFC
  kind       TEXT    NOT NULL,        -- note, session
  size       INTEGER NOT NULL,        -- bytes
  modified   TEXT    NOT NULL,        -- RFC 3339 in UTC, to the nanosecond
  stamp      INTEGER NOT NULL,        -- what else the file system says of the file; 0: nothing
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
  -- What ranking knows of each chunk without reading it, 24 bytes, little endian:
  -- terms in the body (4), chunks.labels (4, 0 for NULL), the first 8 bytes of the
  -- SHA-256 of its text, the first of texts.id that it uses (8, 0 for none). Behind
  -- these, for each further text that a chunk uses, its ordinal (4) and texts.id (8).
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

-- The labels that chunks bear together: what is true of a chunk beside its words,
-- as filters and signals name it. A number is never given to other labels.
CREATE TABLE labels (
  id    INTEGER PRIMARY KEY,
  names TEXT    NOT NULL UNIQUE -- a JSON array, in order: ["code","type:decision"]
) STRICT;

-- The texts that vectors are of. A row outlives its chunks as long as it has a
-- vector, so that a text that comes back costs no second embedding.
CREATE TABLE texts (
  id      INTEGER PRIMARY KEY,
  hash    BLOB    NOT NULL UNIQUE, -- SHA-256 of the text as embedded
  used_at INTEGER NOT NULL         -- Unix seconds, to the day
) STRICT;

-- Which chunks use which texts: a chunk is as near as the nearest of its texts.
-- Most use one. A list of entries uses one for each entry. A chunk without any has
-- no vector.
CREATE TABLE uses (
  text  INTEGER NOT NULL, -- texts.id
  chunk INTEGER NOT NULL, -- chunks.id
  PRIMARY KEY (text, chunk)
) STRICT, WITHOUT ROWID;

CREATE INDEX uses_by_chunk ON uses (chunk);

-- Embedding spaces: vectors are comparable only within one.
CREATE TABLE spaces (
  id         INTEGER PRIMARY KEY,
  key        TEXT    NOT NULL UNIQUE, -- provider/model@version:dimensions
  provider   TEXT    NOT NULL,
  model      TEXT    NOT NULL,
  version    TEXT    NOT NULL,
  dimensions INTEGER NOT NULL,
  -- 1 for the space that searches are answered with: the first, until another
  -- has a vector of every text. One at most.
  serving    INTEGER NOT NULL,
  unrelated  REAL,                        -- cosine of unrelated texts, as measured; NULL before that
  measured   INTEGER NOT NULL DEFAULT 0,  -- how many vectors the space had then
  -- Of the texts that chunks use, counted as they are written:
  pending    INTEGER NOT NULL,            -- those with neither a vector nor a row in failed_texts
  failed     INTEGER NOT NULL DEFAULT 0   -- those with no vector, and a row there
) STRICT;

-- The vectors, each once and as the provider gave it: float32, little endian.
-- A vector in the place of another gets a new id, so that what is new has the
-- highest.
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
  labels     INTEGER,               -- labels.id; NULL: it bears none
  heading    TEXT    NOT NULL,      -- heading path, a JSON array
  text       TEXT    NOT NULL       -- the lines themselves
) STRICT;

-- The word index: for each chunk its analysed terms, joined by spaces. The
-- terms come from memoir's analyser, so the tokenizer does nothing but split:
-- every printable ASCII character is part of a term, and so is all beyond
-- ASCII. What would split or fold a term (controls, spaces, capitals) is
-- written as the character 0xE000 above it. The text is not kept twice. Most
-- terms stand in the first column, which costs nothing to name.
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  body, title, heading, date,
  content = '', contentless_delete = 1,
  tokenize = "ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'"
);

-- It collects a whole commit in memory before it writes a segment, fills a page
-- of the file with each of its own, and is merged when memoir says so (merge.go),
-- not by every write.
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('hashsize', 8388608), ('pgsz', 8100), ('automerge', 0), ('crisismerge', 64);

-- Every occurrence of every term: term, doc (chunks.id), col, offset.
CREATE VIRTUAL TABLE chunks_vocab USING fts5vocab (chunks_fts, instance);

-- What searches know of documents without reading them, of 64 in one row: a
-- process has to know of all of them when it starts. A row says what those of
-- files say, or is absent: who changes one of those, whatever the program, takes
-- it away.
CREATE TABLE listing (
  page INTEGER PRIMARY KEY, -- files.id >> 6
  data BLOB    NOT NULL     -- listing.go says how
) STRICT;

CREATE TRIGGER listing_insert AFTER INSERT ON files BEGIN
  DELETE FROM listing WHERE page = new.id >> 6;
END;

CREATE TRIGGER listing_update AFTER UPDATE ON files BEGIN
  DELETE FROM listing WHERE page IN (old.id >> 6, new.id >> 6);
END;

CREATE TRIGGER listing_delete AFTER DELETE ON files BEGIN
  DELETE FROM listing WHERE page = old.id >> 6;
END;

-- documents, chunks, terms: totals of files. texts: how many of texts chunks use.
-- generation: grows with every write. written: Unix seconds of the last, 0 before
-- the first. identity: tells this index from every other, so that a file beside it
-- which was made from another one is not taken for its own. schema: this file as
-- SQLite keeps it, by name, to tell damage by.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value ANY NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta VALUES ('documents', 0), ('chunks', 0), ('terms', 0), ('texts', 0), ('generation', 0), ('written', 0), ('identity', random());

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

INSERT INTO meta SELECT 'schema', json_group_object(name, sql) FROM sqlite_schema WHERE sql IS NOT NULL;

PRAGMA user_version = 12;
