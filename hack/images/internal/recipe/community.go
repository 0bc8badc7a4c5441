package recipe

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// The MongoDB Community Operator runs scripts in the pods that it makes, so the images of these have a shell and what
// the scripts call. All of its pods run as one user.
var (
	communityScripts = []string{"bash", "sh", "cat", "cp", "grep", "id", "sed", "sleep"}
	communityUser    = account{name: "mongodb", id: 2000, home: "/"}
)

const (
	communityName   = "mongodbcommunity/"
	communityMongod = communityName + "mongod"
	communityAgent  = communityName + "agent"
)

// communityImage is how an image for that operator's pods is made, if the name is that of one.
func communityImage(name string) (func(context.Context, Workspace) (image.Image, error), bool) {
	if version, is := strings.CutPrefix(name, communityMongod+":"); is {
		return func(ctx context.Context, w Workspace) (image.Image, error) {
			recipe := mongodImage
			recipe.name, recipe.user, recipe.scripts = communityMongod, communityUser, communityScripts
			return w.serverImage(ctx, recipe, version)
		}, true
	}
	return func(ctx context.Context, w Workspace) (image.Image, error) { return w.agentImage(ctx) }, name == communityAgent
}

// agentImage holds the agent that is played, and the two programs that the operator's own images would bring into a
// member's pod, each at the place where those have it.
func (w Workspace) agentImage(ctx context.Context) (image.Image, error) {
	agent, err := w.build(ctx, program{pkg: "hack/e2e/neighbours/mongodbcommunity/agent", binary: "mongodb-agent"})
	if err != nil {
		return image.Image{}, err
	}
	entries := append(system(communityUser), image.File("/agent/mongodb-agent", agent, 0o755))
	for tool, place := range map[string]string{
		"readiness": "/probes/readinessprobe", "versionhook": "/version-upgrade-hook",
	} {
		file, err := w.tool(ctx, communityName+tool)
		if err != nil {
			return image.Image{}, err
		}
		entries = append(entries, image.File(place, file, 0o755))
	}
	scripts, called, err := scriptPrograms(communityScripts)
	if err != nil {
		return image.Image{}, err
	}
	libraries, err := libraryEntries(ctx, "", called)
	if err != nil {
		return image.Image{}, err
	}
	return image.Image{
		Reference: registry + communityAgent + ":" + pinnedTag,
		Entries:   append(append(entries, scripts...), libraries...),
		Config:    v1.Config{User: strconv.Itoa(communityUser.id), WorkingDir: "/"},
	}, nil
}

// scriptPrograms are programs of this machine, at the place where a script looks for them, and their paths here.
func scriptPrograms(names []string) (entries []image.Entry, paths []string, err error) {
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("placing %s: %w", name, err)
		}
		entries, paths = append(entries, image.File("/bin/"+name, path, 0o755)), append(paths, path)
	}
	return entries, paths, nil
}
