"""What tuning on one language cost the others: numbers from predictions, states and attention, without a model."""
