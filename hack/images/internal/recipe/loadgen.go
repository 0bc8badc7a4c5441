package recipe

import (
	"context"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/mongobench/mongobench-operator/hack/images/internal/image"
)

// certificates are the authorities that this machine trusts, at the place where Go programs look for them first.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

// loadgenImage is the load generator of the working tree. It carries authorities, since external targets may use TLS.
func (w Workspace) loadgenImage(ctx context.Context) (image.Image, error) {
	binary, err := w.build(ctx, program{pkg: "cmd/loadgen", binary: "loadgen"})
	if err != nil {
		return image.Image{}, err
	}
	return image.Image{
		Reference: registry + "loadgen:" + devTag,
		Entries: append(smallSystem(),
			image.File(certificates, certificates, 0o644),
			image.File("/loadgen", binary, 0o755)),
		Config: v1.Config{User: nonRoot, Entrypoint: []string{"/loadgen"}, WorkingDir: "/"},
	}, nil
}
