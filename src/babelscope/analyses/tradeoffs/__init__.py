"""What fine-tuning on one language cost the others: behaviour, states, attention, confidence,
errors.
"""
