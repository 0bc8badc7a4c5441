package recipe

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/crypto/x509roots/fallback/bundle"

	"github.com/mongobench/mongobench-operator/hack/images/internal/command"
	"github.com/mongobench/mongobench-operator/hack/images/internal/debian"
	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
	"github.com/mongobench/mongobench-operator/hack/images/internal/server"
)

// programImage is an image of one static Go program.
type programImage struct {
	program

	// path is where the image has the program.
	path string
	// pinned is the module whose version, which the program's go.mod pins, is the image's tag; empty for what is built
	// from the working tree.
	pinned string
	// files lie beside the program.
	files []image.Entry
	// config says how it runs, but for the account.
	config v1.Config
}

// programImages are the images of programs, by name.
var programImages = map[string]programImage{
	// It holds a pod's namespaces, and is the sandbox image of the container runtime: a program and nothing else.
	"pause": {
		program: program{module: "hack/images", pkg: "pause", binary: "pause"}, path: "/pause",
		config: v1.Config{Entrypoint: []string{"/pause"}},
	},
	// The cluster's DNS.
	"coredns": {
		program: program{module: "hack/images/coredns", pkg: ".", binary: "coredns"}, path: "/coredns",
		pinned: "github.com/coredns/coredns", files: smallSystem(),
		config: v1.Config{Entrypoint: []string{"/coredns"}},
	},
	// The server of targets of the product FerretDB.
	"ferretdb": {
		program: program{module: "hack/images/ferretdb", pkg: ".", binary: "ferretdb"}, path: "/usr/bin/ferretdb",
		pinned: "github.com/FerretDB/FerretDB", files: smallSystem(),
		config: v1.Config{Cmd: []string{"ferretdb"}},
	},
	"operator": {
		program: program{pkg: "cmd/manager", binary: "manager"}, path: "/manager", files: smallSystem(),
		config: v1.Config{Entrypoint: []string{"/manager"}, WorkingDir: "/"},
	},
	// It carries authorities, since external targets may use TLS.
	"loadgen": {
		program: program{pkg: "cmd/loadgen", binary: "loadgen"}, path: "/loadgen",
		files:  append(smallSystem(), authorities()),
		config: v1.Config{Entrypoint: []string{"/loadgen"}, WorkingDir: "/"},
	},
}

// serverImages are the images of database servers, by name; a version follows it.
var serverImages = map[string]serverImage{"mongod": mongodImage, "mariadb": mariadbImage, "mysql": mysqlImage}

// Defaults are the names of all images of a local cluster, the quick ones first.
func Defaults() []string {
	names := []string{"pause", "coredns", "operator", "loadgen", "ferretdb"}
	return slices.Concat(names, versionsOf(server.Mongod), versionsOf(server.MariaDB))
}

// versionsOf are the images of a server's usual versions.
func versionsOf(kind server.Kind) []string {
	names := make([]string, len(kind.Defaults))
	for i, version := range kind.Defaults {
		names[i] = kind.Name + ":" + version
	}
	return names
}

// Named are the images that names stand for: a server without a version stands for each version that a local cluster
// or a scenario has, and no name at all for everything that a local cluster has.
func Named(names []string) []string {
	if len(names) == 0 {
		return Defaults()
	}
	var found []string
	for _, name := range names {
		if _, isServer := serverImages[name]; !isServer {
			found = append(found, name)
			continue
		}
		for _, known := range append(Defaults(), OnDemand()...) {
			if strings.HasPrefix(known, name+":") {
				found = append(found, known)
			}
		}
	}
	return found
}

// OnDemand are the names of images that a local cluster does without: programs and servers of others that scenarios run
// in it. They are built when they are named. Each program is pinned by the folder of its name in hack/tools. So is
// NEIGHBOUR/PROGRAM, which hack/e2e/neighbours/NEIGHBOUR/module pins.
func OnDemand() []string {
	return append([]string{"prometheus", "prometheus-operator", "prometheus-config-reloader"}, versionsOf(server.MySQL)...)
}

// compose makes the named image, without what all have in common.
func (w Workspace) compose(ctx context.Context, name string) (image.Image, error) {
	if recipe, known := programImages[name]; known {
		return w.programImage(ctx, name, recipe)
	}
	if kind, version, _ := strings.Cut(name, ":"); slices.Contains(slices.Collect(maps.Keys(serverImages)), kind) {
		return w.serverImage(ctx, serverImages[kind], version)
	}
	if recipe, known := communityImage(name); known {
		return recipe(ctx, w)
	}
	if slices.Contains(OnDemand(), name) || strings.Contains(name, "/") {
		return w.toolImage(ctx, name)
	}
	if slices.Contains(Earlier(), name) {
		return w.earlierImage(ctx, name)
	}
	known := slices.Concat(Defaults(), OnDemand(), Earlier())
	return image.Image{}, fmt.Errorf("unknown image: choose of %s", strings.Join(known, " "))
}

