package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/memoir-ai/memoir/internal/lazyregexp"
)

// OpenAPI returns the description of the API, OpenAPI 3.1 as JSON
// (https://spec.openapis.org/oas/v3.1.1.html). It is made from the routes and
// from the types of their bodies.
func OpenAPI(version string) []byte {
	schemas := map[string]any{}
	paths := map[string]map[string]any{}
	add := func(path, method string, op map[string]any) {
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths[path][strings.ToLower(method)] = op
	}
	failure := map[string]any{
		"description": "What went wrong, as RFC 9457 tells it",
		"content":     map[string]any{"application/problem+json": map[string]any{"schema": schemaOf(reflect.TypeFor[Problem](), schemas)}},
	}
	for _, rt := range routes() {
		add(strings.ReplaceAll(rt.pattern, "{path...}", "{path}"), rt.method, operationOf(rt, schemas, failure))
	}
	addOther(add, failure)
	add("/v1/events", "GET", map[string]any{
		"summary": "What happens to the memory, as server-sent events", "operationId": "events", "x-permissions": []Permission{MayPrivate},
		"parameters": []any{map[string]any{"name": "Last-Event-ID", "in": "header", "description": "the last event that was seen", "schema": map[string]any{"type": "string"}}},
		"responses": map[string]any{"default": failure, "200": map[string]any{
			"description": "A stream; the data of each event is an Event", "content": map[string]any{"text/event-stream": map[string]any{"schema": schemaOf(reflect.TypeFor[Event](), schemas)}},
		}},
	})
	doc := map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "memoir", "version": version, "license": map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "Long-term memory for AI agents that people can read. Bodies are the JSON of the commands. More members may be added to answers: pass over those that you do not know.",
		},
		"paths": paths,
		"components": map[string]any{
			"schemas":         schemas,
			"securitySchemes": map[string]any{"token": map[string]any{"type": "http", "scheme": "bearer"}, "loopback": map[string]any{"type": "apiKey", "in": "cookie", "name": cookieName}},
		},
		"security": []any{map[string]any{}, map[string]any{"token": []any{}}, map[string]any{"loopback": []any{}}},
	}
	data, err := json.MarshalIndent(doc, "", " ")
	if err != nil {
		panic(err) // it is made of literals
	}
	return append(data, '\n')
}

// operationOf describes a route.
func operationOf(rt route, schemas map[string]any, failure any) map[string]any {
	op := map[string]any{"summary": rt.summary, "operationId": operationID(rt), "x-permissions": rt.needs()}
	if params := parametersOf(rt); len(params) > 0 {
		op["parameters"] = params
	}
	if rt.in != nil {
		content := map[string]any{"application/json": map[string]any{"schema": schemaOf(reflect.TypeOf(rt.in), schemas)}}
		if rt.markdown {
			content["text/markdown"] = map[string]any{"schema": map[string]any{"type": "string"}}
		}
		op["requestBody"] = map[string]any{"required": true, "content": content}
	}
	var of any = schemaOf(reflect.TypeOf(rt.out), schemas)
	if rt.orOut != nil {
		of = map[string]any{"anyOf": []any{of, schemaOf(reflect.TypeOf(rt.orOut), schemas)}}
	}
	answer := map[string]any{"description": "The answer", "content": map[string]any{"application/json": map[string]any{"schema": of}}}
	responses := map[string]any{"default": failure, "200": answer}
	if slices.Contains(rt.headers, "If-None-Match") {
		tag := map[string]any{"description": "of the whole text, for If-Match and If-None-Match", "schema": map[string]any{"type": "string"}}
		answer["headers"] = map[string]any{"ETag": tag}
		if rt.method == http.MethodGet {
			responses["304"] = map[string]any{"description": "The text has the ETag of If-None-Match"}
		}
	}
	op["responses"] = responses
	return op
}

// addOther adds what administrators ask and is not answered in JSON.
func addOther(add func(path, method string, op map[string]any), failure any) {
	for _, x := range []struct{ route, id, summary, media string }{
		{exportRoute, "exportWorkspace", exportSummary, "application/gzip"}, {adminMetricsRoute, "adminMetrics", adminMetricsSummary, "text/plain"},
	} {
		method, pattern, _ := strings.Cut(x.route, " ")
		add(pattern, method, map[string]any{
			"summary": x.summary, "operationId": x.id, "x-permissions": []Permission{MayAdmin}, "parameters": parametersOf(route{pattern: pattern}),
			"responses": map[string]any{"default": failure, "200": map[string]any{
				"description": "The answer", "content": map[string]any{x.media: map[string]any{"schema": map[string]any{"type": "string"}}},
			}},
		})
	}
}

// parametersOf describes the parameters of a request's path, query and headers.
func parametersOf(rt route) []any {
	params := []any{}
	if strings.Contains(rt.pattern, "{path...}") {
		params = append(params, map[string]any{"name": "path", "in": "path", "required": true, "description": "of the note, below the workspace, with slashes", "schema": map[string]any{"type": "string"}})
	}
	for _, p := range []param{{name: "name", about: "of the workspace"}, {name: "token", about: "the name of the token"}} {
		if strings.Contains(rt.pattern, "{"+p.name+"}") {
			params = append(params, map[string]any{"name": p.name, "in": "path", "required": true, "description": p.about, "schema": map[string]any{"type": "string"}})
		}
	}
	for _, p := range rt.params {
		schema := map[string]any{"type": p.kind}
		if p.many {
			schema = map[string]any{"type": "array", "items": schema}
		}
		params = append(params, map[string]any{"name": p.name, "in": "query", "required": p.required, "description": p.about, "schema": schema})
	}
	for _, name := range rt.headers {
		params = append(params, map[string]any{"name": name, "in": "header", "schema": map[string]any{"type": "string"}})
	}
	return params
}

