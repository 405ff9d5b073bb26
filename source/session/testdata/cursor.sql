-- The tables of the editor Cursor 3 that are read, and one that is not.
CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT, createdAt INTEGER, lastUpdatedAt INTEGER, isArchived INTEGER, isSubagent INTEGER, recency INTEGER, checkpointAt INTEGER, value TEXT);

INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'nothing to read here');
INSERT INTO composerHeaders (composerId, workspaceId, createdAt, lastUpdatedAt, isSubagent, value) VALUES
 ('c1', 'w', 1772442000000, 1772442009000, 0, '{"type":"head","composerId":"c1","name":"A title","workspaceIdentifier":{"id":"w","uri":{"fsPath":"/home/user/harbour"}}}'),
 ('c2', 'w', 1772442000000, 1772442009000, 1, '{"name":"Of a sub-agent"}'),
 ('c3', 'w', 1772442000000, NULL, 0, '{"name":"A draft"}'),
 ('c4', 'w', 1772442000000, 1772442020000, NULL, NULL),
 ('c5', 'w', 1772442000000, 1772442020000, 0, '{"name":"Of which only the head is left"}');
INSERT INTO cursorDiskKV VALUES
 ('composerData:c1', '{"_v":3,"composerId":"c1","fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2},{"bubbleId":"b3","type":2},{"bubbleId":"gone","type":2},{"bubbleId":"b4","type":2},{"bubbleId":"b5","type":3},{"bubbleId":"b6","type":1},{"bubbleId":"b1","type":1}]}'),
 ('bubbleId:c1:b1', '{"_v":3,"type":1,"bubbleId":"b1","text":"<memory from=\"memoir\">Recalled: the sluice is shut.</memory>\nWho paints the buoys?","createdAt":"2026-03-02T09:00:01.000Z"}'),
 ('bubbleId:c1:b2', '{"_v":3,"type":2,"bubbleId":"b2","text":"","thinking":{"text":"I think that I look."},"createdAt":"2026-03-02T09:00:02.000Z"}'),
 ('bubbleId:c1:b3', CAST('{"_v":3,"type":2,"bubbleId":"b3","text":"Ragnhild does.","createdAt":"2026-03-02T09:00:03.000Z"}' AS BLOB)),
 ('bubbleId:c1:b4', '{"_v":3,"type":2,"bubbleId":"b4","text":"","toolFormerData":{"name":"read_file_v2","status":"completed","result":"what a tool gave"},"createdAt":"2026-03-02T09:00:04.000Z"}'),
 ('bubbleId:c1:b5', '{"_v":3,"type":3,"bubbleId":"b5","text":"Of nobody."}'),
 ('bubbleId:c1:b6', '{"_v":3,"type":1,"bubbleId":"b6","text":"谢谢！ <private>Not this.</private> The password is Herring!Fjord8","createdAt":"2026-03-02T09:00:06.000Z"}'),
 ('bubbleId:c1:back', '{"_v":3,"type":1,"bubbleId":"back","text":"Taken back.","createdAt":"2026-03-02T09:00:05.000Z"}'),
 ('composerData:c2', '{"fullConversationHeadersOnly":[{"bubbleId":"b1"}]}'),
 ('bubbleId:c2:b1', '{"type":1,"text":"Said to a sub-agent."}'),
 ('composerData:c3', '{"fullConversationHeadersOnly":[]}'),
 ('composerData:c4', '{"fullConversationHeadersOnly":[{"bubbleId":"b1"}]}'),
 ('bubbleId:c4:b1', '{"type":1,"text":"Which rope?"}'),
 ('bubbleId:c5:b1', '{"type":1,"text":"Of no order."}');
