package comparison

import (
	"math"
	"strconv"
)

// tolerance is by how much values that are measured may differ without a difference: they are never twice the same.
type tolerance struct {
	// apart, in the field's unit, or times the smallest value; either is enough.
	apart, times float64
}

// tolerances are by field, as the API documents them. Medians of a hundred round trips to servers on the same machine
// were 0.25 to 0.72 ms in one run of the end-to-end tests, in which all of them share two cores.
var tolerances = map[string]tolerance{
	"roundTripMicros":   {apart: 300, times: 2},
	"clockSpreadMicros": {apart: 10_000},
	"foundDocuments":    {times: 1.05},
	"foundBytes":        {times: 1.05},
	"stealPercent":      {apart: 5},
	"throttledPercent":  {apart: 20},
}

// tolerated says whether all values of a field that are known are as good as the same. One that is not known says
// nothing.
func tolerated(field string, values []string) bool {
	allowed, measured := tolerances[field]
	if !measured {
		return false
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, value := range values {
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		least, most = min(least, number), max(most, number)
	}
	return most-least <= allowed.apart || most <= least*allowed.times || math.IsInf(least, 1)
}