func (w Workspace) programImage(ctx context.Context, name string, recipe programImage) (image.Image, error) {
	tag, build := devTag, w.build
	if recipe.pinned != "" {
		version, err := requiredVersion(filepath.Join(w.root, recipe.module, "go.mod"), recipe.pinned)
		if err != nil {
			return image.Image{}, err
		}
		recipe.binary += "-" + version
		tag, build = version, w.buildOnce
	}
	return imageOf(ctx, registry+name+":"+tag, recipe, build)
}

// imageOf is an image under a reference, of a program that is built in some way.
func imageOf(
	ctx context.Context, reference string, recipe programImage, build func(context.Context, program) (string, error),
) (image.Image, error) {
	binary, err := build(ctx, recipe.program)
	if err != nil {
		return image.Image{}, err
	}
	made := recipe.around(binary)
	made.Reference = reference
	return made, nil
}

// around is the image with a program in it, without what tells one from another.
func (p programImage) around(binary string) image.Image {
	config := p.config
	config.User, config.Env = nonRoot, []string{searchPath}
	return image.Image{Entries: append(slices.Clone(p.files), image.File(p.path, binary, 0o755)), Config: config}
}

// toolImage holds one program of hack/tools, at the place where images of its own project have it. Building it takes
// minutes once; from then on the program lies in the cache.
func (w Workspace) toolImage(ctx context.Context, name string) (image.Image, error) {
	file, err := w.tool(ctx, name)
	if err != nil {
		return image.Image{}, err
	}
	program := "/bin/" + path.Base(name)
	return image.Image{
		Reference: registry + name + ":" + pinnedTag,
		Entries:   append(smallSystem(), image.File(program, file, 0o755)),
		Config:    v1.Config{User: nonRoot, Entrypoint: []string{program}, WorkingDir: "/"},
	}, nil
}

// tool is the path of a pinned program, TOOL or NEIGHBOUR/PROGRAM.
func (w Workspace) tool(ctx context.Context, name string) (string, error) {
	find := command.Command{
		Args:   append([]string{filepath.Join(w.root, "hack", "tools", "tool.sh")}, strings.Split(name, "/")...),
		Folder: w.root,
	}
	file, err := find.Output(ctx)
	if err != nil {
		return "", fmt.Errorf("building %s: %w", name, err)
	}
	return strings.TrimSpace(file), nil
}

// smallSystem is what a static program may expect around it: accounts, a place for temporary files.
func smallSystem() []image.Entry { return system(account{name: "nonroot", id: 65532, home: "/"}) }

