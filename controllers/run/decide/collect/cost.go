package collect

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	reportv1alpha1 "github.com/mongobench/mongobench-operator/api/report/v1alpha1"
	benchv1alpha1 "github.com/mongobench/mongobench-operator/api/v1alpha1"
	"github.com/mongobench/mongobench-operator/controllers/internal/condition"
	"github.com/mongobench/mongobench-operator/internal/capacity"
	"github.com/mongobench/mongobench-operator/internal/figure"
	"github.com/mongobench/mongobench-operator/internal/present"
	"github.com/mongobench/mongobench-operator/internal/price"
)

// What the schema of a cost takes.
const maxPriceList, maxPriceSource = 320, 256

// Prices are a price list as it was read.
type Prices struct {
	// Place is where it lies, as people are told.
	Place string
	List  price.List
	// Trouble is why there is no list, in words; empty when there is.
	Trouble string
}

// ReadPrices reads a list from a ConfigMap, nil for one that does not exist.
func ReadPrices(place, key string, from *corev1.ConfigMap) *Prices {
	found := &Prices{Place: place}
	if from == nil {
		found.Trouble = fmt.Sprintf("ConfigMap %s does not exist", place)
		return found
	}
	text, has := from.Data[key]
	if !has {
		found.Trouble = fmt.Sprintf("ConfigMap %s has no key %s", place, key)
		return found
	}
	var err error
	if found.List, err = price.Parse(text); err != nil {
		found.Trouble = fmt.Sprintf("ConfigMap %s, key %s: %s", place, key, err)
	}
	return found
}

// Claims are the claims of the members' volumes.
func (s Scene) Claims() []string {
	found := make([]string, 0, len(s.Members))
	for i := range s.Members {
		found = append(found, claimsOf(&s.Members[i])...)
	}
	return distinct(found)
}

func claimsOf(pod *corev1.Pod) []string {
	var found []string
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			found = append(found, volume.PersistentVolumeClaim.ClaimName)
		}
	}
	return found
}

// VolumeOf is what a claim is paid for: what was set aside for it, or else what it asks for.
func VolumeOf(claim *corev1.PersistentVolumeClaim) price.Volume {
	size := claim.Status.Capacity.Storage()
	if size.IsZero() {
		size = claim.Spec.Resources.Requests.Storage()
	}
	return price.Volume{Name: claim.Name, Class: ptr.Deref(claim.Spec.StorageClassName, ""), Bytes: size.Value()}
}

// Cost adds to what was told of a run what the steps cost, if a list says so, and writes what the target costs into the
// status. Whatever load pods say of costs counts for nothing. Where there is a list and no cost, a remark says why.
func (s Scene) Cost(
	told reportv1alpha1.Collected, prices *Prices, around Surroundings, status *benchv1alpha1.BenchmarkRunStatus,
) (reportv1alpha1.Collected, *benchv1alpha1.CostResult) {
	var cost *reportv1alpha1.Cost
	var why []string
	switch {
	case prices == nil:
	case prices.Trouble != "":
		why = []string{prices.Trouble}
	default:
		cost, why = prices.List.Of(s.members(around, status.Sharing))
	}
	told.Summary.Steps = slices.Clone(told.Summary.Steps)
	for i := range told.Summary.Steps {
		step := &told.Summary.Steps[i]
		if step.Cost = price.OfStep(cost, step); step.Cost == nil && cost != nil {
			why = append(why, fmt.Sprintf("step %s has no throughput, or its traffic has a price and was not counted",
				step.Name))
		}
	}
	if len(why) > 0 {
		const most = 3
		remark := strings.Join(present.First(why, most, "and %d more"), ", ")
		if prices.Trouble == "" {
			remark = "price list " + prices.Place + ": " + remark
		}
		told.Remarks = append(slices.Clone(told.Remarks), "costs are missing: "+remark)
	}
	if cost == nil {
		return told, nil
	}
	result := &benchv1alpha1.CostResult{
		Currency: cost.Currency, PriceList: condition.Cut(prices.Place, maxPriceList),
		Source: condition.Cut(cost.Source, maxPriceSource), ValidFrom: cost.ValidFrom,
	}
	figure.Fill(figure.Costs, cost, result)
	return told, result
}

// members are what the members of the target ran on.
func (s Scene) members(around Surroundings, sharing *benchv1alpha1.NodeSharing) []price.Member {
	quiet := sharing != nil && sharing.Neighbours != nil && *sharing.Neighbours == 0
	machines, volumes := map[string]Machine{}, map[string]price.Volume{}
	for _, machine := range around.Machines {
		machines[machine.Name] = machine
	}
	for _, volume := range around.Volumes {
		volumes[volume.Name] = volume
	}
	onNode := map[string]int{}
	for _, pod := range slices.Concat(s.Members, s.Pods) {
		onNode[pod.Spec.NodeName]++
	}
	members := make([]price.Member, 0, len(s.Members))
	for i := range s.Members {
		pod := &s.Members[i]
		machine := machines[pod.Spec.NodeName]
		member := price.Member{
			Name: pod.Name, NodeType: machine.Type, Region: machine.Region, Node: machine.Has,
			Asks: capacity.Requested(&pod.Spec), Alone: quiet && onNode[pod.Spec.NodeName] == 1,
		}
		for _, claim := range claimsOf(pod) {
			volume := volumes[claim]
			volume.Name = claim
			member.Volumes = append(member.Volumes, volume)
		}
		members = append(members, member)
	}
	return members
}

// Priced adds to a fingerprint what costs depend on.
func Priced(fingerprint *benchv1alpha1.RunFingerprint, prices *Prices) {
	if prices != nil && prices.Trouble == "" {
		fingerprint.Currency, fingerprint.PriceListHash = prices.List.Currency, prices.List.Hash()
	}
}
