package feature

import "testing"

// TestOnlyAsks: a question and nothing else is told from orders and from what only holds one.
func TestOnlyAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"Is Sarah Chen still my manager?": true, "Who is my manager now?": true, "我现在住在哪里": true, "我是不是住在上海": true, "妈妈的电话换了没有": true,
		"我的经理现在是谁？": true, "上司は田中さんでしたっけ": true, "まだ犬を飼っていますか": true, "“Where do I live?”": true,
		"": false, "?": false, "Call me Sam, ok?": false, "以后用中文回答好吗？": false, "猫アレルギーなの": false, "先确认一下，是不是周五都行": false,
		"The rent is due. Did I pay it?": false, "The question for the interview was: how did it begin?": false, "I live in Leeds": false, "v1.2 or v1.3?": false,
		"Where is my book?": true, "Who is my cook?": true, "Is it bright?": true, "What is on the right?": true, "من هو مديري؟": true,
		"谁负责对账系统": true, "我的生日是哪天来着": true, "思远电话多少来着": true, "公司地址在哪儿呢": true, "怎么连测试环境的数据库": true, "要不要把 Redis 再扩一扩": true,
		"为啥不用 Kafka": true, "该不该换 MySQL": true, "网关选了哪个": true, "发布窗口是周几": true, "田村さんの電話番号は": true,
		`Bob's motto is "why not?"`: false, "My favourite film is They Shoot Horses, Don't They?": false, "老板的口头禅是“你觉得呢？”": false, "我知道他是谁": false,
		"他忘了钥匙在哪": false, "我什么都吃": false, "谁来都行": false, "我没什么忌口": false, "哪天有空哪天去": false, "怎么部署要先问老周": false, "代码怎么写都要有测试": false,
	} {
		if got := Read(text).OnlyAsks(); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
