"""What tables need, and what maintenance must not touch. Pure: facts in, advice or refusal out."""
