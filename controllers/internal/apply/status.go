package apply

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mongobench/mongobench-operator/controllers/internal/desired"
)

// Status writes the status of an object when it differs from what was read, and says whether it did. A status that
// somebody else wrote meanwhile is a conflict, which the controller's queue repeats with a fresh object. It is an
// update, because of a patch the API server has to make the whole object first.
func Status(ctx context.Context, writer client.Client, before, after client.Object) (bool, error) {
	same, err := sameStatus(before, after)
	if err != nil || same {
		return false, err
	}
	if err := writer.Status().Update(ctx, after, FieldOwner); err != nil {
		return false, fmt.Errorf("writing status: %w", err)
	}
	return true, nil
}

func sameStatus(before, after client.Object) (bool, error) {
	was, err := desired.Status(before)
	if err != nil {
		return false, err
	}
	is, err := desired.Status(after)
	if err != nil {
		return false, err
	}
	return equality.Semantic.DeepEqual(was, is), nil
}
