"""Answers of reads that are kept for whoever asks the same and may see the same."""
