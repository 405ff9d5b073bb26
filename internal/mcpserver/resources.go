package mcpserver

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoir-ai/memoir"
	"github.com/memoir-ai/memoir/internal/order"
	"github.com/memoir-ai/memoir/internal/wire"
)

// Notes are resources, named by their paths. Agents list them when they start.
// So a page of the list is made from what the index has in memory, and no note
// is read for it.
const (
	scheme       = "memory:///"
	noteTemplate = scheme + "{+path}"

	resourcePage = 100     // resources of a page
	maxResource  = 1 << 20 // bytes of a resource that is returned whole
	maxValues    = 100     // values of a completion, as the protocol has it
)

// resources answers requests for the notes as resources.
type resources struct{ reader Reader }

// offer makes the notes of the reader resources of the server.
func (r resources) offer(server *mcp.Server) {
	server.AddResourceTemplate(&mcp.ResourceTemplate{
		Name: "note", Title: "Note", URITemplate: noteTemplate,
		Description: "A note of the user's long-term memory, by its path.",
	}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return r.read(ctx, req)
	})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			// The SDK lists resources that were added to it, by name, and
			// recognises only URIs that are escaped as its own are.
			switch req := req.(type) {
			case *mcp.ListResourcesRequest:
				return r.list(ctx, req)
			case *mcp.ReadResourceRequest:
				id, err := addressed(req.Params.URI)
				if err != nil {
					return nil, err
				}
				read, params := *req, *req.Params
				params.URI, read.Params = address(id), &params
				return next(context.WithValue(ctx, uriKey{}, req.Params.URI), method, &read)
			}
			return next(ctx, method, req)
		}
	})
}

// uriKey is the context key of a resource's URI as the client wrote it.
type uriKey struct{}

// address returns the URI of a document.
func address(id memoir.DocID) string {
	segments := strings.Split(string(id), "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return scheme + strings.Join(segments, "/")
}

// addressed returns the document that a URI names.
func addressed(uri string) (memoir.DocID, error) {
	escaped, ok := strings.CutPrefix(uri, scheme)
	path, err := url.PathUnescape(escaped)
	if !ok || err != nil || path == "" || !utf8.ValidString(path) || strings.ContainsRune(path, 0) {
		return "", resourceError(uri, "not the address of a note; an address is "+noteTemplate+" with the path of one")
	}
	return memoir.DocID(documentPath(path)), nil
}

// resourceError says what is wrong with a URI.
func resourceError(uri, reason string) error {
	data, err := json.Marshal(map[string]string{"uri": wire.Cut(uri, maxReason)})
	if err != nil {
		data = nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: uncontrolled(wire.Cut(uri, maxEcho)) + ": " + reason, Data: data}
}

// private keeps caches between the client and its user from storing the answer.
func private() mcp.Cacheable { return mcp.Cacheable{CacheScope: "private"} }

// A place is the position of a document in the list: the newest first, then by
// id.
type place struct {
	Modified int64        `json:"t"` // nanoseconds since 1970
	ID       memoir.DocID `json:"id"`
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(q.Modified, p.Modified), strings.Compare(string(p.ID), string(q.ID)))
}

// cursor encodes a place for a client, which sends it back to get the next
// page.
func (p place) cursor() string {
	data, err := json.Marshal(p)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func parseCursor(cursor string) (p place, err error) {
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil || p.ID == "" {
		return p, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the cursor is none that this server gave; list without one to begin again"}
	}
	return p, nil
}

// listed is a document with its place.
type listed struct {
	place
	meta memoir.DocumentMeta
}

// newest holds the first documents of a list, as a heap with the last of them
// on top.
type newest []listed

func (n newest) Len() int           { return len(n) }
func (n newest) Less(i, j int) bool { return n[i].compare(n[j].place) > 0 }
func (n newest) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n *newest) Push(x any)        { *n = append(*n, x.(listed)) }
func (n *newest) Pop() any {
	last := len(*n) - 1
	x := (*n)[last]
	*n = (*n)[:last]
	return x
}

