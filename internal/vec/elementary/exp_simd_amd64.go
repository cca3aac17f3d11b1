//go:build !purego

package elementary

import "github.com/fenchel-ml/fenchel/internal/vec/cpu"

func expTo(dst, src []float64) {
	if cpu.HasAVX2 {
		expToAVX2(dst, src)
	} else {
		each(dst, src, Exp)
	}
}

func exp32To(dst, src []float32) {
	if cpu.HasAVX2 {
		exp32ToAVX2(dst, src)
	} else {
		each(dst, src, Exp32)
	}
}

func sigmoidTo(dst, src []float64) {
	if cpu.HasAVX2 {
		sigmoidToAVX2(dst, src)
	} else {
		each(dst, src, Sigmoid)
	}
}

func softplusTo(dst, src []float64) {
	if cpu.HasAVX2 {
		softplusToAVX2(dst, src)
	} else {
		each(dst, src, Softplus)
	}
}

func entropyTo(dst, src []float64) {
	if cpu.HasAVX2 {
		entropyToAVX2(dst, src)
	} else {
		each(dst, src, Entropy)
	}
}

// logTo is LogTo of normal numbers > 0; of others it sets dst to anything.
func logTo(dst, src []float64) {
	if cpu.HasAVX2 {
		logToAVX2(dst, src)
	} else {
		each(dst, src, Log)
	}
}

func sinTo(dst, src []float64) {
	if cpu.HasAVX2 {
		sinToAVX2(dst, src)
	} else {
		each(dst, src, Sin)
	}
}

func cosTo(dst, src []float64) {
	if cpu.HasAVX2 {
		cosToAVX2(dst, src)
	} else {
		each(dst, src, Cos)
	}
}

func gaussian32(dst, yy []float32, xx, minus float32) {
	switch {
	case cpu.HasAVX512:
		gaussian32AVX512(dst, yy, xx, minus)
	case cpu.HasAVX2:
		gaussian32AVX2(dst, yy, xx, minus)
	default:
		gaussianPortable(Exp32, dst, yy, xx, minus)
	}
}

func gaussian64(dst, yy []float64, xx, minus float64) {
	switch {
	case cpu.HasAVX512:
		gaussian64AVX512(dst, yy, xx, minus)
	case cpu.HasAVX2:
		gaussian64AVX2(dst, yy, xx, minus)
	default:
		gaussianPortable(Exp, dst, yy, xx, minus)
	}
}
