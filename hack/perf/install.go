package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	peersFolder = "hack/perf/peers"
	// goYCSBModule is the module whose version names the built program.
	goYCSBModule = "github.com/pingcap/go-ycsb"
)

// installer builds and installs what is raced: ours each time, the peers once for each of their versions.
type installer struct {
	// cache outlives this run, scratch does not.
	cache, scratch string
	log            io.Writer
}

func (i installer) install(ctx context.Context) (programs, error) {
	p := programs{scratch: i.scratch, pymongo: filepath.Join(peersFolder, "pymongo", "load.py")}
	var err error
	if p.loadgen, err = i.build(ctx, ".", "./cmd/loadgen", filepath.Join(i.scratch, "loadgen")); err != nil {
		return p, err
	}
	if p.bareSockets, err = i.build(ctx, ".", "./hack/perf/floor", filepath.Join(i.scratch, "floor")); err != nil {
		return p, err
	}
	if p.goYCSB, err = i.goYCSB(ctx); err != nil {
		return p, err
	}
	if p.python, err = i.python(ctx); err != nil {
		return p, err
	}
	if p.mongoimport, err = exec.LookPath("mongoimport"); err != nil {
		p.mongoimport = ""
		_, _ = fmt.Fprintln(i.log, "bench: there is no mongoimport on PATH, so it is left out")
	}
	return p, nil
}

// build compiles a Go program of a module.
func (i installer) build(ctx context.Context, module, source, path string) (string, error) {
	_, err := i.do(ctx, module, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, source)
	return path, err
}

// goYCSB builds go-ycsb, unless this machine has that version.
func (i installer) goYCSB(ctx context.Context) (string, error) {
	module := filepath.Join(peersFolder, "goycsb")
	version, err := i.do(ctx, module, "go", "list", "-m", "-f", "{{.Version}}", goYCSBModule)
	if err != nil {
		return "", err
	}
	path := filepath.Join(i.cache, "perf", "go-ycsb-"+strings.TrimSpace(version))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	_, _ = fmt.Fprintln(i.log, "bench: building", filepath.Base(path))
	partial, err := i.build(ctx, module, ".", path+".partial")
	if err != nil {
		return "", err
	}
	return path, os.Rename(partial, path)
}

// python makes a virtual environment with the pinned pymongo, unless this machine has it, and returns its interpreter.
func (i installer) python(ctx context.Context) (string, error) {
	requirements := filepath.Join(peersFolder, "pymongo", "requirements.txt")
	content, err := os.ReadFile(requirements)
	if err != nil {
		return "", fmt.Errorf("reading what pymongo needs: %w", err)
	}
	folder := filepath.Join(i.cache, "perf", environmentName(string(content)))
	interpreter := filepath.Join(folder, "bin", "python")
	ready := filepath.Join(folder, "ready")
	if _, err := os.Stat(ready); err == nil {
		return interpreter, nil
	}
	_, _ = fmt.Fprintln(i.log, "bench: installing", filepath.Base(folder))
	if _, err := i.do(ctx, ".", "python3", "-m", "venv", "--clear", folder); err != nil {
		return "", fmt.Errorf("%w (on Debian: apt-get install python3-venv)", err)
	}
	_, err = i.do(ctx, ".", interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
		"--only-binary", ":all:", "--requirement", requirements)
	if err != nil {
		return "", err
	}
	return interpreter, os.WriteFile(ready, nil, 0o600)
}

// environmentName names a virtual environment after the first package that it pins.
func environmentName(requirements string) string {
	for line := range strings.Lines(requirements) {
		if name, version, pinned := strings.Cut(strings.TrimSpace(line), "=="); pinned && !strings.HasPrefix(name, "#") {
			return name + "-" + version
		}
	}
	return "python"
}

// do runs a command in a folder and returns what it printed.
func (i installer) do(ctx context.Context, folder string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	var complaints strings.Builder
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(arguments, " "), err, complaints.String())
	}
	return string(output), nil
}

// benchmark is what `go test -bench` measured of one function, medians over its repetitions. p99Micros is a figure that
// only some tell; it is NaN for all others.
type benchmark struct {
	nanos, allocations, p99Micros float64
}

// benchmarks runs Go benchmarks of a package, each count times.
func (i installer) benchmarks(ctx context.Context, pkg, pattern string, count int) (map[string]benchmark, error) {
	output, err := i.do(ctx, ".", "go", "test", "-run", "^$", "-bench", pattern, "-benchmem", "-benchtime", "200ms",
		"-count", strconv.Itoa(count), pkg)
	if err != nil {
		return nil, err
	}
	found := parseBenchmarks(output)
	if len(found) == 0 {
		return nil, fmt.Errorf("%s has no benchmark %s", pkg, pattern)
	}
	return found, nil
}

// parseBenchmarks reads the lines that `go test -bench -benchmem` prints, by the name without Benchmark and processors.
func parseBenchmarks(output string) map[string]benchmark {
	units := map[string]map[string][]float64{}
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "Benchmark"), "-")
		if units[name] == nil {
			units[name] = map[string][]float64{}
		}
		for at := 3; at < len(fields); at += 2 {
			if value, err := strconv.ParseFloat(fields[at-1], 64); err == nil {
				units[name][fields[at]] = append(units[name][fields[at]], value)
			}
		}
	}
	found := map[string]benchmark{}
	for name, values := range units {
		found[name] = benchmark{
			nanos: median(values["ns/op"]), allocations: median(values["allocs/op"]), p99Micros: median(values["p99-µs"]),
		}
	}
	return found
}

// slowest is the largest time of a benchmark and its parts, which have its name and a slash in front of theirs; NaN
// without any.
func slowest(found map[string]benchmark, name string) float64 {
	nanos := math.NaN()
	for part, b := range found {
		if (part == name || strings.HasPrefix(part, name+"/")) && !(b.nanos <= nanos) {
			nanos = b.nanos
		}
	}
	return nanos
}
