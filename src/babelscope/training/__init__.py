"""Fine-tuning, pretraining, small models, and the cache of trained models."""
