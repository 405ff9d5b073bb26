module github.com/memoir-ai/memoir/bench/encoder

go 1.26.0

require github.com/memoir-ai/memoir v0.0.0

require (
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/memoir-ai/memoir => ../..
