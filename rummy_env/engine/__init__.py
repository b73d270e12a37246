"""The compiled core: rules of play as allocation-free kernels over structured arrays. Knows no RL library."""
