package page

import (
	"fmt"
	"math"
	"strconv"

	"github.com/mongobench/mongobench-operator/internal/present"
)

// unknown is the value of a series that is not known.
const unknown = -1

// shared is a percentage.
func shared(percent float64) present.Cell {
	return present.Valued(fmt.Sprintf("%.1f %%", percent), percent, "")
}

// Numbers are values of a series. What is not a number is not known, and null in JSON.
type Numbers []float64

// MarshalJSON writes each number with as few digits as keep it.
func (n Numbers) MarshalJSON() ([]byte, error) {
	encoded := make([]byte, 0, 8*len(n)+2)
	encoded = append(encoded, '[')
	for i, number := range n {
		if i > 0 {
			encoded = append(encoded, ',')
		}
		if math.IsNaN(number) || math.IsInf(number, 0) {
			encoded = append(encoded, "null"...)
			continue
		}
		encoded = strconv.AppendFloat(encoded, number, 'f', -1, 64)
	}
	return append(encoded, ']'), nil
}

// rounded leaves three decimals, which is a millisecond of a second and a thousandth of a core.
func rounded(number float64) float64 {
	return math.Round(number*1000) / 1000
}
