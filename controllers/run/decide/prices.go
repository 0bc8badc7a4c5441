package decide

import (
	"k8s.io/apimachinery/pkg/types"

	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/controllers/run/decide/collect"
	"github.com/mongobench/mongobench-operator/internal/spec"
)

// PriceList says which price list is to be read, and its key. It is read until a run is accepted without a remark on
// it, so that what is wrong is told before anything is measured, and once more when the report is stored: that is the
// list that counts.
func PriceList(o *Observation) (name types.NamespacedName, key string, wanted bool) {
	name, key = o.Settings.PriceList, spec.PriceListKey
	if o.Run.Spec.PriceList != nil {
		own := spec.PriceList(*o.Run.Spec.PriceList)
		name, key = types.NamespacedName{Namespace: o.Run.Namespace, Name: own.ConfigMapName}, *own.Key
	}
	if name.Name == "" || condition.Ended(o.Run) {
		return name, key, false
	}
	said := condition.Find(o.Run.Status.Conditions, benchv1alpha1.RunAccepted)
	if said == nil || said.Message != acceptedMessage {
		return name, key, true
	}
	_, wanted = Lookup(o)
	return name, key, wanted
}

// acceptedMessage is what is told of a run that has nothing wrong.
const acceptedMessage = "every check was passed"

// tellAccepted says that a run is accepted, and what is wrong with its price list, which fails no run.
func tellAccepted(c *condition.Setter, prices *collect.Prices) {
	message := acceptedMessage
	if prices != nil && prices.Trouble != "" {
		message += "; there will be no costs unless the price list is right when the run ends: " + prices.Trouble
	}
	c.True(benchv1alpha1.RunAccepted, benchv1alpha1.ReasonValid, condition.Short(message))
}
