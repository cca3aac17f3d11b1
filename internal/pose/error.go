package pose

// DataError says why nothing can be learned from the data. Other errors of Fit
// are about the Spec.
type DataError struct{ Reason string }

func (e DataError) Error() string { return e.Reason }
