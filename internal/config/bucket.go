package config

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"time"
)

// Bucket describes the bucket in which notes are objects.
type Bucket struct {
	// URL is the workspace as it was named, s3://bucket/folder; "" for a folder.
	// Load sets it, and sets the workspace to the folder of this machine's copy.
	URL          string
	Endpoint     string // "": Amazon's
	Region       string
	AccessKey    string // secret, as [Remote.APIKey]
	SecretKey    string // secret
	SessionToken string // secret
	Timeout      time.Duration
	Fresh        time.Duration
}

// IsBucket reports whether a workspace is a bucket, not a folder.
func IsBucket(workspace string) bool { return strings.HasPrefix(workspace, "s3://") }

// Place returns the workspace as people name it: the bucket, or the absolute path.
func (s *Settings) Place() string {
	if s.Bucket.URL != "" {
		return s.Bucket.URL
	}
	return s.Workspace
}

// CopyDir returns the folder of this machine's copy of the bucket.
func (s *Settings) CopyDir() string { return filepath.Dir(s.Workspace) }

func bucketKeys() []Key {
	secret := func(name, doc string, at func(*Settings) any) Key {
		return Key{Name: name, Secret: true, Doc: doc + " Write \"${NAME}\" to take it from another variable instead of keeping it in a file.", yours: never, at: at}
	}
	return []Key{
		{Name: "bucket.endpoint", Doc: "Address of the server, where the workspace is a bucket (s3://bucket/folder) that is not Amazon's: MinIO, Cloudflare R2 and others that speak S3. When not set, the variable AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, else Amazon's. Notes are sent there.", yours: never,
			at: func(s *Settings) any { return &s.Bucket.Endpoint }, want: "an address that starts with https:// or http://",
			ok: func(s *Settings) bool { return s.Bucket.Endpoint == "" || isWebAddress(s.Bucket.Endpoint) }},
		{Name: "bucket.region", Doc: "Region of the bucket; when not set, the variable AWS_REGION or AWS_DEFAULT_REGION, else us-east-1.", yours: never,
			at: func(s *Settings) any { return &s.Bucket.Region }},
		secret("bucket.accessKey", "Key that the bucket is asked with; when neither it nor bucket.secretKey is set, the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.", func(s *Settings) any { return &s.Bucket.AccessKey }),
		secret("bucket.secretKey", "Secret that belongs to bucket.accessKey.", func(s *Settings) any { return &s.Bucket.SecretKey }),
		secret("bucket.sessionToken", "Token that belongs to keys which hold for a time.", func(s *Settings) any { return &s.Bucket.SessionToken }),
		{Name: "bucket.timeout", Default: "30s", Doc: "How long one request may take.", yours: never,
			at: func(s *Settings) any { return &s.Bucket.Timeout }, want: "more than 0",
			ok: func(s *Settings) bool { return s.Bucket.Timeout > 0 }},
		{Name: "bucket.fresh", Default: "1s", Doc: "For how long a listing of the bucket is taken to hold: what another machine wrote is found that much later at most. Each listing is a request for every thousand objects. A server that nobody asks lists every sync.interval.", yours: never,
			at: func(s *Settings) any { return &s.Bucket.Fresh }, want: "0s or more",
			ok: func(s *Settings) bool { return s.Bucket.Fresh >= 0 }},
	}
}

// bucket makes the folder of the copy the workspace if that is a bucket, and
// takes values from the usual variables of S3 clients.
func (l *loader) bucket() error {
	b := &l.out.Bucket
	if !IsBucket(l.out.Workspace) {
		return nil
	}
	b.URL = strings.TrimRight(l.out.Workspace, "/")
	l.variable("bucket.endpoint", &b.Endpoint, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
	l.variable("bucket.region", &b.Region, "AWS_REGION", "AWS_DEFAULT_REGION")
	if !l.out.IsSet("bucket.accessKey") && !l.out.IsSet("bucket.secretKey") {
		l.variable("bucket.accessKey", &b.AccessKey, "AWS_ACCESS_KEY_ID")
		l.variable("bucket.secretKey", &b.SecretKey, "AWS_SECRET_ACCESS_KEY")
		l.variable("bucket.sessionToken", &b.SessionToken, "AWS_SESSION_TOKEN")
	}
	sum := sha256.Sum256([]byte(b.Endpoint + "\x00" + b.URL))
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.TrimPrefix(b.URL, "s3://"))
	l.out.Workspace = filepath.Join(l.out.StateDir, "copies", name[:min(len(name), 40)]+"-"+hex.EncodeToString(sum[:6]), "notes")
	return nil
}

// variable takes a setting that is not set from the first of some variables
// that is set.
func (l *loader) variable(setting string, to *string, names ...string) {
	if l.out.IsSet(setting) {
		return
	}
	for _, name := range names {
		if value := l.env.get(name); value != "" {
			*to = value
			l.out.origins[setting] = Origin{LayerEnv, name}
			if setting != "bucket.endpoint" && setting != "bucket.region" {
				l.out.references[setting] = name
			}
			return
		}
	}
}
