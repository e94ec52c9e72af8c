"""Hugging Face models: loading, encoding, tasks, erasure, batched inference, activations."""
