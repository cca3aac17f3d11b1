//go:build !purego

package ramp

import "github.com/fenchel-ml/fenchel/internal/vec/cpu"

// Each of these does the first rows of n, and returns how many: a multiple of eight.

func rampLinearise(n int, p *rampPass) (done int) {
	if cpu.HasAVX2 {
		rampLineariseAVX2(n&^7, &p.slices, &p.numbers, &p.sums)
		return n &^ 7
	}
	return 0
}

func rampPredict(n int, p *rampPass) (done int) {
	if cpu.HasAVX2 {
		rampPredictAVX2(n&^7, &p.slices, &p.numbers, &p.sums)
		return n &^ 7
	}
	return 0
}

func rampCorrect(n int, p *rampPass) (done int) {
	if cpu.HasAVX2 {
		rampCorrectAVX2(n&^7, &p.slices, &p.numbers, &p.sums)
		return n &^ 7
	}
	return 0
}

func rampMeasure(n int, p *rampPass) (done int) {
	if cpu.HasAVX2 {
		rampMeasureAVX2(n&^7, &p.slices, &p.numbers, &p.sums)
		return n &^ 7
	}
	return 0
}

func rampStep(n int, p *rampPass) (done int) {
	if cpu.HasAVX2 {
		rampStepAVX2(n&^7, &p.slices, &p.numbers, &p.sums)
		return n &^ 7
	}
	return 0
}
