package feature

import "testing"

// TestOnlyAsks: a question and nothing else is told from orders and from what only holds one.
func TestOnlyAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"Is Sarah Chen still my manager?": true, "Who is my manager now?": true, "我现在住在哪里": true, "我是不是住在上海": true, "妈妈的电话换了没有": true,
		"我的经理现在是谁？": true, "上司は田中さんでしたっけ": true, "まだ犬を飼っていますか": true, "“Where do I live?”": true,
		"": false, "?": false, "Call me Sam, ok?": false, "以后用中文回答好吗？": false, "猫アレルギーなの": false, "先确认一下，是不是周五都行": false,
		"The rent is due. Did I pay it?": false, "The question for the interview was: how did it begin?": false, "I live in Leeds": false, "v1.2 or v1.3?": false,
	} {
		if got := Read(text).OnlyAsks(); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
