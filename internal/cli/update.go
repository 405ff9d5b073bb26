package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
	"github.com/memoir-ai/memoir/internal/sentinel"
	"github.com/memoir-ai/memoir/internal/wire"
)

// updatePatience is how long the page of releases may take.
const updatePatience = 15 * time.Second

func (s *session) updateCommand() *cobra.Command {
	var check bool
	cmd := &cobra.Command{
		Use: "update", Short: "Ask whether there is a newer version",
		Long:    "Update asks the page of releases for the newest version, and says what it is. Nothing\nelse of memoir ever asks. It sends one request to the setting update.baseURL, without\na word about you or your notes. memoir does not update itself: whatever installed it\ndoes that.",
		Example: "  memoir update --check\n  memoir update --check --json",
		Args:    positional(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !check {
				return usage("memoir update --check says whether there is a newer version", "memoir does not update itself; whatever installed it does that")
			}
			return s.update(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "ask, and change nothing")
	return cmd
}

func (s *session) update(ctx context.Context) error {
	settings, err := s.settings(nil)
	if err != nil {
		return err
	}
	page := strings.TrimRight(settings.Update.BaseURL, "/")
	latest, err := latestVersion(ctx, page)
	page = withoutPassword(page)
	if err != nil {
		return memoir.WithHint(fmt.Errorf("ask which version is the newest: %w", err), cmp.Or(memoir.Hint(err), "look at "+page))
	}
	answer := wire.UpdateAnswer{Version: build().Version, Latest: latest, Page: page}
	if latest != "" {
		answer.Page += "/tag/" + latest
		answer.Newer = compareVersions(latest, answer.Version) > 0
	}
	switch {
	case s.json:
		return writeJSON(s.out, answer)
	case latest == "":
		_, err = s.say(s.out, "no version is released yet; this is memoir %s\n", answer.Version)
	case answer.Newer:
		_, err = s.say(s.out, "memoir %s is there; this is %s\n  %s\n", latest, answer.Version, answer.Page)
	default:
		_, err = s.say(s.out, "this is memoir %s; the newest release is %s\n", answer.Version, latest)
	}
	return err
}

// versionForm is a version of semantic versioning, as tags have it.
var versionForm = lazyregexp.New(`^v(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,99}))?(?:\+[0-9A-Za-z.-]{1,99})?$`)

// latestVersion asks the page of releases, whose /latest leads to /tag/VERSION.
// It is empty when nothing is released.
func latestVersion(ctx context.Context, page string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, updatePatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page+"/latest", nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("User-Agent", "memoir")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // without the address, which could hold a password
	}
	if err != nil {
		return "", unreached(ctx, req.URL.Host, withoutPassword(page), err)
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusNotFound {
		return "", nil
	}
	to, err := resp.Location()
	if err != nil {
		return "", fmt.Errorf("the page answers %s and leads nowhere", resp.Status)
	}
	_, version, ok := strings.Cut(to.Path, "/tag/")
	if !ok {
		return "", nil
	}
	if !versionForm().MatchString(version) {
		return "", fmt.Errorf("the page leads to %q, which is no version", version)
	}
	return version, nil
}

// withoutPassword returns an address as it may be shown: without the name and the password
// that it may hold.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}

// unreached says why nobody answered at an address.
func unreached(ctx context.Context, host, page string, err error) error {
	var name *net.DNSError
	var system syscall.Errno
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = sentinel.As(fmt.Errorf("%s did not answer within %v", host, updatePatience), err)
	case ctx.Err() != nil:
		return err
	case errors.As(err, &name):
		err = fmt.Errorf("%s cannot be reached: %w", host, errors.New(name.Err))
	case errors.As(err, &system):
		err = fmt.Errorf("%s cannot be reached: %w", host, system)
	default:
		err = fmt.Errorf("%s cannot be reached: %w", host, err)
	}
	return memoir.WithHint(err, "see whether this machine is connected, and set HTTPS_PROXY where it needs a proxy; then try again, or look at "+page)
}

// compareVersions is below, at or above zero as a comes before, with or after b
// by semantic versioning (semver.org). What is no version, such as that of a build
// without one, comes before all.
func compareVersions(a, b string) int {
	x, y := versionForm().FindStringSubmatch(a), versionForm().FindStringSubmatch(b)
	if x == nil || y == nil {
		return len(x) - len(y)
	}
	for i := 1; i <= 3; i++ {
		if c := compareNumbers(x[i], y[i]); c != 0 {
			return c
		}
	}
	if x[4] == "" || y[4] == "" { // one with a part behind the numbers comes before the one without
		return cmp.Compare(len(y[4]), len(x[4]))
	}
	return slices.CompareFunc(strings.Split(x[4], "."), strings.Split(y[4], "."), func(p, q string) int {
		_, errP := strconv.ParseUint(p, 10, 64)
		_, errQ := strconv.ParseUint(q, 10, 64)
		switch {
		case errP == nil && errQ == nil:
			return compareNumbers(p, q)
		case errP == nil:
			return -1
		case errQ == nil:
			return 1
		}
		return strings.Compare(p, q)
	})
}

// compareNumbers compares decimal numbers.
func compareNumbers(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}
