-- What else a file system says of a file, so that an edit that leaves size and
-- time as they were is seen, and what a process has to know of all documents
-- when it starts, in few rows.

ALTER TABLE files ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0; -- of the file; 0: none

-- What searches know of documents without reading them, of 64 in one row. A row
-- says what those of files say, or is absent: who changes one of those, whatever
-- the program, takes it away.
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

UPDATE meta SET value = (SELECT json_group_object(name, sql) FROM sqlite_schema WHERE sql IS NOT NULL) WHERE key = 'schema';

PRAGMA user_version = 10;
