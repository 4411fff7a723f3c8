"""Functions of one's own: how they are made, where they are called, and what stands for a call."""