// authorities are the certificate authorities that Mozilla trusts, where Go programs look for them first. They come
// with a Go module, so that an image does not depend on whom the machine trusts that builds it.
func authorities() image.Entry {
	var all bytes.Buffer
	for root := range bundle.Roots() {
		// Those that are only trusted for what was issued until some day cannot be told from others in a file.
		if root.Constraint == nil {
			_ = pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return image.Text("/etc/ssl/certs/ca-certificates.crt", all.String())
}

// account is a user with a group of the same name and number.
type account struct {
	name string
	id   int
	home string
}

func system(user account) []image.Entry {
	passwd := fmt.Sprintf("root:x:0:0:root:/root:/sbin/nologin\n%s:x:%d:%d::%s:/sbin/nologin\n",
		user.name, user.id, user.id, user.home)
	group := fmt.Sprintf("root:x:0:\n%s:x:%d:\n", user.name, user.id)
	return []image.Entry{
		image.Text("/etc/passwd", passwd),
		image.Text("/etc/group", group),
		// Without this file the C library may ask DNS before it looks into /etc/hosts, where the kubelet writes.
		image.Text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
		image.Folder("/tmp", 0o1777, 0),
	}
}

// serverImage is an image of a database server: its files and the libraries that they are linked with on this machine.
// There is no shell in it. The version is the tag as it is, also when it is a series.
type serverImage struct {
	kind server.Kind
	name string
	// user has the name and number that the project's own images use, so that a pod template fits both.
	user account
	// binary, plugins and share are where the project's own images have what a server needs; MariaDB's and MySQL's are
	// compiled into the server, as is where MySQL has its data.
	binary, plugins, share, data string
	// folders belong to the user.
	folders []string
	// command rather than an entry point, so that a pod may name the server itself as with other images.
	command []string
	port    string
	// scripts are programs of this machine that the scripts of a pod call.
	scripts []string
}

var (
	mongodImage = serverImage{
		kind: server.Mongod, name: "mongod", user: account{name: "mongodb", id: 999, home: "/data/db"},
		binary: "/usr/bin/mongod", folders: []string{"/data/db", "/data/configdb"},
		command: []string{"mongod", "--bind_ip_all"}, port: "27017/tcp",
	}
	// Its system tables are not there before it starts.
	mariadbImage = serverImage{
		kind: server.MariaDB, name: "mariadb", user: account{name: "mysql", id: 999, home: "/var/lib/mysql"},
		binary: "/usr/sbin/mariadbd", plugins: "/usr/lib/mysql/plugin", share: "/usr/share/mysql",
		folders: []string{"/var/lib/mysql", "/run/mysqld"},
		command: []string{"mariadbd"}, port: "3306/tcp",
	}
	// Its system tables are there, and no user: whoever starts it says by --init-file which there are. The data is the
	// container's own, and goes with it.
	mysqlImage = serverImage{
		kind: server.MySQL, name: "mysql", user: account{name: "mysql", id: 999, home: "/usr/local/mysql"},
		binary: "/usr/local/mysql/bin/mysqld", share: "/usr/local/mysql/share", data: "/usr/local/mysql/data",
		command: []string{"/usr/local/mysql/bin/mysqld"}, port: "3306/tcp",
	}
)

func (w Workspace) serverImage(ctx context.Context, recipe serverImage, version string) (image.Image, error) {
	fetched, err := recipe.kind.Fetch(ctx, w.cache, version)
	if err != nil {
		return image.Image{}, err
	}
	scripts, called, err := scriptPrograms(recipe.scripts)
	if err != nil {
		return image.Image{}, err
	}
	entries := append(system(recipe.user), image.File(recipe.binary, fetched.Binary, 0o755))
	entries = append(entries, scripts...)
	for _, folder := range recipe.folders {
		entries = append(entries, image.Folder(folder, 0o755, recipe.user.id))
	}
	for _, plugin := range fetched.Plugins {
		entries = append(entries, image.File(path.Join(recipe.plugins, filepath.Base(plugin)), plugin, 0o644))
	}
	libraries, err := libraryEntries(ctx, fetched.Libraries, append(fetched.Programs(), called...))
	if err != nil {
		return image.Image{}, fmt.Errorf("placing the libraries of %s %s: %w", recipe.kind.Name, version, err)
	}
	shared, err := folderEntries(fetched.Share, recipe.share)
	if err != nil {
		return image.Image{}, fmt.Errorf("placing the shared files of %s %s: %w", recipe.kind.Name, version, err)
	}
	data, err := dataEntries(fetched.Data, recipe.data, recipe.user.id)
	if err != nil {
		return image.Image{}, fmt.Errorf("placing the data of %s %s: %w", recipe.kind.Name, version, err)
	}
	return image.Image{
		Reference: registry + recipe.name + ":" + version,
		Entries:   slices.Concat(entries, libraries, shared, data),
		Config: v1.Config{
			User:         fmt.Sprintf("%d:%d", recipe.user.id, recipe.user.id),
			Cmd:          recipe.command,
			ExposedPorts: map[string]struct{}{recipe.port: {}},
		},
	}, nil
}

// libraryEntries are the libraries that programs are linked with; what this machine lacks of them is in a folder.
func libraryEntries(ctx context.Context, folder string, programs []string) ([]image.Entry, error) {
	var linked []string
	for _, program := range programs {
		found, err := debian.Link(ctx, program, folder)
		if err != nil {
			return nil, err
		}
		linked = append(linked, found.Found...)
	}
	slices.Sort(linked)
	return placeLibraries(slices.Compact(linked), folder)
}

// placeLibraries puts each library where it lies on this machine, for there the loader looks for it. Those of the cache
// join the C library's folder, which is searched without any setting.
func placeLibraries(files []string, libraryFolder string) ([]image.Entry, error) {
	var standard string
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "libc.so.") {
			standard = filepath.Dir(file)
		}
	}
	if standard == "" {
		return nil, errors.New("the C library is not among those that ldd names")
	}
	entries := make([]image.Entry, 0, len(files))
	for _, file := range files {
		place := file
		if filepath.Dir(file) == libraryFolder {
			place = filepath.Join(standard, filepath.Base(file))
		}
		entries = append(entries, image.File(place, file, 0o755))
	}
	return entries, nil
}

// folderEntries puts the files of a folder of this machine, if any, below a place in the image.
func folderEntries(folder, place string) ([]image.Entry, error) {
	if folder == "" {
		return nil, nil
	}
	var entries []image.Entry
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		below, err := filepath.Rel(folder, file)
		entries = append(entries, image.File(path.Join(place, filepath.ToSlash(below)), file, 0o644))
		return err
	})
	return entries, err
}

// dataEntries are folderEntries, with the folders, that belong to the server's user.
func dataEntries(folder, place string, owner int) ([]image.Entry, error) {
	entries, err := folderEntries(folder, place)
	folders := map[string]bool{place: true}
	for i := range entries {
		entries[i].Owner = owner
		folders[path.Dir(entries[i].Path)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		if name != "" {
			entries = append(entries, image.Folder(name, 0o700, owner))
		}
	}
	return entries, err
}
