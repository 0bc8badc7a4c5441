// Package images puts image archives into the containerd of every node; there is no registry to pull them from.
//
// It builds no image: hack/images does. It imports assets (to find ctr) and plan.
package images
