package objects

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// page is a page of a listing.
type page struct {
	objects []Object
	next    string // the token of the next page; "" on the last one
}

var errXML = errors.New("it is not well-formed XML")

// elements reads a document. It calls leaf for each element that has no other element in
// it, with its path and its text. The path is the names of the elements around it and its
// own. For every other element it calls end where that element ends. It reads what S3
// sends: elements, text, references to characters, comments and declarations. With it the
// program needs no encoding/xml.
func elements(doc string, leaf func(path, text string), end func(path string)) error {
	w := walk{leaf: leaf, end: end}
	for doc != "" {
		before, rest, ok := strings.Cut(doc, "<")
		if err := unescape(&w.text, before); err != nil {
			return err
		}
		if !ok {
			break
		}
		close, tag := ">", true
		switch {
		case strings.HasPrefix(rest, "!--"):
			close, tag = "-->", false
		case strings.HasPrefix(rest, "?"), strings.HasPrefix(rest, "!"):
			tag = false
		}
		inside, after, ok := strings.Cut(rest, close)
		if doc = after; !ok {
			return errXML
		}
		if tag {
			if err := w.tag(inside); err != nil {
				return err
			}
		}
	}
	if len(w.open) > 0 {
		return errXML
	}
	return nil
}

// walk is the state of reading a document.
type walk struct {
	leaf   func(path, text string)
	end    func(path string)
	open   []string // the names of the elements that are open
	text   strings.Builder
	parent bool // the element that has just ended had elements in it
}

// tag reads what stands between < and >.
func (w *walk) tag(inside string) error {
	if name, ends := strings.CutPrefix(inside, "/"); ends {
		if len(w.open) == 0 || strings.TrimSpace(name) != w.open[len(w.open)-1] {
			return errXML
		}
		w.close()
		return nil
	}
	name := strings.TrimRight(inside, "/ \t\r\n")
	if end := strings.IndexAny(name, " \t\r\n"); end >= 0 {
		name = name[:end]
	}
	if name == "" || len(w.open) == maxDepth {
		return errXML
	}
	w.open, w.parent = append(w.open, name), false
	w.text.Reset()
	if strings.HasSuffix(inside, "/") {
		w.close()
	}
	return nil
}

func (w *walk) close() {
	path := strings.Join(w.open, "/")
	if w.parent {
		w.end(path)
	} else {
		w.leaf(path, w.text.String())
	}
	w.open, w.parent = w.open[:len(w.open)-1], true
	w.text.Reset()
}

// maxDepth is how deep elements may be nested.
const maxDepth = 16

// unescape appends text to out, with its references replaced by characters.
func unescape(out *strings.Builder, text string) error {
	for {
		plain, rest, found := strings.Cut(text, "&")
		out.WriteString(plain)
		if !found {
			return nil
		}
		name, after, ok := strings.Cut(rest, ";")
		if !ok || len(name) > 10 {
			return errXML
		}
		text = after
		if c, ok := map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}[name]; ok {
			out.WriteString(c)
			continue
		}
		digits, ok := strings.CutPrefix(name, "#")
		base := 10
		if hex, isHex := strings.CutPrefix(digits, "x"); isHex {
			digits, base = hex, 16
		}
		code, err := strconv.ParseUint(digits, base, 21)
		if !ok || err != nil || !utf8.ValidRune(rune(code)) {
			return errXML
		}
		out.WriteRune(rune(code))
	}
}

// pageReader collects a page of ListObjectsV2 from its elements.
type pageReader struct {
	page
	object    Object // the object that is being read
	root      bool
	truncated bool
	escaped   bool // names are percent-encoded
	problem   error
}

const below = "ListBucketResult/"

func (r *pageReader) leaf(path, text string) {
	switch path {
	case "ListBucketResult", below + "Name":
		r.root = true
	case below + "IsTruncated":
		r.truncated = text == "true"
	case below + "NextContinuationToken":
		r.next = text
	case below + "EncodingType":
		r.escaped = text == "url"
	case below + "Contents/Key":
		r.object.Name = text
	case below + "Contents/ETag":
		r.object.ETag = quoted(text)
	case below + "Contents/Size":
		var err error
		if r.object.Size, err = strconv.ParseInt(text, 10, 64); err != nil || r.object.Size < 0 {
			r.problem = fmt.Errorf("%q is not the size of an object", text)
		}
	case below + "Contents/LastModified":
		r.object.Modified, _ = time.Parse(time.RFC3339, text) // an error does not matter: people read it
	}
}

func (r *pageReader) end(path string) {
	switch {
	case path == "ListBucketResult":
		r.root = true
	case path == below+"Contents" && (r.object.Name == "" || r.object.ETag == ""):
		r.problem = errors.New("an object has no name or no ETag")
	case path == below+"Contents":
		r.objects = append(r.objects, r.object)
		r.object = Object{}
	}
}

// parsePage reads a page of ListObjectsV2.
func parsePage(body []byte) (page, error) {
	var r pageReader
	err := elements(string(body), r.leaf, r.end)
	switch {
	case err != nil:
		return page{}, err
	case r.problem != nil:
		return page{}, r.problem
	case !r.root:
		return page{}, errors.New("it is no listing")
	case r.truncated && r.next == "":
		return page{}, errors.New("a page is missing")
	case !r.truncated:
		r.next = ""
	}
	for i, o := range r.objects {
		name := o.Name
		if r.escaped {
			name, err = url.QueryUnescape(name)
		}
		if err != nil || !utf8.ValidString(name) {
			return page{}, fmt.Errorf("the name %q of an object cannot be read", o.Name)
		}
		r.objects[i].Name = name
	}
	return r.page, nil
}

// parseError reads the code and the message of an error answer. Both are "" if the answer
// has none.
func parseError(body []byte) (code, message string) {
	err := elements(string(body), func(path, text string) {
		switch path {
		case "Error/Code":
			code = text
		case "Error/Message":
			message = text
		}
	}, func(string) {})
	if err != nil {
		return "", ""
	}
	return code, message
}
