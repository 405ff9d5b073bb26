package analyze

import (
	"testing"
	"time"
)

func BenchmarkVariantsOf(b *testing.B) {
	for _, q := range []string{"what did we decide about the connection pool", "支付系统的登录页面是谁负责", "where is the receipt of the blue fuel pump", "what is at 7:30 pm", "which hall costs 1200 dollars", "finding the median in python 3", "run to the lake of 14 km"} {
		b.Run(q, func(b *testing.B) {
			terms := Query(q)
			for b.Loop() {
				VariantsOf(q, terms)
			}
		})
	}
}

func BenchmarkQuery(b *testing.B) {
	for b.Loop() {
		Query("what did we decide about the connection pool")
	}
}

func BenchmarkDayVariants(b *testing.B) {
	day := time.Date(2026, 12, 17, 0, 0, 0, 0, time.UTC)
	for b.Loop() {
		DayVariants(day)
	}
}
