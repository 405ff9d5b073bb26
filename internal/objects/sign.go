package objects

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// sign signs a request by Signature Version 4 of AWS
// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
// Without a key the request stays anonymous.
func (b *Bucket) sign(req *http.Request, body []byte, now time.Time) {
	if b.opts.Key == "" {
		return
	}
	now = now.UTC()
	stamp, day := now.Format("20060102T150405Z"), now.Format("20060102")
	digest := hexSum(body)
	signed := map[string]string{"host": req.URL.Host, "x-amz-content-sha256": digest, "x-amz-date": stamp}
	if b.opts.Token != "" {
		signed["x-amz-security-token"] = b.opts.Token
	}
	// The conditions of a write are signed, too.
	for _, name := range []string{"if-match", "if-none-match"} {
		if value := req.Header.Get(name); value != "" {
			signed[name] = value
		}
	}
	names := slices.Sorted(maps.Keys(signed))
	var canonical strings.Builder
	canonical.WriteString(req.Method + "\n" + req.URL.EscapedPath() + "\n" + req.URL.RawQuery + "\n")
	for _, name := range names {
		canonical.WriteString(name + ":" + strings.TrimSpace(signed[name]) + "\n")
		if name != "host" {
			req.Header.Set(name, signed[name])
		}
	}
	list := strings.Join(names, ";")
	canonical.WriteString("\n" + list + "\n" + digest)
	scope := day + "/" + b.opts.Region + "/s3/aws4_request"
	text := "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hexSum([]byte(canonical.String()))
	key := []byte("AWS4" + b.opts.Secret)
	for _, part := range []string{day, b.opts.Region, "s3", "aws4_request", text} {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(part))
		key = mac.Sum(nil)
	}
	req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+b.opts.Key+"/"+scope+",SignedHeaders="+list+",Signature="+hex.EncodeToString(key))
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// encode writes a query in the form that is signed: sorted by name, with %20 for a blank.
func encode(query url.Values) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			parts = append(parts, escape(name, false)+"="+escape(value, false))
		}
	}
	return strings.Join(parts, "&")
}

// escape writes every byte in hexadecimal, except the unreserved ones. In a path it keeps
// slashes.
func escape(s string, path bool) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0, path && c == '/':
			out.WriteByte(c)
		default:
			out.WriteByte('%')
			out.WriteByte(digits[c>>4])
			out.WriteByte(digits[c&15])
		}
	}
	return out.String()
}
