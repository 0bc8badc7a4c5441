package present

// Valued is a cell that is sorted and copied by its value.
func Valued(words string, value float64, unit string) Cell {
	return Cell{Text: words, Value: &value, Unit: unit}
}

// CountCell is a number of things.
func CountCell(number int64) Cell { return Valued(Count(number), float64(number), "") }

// MicrosCell is a time.
func MicrosCell(micros int64) Cell { return Valued(Micros(micros), float64(micros), "µs") }

// MillisCell is a time.
func MillisCell(millis int64) Cell { return Valued(Millis(millis), float64(millis), "ms") }

// BytesCell is a size.
func BytesCell(number int64) Cell { return Valued(Bytes(number), float64(number), "bytes") }

// BytesRateCell is a rate.
func BytesRateCell(number int64) Cell {
	return Valued(BytesPerSecond(number), float64(number), "bytes/s")
}

// KnownCell is the cell of a figure that is negative where it is not known.
func KnownCell(number int64, cell func(int64) Cell) Cell {
	if number < 0 {
		return Text(Unknown)
	}
	return cell(number)
}
