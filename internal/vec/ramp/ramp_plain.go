//go:build purego || !amd64

package ramp

// The loops over ramps have kernels on amd64 only. Each does the first rows, and returns
// how many.

func rampLinearise(int, *rampPass) int { return 0 }
func rampPredict(int, *rampPass) int   { return 0 }
func rampCorrect(int, *rampPass) int   { return 0 }
func rampMeasure(int, *rampPass) int   { return 0 }
func rampStep(int, *rampPass) int      { return 0 }
