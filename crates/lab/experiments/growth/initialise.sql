$(initialise)
