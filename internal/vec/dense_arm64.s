//go:build !purego

#include "textflag.h"

// The assembler lacks these vector instructions; d, n and m are numbers of V
// registers.
//
//	FCVTL  d.D2 = n.S2 in double precision; FCVTL2 its upper half
//	FADD   d.D2 = n.D2 + m.D2
#define FCVTL(n, d) WORD $(0x0E617800 | (n)<<5 | (d))
#define FCVTL2(n, d) WORD $(0x4E617800 | (n)<<5 | (d))
#define FADD(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))

// Eight elements at R0 and at R1, of double (D) or single (S) precision, are
// multiplied and added to four registers.
#define MULTIPLY(s0, s1, s2, s3) \
	VFMLA V16.D2, V22.D2, s0; \
	VFMLA V17.D2, V23.D2, s1; \
	VFMLA V18.D2, V24.D2, s2; \
	VFMLA V19.D2, V25.D2, s3

#define STEP_DS(s0, s1, s2, s3) \
	VLD1.P 64(R0), [V16.D2, V17.D2, V18.D2, V19.D2]; \
	VLD1.P 32(R1), [V20.S4, V21.S4]; \
	FCVTL(20, 22); FCVTL2(20, 23); FCVTL(21, 24); FCVTL2(21, 25); \
	MULTIPLY(s0, s1, s2, s3)

#define STEP_DD(s0, s1, s2, s3) \
	VLD1.P 64(R0), [V16.D2, V17.D2, V18.D2, V19.D2]; \
	VLD1.P 64(R1), [V22.D2, V23.D2, V24.D2, V25.D2]; \
	MULTIPLY(s0, s1, s2, s3)

#define STEP_SS(s0, s1, s2, s3) \
	VLD1.P 32(R0), [V26.S4, V27.S4]; \
	VLD1.P 32(R1), [V20.S4, V21.S4]; \
	FCVTL(26, 16); FCVTL2(26, 17); FCVTL(27, 18); FCVTL2(27, 19); \
	FCVTL(20, 22); FCVTL2(20, 23); FCVTL(21, 24); FCVTL2(21, 25); \
	MULTIPLY(s0, s1, s2, s3)

#define ZERO4(s0, s1, s2, s3) \
	VEOR s0, s0, s0; \
	VEOR s1, s1, s1; \
	VEOR s2, s2, s2; \
	VEOR s3, s3, s3

// SUM is a dense sum of R2 elements at R0 and R1 with 32 lanes in V0 to V15. The
// last, incomplete 32 are copied to the stack, with zeros behind them: there
// is always such a block, so that the sum cannot be -0. LOAD and STORE copy
// one element of R0 to R3, LOAD2 and STORE2 one of R1 to R4.
#define SUM(STEP, LOAD, STORE, LOAD2, STORE2) \
	ZERO4(V0.B16, V1.B16, V2.B16, V3.B16); \
	ZERO4(V4.B16, V5.B16, V6.B16, V7.B16); \
	ZERO4(V8.B16, V9.B16, V10.B16, V11.B16); \
	ZERO4(V12.B16, V13.B16, V14.B16, V15.B16); \
	MOVD $0, R5; \
	SUBS $32, R2; \
	BLT  tail; \
loop: \
	STEP(V0.D2, V1.D2, V2.D2, V3.D2); \
	STEP(V4.D2, V5.D2, V6.D2, V7.D2); \
	STEP(V8.D2, V9.D2, V10.D2, V11.D2); \
	STEP(V12.D2, V13.D2, V14.D2, V15.D2); \
	CBNZ R5, tree; \
	SUBS $32, R2; \
	BGE  loop; \
tail: \
	MOVD $1, R5; \
	ADD  $32, R2; \
	MOVD $a-512(SP), R3; \
	MOVD $b-256(SP), R4; \
	MOVD $32, R6; \
clear: \
	MOVD.P ZR, 8(R3); \
	MOVD.P ZR, 8(R4); \
	SUBS $1, R6; \
	BNE  clear; \
	MOVD $a-512(SP), R3; \
	MOVD $b-256(SP), R4; \
	CBZ  R2, copied; \
copy: \
	LOAD(R0, R6); \
	STORE(R6, R3); \
	LOAD2(R1, R6); \
	STORE2(R6, R4); \
	SUBS $1, R2; \
	BNE  copy; \
copied: \
	MOVD $a-512(SP), R0; \
	MOVD $b-256(SP), R1; \
	B    loop; \
