package settings

import (
	"cmp"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/internal/product"
)

// Settings are what the operator was started with.
type Settings struct {
	// LoadgenImage is the image of the topology Jobs, the load pods, and the init container of the members.
	LoadgenImage string
	// ImageRepositories are where the images of targets come from that name none; their version is the tag.
	ImageRepositories map[benchv1alpha1.TargetKind]string
	// MaxConcurrentReconciles is the number of objects of one kind that are reconciled at once. 0 means 2.
	MaxConcurrentReconciles int
	// RunsPerNodePool is how many runs of a node pool may be admitted at once, unless they say something else. 0 means no
	// limit.
	RunsPerNodePool int
	// Namespaces that are watched. None means all.
	Namespaces []string
}

// Images are those of the pods.
func (s Settings) Images() product.Images {
	return product.Images{Loadgen: s.LoadgenImage, Repositories: s.ImageRepositories}
}

// Concurrency is MaxConcurrentReconciles with its default.
func (s Settings) Concurrency() int { return cmp.Or(max(s.MaxConcurrentReconciles, 0), 2) }
