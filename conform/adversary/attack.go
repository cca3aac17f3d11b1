package adversary

// attack forges models and damages files.
func (t *trial) attack() {}