// parameterPart is a part of a pattern that stands for any value.
var parameterPart = lazyregexp.New(`/\{[^}]*\}`)

// operationID names a route for programs that are generated from the
// description.
func operationID(rt route) string {
	if rt.id != "" {
		return rt.id
	}
	name := parameterPart().ReplaceAllString(strings.TrimPrefix(rt.pattern, "/v1/"), "")
	words := strings.Split(name, "/")
	for i, w := range words[1:] {
		words[i+1] = strings.ToUpper(w[:1]) + w[1:]
	}
	name = strings.Join(words, "")
	switch {
	case rt.method == http.MethodPut:
		return "save" + strings.ToUpper(name[:1]) + strings.TrimSuffix(name[1:], "s")
	case rt.method == http.MethodDelete:
		return "remove" + strings.ToUpper(name[:1]) + strings.TrimSuffix(name[1:], "s")
	case strings.Contains(rt.pattern, "{"):
		return "read" + strings.ToUpper(name[:1]) + strings.TrimSuffix(name[1:], "s")
	}
	return name
}

// schemaOf returns the schema of a type. Structs become named schemas under
// components.
func schemaOf(t reflect.Type, schemas map[string]any) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem(), schemas)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem(), schemas)}
	case reflect.Struct:
	default:
		return scalar(t)
	}
	if t.PkgPath() == "time" {
		return map[string]any{"type": "string", "format": "date-time"}
	}
	if t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return map[string]any{}
	}
	name := nameOf(t, schemas)
	ref := map[string]any{"$ref": "#/components/schemas/" + name}
	if _, ok := schemas[name]; ok {
		return ref
	}
	properties, required := map[string]any{}, []string{}
	schema := map[string]any{"type": "object", "properties": properties, "x-type": t.String()}
	schemas[name] = schema
	fields(t, properties, &required, schemas)
	if len(required) > 0 {
		schema["required"] = required
	}
	return ref
}

// nameOf returns the name of a struct's schema: its own name, preceded by its
// package when another struct has the same name.
func nameOf(t reflect.Type, schemas map[string]any) string {
	name := t.Name()
	if other, ok := schemas[name].(map[string]any); ok && other["x-type"] != t.String() {
		pkg := path.Base(t.PkgPath())
		name = strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
	return name
}

// fields adds the members of a struct, including those of embedded structs.
func fields(t reflect.Type, properties map[string]any, required *[]string, schemas map[string]any) {
	for f := range t.Fields() {
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous && tag == "":
			fields(f.Type, properties, required, schemas)
			continue
		case !f.IsExported() || tag == "-" || tag == "":
			continue
		}
		schema := schemaOf(f.Type, schemas)
		if f.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omitempty") {
			schema = map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
		}
		properties[name] = schema
		if needed(options) {
			*required = append(*required, name)
		}
	}
}

// needed reports whether the options of a field's tag say that it is always there.
func needed(options string) bool {
	return !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")
}

func scalar(t reflect.Type) any {
	schema, err := jsonschema.ForType(t, nil)
	if err != nil {
		panic(err) // a type that JSON does not have
	}
	return schema
}

func (a *api) serveOpenAPI(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(a.openAPI())
}

// Reference returns a table of all routes, in Markdown.
func Reference() string {
	var b strings.Builder
	b.WriteString("# HTTP API\n\n`memoir serve` answers these under its address, `http://127.0.0.1:7077` unless `--addr` says another. Bodies are the [JSON of the commands](json.md);\n" +
		"`GET /v1/openapi.json` describes all of it for programs (OpenAPI 3.1). A failure is `application/problem+json` (RFC 9457) with the same `error` as a command's.\n" +
		"[http.md](../http.md) says how to begin, [security.md](../security.md) who is let in.\n\n| request | permissions | what it does |\n|---|---|---|\n")
	for _, rt := range routes() {
		about := rt.summary
		for _, p := range rt.params {
			about += "<br>`" + p.name + "`: " + p.about
		}
		permissions := make([]string, 0, 2)
		for _, p := range rt.needs() {
			permissions = append(permissions, string(p))
		}
		fmt.Fprintf(&b, "| `%s %s` | %s | %s |\n", rt.method, strings.ReplaceAll(rt.pattern, "{path...}", "{path}"), strings.Join(permissions, " "), about)
	}
	fmt.Fprintf(&b, "| `%s` | admin | %s |\n| `%s` | admin | %s |\n", exportRoute, exportSummary, adminMetricsRoute, adminMetricsSummary)
	b.WriteString("| `GET /v1/events` | private | What happens to the memory, as server-sent events; `Last-Event-ID` goes on where a connection ended |\n" +
		"| `GET /v1/openapi.json` | read | This table for programs |\n| `GET /metrics` | read | Counts and times, for Prometheus |\n" +
		"| `GET /healthz`, `GET /readyz` | none | Whether the process answers, and whether questions can be answered |\n| `/mcp` | private | MCP over streamable HTTP; tools that write need the permission write |\n")
	return b.String()
}
