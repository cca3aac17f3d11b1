package kernel

// How a kernel is made of others.
const (
	HowSum        = "sum"
	HowProduct    = "product"
	HowNormalised = "normalised"
)

// Parts returns the kernels of a sum or product, in their order, or the one that is
// normalised, and which of these it is; "" and nil for a kernel that is made of no others.
func Parts(k Kernel) (how string, parts []Kernel) {
	switch k := k.(type) {
	case innerCombination:
		return Parts(k.combination)
	case combination:
		how = HowSum
		if k.product {
			how = HowProduct
		}
		for _, part := range k.parts {
			parts = append(parts, part)
		}
		return how, parts
	case normalised:
		return HowNormalised, []Kernel{k.of}
	}
	return "", nil
}

// LeastSelf is the value of a row with itself below which a normalised kernel is 0.
const LeastSelf = leastSelf
