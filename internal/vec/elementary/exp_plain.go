//go:build purego || !amd64

package elementary

// These have kernels on amd64 only.

func expTo(dst, src []float64)      { each(dst, src, Exp) }
func exp32To(dst, src []float32)    { each(dst, src, Exp32) }
func sigmoidTo(dst, src []float64)  { each(dst, src, Sigmoid) }
func softplusTo(dst, src []float64) { each(dst, src, Softplus) }
func entropyTo(dst, src []float64)  { each(dst, src, Entropy) }
func logTo(dst, src []float64)      { each(dst, src, Log) }
func sinTo(dst, src []float64)      { each(dst, src, Sin) }
func cosTo(dst, src []float64)      { each(dst, src, Cos) }

func gaussian32(dst, yy []float32, xx, minus float32) { gaussianPortable(Exp32, dst, yy, xx, minus) }
func gaussian64(dst, yy []float64, xx, minus float64) { gaussianPortable(Exp, dst, yy, xx, minus) }