// list gives a page of the notes, the newest first.
func (r resources) list(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	var behind place
	if req.Params != nil && req.Params.Cursor != "" {
		var err error
		if behind, err = parseCursor(req.Params.Cursor); err != nil {
			return nil, err
		}
	}
	// The page, and one document more to see whether another page follows.
	var page newest
	for meta, err := range r.reader.Documents(withClient(ctx, req.ClientInfo())) {
		if err != nil {
			return nil, protocolError("list the notes", err)
		}
		d := listed{place{math.MaxInt64, meta.ID}, meta}
		if !meta.ModTime.IsZero() { // a zero time means that it was written while it was read
			d.Modified = meta.ModTime.UnixNano()
		}
		if behind.ID != "" && d.compare(behind) <= 0 {
			continue
		}
		if len(page) <= resourcePage {
			heap.Push(&page, d)
		} else if d.compare(page[0].place) < 0 {
			page[0] = d
			heap.Fix(&page, 0)
		}
	}
	order.By(page, func(a, b listed) int { return a.compare(b.place) })
	res := &mcp.ListResourcesResult{Cacheable: private(), Resources: []*mcp.Resource{}}
	for i, d := range page {
		if i == resourcePage {
			res.NextCursor = page[i-1].cursor()
			break
		}
		r := &mcp.Resource{URI: address(d.ID), Name: string(d.ID), MIMEType: mimeType(d.ID), Size: d.meta.Size}
		if !d.meta.ModTime.IsZero() {
			r.Annotations = &mcp.Annotations{LastModified: d.meta.ModTime.UTC().Format(time.RFC3339)}
		}
		res.Resources = append(res.Resources, r)
	}
	return res, nil
}

func mimeType(id memoir.DocID) string {
	if strings.HasSuffix(strings.ToLower(string(id)), ".md") {
		return "text/markdown"
	}
	return "text/plain"
}

// read returns a whole note, by the rules of memory_get.
func (r resources) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, err := addressed(req.Params.URI)
	if err != nil {
		return nil, err
	}
	uri, _ := ctx.Value(uriKey{}).(string)
	x, err := r.reader.Get(withClient(ctx, req.ClientInfo()), id, 1, 0)
	skipped := (*memoir.SkipError)(nil)
	switch {
	case errors.As(err, &skipped):
		return nil, resourceError(uri, skipped.Reason)
	case errors.Is(err, memoir.ErrNotFound), errors.Is(err, memoir.ErrInvalid):
		return nil, resourceError(uri, "there is no such note; find its path with memory_search")
	case err != nil:
		return nil, protocolError("read "+wire.Cut(string(id), maxEcho), err)
	case len(x.Text) > maxResource:
		return nil, resourceError(uri, fmt.Sprintf("it has %d bytes, more than the %d that are given whole; read its lines with memory_get", len(x.Text), maxResource))
	}
	return &mcp.ReadResourceResult{Cacheable: private(), Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mimeType(id), Text: x.Text}}}, nil
}

// protocolError is an error for a client's user. The next step is part of its
// message, because there is no other place for it.
func protocolError(doing string, err error) error {
	problem := wire.NewFailure(err).Error
	message := doing + ": " + problem.Message
	if problem.Action != "" {
		message += ". Next step: " + problem.Action
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: message}
}

// complete completes the paths of notes: first those that begin with the typed
// text, then those that contain it, in alphabetical order.
func (r resources) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	res := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if req.Params.Ref.URI != noteTemplate || req.Params.Argument.Name != "path" {
		return res, nil // without the index there is nothing to complete
	}
	typed := strings.ToLower(documentPath(req.Params.Argument.Value))
	var begin, hold []string
	for meta, err := range r.reader.Documents(withClient(ctx, req.ClientInfo())) {
		if err != nil {
			return nil, protocolError("complete a path", err)
		}
		path := string(meta.ID)
		switch at := strings.Index(strings.ToLower(path), typed); {
		case at == 0:
			begin = append(begin, path)
		case at > 0:
			hold = append(hold, path)
		}
	}
	all := append(begin, hold...)
	res.Completion = mcp.CompletionResultDetails{Total: len(all), HasMore: len(all) > maxValues, Values: append([]string{}, all[:min(len(all), maxValues)]...)}
	return res, nil
}
