package analyze_test

import (
	"slices"
	"testing"

	"github.com/memoir-ai/memoir/internal/analyze"
)

// A Chinese question that says its verb twice, with 不 or 没 between, asks for the verb.
func TestAsksTwice(t *testing.T) {
	for twice, once := range map[string]string{
		"暖气包不包在房租里":  "暖气 包在房租里",
		"房租包没包暖气":    "房租 包暖气",
		"房租包沒包暖氣":    "房租 包暖气",
		"猫喜不喜欢鱼":     "猫 喜欢鱼",
		"猫喜欢不喜欢鱼":    "猫 喜欢鱼",
		"代码需不需要修改":   "代码 需要修改",
		"是不是要换轮胎":    "要换轮胎",
		"能不能退押金":     "退押金",
		"今天去不去 买不买票": "今天 去 买票",
	} {
		got, want := texts(analyze.Query(twice)), texts(analyze.Query(once))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want those of %s: %q", twice, got, once, want)
		}
	}
	for _, text := range []string{"不包不退", "他不来", "没有", "对不起", "不", "包不"} {
		if got := texts(analyze.Query(text)); !slices.Contains(got, "不") && !slices.Contains(got, "没") {
			t.Errorf("%s: the terms are %q", text, got)
		}
	}
}

func texts(terms []analyze.Term) (list []string) {
	for _, t := range terms {
		list = append(list, t.Text)
	}
	return list
}
