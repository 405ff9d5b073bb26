package feature

import "testing"

// TestDid: a completed act with an object of its own is told by its form, and the use of a tool
// by having none.
func TestDid(t *testing.T) {
	for _, test := range []struct {
		text          string
		did, narrates bool
	}{
		{"Removed the feature flag new_checkout", true, false},
		{"We rewrote the CSV importer in Rust", true, false},
		{"I've moved the API docs to docs.example.org/api", true, false},
		{"把支付模块拆成了三个包", true, false},
		{"用 Rust 重写了 CSV 导入工具", true, false},
		{"CSVインポーターを Rust で書き直した", true, false},
		{"Updated the code and the tests", false, false},
		{"Updated README.md and index.ts", false, false},
		{"Added missing semicolon in main.js", false, false},
		{"Did you remove the feature flag new_checkout?", false, false},
		{"Maybe removed the feature flag new_checkout", false, false},
		{"The Eiffel Tower was built in 1889", false, false},
		{"秦始皇统一了六国", false, false},
		{"徳川家康が江戸幕府を開いた", false, false},
		{"把这个函数移到 helpers.py", false, false},
		{"先ほどの回答に誤りがありました", false, false},
		{"resolved 10.0.3.4 in 12 ms", false, false},
		{"Installed 14 packages from the registry", false, false},
		{"Viewed the diff once more", false, true},
		{"查看了日志,没有异常", false, true},
		{"Checked the logs: the proxy drops websockets", false, false},
		{"Read the lease", false, false},
		{"Tool result: exit code 0", false, true},
		{"", false, false},
	} {
		x := Read(test.text)
		if did, narrates := x.Did(), x.Narrates(); did != test.did || narrates != test.narrates {
			t.Errorf("%q: done %v, narrates %v, want %v, %v", test.text, did, narrates, test.did, test.narrates)
		}
	}
}
