package recipe

import (
	"fmt"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// smallSystem is what a static program may expect around it: accounts, a place for temporary files.
func smallSystem() []image.Entry { return system(account{name: "nonroot", id: 65532, home: "/"}) }

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
