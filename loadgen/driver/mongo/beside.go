package mongo

import (
	"context"

	"github.com/mongobench/mongobench-operator/loadgen"
	"github.com/mongobench/mongobench-operator/loadgen/driver/mongo/wiresession"
)

// beside is the part of a target that has connections open beside those of its sessions.
type beside struct {
	opener *wiresession.Opener
}

// Idle opens connections that send nothing.
func (b *beside) Idle(ctx context.Context, connections int) (loadgen.Idle, error) {
	return b.opener.Idle(ctx, connections)
}
