-- What tells this index from every other, so that a file beside it which was
-- made from another one is not taken for its own.

INSERT INTO meta VALUES ('identity', random());

PRAGMA user_version = 7;
