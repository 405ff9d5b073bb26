-- The word index collects a whole commit in memory before it writes a segment,
-- fills a page of the file with each of its own, and is merged when memoir says
-- so (merge.go), not by every write.

INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('hashsize', 8388608), ('pgsz', 8100), ('automerge', 0), ('crisismerge', 64);

PRAGMA user_version = 8;
