// Archive measures how long sessions of one day take until what the user said in them
// stands in the log of that day.
//
//	go run ./bench/archive                                  # 1,000 to 8,000 sentences in sessions of 200, half of them in Chinese
//	go run ./bench/archive -sentences 20000 -provider local
//	go run ./bench/archive -program FILE -keep DIR          # another memoir; the notes stay
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/memoir-ai/memoir/bench/internal/measure"
)

func main() { measure.Main("archive", run) }

func run(ctx context.Context) error {
	if len(os.Args) > 1 && os.Args[1] == measure.LauncherArgument {
		return measure.Launch(ctx, os.Args[2:])
	}
	sizes := flag.String("sentences", "1000,2000,4000,8000", "of the user, in all sessions of the day together")
	each := flag.Int("each", 200, "sentences of each session")
	program := flag.String("program", "", "memoir to measure; when not given it is built")
	provider := flag.String("provider", "none", "as the setting; local reads each sentence with the model inside")
	keep := flag.String("keep", "", "folder in which everything is left")
	flag.Parse()
	dir := *keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "memoir-archive"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if *program == "" {
		*program = filepath.Join(dir, "memoir")
		if err := measure.Build(ctx, *program); err != nil {
			return err
		}
	}
	fmt.Print(measure.Opening("archive") + "| sentences | entries | wall s | processor s | peak MB | again: wall s |\n|---:|---:|---:|---:|---:|---:|\n")
	for size := range strings.SplitSeq(*sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		if err := archive(ctx, *program, filepath.Join(dir, size), *provider, n, max(1, *each)); err != nil {
			return err
		}
	}
	fmt.Printf("\n%s at the end.\n", measure.Load())
	return nil
}

// archive writes the sessions and has the program archive them: once, and once more when all
// have gone on by a word that is worth no note.
func archive(ctx context.Context, program, dir, provider string, sentences, each int) error {
	notes, home := filepath.Join(dir, "notes"), filepath.Join(dir, "home")
	if err := os.MkdirAll(notes, 0o755); err != nil {
		return err
	}
	if err := write(home, sentences, each, 0); err != nil {
		return err
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + os.TempDir(), "TZ=" + zone().String(), "MEMOIR_STATE_DIR=" + filepath.Join(dir, "state"),
		"MEMOIR_PROVIDER=" + provider, "MEMOIR_SESSIONS_ENABLED=true", "MEMOIR_SESSIONS_AGENTS=claude-code", "MEMOIR_SESSIONS_ARCHIVE=true"}
	command := []string{program, "--workspace", notes, "index", "--text-only"}
	index := func() (measure.Run, error) {
		r, err := measure.Process(ctx, env, command...)
		if err == nil && r.Failed != "" {
			err = fmt.Errorf("index: %s", r.Failed)
		}
		return r, err
	}
	first, err := index()
	if err != nil {
		return err
	}
	if err := write(home, sentences, each, 1); err != nil {
		return err
	}
	again, err := index()
	if err != nil {
		return err
	}
	log, err := os.ReadFile(filepath.Join(notes, "memory", today().Format(time.DateOnly)+".md"))
	if err != nil {
		return err
	}
	fmt.Printf("| %d | %d | %.1f | %.1f | %.0f | %.1f |\n", sentences, strings.Count(string(log), "\n- "), first.WallMilliseconds/1000, first.CPUMilliseconds/1000, float64(first.PeakBytes)/1e6, again.WallMilliseconds/1000)
	return nil
}

// zone is a time zone in which it is about noon, so that the sessions ended today: older ones
// are not archived.
func zone() *time.Location {
	zone, err := time.LoadLocation(fmt.Sprintf("Etc/GMT%+d", time.Now().UTC().Hour()-12))
	if err != nil {
		return time.UTC
	}
	return zone
}

// today is when the day of the sessions began.
func today() time.Time {
	y, m, d := time.Now().In(zone()).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone())
}

// write writes the transcripts as Claude Code would. They have ended, as far as their times
// tell. Those of a later round have gone on.
func write(home string, sentences, each, round int) error {
	said := rand.New(rand.NewPCG(1, 2))
	at := today()
	for s := 0; s*each < sentences; s++ {
		var b strings.Builder
		record := func(text string) error {
			data, err := json.Marshal(map[string]any{"type": "user", "sessionId": fmt.Sprintf("%08x-session", s), "timestamp": at.Format(time.RFC3339Nano), "message": map[string]any{"role": "user", "content": text}})
			b.Write(append(data, '\n'))
			at = at.Add(time.Millisecond)
			return err
		}
		for i := s * each; i < min(sentences, (s+1)*each); i++ {
			if err := record(sentence(said, i)); err != nil {
				return err
			}
		}
		for range round {
			if err := record("ok"); err != nil {
				return err
			}
		}
		file := filepath.Join(home, ".claude", "projects", "p", fmt.Sprintf("%08x-session.jsonl", s))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			return err
		}
		ended := time.Now().Add(-2*time.Hour + time.Duration(round)*time.Minute)
		if err := os.Chtimes(file, ended, ended); err != nil {
			return err
		}
	}
	return nil
}

var (
	people = []string{"Ingrid", "Chidi", "Fatima", "Jonas", "Kaori", "Priya", "Rosa", "Tomás", "Yusuf", "Nadia"}
	things = []string{"connection pool", "retry queue", "login form", "rate limiter", "export job", "cache layer", "audit log", "session store", "backup job", "health check"}
	tools  = []string{"Postgres", "Redis", "SQLite", "Kafka", "nginx", "Terraform", "Grafana", "Docker", "S3", "Stripe"}
	places = []string{"Lisbon", "Hamburg", "Osaka", "Taipei", "Bergen", "Porto", "Leipzig", "Turin", "Basel", "Lyon"}
	zh     = []string{"数据库", "登录页面", "缓存", "备份任务", "支付接口", "日志系统", "搜索索引", "消息队列", "监控面板", "部署脚本"}
	zhWho  = []string{"小王", "李工", "陈姐", "老张", "阿强", "小林", "周敏", "赵磊", "孙丽", "吴昊"}
)

// sentence returns what the user said, no two the same.
func sentence(said *rand.Rand, n int) string {
	of := func(words []string) string { return words[said.IntN(len(words))] }
	switch said.IntN(6) {
	case 0:
		return fmt.Sprintf("We moved the %s from %s to %s on %d March because the old one timed out after %d seconds.", of(things), of(tools), of(tools), 1+said.IntN(28), n)
	case 1:
		return fmt.Sprintf("%s owns the %s in %s now and keeps ticket %d for the next release.", of(people), of(things), of(places), n)
	case 2:
		return fmt.Sprintf("The %s for %s runs on port %d and writes to %s every night.", of(things), of(places), 1024+n, of(tools))
	case 3:
		return fmt.Sprintf("%s把%s迁移到了%d号服务器，因为原来的%s太慢。", of(zhWho), of(zh), n, of(zh))
	case 4:
		return fmt.Sprintf("我们决定%s的超时改为%d毫秒，由%s负责。", of(zh), n, of(zhWho))
	}
	return fmt.Sprintf("%s说%s的第%d个问题下周修好，之后再上线%s。", of(zhWho), of(zh), n, of(zh))
}
