"""What attention heads point at, and which of them to keep: pure numbers, no torch."""
