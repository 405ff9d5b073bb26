package main

import (
	"fmt"
	"math"
)

// constants are the float32 values that the routines broadcast from memory.
//
// exp: the range reduction and polynomial of Cephes' expf (S. Moshier).
//
// gelu: half of erf(x/√2) as x·P(x²)/Q(x²) on |x| <= 5.5, fitted by
// iteratively reweighted least squares on Chebyshev nodes; the fit is within
// 8e-9, its evaluation in float32 within 2e-7. The plain Go routines of
// vecmath hold the same numbers.
var constants = []struct {
	name  string
	value float32
}{
	{"one", 1},
	{"half", 0.5},
	{"eight", 8},
	{"expLowest", -87},
	{"expLog2E", math.Log2E},
	{"expLn2High", 0.693359375},
	{"expLn2Low", -2.12194440e-4},
	{"expP0", 1.9875691500e-4},
	{"expP1", 1.3981999507e-3},
	{"expP2", 8.3334519073e-3},
	{"expP3", 4.1665795894e-2},
	{"expP4", 1.6666665459e-1},
	{"expP5", 5.0000001201e-1},
	{"geluHighest", 5.5},
	{"geluLowest", -5.5},
	{"geluP0", 0.398942232131958},
	{"geluP1", 0.03385205194354057},
	{"geluP2", 0.004677218850702047},
	{"geluP3", 0.00016881883493624628},
	{"geluP4", 6.3520005824102554e-06},
	{"geluP5", 2.2749450323544806e-08},
	{"geluQ1", 0.25152042508125305},
	{"geluQ2", 0.02864551730453968},
	{"geluQ3", 0.0018844067817553878},
	{"geluQ4", 7.364492921624333e-05},
	{"geluQ5", 1.1974976814599358e-06},
}

// panelBytes is the size of one row of a panel: 32 float32 values.
const panelBytes = 128

// writeConstants writes the constants and the sixteen values of a 4-bit weight
// before its scale.
func writeConstants(w *writer) {
	for _, c := range constants {
		fmt.Fprintf(w, "DATA %s<>+0(SB)/4, $0x%08x // %g\n", c.name, math.Float32bits(c.value), c.value)
		fmt.Fprintf(w, "GLOBL %s<>(SB), RODATA|NOPTR, $4\n", c.name)
	}
	for i := range 16 {
		fmt.Fprintf(w, "DATA nibbleValues<>+%d(SB)/4, $0x%08x // %d\n", 4*i, math.Float32bits(float32(i-8)), i-8)
	}
	fmt.Fprintf(w, "GLOBL nibbleValues<>(SB), RODATA|NOPTR, $64\n\n")
}