tree: \
	FADD(4, 0, 0); FADD(12, 8, 8); FADD(8, 0, 0); \
	FADD(5, 1, 1); FADD(13, 9, 9); FADD(9, 1, 1); \
	FADD(6, 2, 2); FADD(14, 10, 10); FADD(10, 2, 2); \
	FADD(7, 3, 3); FADD(15, 11, 11); FADD(11, 3, 3); \
	FADD(2, 0, 0); FADD(3, 1, 1); FADD(1, 0, 0); \
	VDUP V0.D[1], V1.D2; \
	FADDD F1, F0, F0

#define LOADD(p, v) MOVD.P 8(p), v
#define STORED(v, p) MOVD.P v, 8(p)
#define LOADS(p, v) MOVWU.P 4(p), v
#define STORES(v, p) MOVW.P v, 4(p)

// func dotNEON(w []float64, x []float32) float64
TEXT ·dotNEON(SB), NOSPLIT, $512-56
	MOVD w_base+0(FP), R0
	MOVD x_base+24(FP), R1
	MOVD x_len+32(FP), R2
	SUM(STEP_DS, LOADD, STORED, LOADS, STORES)
	FMOVD F0, ret+48(FP)
	RET

// func dot64NEON(x, y []float64) float64
TEXT ·dot64NEON(SB), NOSPLIT, $512-56
	MOVD x_base+0(FP), R0
	MOVD y_base+24(FP), R1
	MOVD y_len+32(FP), R2
	SUM(STEP_DD, LOADD, STORED, LOADD, STORED)
	FMOVD F0, ret+48(FP)
	RET

// func dot32NEON(x, y []float32) float64
TEXT ·dot32NEON(SB), NOSPLIT, $512-56
	MOVD x_base+0(FP), R0
	MOVD y_base+24(FP), R1
	MOVD y_len+32(FP), R2
	SUM(STEP_SS, LOADS, STORES, LOADS, STORES)
	FMOVD F0, ret+48(FP)
	RET

// func axpyNEON(dst []float64, scale float64, x []float32)
TEXT ·axpyNEON(SB), NOSPLIT, $0-56
	MOVD  dst_base+0(FP), R0
	FMOVD scale+24(FP), F31
	MOVD  x_base+32(FP), R1
	MOVD  x_len+40(FP), R2
	VDUP  V31.D[0], V30.D2
	SUBS  $8, R2
	BLT   tail

loop:
	VLD1   (R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 32(R1), [V20.S4, V21.S4]
	FCVTL(20, 22)
	FCVTL2(20, 23)
	FCVTL(21, 24)
	FCVTL2(21, 25)
	VFMLA  V30.D2, V22.D2, V16.D2
	VFMLA  V30.D2, V23.D2, V17.D2
	VFMLA  V30.D2, V24.D2, V18.D2
	VFMLA  V30.D2, V25.D2, V19.D2
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R0)
	SUBS   $8, R2
	BGE    loop

tail:
	ADDS $8, R2
	BEQ  done

single:
	FMOVD   (R0), F16
	FMOVS.P 4(R1), F20
	FCVTSD  F20, F20
	FMADDD  F20, F16, F31, F16
	FMOVD.P F16, 8(R0)
	SUBS    $1, R2
	BNE     single

done:
	RET

// func axpy64NEON(dst []float64, scale float64, x []float64)
TEXT ·axpy64NEON(SB), NOSPLIT, $0-56
	MOVD  dst_base+0(FP), R0
	FMOVD scale+24(FP), F31
	MOVD  x_base+32(FP), R1
	MOVD  x_len+40(FP), R2
	VDUP  V31.D[0], V30.D2
	SUBS  $8, R2
	BLT   tail

loop:
	VLD1   (R0), [V16.D2, V17.D2, V18.D2, V19.D2]
	VLD1.P 64(R1), [V22.D2, V23.D2, V24.D2, V25.D2]
	VFMLA  V30.D2, V22.D2, V16.D2
	VFMLA  V30.D2, V23.D2, V17.D2
	VFMLA  V30.D2, V24.D2, V18.D2
	VFMLA  V30.D2, V25.D2, V19.D2
	VST1.P [V16.D2, V17.D2, V18.D2, V19.D2], 64(R0)
	SUBS   $8, R2
	BGE    loop

tail:
	ADDS $8, R2
	BEQ  done

single:
	FMOVD   (R0), F16
	FMOVD.P 8(R1), F20
	FMADDD  F20, F16, F31, F16
	FMOVD.P F16, 8(R0)
	SUBS    $1, R2
	BNE     single

done:
	RET
