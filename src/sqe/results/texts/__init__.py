"""Values of Arrow as text: what people read, and what other programs read back."""
