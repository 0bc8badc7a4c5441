package main

import (
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// oneCluster are the modules of which the local cluster is compiled, with the operator in it. What two of them import
// in the same version is compiled once on a machine, which is half of all.
var oneCluster = []string{
	".", "hack/cluster/etcd", "hack/cluster/kubernetes", "hack/cluster/provisioner", "hack/images/coredns",
	"hack/tools/helm",
}

// checkVersions reports a module that parts of the local cluster have in different versions.
func checkVersions(tree []source, found report) {
	users := map[string]map[string][]string{} // Of each module the versions, and of these who has them.
	for _, file := range tree {
		if path.Base(file.path) != "go.mod" || !slices.Contains(oneCluster, path.Dir(file.path)) {
			continue
		}
		parsed, err := modfile.Parse(file.path, file.text, nil)
		if err != nil {
			found(file.path, "cannot be read: %v", err)
			continue
		}
		for name, version := range required(parsed) {
			if users[name] == nil {
				users[name] = map[string][]string{}
			}
			users[name][version] = append(users[name][version], path.Dir(file.path))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(users)) {
		if versions := users[name]; len(versions) > 1 {
			found("go.mod", "%s has %s: take the same, so that it is compiled once", name, differing(versions))
		}
	}
}

// required are the modules that a module requires, with the versions that take their place where others do.
func required(parsed *modfile.File) map[string]string {
	versions := map[string]string{}
	for _, one := range parsed.Require {
		versions[one.Mod.Path] = one.Mod.Version
	}
	for _, one := range parsed.Replace {
		if _, is := versions[one.Old.Path]; is && one.New.Path == one.Old.Path {
			versions[one.Old.Path] = one.New.Version
		}
	}
	return versions
}

func differing(versions map[string][]string) string {
	said := make([]string, 0, len(versions))
	for _, version := range slices.Sorted(maps.Keys(versions)) {
		said = append(said, version+" in "+strings.Join(versions[version], ", "))
	}
	return strings.Join(said, " and ")
}
