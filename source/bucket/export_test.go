package bucket

// Fold makes a copy as one on a file system that takes names which differ in case for one.
func (c *Copy) Fold() { c.folds = true }
