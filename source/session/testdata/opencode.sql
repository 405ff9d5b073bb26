-- The tables of OpenCode 1.18 that are read, with two indexes of them, and some that are not.
CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `directory` text NOT NULL, `title` text NOT NULL, `version` text NOT NULL, `revert` text, `time_created` integer NOT NULL, `time_updated` integer NOT NULL);
CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`, `time_created`, `id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`, `id`);

INSERT INTO session VALUES
 ('ses_1', 'p', NULL, '/home/user/harbour', 'A title', '1.18.33', NULL, 1772442000000, 1772442009000),
 ('ses_2', 'p', 'ses_1', '/home/user/harbour', 'Of a sub-agent', '1.18.33', NULL, 1772442000000, 1772442009000),
 ('ses_3', 'p', NULL, '/home/user/harbour', 'Taken back', '1.18.33', '{"messageID":"msg_32"}', 1772442000000, 1772442020000);
INSERT INTO message VALUES
 ('msg_11', 'ses_1', 1772442001000, 1772442001000, '{"role":"user","time":{"created":1772442001000},"summary":{"diffs":[]}}'),
 ('msg_12', 'ses_1', 1772442002000, 1772442003000, '{"role":"assistant","mode":"build","time":{"created":1772442002000}}'),
 ('msg_13', 'ses_1', 1772442004000, 1772442004000, '{"role":"assistant","mode":"build","time":{"created":1772442004000}}'),
 ('msg_14', 'ses_1', 1772442005000, 1772442005000, '{"role":"user","time":{"created":1772442005000}}'),
 ('msg_15', 'ses_1', 1772442006000, 1772442006000, '{"role":"assistant","mode":"compaction","summary":true,"time":{"created":1772442006000}}'),
 ('msg_16', 'ses_1', 1772442007000, 1772442007000, '{"role":"brand-new","time":{"created":1772442007000}}'),
 ('msg_17', 'ses_1', 1772442008000, 1772442008000, '{"role":"user","time":{"created":1772442008000}}'),
 ('msg_21', 'ses_2', 1772442001000, 1772442001000, '{"role":"user","time":{"created":1772442001000}}'),
 ('msg_31', 'ses_3', 1772442001000, 1772442001000, '{"role":"user","time":{"created":1772442001000}}'),
 ('msg_32', 'ses_3', 1772442002000, 1772442002000, '{"role":"user","time":{"created":1772442002000}}'),
 ('msg_33', 'ses_3', 1772442003000, 1772442003000, '{"role":"assistant","time":{"created":1772442003000}}');
INSERT INTO part VALUES
 ('prt_111', 'msg_11', 'ses_1', 0, 0, '{"type":"text","text":"<memory from=\"memoir\">Recalled: the sluice is shut.</memory>","synthetic":true}'),
 ('prt_112', 'msg_11', 'ses_1', 0, 0, '{"type":"text","text":"<memory from=\"memoir\">Recalled: the sluice is shut.</memory>\nWho paints the buoys?"}'),
 ('prt_121', 'msg_12', 'ses_1', 0, 0, '{"type":"step-start"}'),
 ('prt_122', 'msg_12', 'ses_1', 0, 0, '{"type":"reasoning","text":"I think that I look."}'),
 ('prt_123', 'msg_12', 'ses_1', 0, 0, '{"type":"tool","tool":"read","state":{"output":"what a tool gave"}}'),
 ('prt_131', 'msg_13', 'ses_1', 0, 0, '{"type":"text","text":"Ragnhild does."}'),
 ('prt_132', 'msg_13', 'ses_1', 0, 0, '{"type":"text","text":"Each May."}'),
 ('prt_133', 'msg_13', 'ses_1', 0, 0, '{"type":"brand-new","text":"x"}'),
 ('prt_141', 'msg_14', 'ses_1', 0, 0, '{"type":"compaction","auto":false}'),
 ('prt_151', 'msg_15', 'ses_1', 0, 0, '{"type":"text","text":"Ragnhild paints the buoys."}'),
 ('prt_161', 'msg_16', 'ses_1', 0, 0, '{"type":"text","text":"Of nobody."}'),
 ('prt_171', 'msg_17', 'ses_1', 0, 0, '{"type":"text","text":"谢谢！ <private>Not this.</private> The password is Herring!Fjord8"}'),
 ('prt_211', 'msg_21', 'ses_2', 0, 0, '{"type":"text","text":"Said to a sub-agent."}'),
 ('prt_311', 'msg_31', 'ses_3', 0, 0, '{"type":"text","text":"Which rope?"}'),
 ('prt_321', 'msg_32', 'ses_3', 0, 0, '{"type":"text","text":"Taken back."}'),
 ('prt_331', 'msg_33', 'ses_3', 0, 0, '{"type":"text","text":"Taken back, too."}');
