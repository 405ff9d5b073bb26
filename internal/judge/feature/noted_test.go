package feature

import "testing"

// TestNotes: notes of work are told by their form, talk of work by having none, and what
// somebody is about to do by how it begins.
func TestNotes(t *testing.T) {
	for _, test := range []struct {
		text                    string
		notes, hollow, announce bool
	}{
		{"Root cause of the empty page: a stale bundle", true, false, false},
		{"Worked around the broken proxy by pinning curl 8.4", true, false, false},
		{"Tests need REDIS_URL set, otherwise they hang", true, false, false},
		{"部署前要先跑 make gen", true, false, false},
		{"テストは REDIS_URL がないと止まる", true, false, false},
		{"Router: app/routes.rb", true, false, false},
		{"Picked Temporal over Airflow for payouts", true, false, false},
		{"Uploading files over 10 MB needs chunked mode", true, false, false},
		{"Tests pass again", false, true, false},
		{"production is down again, error 502", false, false, false},
		{"Maybe the tests need REDIS_URL", false, false, false},
		{"Do the tests need REDIS_URL?", false, false, false},
		{"error: tests failed because port 80 is taken", false, false, false},
		{"HTTPS uses port 443", false, false, false},
		{"Finished the refactoring", false, true, false},
		{"All 42 tests passed", false, true, false},
		{"修复了一些问题", false, true, false},
		{"測試全部通過", false, true, false},
		{"テストを修正しました", false, true, false},
		{"I start work at 7:30", false, false, false},
		{"测试文件放在tests", false, false, false},
		{"Let me check the router", false, false, true},
		{"I'll add a null check in parseDate", false, false, true},
		{"我先看一下配置", false, false, true},
		{"I'll check the boiler on Friday", false, false, false},
		{"先跑测试再提交", false, false, false},
		{"", false, false, false},
	} {
		x := Read(test.text)
		if notes, hollow, announce := x.Notes(), x.Hollow(), x.Announces(); notes != test.notes || hollow != test.hollow || announce != test.announce {
			t.Errorf("%q: a note %v, hollow %v, announces %v, want %v, %v, %v", test.text, notes, hollow, announce, test.notes, test.hollow, test.announce)
		}
	}
}
