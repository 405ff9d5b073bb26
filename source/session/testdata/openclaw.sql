-- The tables of OpenClaw 2026.9 that are read.
CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, transcript_updated_at INTEGER) STRICT;
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB, event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq)) STRICT;

INSERT INTO session_windows VALUES ('s1', 'agent:main:main', 0), ('s2', 'agent:main:cron:1:run', 0), ('s3', 'agent:main:subagent:2', 0), ('s4', 'agent:main:heartbeat', 0);
INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES
 ('s1', 0, '{"type":"session","version":4,"id":"s1","timestamp":"2026-03-02T09:00:00Z","cwd":"/home/user/harbour"}', 1772442000000),
 ('s1', 1, '{"type":"model_change","id":"a","parentId":null,"timestamp":"2026-03-02T09:00:01Z"}', 1772442001000),
 ('s1', 2, '{"type":"message","id":"b","parentId":"a","timestamp":"2026-03-02T09:00:02Z","message":{"role":"user","content":"Who paints the buoys?"}}', 1772442002000),
 ('s1', 3, '{"type":"message","id":"c","parentId":"b","timestamp":"2026-03-02T09:00:03Z","message":{"role":"assistant","content":[{"type":"text","text":"A branch left behind."}]}}', 1772442003000),
 ('s1', 4, '{"type":"message","id":"d","parentId":"b","timestamp":"2026-03-02T09:00:04Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"Ragnhild does."}]}}', 1772442004000),
 ('s1', 5, '{"type":"compaction","id":"e","parentId":"d","timestamp":"2026-03-02T09:00:05Z","summary":"Ragnhild paints the buoys."}', 1772442005000),
 ('s1', 6, '{"type":"brand-new","id":"f","parentId":"e"}', 1772442006000),
 ('s2', 0, '{"type":"message","id":"b","parentId":null,"message":{"role":"user","content":"Of cron."}}', 1772442000000),
 ('s3', 0, '{"type":"message","id":"b","parentId":null,"message":{"role":"user","content":"Of a sub-agent."}}', 1772442000000),
 ('s4', 0, '{"type":"message","id":"b","parentId":null,"message":{"role":"user","content":"Of a heartbeat."}}', 1772442000000);
