package fenchel

// MostCost is the largest cost of a row: sums over rows do not overflow.
const MostCost = 1e100
